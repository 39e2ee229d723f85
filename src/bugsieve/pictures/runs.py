"""The pictures of a run, with a sentence for each state that says what changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from numpy.typing import ArrayLike

from bugsieve.base.errors import UsageError
from bugsieve.pictures.legend import legend
from bugsieve.pictures.picture import GENERAL, AnyPicture, Picture, general_for, picture_for
from bugsieve.pictures.scene import Scene, Subject, scenes_of
from bugsieve.pictures.shapes import Drawing, shortened


@dataclass(frozen=True)
class Frame:
    """One state: its picture, and what changed in words."""

    drawing: Drawing
    sentence: str


@dataclass(frozen=True)
class DrawnRun:
    """The frames of a run, one per state."""

    frames: tuple[Frame, ...]
    picture: str
    """The spec of the picture that was drawn."""
    note: str
    """The reason why it is not the picture that was meant; empty if it is."""
    legend: tuple[str, ...] = ()
    """The meanings of the lines and signs that occur in it."""


def draw_run(
    subject: Subject,
    states: ArrayLike,
    *,
    picture: AnyPicture | None = None,
    steps: Sequence[int] | None = None,
    beside: Sequence[ArrayLike] = (),
) -> DrawnRun:
    """Draw the states of a run, or those after these numbers of steps, all by the same picture.

    `picture` is a spec or a function; without it the first one is taken that has no objection. One
    that fails in a state gives way to the general one in all of them, and the note says so.
    `beside` has the states of runs that are shown with this one, on the same scale.
    """
    scenes = scenes_of(subject, states, beside=beside)
    chosen = scenes if steps is None else [scenes[step] for step in steps]
    return draw_scenes(picture_for(subject, picture), chosen)


def telling_steps(states: int, decision: int, around: int) -> list[int]:
    """The states of a run that tell most of it: the start, those by a decision, and the end."""
    near = range(max(0, decision - around), min(states, decision + around + 1))
    return sorted({0, *near, states - 1})


def draw_scenes(picture: Picture, scenes: Sequence[Scene]) -> DrawnRun:
    """The same for scenes and a picture that are there already."""
    used, notes, failed = picture, [], [picture.spec]
    while True:
        try:
            drawings = [drawn(used, scene) for scene in scenes]
            break
        except (Exception, SystemExit) as error:  # a picture may be foreign code
            if used.spec == GENERAL[-1]:
                raise
            name = shortened(used.spec)
            notes.append(f"the picture {name!r} gave way to a general one: {_reason(error)}")
            used = general_for(picture.subject, but=failed)
            failed.append(used.spec)
    sentences = map(what_changed, scenes)
    frames = tuple(Frame(*both) for both in zip(drawings, sentences, strict=True))
    return DrawnRun(frames, used.spec, "; ".join(notes), legend(drawings, used.signs))


def drawn(picture: Picture, scene: Scene) -> Drawing:
    """The drawing that the picture returns; UsageError for anything else."""
    found = picture.draw(scene)
    if not isinstance(found, Drawing):
        raise UsageError(f"it must give a Drawing, not {type(found).__name__}")
    return found


def _reason(error: BaseException) -> str:
    kind = "" if isinstance(error, UsageError) else f"{type(error).__name__}: "
    return shortened(f"{kind}{error}", 300)


def what_changed(scene: Scene) -> str:
    """One sentence about a state for people who do not see its picture."""
    return "; ".join(scene.sentences())
