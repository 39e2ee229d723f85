"""Draws from a larger set until a draw satisfies the constraints."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bugsieve.base.errors import BudgetError
from bugsieve.base.seeds import Stream
from bugsieve.base.stopping import check_stop
from bugsieve.rooms.jani.starts.condition import Constraint, Definition, Ranges
from bugsieve.rooms.jani.starts.parts import Rows, Source, StartPart, Values

MOST_ATTEMPTS = 100_000
_MOST_CELLS = 1 << 22  # values drawn for one state: more variables, fewer attempts
_CELLS_AT_ONCE = 1 << 20
_ATTEMPTS_AT_ONCE = 64
_MOST_EARLY_CELLS = 1 << 14  # for one state in attempts that many states make together
_LATE_CELLS_AT_ONCE = 1 << 16
_PILOT_DRAWS = 1000


class RejectionPart(StartPart):
    """Draws of another part, with variables that follow from it, if the constraints hold.

    Accepted draws are uniform because all draws are.
    """

    def __init__(
        self,
        proposal: StartPart,
        defined: Sequence[Definition],
        constraints: Sequence[Constraint],
        ranges: Ranges,
    ) -> None:
        self.variables = (*proposal.variables, *(definition.variable for definition in defined))
        self._proposal = proposal
        self._defined = defined
        self._constraints = constraints
        self._ranges = ranges

    def draw(self, source: Source, rows: Rows, attempt: int) -> Values:
        """See StartPart; an attempt of this part is many of its proposal."""
        result = np.empty((len(rows), len(self.variables)))
        portion = max(1, _CELLS_AT_ONCE // (_ATTEMPTS_AT_ONCE * len(self.variables)))
        for begin in range(0, len(rows), portion):
            chosen = slice(begin, begin + portion)
            result[chosen] = self._draw_portion(source, rows[chosen], attempt)
        return result

    def pilot(self) -> float:
        """The share of some draws that satisfy the constraints."""
        # Always the same numbers: how states are drawn must not depend on the seed of the
        # campaign.
        rows = np.arange(_PILOT_DRAWS)
        source = Source(Stream(0, "pilot"), rows)
        return float(self._is_good(self._try(source, rows, 0)).mean())

    def _draw_portion(self, source: Source, rows: Rows, attempt: int) -> Values:
        """Some attempts for all rows together, then many for each row that still waits."""
        result = np.empty((len(rows), len(self.variables)))
        waiting = np.arange(len(rows))
        early = min(self._attempts(_MOST_EARLY_CELLS), MOST_ATTEMPTS)
        at_once = 1
        done = 0
        # A row takes its first good attempt, and attempts have numbers: how many are made at once,
        # and for how many rows, decides the time only. Batches double, as most rows are done soon.
        while len(waiting) and done < early:
            at_once = min(2 * at_once, _ATTEMPTS_AT_ONCE, early - done)
            first = attempt * MOST_ATTEMPTS + done
            tries = [
                self._try(source, rows[waiting], first + k) for k in range(at_once)
            ]  # each of shape (waiting, variables)
            stacked = np.stack(tries, axis=1)
            flat = self._is_good(stacked.reshape(-1, len(self.variables)))
            is_good = flat.reshape(len(waiting), at_once)
            found = is_good.any(axis=1)
            result[waiting[found]] = stacked[found, is_good.argmax(axis=1)[found]]
            waiting = waiting[~found]
            done += at_once
        for k in waiting:
            result[k] = self._draw_late(source, int(rows[k]), attempt, done)
        return result

    def _draw_late(self, source: Source, row: int, attempt: int, done: int) -> Values:
        """One row alone: many attempts are one batch, so that a hopeless row soon gives up."""
        most = min(MOST_ATTEMPTS, self._attempts(_MOST_CELLS))
        # The attempts of one row are drawn as rows of a batch, from a stream of their own; the
        # numbers before `done` were used up by the common attempts.
        while done < most:
            check_stop()
            at_once = min(self._attempts(_LATE_CELLS_AT_ONCE), most - done)
            own = source.of_row(row, attempt * MOST_ATTEMPTS + done, at_once)
            tries = self._try(own, np.arange(at_once), 0)
            is_good = self._is_good(tries)
            if is_good.any():
                chosen: Values = tries[is_good.argmax()]
                return chosen
            done += at_once
        raise BudgetError(
            f"no start state was found, none of {done} random states satisfied the start "
            "condition: list start states instead (operator 'states-values')"
        )

    def _attempts(self, cells: int) -> int:
        """The number of attempts that draw so many values."""
        return max(1, cells // len(self.variables))

    def _try(self, source: Source, rows: Rows, attempt: int) -> Values:
        values = self._proposal.draw(source, rows, attempt)
        if not self._defined:
            return values
        columns = dict(zip(self._proposal.variables, values.T, strict=True))
        columns |= self._fixed(len(rows))
        for definition in self._defined:
            found = definition.compute(columns)
            columns[definition.variable] = np.broadcast_to(found, (len(rows),))
        return np.stack([columns[v] for v in self.variables], axis=1)

    def _fixed(self, rows: int) -> dict[int, Values]:
        return {
            v: np.full(rows, float(values.lower))
            for v, values in self._ranges.items()
            if values.is_fixed
        }

    def _is_good(self, values: Values) -> NDArray[np.bool_]:
        columns = dict(zip(self.variables, values.T, strict=True)) | self._fixed(len(values))
        # The proposal may draw from more than the ranges (a hull, a whole sum), and a definition
        # may lead anywhere: so ranges and whole numbers are tested here like constraints.
        is_good = np.ones(len(values), dtype=np.bool_)
        for variable in self.variables:
            limits = self._ranges[variable]
            column = columns[variable]
            is_good &= (column >= limits.lower) & (column <= limits.upper)
            if not limits.is_real:
                is_good &= column == np.floor(column)
        for constraint in self._constraints:
            is_good &= constraint.holds(columns)
        return is_good
