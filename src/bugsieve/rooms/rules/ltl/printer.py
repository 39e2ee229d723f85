"""Formulas as text that `reader` reads back; ASCII, and no parenthesis more than it takes."""

from __future__ import annotations

from collections.abc import Sequence

from bugsieve.rooms.rules.ltl.formula import Formula, fold
from bugsieve.rooms.rules.ltl.operators import BINARY, BINDING, CONSTANTS, UNARY


def to_text(formula: Formula) -> str:
    """The formula as in `G(moving(rover1) -> stowed(rover1))`."""
    return fold(formula, _text)


def _text(formula: Formula, parts: Sequence[str]) -> str:
    operator = formula.operator
    if operator == "atom":
        return formula.name
    if operator in CONSTANTS:
        return CONSTANTS[operator]
    if operator in UNARY:
        return _unary_text(UNARY[operator], formula.parts[0], parts[0])
    return f" {BINARY[operator]} ".join(_operands(formula, parts))


def _unary_text(sign: str, part: Formula, text: str) -> str:
    if BINDING[part.operator] < BINDING["not"]:
        return f"{sign}({text})"
    return f"{sign}{text}" if sign == "!" else f"{sign} {text}"


def _operands(formula: Formula, parts: Sequence[str]) -> list[str]:
    """The operands, in parentheses where the reader would join them otherwise."""
    own = BINDING[formula.operator]
    last = len(parts) - 1
    shown = []
    for index, (part, text) in enumerate(zip(formula.parts, parts, strict=True)):
        binding = BINDING[part.operator]
        # "and" and "or" take any number of parts: one that stands inside another was in
        # parentheses, and so it must be again to read back as the same formula.
        joins_right = index == last and formula.operator not in ("and", "or")
        fits = binding > own or (binding == own and joins_right)
        shown.append(text if fits else f"({text})")
    return shown
