"""`storage`: hoists that lift crates from containers into depots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bugsieve.pictures.scene import Atom, TaskScene, Words
from bugsieve.rooms.zoo.layouts import MOST_ON_MAP, Edge, Spot, on_map
from bugsieve.rooms.zoo.places import PlacesPicture, Thing


class StoragePicture(PlacesPicture):
    """A map of areas with hoists and crates, and where crates are to go."""

    usage = "storage"
    signs = ("→: the depot where it is to be",)
    box_width = 84.0

    @classmethod
    def objection_to(cls, words: Words) -> str | None:
        """Areas are connected, crates are on them or lifted by hoists."""
        if not {("connected", 2), ("on", 2), ("at", 2), ("lifting", 2)} <= words.arities:
            return (
                "there are no facts (connected AREA AREA), (on CRATE AREA), (lifting HOIST CRATE)"
            )
        areas = {name for pair in words.static_of("connected") for name in pair}
        return None if len(areas) <= MOST_ON_MAP else f"there are over {MOST_ON_MAP} areas"

    def layout(self) -> Mapping[str, Spot]:
        """By how areas are connected."""
        edges = self.words.static_of("connected")
        names = {name for pair in edges for name in pair}
        known = [name for name in self.words.objects if name in names]
        return on_map(known, [(one, two) for one, two in edges])

    def roads(self) -> Sequence[Edge]:
        """Each once."""
        pairs = (sorted(pair) for pair in self.words.static_of("connected"))
        return list(dict.fromkeys((one, two) for one, two in pairs if one != two))

    def things(self, scene: TaskScene) -> Sequence[Thing]:
        """Hoists hold what they lift."""
        hoists = [Thing(h, area, (("at", h, area),), "dark") for h, area in scene.of("at")]
        crates = [_crate(scene, c, area, ("on", c, area)) for c, area in scene.of("on")]
        lifted = [
            _crate(scene, crate, hoist, ("lifting", hoist, crate))
            for hoist, crate in scene.of("lifting")
        ]
        return [*hoists, *crates, *lifted]


def _crate(scene: TaskScene, crate: str, where: str, fact: Atom) -> Thing:
    """A crate in its place, with the depot that it is to be in."""
    goals = [goal for goal in sorted(scene.goals) if goal[:2] == ("in", crate)]
    still = "".join(f"→{goal[2]}" for goal in goals if goal not in scene.true)
    return Thing(crate, where, (fact, *goals), mark=still)
