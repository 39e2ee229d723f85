"""`satellite`: satellites that turn to directions and take images."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil

from bugsieve.pictures.scene import TaskScene, Words
from bugsieve.rooms.zoo.layouts import Spot, in_rows
from bugsieve.rooms.zoo.places import PlacesPicture, Thing

_MOST_DIRECTIONS = 60


class SatellitePicture(PlacesPicture):
    """Directions with the satellites that point there, and the images that are wanted."""

    usage = "satellite"
    signs = ("✓: an image that was taken, or an instrument that is calibrated",)

    @classmethod
    def objection_to(cls, words: Words) -> str | None:
        """Satellites point to directions, and images are had of directions."""
        if not {("pointing", 2), ("have_image", 2), ("on_board", 2)} <= words.arities:
            return "there are no facts (pointing WHO WHERE), (have_image WHERE MODE), (on_board …)"
        places = len(_directions(words))
        return None if places <= _MOST_DIRECTIONS else f"over {_MOST_DIRECTIONS} directions"

    def layout(self) -> Mapping[str, Spot]:
        """A satellite turns from every direction to every other."""
        names = _directions(self.words)
        return in_rows(names, max(2, ceil(len(names) ** 0.5)))

    def things(self, scene: TaskScene) -> Sequence[Thing]:
        """Instruments that are on are in their satellites, calibrated ones with a mark."""
        pointing = [Thing(s, d, (("pointing", s, d),), "dark") for s, d in scene.of("pointing")]
        on = {instrument for (instrument,) in scene.of("power_on")}
        ready = {instrument for (instrument,) in scene.of("calibrated")}
        used = [
            Thing(i, s, (("power_on", i), ("calibrated", i)), mark="✓" * (i in ready))
            for i, s in scene.of("on_board")
            if i in on
        ]
        images = [
            Thing(f"{mode} of {d}", d, (("have_image", d, mode),), label=mode, mark="✓")
            for d, mode in scene.of("have_image")
        ]
        return [*pointing, *used, *images]

    def wishes(self, scene: TaskScene) -> Sequence[Thing]:
        """Images to take, and where satellites are to point at the end."""
        images = [
            Thing(f"{mode} of {d}", d, (("have_image", d, mode),), label=mode)
            for d, mode in scene.wanted("have_image")
        ]
        turned = [Thing(s, d, (("pointing", s, d),)) for s, d in scene.wanted("pointing")]
        return images + turned


def _directions(words: Words) -> list[str]:
    atoms = (*words.possible, *words.static)
    named = {atom[2] for atom in atoms if atom[0] == "pointing"}
    named |= {atom[1] for atom in atoms if atom[0] == "have_image"}
    return [name for name in words.objects if name in named]
