"""Cases that campaigns judge, and the visits to them in the order of the campaign.

A case has a number of its own and a key: a pool entry (its number in the pool, its state), an
unsafe run (the first walk that made it, its digest). A campaign is a fold over numbered visits:
what is found out at one may depend on those before it, never on those beside or after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bugsieve.pipeline.bench import Origin
from bugsieve.pipeline.pool.pool import Pool
from bugsieve.tasks.grounded.task import StateArray


@dataclass(frozen=True)
class Visit:
    """The moment at which a case is judged."""

    number: int
    """In the order of the campaign."""
    case: int
    effort: int = 0
    """The level of effort: 0 for the campaign's limits, more for the levels of escalation."""


@dataclass(frozen=True, eq=False)
class StateCase:
    """A state to judge, as a learning oracle is told of it."""

    number: int
    state: StateArray
    origin: Origin | None
    walk: int | None = None

    @property
    def key(self) -> bytes:
        """The key that tells it from other cases."""
        return self.state.tobytes()


@dataclass(frozen=True, eq=False)
class Parcel:
    """States on their way to a judge; row i is that of visit i."""

    visits: tuple[Visit, ...]
    walks: tuple[int | None, ...]
    states: StateArray
    origins: tuple[Origin | None, ...]

    def __len__(self) -> int:
        return len(self.visits)

    def __str__(self) -> str:
        if len(self) == 1:
            return f"state {self.visits[0].case}"
        return f"{len(self)} states from number {self.visits[0].case} on" if self.visits else ""

    def case(self, row: int) -> StateCase:
        """The case of one row."""
        number = self.visits[row].case
        return StateCase(number, self.states[row], self.origins[row], self.walks[row])

    def rows(self, rows: Sequence[int]) -> Parcel:
        """Some of its states."""
        return Parcel(
            tuple(self.visits[row] for row in rows),
            tuple(self.walks[row] for row in rows),
            self.states[list(rows)],
            tuple(self.origins[row] for row in rows),
        )

    @property
    def effort(self) -> int:
        """The effort of its visits, which is the same for all."""
        return self.visits[0].effort if self.visits else 0

    @classmethod
    def of(cls, pool: Pool, start: int, stop: int, *, effort: int = 0) -> Parcel:
        """The entries `start` to `stop - 1` of the pool; their visits get numbers of their own
        when they are accepted."""
        numbers = range(start, stop)
        walks = tuple(pool.entry(number).walk for number in numbers)
        origins = tuple(pool.origin(number) for number in numbers)
        return cls(_visits(numbers, effort), walks, pool.states(numbers), origins)

    @classmethod
    def given(cls, states: StateArray, first: int = 0) -> Parcel:
        """States that came from no pool, numbered from `first`."""
        nothing = (None,) * len(states)
        return cls(_visits(range(first, first + len(states))), nothing, states, nothing)


def _visits(numbers: range, effort: int = 0) -> tuple[Visit, ...]:
    return tuple(Visit(number, number, effort) for number in numbers)
