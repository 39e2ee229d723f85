"""`scanalyzer`: cars with plants on the segments of a conveyor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil

from bugsieve.pictures.scene import TaskScene, Words
from bugsieve.rooms.zoo.layouts import Spot, in_rows
from bugsieve.rooms.zoo.places import PlacesPicture, Thing

_MOST_SEGMENTS = 60


class ScanalyzerPicture(PlacesPicture):
    """Segments with the cars on them, those that were analysed with a mark."""

    usage = "scanalyzer"
    signs = ("✓: analysed",)

    @classmethod
    def objection_to(cls, words: Words) -> str | None:
        """Cars are on segments and are analysed."""
        if not {("on", 2), ("analyzed", 1)} <= words.arities:
            return "there are no facts (on CAR SEGMENT) and (analyzed CAR)"
        segments = len(_segments(words))
        return None if segments <= _MOST_SEGMENTS else f"there are over {_MOST_SEGMENTS} segments"

    def layout(self) -> Mapping[str, Spot]:
        """In their order, in two halves below each other."""
        names = _segments(self.words)
        return in_rows(names, max(1, ceil(len(names) / 2)))

    def things(self, scene: TaskScene) -> Sequence[Thing]:
        """A car is where it is to be, and analysed, or not."""
        done = {car for (car,) in scene.of("analyzed")}
        return [
            Thing(car, where, _facts(car, where), mark="✓" * (car in done))
            for car, where in scene.of("on")
        ]

    def wishes(self, scene: TaskScene) -> Sequence[Thing]:
        """The places where cars are to be at the end."""
        return [Thing(car, where, (("on", car, where),)) for car, where in scene.wanted("on")]


def _facts(car: str, where: str) -> tuple[tuple[str, ...], ...]:
    return ("on", car, where), ("analyzed", car)


def _segments(words: Words) -> list[str]:
    named = {atom[2] for atom in (*words.possible, *words.static) if atom[0] == "on"}
    return [name for name in words.objects if name in named]
