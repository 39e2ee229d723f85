"""The types of JANI that we handle: Booleans, integers and reals, with or without bounds."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Literal

Kind = Literal["bool", "int", "real"]
Value = bool | int | float

EXACT = 2**53
"""Up to here all integers are exact as doubles, which is how states come and go."""

_FLOAT_MAX = sys.float_info.max


@dataclass(frozen=True)
class Type:
    """A kind of value and its bounds; unbounded integers still have to be exact as doubles."""

    kind: Kind
    lower: int | float
    upper: int | float
    is_bounded: bool = True

    def holds(self, value: Value) -> bool:
        """Return true if a value of this kind lies within the bounds."""
        return self.lower <= value <= self.upper

    def __str__(self) -> str:
        if self.kind == "bool" or not self.is_bounded:
            return self.kind
        return f"{self.kind} from {self.lower} to {self.upper}"


BOOL = Type("bool", 0, 1)
INT = Type("int", -EXACT, EXACT, is_bounded=False)
REAL = Type("real", -_FLOAT_MAX, _FLOAT_MAX, is_bounded=False)
UNBOUNDED = {"bool": BOOL, "int": INT, "real": REAL}


def kind_of(value: Value) -> Kind:
    """The kind of a Python value."""
    if isinstance(value, bool):
        return "bool"
    return "int" if isinstance(value, int) else "real"
