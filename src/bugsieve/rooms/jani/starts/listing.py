"""Lists all values of some integers that satisfy constraints, variable by variable."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bugsieve.rooms.jani.starts.condition import Constraint, Definition, Ranges, definitions
from bugsieve.rooms.jani.starts.parts import ListedPart, TooManyStartsError

Table = NDArray[np.float64]


def list_solutions(
    variables: Sequence[int],
    ranges: Ranges,
    constraints: Sequence[Constraint],
    most_cells: int,
) -> ListedPart:
    """All solutions; TooManyStartsError if a table on the way there has too many cells.

    `ranges` has the fixed variables that the constraints read, too. Each table holds the values of
    the variables so far which no constraint on these alone excludes.
    """
    try:
        return _Listing(ranges, constraints, most_cells).run(variables)
    except TooManyStartsError:  # the order of the model may be the better one
        return _Listing(ranges, constraints, most_cells, in_order=True).run(variables)


class _Listing:
    def __init__(
        self,
        ranges: Ranges,
        constraints: Sequence[Constraint],
        most_cells: int,
        *,
        in_order: bool = False,
    ) -> None:
        self._ranges = ranges
        self._open = list(constraints)
        self._about: dict[int, list[Constraint]] = {}
        self._definitions: dict[int, list[Definition]] = {}
        for constraint in constraints:
            for variable in constraint.variables:
                self._about.setdefault(variable, []).append(constraint)
            for definition in definitions(constraint):
                self._definitions.setdefault(definition.variable, []).append(definition)
        self._most_cells = most_cells
        self._columns: dict[int, Table] = {}
        self._rows = 1
        self._in_order = in_order

    def run(self, variables: Sequence[int]) -> ListedPart:
        left = set(variables)
        while left:
            if not self._rows:  # for all other variables, which may have no bounds
                return ListedPart(variables, np.empty((0, len(variables))))
            # The order decides how large tables become on the way, not what is in them at the end.
            variable = min(left, key=lambda v: self._cost(v, left))
            left.remove(variable)
            definition = self._definition(variable)
            if definition is None:
                self._branch(variable)
            else:
                self._define(definition)
            self._filter()
        table = np.stack([self._columns[v] for v in variables], axis=1)
        return ListedPart(variables, table)

    def _cost(self, variable: int, left: set[int]) -> tuple[int, int, int]:
        """Variables whose value follows come first, then those that constraints soon test."""
        if self._definition(variable) is not None:
            return 0, 0, variable
        if self._in_order:
            return 1, 0, variable
        # The fewer variables a constraint still misses, the sooner it can throw rows out.
        missing = [len(c.variables & left) for c in self._about.get(variable, ())]
        return min(missing, default=len(left)), self._ranges[variable].size, variable

    def _is_known(self, variable: int) -> bool:
        return variable in self._columns or self._ranges[variable].is_fixed

    def _definition(self, variable: int) -> Definition | None:
        for definition in self._definitions.get(variable, ()):
            if all(map(self._is_known, definition.reads)):
                return definition
        return None

    def _column(self, variable: int) -> Table:
        if variable in self._columns:
            return self._columns[variable]
        return np.full(self._rows, float(self._ranges[variable].lower))

    def _branch(self, variable: int) -> None:
        values = self._ranges[variable]
        # Before the table is made: memory for one that is too large must never be asked for.
        if self._rows * values.size * (len(self._columns) + 1) > self._most_cells:
            raise TooManyStartsError
        choices = np.arange(values.size, dtype=np.float64) + float(values.lower)
        self._columns = {v: np.repeat(c, values.size) for v, c in self._columns.items()}
        self._columns[variable] = np.tile(choices, self._rows)
        self._rows *= values.size

    def _define(self, definition: Definition) -> None:
        columns = {v: self._column(v) for v in definition.reads}
        found = np.broadcast_to(definition.compute(columns), (self._rows,))
        values = self._ranges[definition.variable]
        self._columns[definition.variable] = found
        # The variable is an integer: a quotient or a real right-hand side may be none.
        is_value = (found >= values.lower) & (found <= values.upper)
        self._keep(is_value & (found == np.floor(found)))

    def _filter(self) -> None:
        still_open = []
        for constraint in self._open:
            if all(map(self._is_known, constraint.variables)):
                columns = {v: self._column(v) for v in constraint.variables}
                self._keep(constraint.holds(columns))
            else:
                still_open.append(constraint)
        self._open = still_open

    def _keep(self, is_kept: NDArray[np.bool_]) -> None:
        self._columns = {v: column[is_kept] for v, column in self._columns.items()}
        self._rows = int(np.count_nonzero(is_kept))
