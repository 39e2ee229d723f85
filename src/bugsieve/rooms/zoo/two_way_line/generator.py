"""Two-way line: a truck that drives in both directions brings packages to one end of a line."""

from __future__ import annotations

from bugsieve.base.seeds import Stream
from bugsieve.rooms.zoo.documents import Model
from bugsieve.rooms.zoo.lines import LineOptions, TruckLine

SUMMARY = "a truck drives along a line in both directions, but not past its ends"


Options = LineOptions


def generate(options: Options, rng: Stream) -> Model:
    """Packages are picked up and dropped anywhere."""
    return TruckLine(options, rng, is_two_way=True).model(SUMMARY)
