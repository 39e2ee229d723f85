"""The notation and the binding strength of operators; reader and printer share it."""

from __future__ import annotations

from bugsieve.rooms.rules.ltl.formula import Operator

CONSTANTS: dict[Operator, str] = {"true": "true", "false": "false"}

UNARY: dict[Operator, str] = {
    "not": "!",
    "next": "X",
    "weak-next": "N",
    "finally": "F",
    "globally": "G",
}

BINARY: dict[Operator, str] = {
    "until": "U",
    "weak-until": "W",
    "release": "R",
    "strong-release": "M",
    "and": "&",
    "or": "|",
    "implies": "->",
    "iff": "<->",
}

BINDING: dict[Operator, int] = {
    **dict.fromkeys(CONSTANTS, 6),
    "atom": 6,
    **dict.fromkeys(UNARY, 5),
    "until": 4,
    "weak-until": 4,
    "release": 4,
    "strong-release": 4,
    "and": 3,
    "or": 2,
    "implies": 1,
    "iff": 0,
}
"""Larger numbers bind more; operators of one number associate to the right."""

UNICODE = {
    "¬": "!",
    "∧": "&",
    "⋀": "&",
    "∨": "|",
    "⋁": "|",
    "→": "->",
    "⇒": "->",
    "⟶": "->",
    "⟹": "->",
    "↔": "<->",
    "⇔": "<->",
    "⟷": "<->",
    "⟺": "<->",
    "□": "G",
    "◻": "G",
    "☐": "G",
    "◇": "F",
    "◊": "F",
    "♢": "F",
    "⋄": "F",
    "○": "X",
    "◯": "X",
    "⚪": "X",
    "𝒰": "U",
    "𝓤": "U",
    "𝒲": "W",
    "ℛ": "R",
    "⊤": "true",
    "⊥": "false",
}
"""Other signs for the same."""
