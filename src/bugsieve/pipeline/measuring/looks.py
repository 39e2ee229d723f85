"""The moments at which figures of a measurement are computed, and how wrong each may be.

At the j-th look, each figure is wrong with a probability of at most 0.05 / (j (j + 1)); over all
looks, however many, these errors add up to 0.05. So limits may be read at any look, one may stop
at any, and go on later.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

ERROR = 0.05
"""Of each figure, over all looks together."""
FIRST_LOOK = 100
MOST_TESTS = FIRST_LOOK << 23
"""More than a measurement can ever make."""


def looks(tests: int) -> list[int]:
    """The looks within so many tests."""
    return list(takewhile(lambda look: look <= tests, _all_looks()))


def error_at(tests: int) -> float:
    """The error that a figure may have at the look after so many tests."""
    number = (tests // FIRST_LOOK).bit_length()
    return ERROR / (number * (number + 1))


def is_look(tests: int) -> bool:
    """Return true if figures are computed after so many tests."""
    return tests in looks(tests)[-1:]


def look_from(tests: int) -> int:
    """The first look after so many tests or more."""
    return next(look for look in _all_looks() if look >= tests)


def _all_looks() -> Iterator[int]:
    look = FIRST_LOOK
    while True:
        yield look
        look *= 2
