"""`spanner`: a one-way line of places with spanners, and nuts at its end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bugsieve.pictures.scene import Atom, TaskScene, Words
from bugsieve.rooms.zoo.layouts import Edge, Spot, in_rows
from bugsieve.rooms.zoo.places import PlacesPicture, Thing

_COLUMNS = 4
_MOST_PLACES = 60


class SpannerPicture(PlacesPicture):
    """A line of places, who walks along it, the spanners and the nuts."""

    usage = "spanner"

    @classmethod
    def objection_to(cls, words: Words) -> str | None:
        """The missing facts: links from place to place, and a man who carries usable things."""
        if not {("link", 2), ("at", 2), ("carrying", 2)} <= words.arities:
            return "there are no facts (link PLACE PLACE), (at THING PLACE), (carrying WHO THING)"
        order = _order(words)
        return None if 0 < len(order) <= _MOST_PLACES else "(link PLACE PLACE) is no line"

    def layout(self) -> Mapping[str, Spot]:
        """Line by line, as one reads."""
        return in_rows(_order(self.words), _COLUMNS)

    def roads(self) -> Sequence[Edge]:
        """Along the line; where a line of the picture ends, the next one follows."""
        return [
            (here, there)
            for here, there in self.words.static_of("link")
            if self.spots[here][1] == self.spots[there][1]
        ]

    def things(self, scene: TaskScene) -> Sequence[Thing]:
        """Spanners that were used and nuts that are tight say so."""
        at = [self._thing(scene, one, where, ("at", one, where)) for one, where in scene.of("at")]
        carried = [
            self._thing(scene, what, who, ("carrying", who, what))
            for who, what in scene.of("carrying")
        ]
        return [*at, *carried]

    def _thing(self, scene: TaskScene, name: str, where: str, *facts: Atom) -> Thing:
        words = scene.words
        carriers = {atom[1] for atom in words.possible if atom[0] == "carrying"}
        tools = {atom[2] for atom in words.possible if atom[0] == "carrying"}
        if name in carriers:
            return Thing(name, where, facts, "dark")
        used = name in tools and ("usable", name) not in scene.true
        facts = (*facts, ("tightened", name))
        return Thing(name, where, facts, mark="used" if used else "")


def _order(words: Words) -> list[str]:
    """The places along the links; empty if these are not a line."""
    after = dict(pair for pair in words.static_of("link") if len(pair) == 2)
    starts = [place for place in after if place not in after.values()]
    order = starts[:1]
    while order and order[-1] in after and len(order) <= len(after):
        order.append(after[order[-1]])
    is_line = len(starts) == 1 and len(set(order)) == len(after) + 1
    return order if is_line and len(words.static_of("link")) == len(after) else []
