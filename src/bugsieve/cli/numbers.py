"""Types of numeric options: what is too small, too large or no number gets a sentence."""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Callable

_LONGEST_SHOWN = 40


def whole_number(minimum: int, maximum: int) -> Callable[[str], int]:
    """The type of an option that takes a whole number within limits."""

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:  # also raised for thousands of digits
            raise _wrong("a whole number", repr(_shortened(text))) from None
        if number < minimum:
            raise _wrong(f"at least {minimum}", _shortened(text))
        if number > maximum:
            raise _wrong(f"at most {maximum}", _shortened(text))
        return number

    return read


def real_number(minimum: float, maximum: float) -> Callable[[str], float]:
    """The type of an option that takes a number within limits."""

    def read(text: str) -> float:
        try:
            number = float(text)
        except ValueError:
            raise _wrong("a number", repr(_shortened(text))) from None
        if not number >= minimum:
            raise _wrong(f"at least {minimum}", _shortened(text))
        if number > maximum:
            raise _wrong(f"at most {maximum}", _shortened(text))
        return number

    return read


def seconds(maximum: float = float("inf")) -> Callable[[str], float]:
    """The type of an option that takes a time above 0."""

    def read(text: str) -> float:
        try:
            number = float(text)
        except ValueError:
            raise _wrong("a number of seconds", repr(_shortened(text))) from None
        if not number > 0:
            raise _wrong("greater than 0", _shortened(text))
        if number > maximum:
            raise _wrong(f"at most {maximum:.0f}", _shortened(text))
        return number

    return read


integer = whole_number(-(2**63), 2**63 - 1)
"""The type of seeds and the like: 64 bits, which every store can hold."""


def _wrong(wanted: str, shown: str) -> ArgumentTypeError:
    """Worded to follow the name of the option, see `Parser.error`."""
    return ArgumentTypeError(f"must be {wanted}, got {shown}")


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "…"
