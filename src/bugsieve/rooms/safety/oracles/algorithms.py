"""The algorithms that decide safety, as members that specs name; the core runs them."""

from __future__ import annotations

from bugsieve.base.errors import UsageError

LARGEST_RADIUS = 2**30
"""More divergences than any run has."""


class SafetyAlgorithm:
    """The common options of all algorithms: a radius, if any."""

    @classmethod
    def check_argument(cls, argument: str | None) -> None:
        """The argument is a radius, if there is one."""
        if argument is not None:
            parse_radius(argument)


class Tarjan(SafetyAlgorithm):
    """A search for a safe policy that closes cycles as it meets them."""

    usage = "tarjan[:RADIUS]"


class Lrtdp(SafetyAlgorithm):
    """Labelled trials on the Bellman operator of safety."""

    usage = "lrtdp[:RADIUS]"


class Lao(SafetyAlgorithm):
    """LAO*: value updates along the best alternative found so far."""

    usage = "lao[:RADIUS]"


class ValueIteration(SafetyAlgorithm):
    """Value iteration on all states that can be reached."""

    usage = "vi[:RADIUS]"


def parse_radius(text: str) -> int | None:
    """A whole number, or None for `inf` and `∞`."""
    text = text.strip()
    if text in ("inf", "∞"):
        return None
    if not (text.isascii() and text.isdigit()) or len(text) > len(str(LARGEST_RADIUS)):
        raise UsageError(
            f"a radius is a whole number up to {LARGEST_RADIUS}, or inf, not {text[:40]!r}"
        )
    if int(text) > LARGEST_RADIUS:
        raise UsageError(f"a radius is at most {LARGEST_RADIUS}, not {text}")
    return int(text)
