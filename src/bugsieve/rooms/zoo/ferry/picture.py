"""`ferry`: one ferry that takes cars from place to place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil

from bugsieve.pictures.scene import TaskScene, Words
from bugsieve.rooms.zoo.layouts import Spot, in_rows
from bugsieve.rooms.zoo.places import PlacesPicture, Thing

_FERRY = "the ferry"
_MOST_PLACES = 60


class FerryPicture(PlacesPicture):
    """Places with cars and the ferry, and where cars are to go."""

    usage = "ferry"

    @classmethod
    def objection_to(cls, words: Words) -> str | None:
        """Cars are at places or on the ferry, which is at a place."""
        if not {("at-ferry", 1), ("at", 2), ("on", 1)} <= words.arities:
            return "there are no facts (at-ferry PLACE), (at CAR PLACE) and (on CAR)"
        places = len(_places(words))
        return None if places <= _MOST_PLACES else f"there are over {_MOST_PLACES} places"

    def layout(self) -> Mapping[str, Spot]:
        """The ferry goes from every place to every other: rows say no more than that."""
        names = _places(self.words)
        return in_rows(names, max(2, ceil(len(names) ** 0.5)))

    def things(self, scene: TaskScene) -> Sequence[Thing]:
        """Cars on the ferry are inside it."""
        ferry = [
            Thing(_FERRY, p, (("at-ferry", p),), "dark", label="ferry")
            for (p,) in scene.of("at-ferry")
        ]
        cars = [Thing(car, place, (("at", car, place),)) for car, place in scene.of("at")]
        return ferry + cars + [Thing(car, _FERRY, (("on", car),)) for (car,) in scene.of("on")]

    def wishes(self, scene: TaskScene) -> Sequence[Thing]:
        """The places where cars are to go."""
        return [Thing(car, place, (("at", car, place),)) for car, place in scene.wanted("at")]


def _places(words: Words) -> list[str]:
    atoms = (*words.possible, *words.static)
    named = {atom[1] for atom in atoms if atom[0] == "at-ferry"}
    named |= {atom[2] for atom in atoms if atom[0] == "at" and len(atom) == 3}
    return [name for name in words.objects if name in named]
