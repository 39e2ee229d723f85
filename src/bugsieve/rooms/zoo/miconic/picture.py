"""`miconic`: a lift that takes passengers from floor to floor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bugsieve.pictures.scene import TaskScene, Words
from bugsieve.rooms.zoo.layouts import Spot
from bugsieve.rooms.zoo.places import PlacesPicture, Thing

_LIFT = "the lift"
_MOST_FLOORS = 60


class MiconicPicture(PlacesPicture):
    """Floors above each other, the lift, who waits where, and where they want to go."""

    usage = "miconic"
    box_width = 260.0
    gap = 6.0

    @classmethod
    def objection_to(cls, words: Words) -> str | None:
        """Passengers wait, are boarded or served, and the lift is at a floor."""
        if not {("lift-at", 1), ("boarded", 1), ("destin", 2)} <= words.arities:
            return "there are no facts (lift-at FLOOR), (boarded WHO) and (destin WHO FLOOR)"
        return None if len(_floors(words)) <= _MOST_FLOORS else f"over {_MOST_FLOORS} floors"

    def layout(self) -> Mapping[str, Spot]:
        """The highest floor on top."""
        return {floor: (0, row) for row, floor in enumerate(_floors(self.words))}

    def things(self, scene: TaskScene) -> Sequence[Thing]:
        """The passengers; those who were served stand where they wanted to go."""
        served = {who for (who,) in scene.of("served")}
        lift = [
            Thing(_LIFT, floor, (("lift-at", floor),), "dark", label="lift")
            for (floor,) in scene.of("lift-at")
        ]
        inside = [Thing(who, _LIFT, (("boarded", who),)) for (who,) in scene.of("boarded")]
        waiting = [
            Thing(who, floor, (("origin", who, floor),))
            for who, floor in scene.of("origin")
            if who not in served and ("boarded", who) not in scene.true
        ]
        there = [
            Thing(who, floor, (("served", who),))
            for who, floor in scene.of("destin")
            if who in served
        ]
        return [*lift, *inside, *waiting, *there]

    def wishes(self, scene: TaskScene) -> Sequence[Thing]:
        """The floors where those who are not served want to go."""
        still = {who for (who,) in scene.wanted("served")}
        return [Thing(w, floor, (("served", w),)) for w, floor in scene.of("destin") if w in still]


def _floors(words: Words) -> list[str]:
    """The one with most floors below it first."""
    below: dict[str, int] = {}
    for low, high in words.static_of("above"):
        below[high] = below.get(high, 0) + 1
        below.setdefault(low, 0)
    for atom in (*words.possible, *words.static):
        if atom[0] == "lift-at":
            below.setdefault(atom[1], 0)
    return sorted(below, key=lambda floor: -below[floor])
