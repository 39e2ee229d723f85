"""`gripper`: a robot that carries balls from room to room."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil

from bugsieve.pictures.scene import TaskScene, Words
from bugsieve.rooms.zoo.layouts import Spot, in_rows
from bugsieve.rooms.zoo.places import PlacesPicture, Thing

_ROBOT = "the robot"
_MOST_ROOMS = 40


class GripperPicture(PlacesPicture):
    """Rooms with balls and the robot, and where balls are to go."""

    usage = "gripper"
    box_width = 150.0

    @classmethod
    def objection_to(cls, words: Words) -> str | None:
        """Balls are in rooms or carried by a gripper, and the robot is in a room."""
        if not {("at-robby", 1), ("at", 2), ("carry", 2)} <= words.arities:
            return "there are no facts (at-robby ROOM), (at BALL ROOM) and (carry BALL GRIPPER)"
        rooms = len(_rooms(words))
        return None if rooms <= _MOST_ROOMS else f"there are over {_MOST_ROOMS} rooms"

    def layout(self) -> Mapping[str, Spot]:
        """Side by side, as every room has a door to every other."""
        names = _rooms(self.words)
        return in_rows(names, max(2, ceil(len(names) ** 0.5)))

    def things(self, scene: TaskScene) -> Sequence[Thing]:
        """The robot holds what its grippers do."""
        robot = [
            Thing(_ROBOT, r, (("at-robby", r),), "dark", label="robot")
            for (r,) in scene.of("at-robby")
        ]
        balls = [Thing(ball, room, (("at", ball, room),)) for ball, room in scene.of("at")]
        held = [
            Thing(ball, _ROBOT, (("carry", ball, by),), mark=f"({by})")
            for ball, by in scene.of("carry")
        ]
        return [*robot, *balls, *held]

    def wishes(self, scene: TaskScene) -> Sequence[Thing]:
        """The places where balls are to go."""
        return [Thing(ball, room, (("at", ball, room),)) for ball, room in scene.wanted("at")]


def _rooms(words: Words) -> list[str]:
    atoms = (*words.possible, *words.static)
    named = {atom[1] for atom in atoms if atom[0] == "at-robby"}
    named |= {atom[2] for atom in atoms if atom[0] == "at" and len(atom) == 3}
    return [name for name in words.objects if name in named]
