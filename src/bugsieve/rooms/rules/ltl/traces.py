"""The truth of formulas on single traces: finite ones (LTLf), and lassos as infinite words.

A trace is a sequence of letters; a letter holds the names of the atoms that are true there.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple, TypeAlias

from bugsieve.base.errors import UsageError
from bugsieve.rooms.rules.ltl.formula import Formula, fold

Letter: TypeAlias = Collection[str]


class TruthRow(NamedTuple):
    """A subformula, how deep it stands, and whether it holds at each position."""

    formula: Formula
    depth: int
    values: tuple[bool, ...]


def holds(formula: Formula, letters: Sequence[Letter]) -> bool:
    """Return true if a finite trace of at least one letter satisfies the formula."""
    return fold(formula, _Columns(letters, None))[0]


def holds_on_lasso(formula: Formula, letters: Sequence[Letter], loop_start: int) -> bool:
    """Return true if the formula holds when the letters from `loop_start` on repeat for ever."""
    return fold(formula, _Columns(letters, loop_start))[0]


def truth_table(
    formula: Formula, letters: Sequence[Letter], *, loop_start: int | None = None
) -> tuple[TruthRow, ...]:
    """The rows of the formula and its subformulas from the outside in, each of them once."""
    columns = _Columns(letters, loop_start)
    known: dict[Formula, list[bool]] = {}

    def note(item: Formula, parts: Sequence[list[bool]]) -> list[bool]:
        known[item] = columns(item, parts)
        return known[item]

    fold(formula, note)
    rows: dict[Formula, TruthRow] = {}
    pending = [(formula, 0)]
    while pending:
        item, depth = pending.pop()
        if item not in rows:
            rows[item] = TruthRow(item, depth, tuple(known[item]))
            pending += [(part, depth + 1) for part in reversed(item.parts)]
    return tuple(rows.values())


class _Columns:
    """Makes the truth values of a formula at all positions from those of its parts."""

    def __init__(self, letters: Sequence[Letter], loop_start: int | None) -> None:
        if not letters:
            raise UsageError("a trace has at least one state")
        if loop_start is not None and not 0 <= loop_start < len(letters):
            raise UsageError(f"the loop starts at {loop_start}, outside the trace")
        self.letters = letters
        self.loop_start = loop_start

    def __call__(self, formula: Formula, parts: Sequence[list[bool]]) -> list[bool]:
        positions = range(len(self.letters))
        match formula.operator:
            case "true" | "false":
                return [formula.operator == "true" for _ in positions]
            case "atom":
                return [formula.name in letter for letter in self.letters]
            case "not":
                return [not value for value in parts[0]]
            case "and":
                return [all(values) for values in zip(*parts, strict=True)]
            case "or":
                return [any(values) for values in zip(*parts, strict=True)]
            case "implies":
                return [not left or right for left, right in zip(*parts, strict=True)]
            case "iff":
                return [left == right for left, right in zip(*parts, strict=True)]
            case "next" | "weak-next":
                return self._next(parts[0], at_end=formula.operator == "weak-next")
            case _:
                return self._temporal(formula, parts)

    def _next(self, part: list[bool], *, at_end: bool) -> list[bool]:
        after = at_end if self.loop_start is None else part[self.loop_start]
        return [*part[1:], after]

    def _temporal(self, formula: Formula, parts: Sequence[list[bool]]) -> list[bool]:
        """All as `now | (stay & after)`; weak ones are true at the end, strong ones false."""
        first, second = parts[0], parts[-1]
        never, always = [False] * len(first), [True] * len(first)
        both = [left and right for left, right in zip(first, second, strict=True)]
        match formula.operator:
            case "finally":
                return self._backward(now=first, stay=always, at_end=False)
            case "globally":
                return self._backward(now=never, stay=first, at_end=True)
            case "until" | "weak-until":
                weak = formula.operator == "weak-until"
                return self._backward(now=second, stay=first, at_end=weak)
            case _:
                return self._backward(now=both, stay=second, at_end=formula.operator == "release")

    def _backward(self, *, now: list[bool], stay: list[bool], at_end: bool) -> list[bool]:
        values = _pass(now, stay, at_end)
        if self.loop_start is None:
            return values
        # Once more with what the first pass found at the start of the loop: going round twice
        # changes nothing that going round once has not.
        return _pass(now, stay, values[self.loop_start])


def _pass(now: list[bool], stay: list[bool], after: bool) -> list[bool]:
    values = []
    for here, on in zip(reversed(now), reversed(stay), strict=True):
        after = here or (on and after)
        values.append(after)
    values.reverse()
    return values
