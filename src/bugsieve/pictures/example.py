"""An example of a picture: how many goals hold, as a bar. docs/pictures.md shows one like it."""

from __future__ import annotations

from bugsieve.pictures.scene import Scene, TaskScene
from bugsieve.pictures.shapes import Drawing, Rectangle, Text


def draw(scene: Scene) -> Drawing:
    """A bar that is full where all goals hold."""
    if isinstance(scene, TaskScene):
        held = len(scene.goals & scene.true)
        share, text = held / max(1, len(scene.goals)), f"{held} of {len(scene.goals)} goals"
    else:
        share, text = float(scene.is_goal), "goal" if scene.is_goal else "no goal"
    track = Rectangle("track", 10, 10, 200, 20, tone="ground")
    bar = Rectangle("bar", 10, 10, 200 * share, 20, role="goal" if share == 1 else "")
    return Drawing(220, 40, (track, bar, Text("text", 110, 20, text)))
