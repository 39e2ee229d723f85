#!/usr/bin/env python3
"""A policy for `--policy 'cmd:python3 examples/cmd_policy.py'`: plain Python, no dependencies.

It prefers actions that mention objects of open goals; a hash of the state breaks the ties, so that
the same state always gets the same answer. Any language that reads and writes lines will do.
"""

import hashlib
import json
import sys
from typing import Any


def choose(facts: list[str], applicable: list[str], goal: list[str]) -> str | None:
    """One of the applicable actions, or None if there is none."""
    wanted = {word for atom in goal if atom not in facts for word in atom.strip("()").split()[1:]}

    def rank(action: str) -> tuple[int, str]:
        objects = action.strip("()").split()[1:]
        digest = hashlib.sha256(" ".join([action, *facts]).encode()).hexdigest()
        return len(wanted.intersection(objects)), digest

    return max(applicable, key=rank, default=None)


def answer(message: dict[str, Any]) -> None:
    """Send one line; without the flush it would wait in a buffer for ever."""
    print(json.dumps(message), flush=True)


task = json.loads(sys.stdin.readline())["task"]
answer({"ready": True})
for line in sys.stdin:
    batch = json.loads(line)
    states = [(state["facts"], state["applicable"]) for state in batch["states"]]
    actions = [choose(facts, applicable, task["goal"]) for facts, applicable in states]
    answer({"id": batch["id"], "actions": actions})
