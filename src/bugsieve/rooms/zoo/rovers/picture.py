"""`rovers`: rovers that take samples and images and send what they found to a lander."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from bugsieve.pictures.scene import TaskScene, Words
from bugsieve.rooms.zoo.layouts import MOST_ON_MAP, Edge, Spot, on_map
from bugsieve.rooms.zoo.places import PlacesPicture, Thing

_KINDS = ("soil", "rock")


class RoversPicture(PlacesPicture):
    """A map of waypoints with rovers, samples and the lander, and what is still to be sent."""

    usage = "rovers"
    signs = ("→: still to be sent",)

    @classmethod
    def objection_to(cls, words: Words) -> str | None:
        """Rovers are at waypoints and can traverse from one to another."""
        if not {("at", 2), ("can_traverse", 3), ("at_lander", 2)} <= words.arities:
            return "there are no facts (at ROVER WHERE), (can_traverse …) and (at_lander …)"
        return None if len(_waypoints(words)) <= MOST_ON_MAP else f"over {MOST_ON_MAP} waypoints"

    def layout(self) -> Mapping[str, Spot]:
        """By where some rover can go."""
        return on_map(_waypoints(self.words), self.roads())

    def roads(self) -> Sequence[Edge]:
        """The roads that some rover can take, each once."""
        pairs = (sorted(way[1:]) for way in self.words.static_of("can_traverse"))
        return list(dict.fromkeys((one, two) for one, two in pairs if one != two))

    def things(self, scene: TaskScene) -> Sequence[Thing]:
        """Rovers hold what they know."""
        return list(self._things(scene))

    def _things(self, scene: TaskScene) -> Iterator[Thing]:
        for rover, where in scene.of("at"):
            yield Thing(rover, where, (("at", rover, where),), "dark")
        for lander, where in scene.of("at_lander"):
            yield Thing(lander, where, (("at_lander", lander, where),), "ground")
        for kind in _KINDS:
            for (where,) in scene.of(f"at_{kind}_sample"):
                sample = (f"at_{kind}_sample", where)
                yield Thing(f"{kind} at {where}", where, (sample,), label=kind)
            for rover, where in scene.of(f"have_{kind}_analysis"):
                known = (f"have_{kind}_analysis", rover, where)
                yield Thing(
                    f"{kind} of {where} in {rover}", rover, (known,), label=f"{kind} {where}"
                )
        for rover, target, mode in scene.of("have_image"):
            name = f"{target} {mode}"
            yield Thing(
                f"{name} in {rover}", rover, (("have_image", rover, target, mode),), label=name
            )

    def wishes(self, scene: TaskScene) -> Sequence[Thing]:
        """The data still to be sent: samples where they are from, images at the lander."""
        samples = [
            Thing(f"send {kind}", where, (), label=f"→{kind}")
            for kind in _KINDS
            for (where,) in scene.wanted(f"communicated_{kind}_data")
        ]
        home = [where for _, where in scene.of("at_lander")][:1]
        images = [
            Thing(f"send {target} {mode}", where, (), label=f"→{target} {mode}")
            for target, mode in scene.wanted("communicated_image_data")
            for where in home
        ]
        return samples + images


def _waypoints(words: Words) -> list[str]:
    named = {name for way in words.static_of("can_traverse") for name in way[1:]}
    named |= {where for _, where in words.static_of("at_lander")}
    named |= {atom[2] for atom in words.possible if atom[0] == "at"}
    return [name for name in words.objects if name in named]
