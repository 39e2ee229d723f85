"""Does a picture keep its contract?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from bugsieve.pictures.picture import PICTURES, Picture, picture_for
from bugsieve.pictures.scene import Scene, Subject, scene_source, scenes_of
from bugsieve.pictures.shapes import Drawing
from bugsieve.testing.tasks import random_tasks

_STEPS = 12


def check_picture(spec: str, *, subjects: Sequence[Subject] | None = None) -> None:
    """AssertionError unless the picture draws every state of runs, and the same one the same way.

    - an objection is None or a sentence;
    - without one, each state gives a Drawing, which allows 500 shapes with ids of their own;
    - it depends on the scene alone: asked again, backwards and anew it is the same.

    Without subjects, which are tasks and models, small random tasks are used, to which pictures
    of a domain object.
    """
    PICTURES.check(spec)
    chosen = random_tasks() if subjects is None else subjects
    objections = [_Examination(spec, subject).objection() for subject in chosen]
    if objections and None not in objections:
        raise AssertionError(
            f"picture {spec!r} objects to everything, so nothing was checked: {objections[-1]}; "
            "give subjects that it is for"
        )


class _Examination:
    """The checks on one subject."""

    def __init__(self, spec: str, subject: Subject) -> None:
        self.spec = spec
        self.subject = subject

    def objection(self) -> str | None:
        """The reason why the picture is not for this; None after it has passed all checks."""
        reason = PICTURES.parse(self.spec)[1].objection(self.subject)
        if reason is not None:
            if not (isinstance(reason, str) and reason):
                self.fail(f"an objection must be None or a sentence, not {reason!r}")
            return reason
        picture, scenes = self.picture(), scenes_of(self.subject, walk(self.subject))
        drawings = [self.drawn(picture, scene) for scene in scenes]
        again = [self.drawn(picture, scene) for scene in reversed(scenes)][::-1]
        anew = [self.drawn(self.picture(), scene) for scene in scenes]
        for when, others in (("asked again, backwards", again), ("made anew", anew)):
            if others != drawings:
                self.fail(f"what it draws is not the same when {when}")
        return None

    def picture(self) -> Picture:
        """One that knows nothing yet."""
        return picture_for(self.subject, self.spec)

    def drawn(self, picture: Picture, scene: Scene) -> Drawing:
        """The drawing of a scene."""
        try:
            found: Any = picture.draw(scene)
        except Exception as error:
            self.fail(f"in state {scene.index} of a run it raised {type(error).__name__}: {error}")
        if not isinstance(found, Drawing):
            self.fail(f"it must give a Drawing, not {type(found).__name__}")
        return found

    def fail(self, sentence: str) -> NoReturn:
        """Say what is wrong, and where."""
        raise AssertionError(f"picture {self.spec!r} on {self.subject.name}: {sentence}")


def walk(subject: Subject) -> Any:
    """States of a run in which the choices go round."""
    source = scene_source(subject)
    states = [source.first_state(subject)]
    for step in range(_STEPS):
        after = source.next_states(subject, states[-1])
        if not len(after):
            break
        states.append(after[step % len(after)])
    return np.stack(states)
