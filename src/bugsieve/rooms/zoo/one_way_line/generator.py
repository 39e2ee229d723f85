"""One-way line: a truck that cannot turn brings packages to the end of a line."""

from __future__ import annotations

from bugsieve.base.seeds import Stream
from bugsieve.rooms.zoo.documents import Model
from bugsieve.rooms.zoo.lines import LineOptions, TruckLine

SUMMARY = "a truck brings packages to the end of a line and must not drive past it"


Options = LineOptions


def generate(options: Options, rng: Stream) -> Model:
    """Packages are picked up before the end and dropped at it."""
    return TruckLine(options, rng, is_two_way=False).model(SUMMARY)
