"""Types of numeric options: what is too small, too large or no number gets a sentence."""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Callable
from typing import TypeVar

Number = TypeVar("Number", int, float)

_LONGEST_SHOWN = 40


def whole_number(minimum: int, maximum: int) -> Callable[[str], int]:
    """The type of an option that takes a whole number within limits."""
    return _within(int, "a whole number", minimum, maximum)


def real_number(minimum: float, maximum: float) -> Callable[[str], float]:
    """The type of an option that takes a number within limits."""
    return _within(float, "a number", minimum, maximum)


def seconds(maximum: float = float("inf")) -> Callable[[str], float]:
    """The type of an option that takes a time above 0."""

    def read(text: str) -> float:
        number = _converted(float, "a number of seconds", text)
        if not number > 0:
            raise _wrong("greater than 0", _shortened(text))
        if number > maximum:
            raise _wrong(f"at most {maximum:.0f}", _shortened(text))
        return number

    return read


def _within(
    kind: Callable[[str], Number], wanted: str, minimum: Number, maximum: Number
) -> Callable[[str], Number]:
    def read(text: str) -> Number:
        number = _converted(kind, wanted, text)
        if not number >= minimum:
            raise _wrong(f"at least {minimum}", _shortened(text))
        if number > maximum:
            raise _wrong(f"at most {maximum}", _shortened(text))
        return number

    return read


def _converted(kind: Callable[[str], Number], wanted: str, text: str) -> Number:
    try:
        return kind(text)
    except ValueError:  # also raised for thousands of digits
        raise _wrong(wanted, repr(_shortened(text))) from None


integer = whole_number(-(2**63), 2**63 - 1)
seed = whole_number(0, 2**63 - 1)
"""64 bits, which every store can hold."""


def _wrong(wanted: str, shown: str) -> ArgumentTypeError:
    """Worded to follow the name of the option, see `Parser.error`."""
    return ArgumentTypeError(f"must be {wanted}, got {shown}")


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "…"
