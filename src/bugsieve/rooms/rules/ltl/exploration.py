"""All states that the progressions of a formula reach, before any two of them are merged."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from bugsieve.rooms.rules.ltl.diagrams import Diagrams, TooManyStatesError
from bugsieve.rooms.rules.ltl.progression import Progression, Rest


@dataclass(frozen=True)
class Explored:
    """Explored states: their diagrams, whether they accept, and which leaf is which state."""

    diagrams: Diagrams
    atoms: tuple[str, ...]
    rows: list[int]
    accepts: list[bool]
    numbers: dict[int, int]
    start: int

    def inner_nodes(self) -> list[int]:
        """The nodes that ask for atoms, answers before their questions."""
        level, low, high = self.diagrams.level, self.diagrams.low, self.diagrams.high
        found: set[int] = set()
        pending = [self.start, *self.rows]
        while pending:
            at = pending.pop()
            if at not in self.numbers and at not in found:
                found.add(at)
                pending += (low[at], high[at])
        return sorted(found, key=lambda at: (-level[at], at))


def explore(progression: Progression, max_states: int) -> Explored:
    """All states that words of one letter or more lead to."""
    numbers: dict[int, int] = {}
    states: dict[Rest, int] = {}
    rows: list[int] = []
    seen: set[int] = set()
    diagrams = progression.diagrams
    pending = [progression.start]
    waiting: deque[Rest] = deque()
    while pending or waiting:
        if not pending:
            row = progression.after(waiting.popleft().promises)
            rows.append(row)
            pending.append(row)
        at = pending.pop()
        if at in seen:
            continue
        seen.add(at)
        if not progression.is_leaf(at):
            pending += (diagrams.high[at], diagrams.low[at])
            continue
        rest = progression.rest(at)
        if rest not in states:
            if len(states) == max_states:
                raise TooManyStatesError(
                    f"the automaton has more than {max_states} states", len(states)
                )
            states[rest] = len(states)
            waiting.append(rest)
        numbers[at] = states[rest]
    accepts = [rest.accepts for rest in states]
    return Explored(diagrams, progression.atoms, rows, accepts, numbers, progression.start)
