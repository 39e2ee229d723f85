"""States of a green certificate as numbers, columns and bit masks, and what operators do to them.

A task may have hundreds of thousands of states, which Python is slow to look at one by one. So
each fact has a mask with a bit per state. An operator is applicable where the masks of all its
preconditions are set; a constant leads from the numbers of these states to their successors'. A
state's number has a byte for each value (more where a variable has more than 256 values), the
first variable in front: numbers are ordered as states are.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from bugsieve.checkers.cost import CertificateError, Effect, Fact, Operator, Task

MOST_WORK = 1 << 26
"""Effects and conditions of operators, looked at in a state each."""
MOST_SCANNED = 1 << 33
"""States of which it is seen by masks that an operator is not applicable."""
_MOST_MASKS = 1 << 27
"""Bytes of masks that are remembered."""
_WORK, _SCAN = 0, 1


class Moves(NamedTuple):
    """The effect of an operator: in each of these states it leads to the other."""

    rows: list[int]
    targets: list[int]


class StateTable:
    """The states of a task that a certificate lists, in ascending order; a row for each."""

    def __init__(self, task: Task, count: int, planes: bytes) -> None:
        """Read `width(task)` planes of `count` bytes, the first bytes of all states in front."""
        self._widths = _widths(task)
        self._left = [MOST_WORK, MOST_SCANNED]
        self.count, width = count, sum(self._widths)
        if not width or len(planes) != count * width:
            raise CertificateError(f"the column 'states' must have {count} states")
        self._planes = [planes[place : place + count] for place in range(0, len(planes), count)]
        block = bytearray(len(planes))
        for place, plane in enumerate(self._planes):
            block[place::width] = plane
        self._codes = [
            int.from_bytes(block[place : place + width], "big")
            for place in range(0, len(block), width)
        ]
        if any(one >= other for one, other in zip(self._codes, self._codes[1:], strict=False)):
            raise CertificateError("the states are not in ascending order, each of them once")
        self._rows = {code: row for row, code in enumerate(self._codes)}
        self._ends = list(accumulate(self._widths))
        self._weights = [256 ** (width - end) for end in self._ends]
        self._masks: dict[Fact, int] = {}
        self._values: dict[int, Sequence[int]] = {}

    def row_of(self, state: Sequence[int]) -> int | None:
        """Return the row of a state, None if it is not listed."""
        code = sum(value * weight for value, weight in zip(state, self._weights, strict=True))
        return self._rows.get(code)

    def rows_where(self, facts: Sequence[Fact]) -> list[int]:
        """Return the rows of the states in which all facts hold."""
        mask = (1 << self.count) - 1
        for fact in facts:
            mask &= self._mask(fact)
            if not mask:
                return []
        self._spend(_SCAN, self.count)
        digits, rows = f"{mask:0{self.count}b}", []
        row = digits.find("1")
        while row >= 0:
            rows.append(row)
            row = digits.find("1", row + 1)
        return rows

    def moves(self, operator: Operator) -> Moves:
        """Return where the operator is applicable and leads; all successors must be listed."""
        rows = self.rows_where(operator.preconditions)
        parts = 1 + sum(1 + len(effect.conditions) for effect in operator.effects)
        self._spend(_WORK, len(rows) * parts)
        if any(effect.conditions for effect in operator.effects):
            codes = [self._codes[row] + self._change(operator.effects, row) for row in rows]
        else:
            codes = self._successors(operator, rows)
        targets = [-1 if row is None else row for row in map(self._rows.get, codes)]
        if -1 in targets:
            row = rows[targets.index(-1)]
            raise CertificateError(
                f"{operator.action} leads from state {row} to a state that is not listed"
            )
        return Moves(rows, targets)

    def _successors(self, operator: Operator, rows: list[int]) -> list[int]:
        """Return the numbers of the successors by an operator whose effects always occur."""
        before = dict(operator.preconditions)
        after = {variable: value for _, variable, value in operator.effects}
        fixed = sum(
            (value - before[variable]) * self._weights[variable]
            for variable, value in after.items()
            if variable in before
        )
        codes = [self._codes[row] + fixed for row in rows]
        for variable, value in after.items():
            if variable not in before:
                column, weight = self._column(variable), self._weights[variable]
                codes = [
                    code + (value - column[row]) * weight
                    for code, row in zip(codes, rows, strict=True)
                ]
        return codes

    def _change(self, effects: Sequence[Effect], row: int) -> int:
        """Return what the effects add to the number of one state; of two the later one wins."""
        after = {
            variable: value
            for conditions, variable, value in effects
            if all(self._column(condition)[row] == held for condition, held in conditions)
        }
        return sum(
            (value - self._column(variable)[row]) * self._weights[variable]
            for variable, value in after.items()
        )

    def _mask(self, fact: Fact) -> int:
        """Return the states in which the fact holds, the first as the most significant bit."""
        if fact not in self._masks:
            if len(self._masks) * self.count > 8 * _MOST_MASKS:
                self._masks.clear()
            variable, value = fact
            mask = (1 << self.count) - 1
            digits = value.to_bytes(self._widths[variable], "big")
            for plane, digit in zip(self._planes_of(variable), digits, strict=True):
                mask &= int(plane.translate(_is_digit(digit)), 2)
            self._masks[fact] = mask
        return self._masks[fact]

    def _column(self, variable: int) -> Sequence[int]:
        """Return the value of a variable in each state."""
        if variable not in self._values:
            planes = self._planes_of(variable)
            self._values[variable] = planes[0] if len(planes) == 1 else array("Q", joined(planes))
        return self._values[variable]

    def _spend(self, what: int, amount: int) -> None:
        """Count work done; the task of a stranger must not keep the checker busy for hours."""
        self._left[what] -= amount
        if self._left[what] < 0:
            raise CertificateError(
                "the task has more states and transitions than the checker takes"
            )

    def _planes_of(self, variable: int) -> list[bytes]:
        end = self._ends[variable]
        return self._planes[end - self._widths[variable] : end]


def width_of(task: Task) -> int:
    """Return how many bytes the number of a state has."""
    return sum(_widths(task))


def joined(planes: Sequence[bytes]) -> Sequence[int]:
    """Return the numbers whose bytes the planes have, the most significant ones first."""
    numbers: Sequence[int] = planes[0]
    for plane in planes[1:]:
        numbers = [high << 8 | low for high, low in zip(numbers, plane, strict=True)]
    return numbers


def _widths(task: Task) -> list[int]:
    """Return for each variable how many bytes hold each of its values."""
    return [max(1, ((len(atoms) - 1).bit_length() + 7) // 8) for atoms in task.atoms]


def _is_digit(digit: int) -> bytes:
    """Return the table that makes "1" of a byte and "0" of all others."""
    return b"0" * digit + b"1" + b"0" * (255 - digit)
