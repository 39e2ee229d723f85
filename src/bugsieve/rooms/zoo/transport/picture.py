"""`transport`: vehicles that carry packages along roads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bugsieve.pictures.scene import TaskScene, Words
from bugsieve.rooms.zoo.layouts import MOST_ON_MAP, Edge, Spot, on_map
from bugsieve.rooms.zoo.places import PlacesPicture, Thing


class TransportPicture(PlacesPicture):
    """A map of roads with vehicles and packages, and where packages are to go."""

    usage = "transport"

    @classmethod
    def objection_to(cls, words: Words) -> str | None:
        """Things are at places and in vehicles, and roads lead from place to place."""
        if not {("at", 2), ("in", 2), ("road", 2)} <= words.arities:
            return "there are no facts (at THING PLACE), (in PACKAGE VEHICLE), (road PLACE PLACE)"
        places = {name for pair in words.static_of("road") for name in pair}
        return None if len(places) <= MOST_ON_MAP else f"there are over {MOST_ON_MAP} places"

    def layout(self) -> Mapping[str, Spot]:
        """The map, with distances counted in roads."""
        roads = self.words.static_of("road")
        names = {name for pair in roads for name in pair}
        return on_map(
            [name for name in self.words.objects if name in names],
            [(here, there) for here, there in roads],
        )

    def roads(self) -> Sequence[Edge]:
        """Each once, whichever way it leads."""
        pairs = (sorted(pair) for pair in self.words.static_of("road"))
        return list(dict.fromkeys((one, two) for one, two in pairs if one != two))

    def things(self, scene: TaskScene) -> Sequence[Thing]:
        """Vehicles stand out."""
        vehicles = {atom[2] for atom in scene.words.possible if atom[0] == "in"}
        at = [
            Thing(one, place, (("at", one, place),), "dark" if one in vehicles else "thing")
            for one, place in scene.of("at")
        ]
        return at + [Thing(one, into, (("in", one, into),)) for one, into in scene.of("in")]

    def wishes(self, scene: TaskScene) -> Sequence[Thing]:
        """The places where packages are to go."""
        return [Thing(one, place, (("at", one, place),)) for one, place in scene.wanted("at")]
