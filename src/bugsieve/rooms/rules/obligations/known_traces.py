"""Known traces of a task, to be tried before a search for another one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bugsieve.rooms.rules.ltl.automaton import Automaton
from bugsieve.rooms.rules.obligations.letters import Letter, letters_of
from bugsieve.tasks.grounded.task import Task


class KnownTraces:
    """Remembers traces with the truth of all atoms along them; the first is the start alone."""

    def __init__(self, task: Task, conditions: Mapping[str, Any]) -> None:
        self._task = task
        self._conditions = conditions
        self._traces: dict[tuple[int, ...], tuple[Sequence[Letter], Sequence[bool]]] = {}
        self.add(())

    @property
    def first_letter(self) -> Letter:
        """The atoms that are true in the initial state."""
        return self._traces[()][0][0]

    def add(self, operators: Sequence[int]) -> None:
        """Remember a trace from the initial state."""
        key = tuple(operators)
        if key not in self._traces:
            letters, states = letters_of(self._task, key, self._conditions)
            self._traces[key] = (letters, self._task.is_goal(states).tolist())

    def prefix(self, automaton: Automaton, *, with_goal: bool) -> tuple[int, ...] | None:
        """The first beginning of a known trace that the automaton accepts, at a goal if asked."""
        return next(self._accepted(automaton, with_goal), (None, 0))[0]

    def ends(self, automaton: Automaton, *, with_goal: bool) -> int:
        """A bit for each state of known traces: whether the automaton accepts what ends there."""
        return sum(1 << place for _, place in self._accepted(automaton, with_goal))

    def _accepted(
        self, automaton: Automaton, with_goal: bool
    ) -> Iterator[tuple[tuple[int, ...] | None, int]]:
        """Beginnings of known traces, each with its number among all of them."""
        place = -1
        for operators, (letters, goals) in self._traces.items():
            state = automaton.initial
            for length, letter in enumerate(letters):
                place += 1
                state = automaton.step(state, letter)
                if state in automaton.accepting and (goals[length] or not with_goal):
                    yield operators[:length], place
