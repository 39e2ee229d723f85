"""A child process that walks at random with pymimir's grounded advanced API.

Usage: python -m benchmarks.mimir_walks DOMAIN PROBLEM DESCRIPTOR. Each line of standard input is a
number of seconds; the answer, on the descriptor, is "steps cpu-seconds". It is a process of its
own because pymimir prints to standard output while it grounds and keeps every state it ever saw.
"""

from __future__ import annotations

import os
import random
import sys
import time
from typing import Any

WALK_LENGTH = 50
WALKS_PER_CLOCK = 4


class Walker:
    """Random walks of WALK_LENGTH steps from the initial state, over and over."""

    def __init__(self, domain: str, problem: str) -> None:
        from pymimir.advanced import search

        options = search.SearchContextOptions(search.GroundedOptions())
        context = search.SearchContext.create(domain, problem, options)
        # Bound methods: the attribute look-ups would cost the peer a few percent.
        self._applicable = context.get_applicable_action_generator().generate_applicable_actions
        repository = context.get_state_repository()
        self._successor = repository.get_or_create_successor_state
        self._start: tuple[Any, float] = repository.get_or_create_initial_state()
        self._random = random.Random(1).random

    def walk(self) -> int:
        """One walk; the number of steps it took."""
        applicable, successor, uniform = self._applicable, self._successor, self._random
        state, metric = self._start
        for step in range(WALK_LENGTH):
            actions = applicable(state)
            choices = len(actions)
            if not choices:
                return step
            state, metric = successor(state, actions[int(uniform() * choices)], metric)
        return WALK_LENGTH

    def measure(self, seconds: float) -> tuple[int, float]:
        """Steps and CPU seconds of walks over at least this time."""
        steps = 0
        start = time.process_time()
        while True:
            for _ in range(WALKS_PER_CLOCK):
                steps += self.walk()
            elapsed = time.process_time() - start
            if elapsed >= seconds:
                return steps, elapsed


def main() -> None:
    """Serve requests until standard input ends."""
    walker = Walker(sys.argv[1], sys.argv[2])
    with os.fdopen(int(sys.argv[3]), "w") as answers:
        for line in sys.stdin:
            steps, elapsed = walker.measure(float(line))
            print(steps, elapsed, file=answers, flush=True)


if __name__ == "__main__":
    main()
