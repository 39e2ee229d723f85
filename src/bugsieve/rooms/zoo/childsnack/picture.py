"""`childsnack`: sandwiches that are made in a kitchen and served at tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import ceil

from bugsieve.pictures.scene import TaskScene, Words
from bugsieve.rooms.zoo.layouts import Spot, in_rows
from bugsieve.rooms.zoo.places import PlacesPicture, Thing

_KITCHEN = "kitchen"
_STORED = ("at_kitchen_bread", "at_kitchen_content", "at_kitchen_sandwich")


class ChildsnackPicture(PlacesPicture):
    """The kitchen and the tables, with trays, sandwiches and children."""

    usage = "childsnack"
    signs = ("°: free of gluten, or who needs that",)
    box_width = 170.0

    @classmethod
    def objection_to(cls, words: Words) -> str | None:
        """Children wait at places, trays are at places, sandwiches are on trays."""
        if not {("waiting", 2), ("served", 1), ("ontray", 2), ("at", 2)} <= words.arities:
            return "there are no facts (waiting WHO WHERE), (served WHO), (ontray WHAT TRAY)"
        return None

    def layout(self) -> Mapping[str, Spot]:
        """The kitchen first."""
        named = {atom[2] for atom in (*self.words.possible, *self.words.static) if atom[0] == "at"}
        named |= {place for _, place in self.words.static_of("waiting")}
        tables = [name for name in self.words.objects if name in named - {_KITCHEN}]
        return in_rows([_KITCHEN, *tables], max(2, ceil((len(tables) + 1) ** 0.5)))

    def things(self, scene: TaskScene) -> Sequence[Thing]:
        """The things, with marks on those free of gluten and on those who need that."""
        return list(self._things(scene))

    def _things(self, scene: TaskScene) -> Iterator[Thing]:
        free = {what for name in _FREE for (what,) in scene.of(name)}
        for tray, place in scene.of("at"):
            yield Thing(tray, place, (("at", tray, place),), "dark")
        for what, tray in scene.of("ontray"):
            yield Thing(what, tray, (("ontray", what, tray),), mark=_MARK * (what in free))
        for who, place in scene.of("waiting"):
            yield Thing(who, place, (("served", who),), mark=_MARK * (who in free))
        for word in _STORED:
            for (what,) in scene.of(word):
                yield Thing(what, _KITCHEN, ((word, what),), mark=_MARK * (what in free))


_FREE = ("no_gluten_bread", "no_gluten_content", "no_gluten_sandwich", "allergic_gluten")
_MARK = "°"
"""Free of gluten, or in need of that."""
