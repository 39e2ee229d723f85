"""The cause of a bug: what is wrong, whichever objects and states it happens to.

Bugs with equal keys are shown as one. A key holds no objects, counts or states, so that it means
the same in every campaign on tasks of a domain.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import NamedTuple

from bugsieve.base.files_and_processes.foreign_json import FixedList, fitting, parse_json

ID_LENGTH = 8

DESTROYS, ACHIEVES, NEITHER = "destroys", "achieves", ""
COSTLY, DEAD_END = "costly", "dead end"
"""Endings in causes by a culprit: of runs that are dear, or that end where there is no plan."""

FLAGS = (DESTROYS, ACHIEVES, NEITHER)

_SHAPE = FixedList(str, [FixedList(str, str)], [str])


class LiftedStep(NamedTuple):
    """A step without its objects."""

    schema: str
    flag: str = NEITHER
    """Its effect on goal facts: it makes one false, or else one true, or neither."""


@dataclass(frozen=True)
class Cause:
    """The mistake behind a bug; equal for bugs that differ in their traits alone."""

    ending: str
    """The ending of such bugs' runs, or the kind of a safety bug; empty without causes."""
    steps: tuple[LiftedStep, ...] = ()
    """The steps of a loop, or the one to blame."""
    details: tuple[str, ...] = ()
    """Open goals, an exception and its place, a rule and its literal, actions and locations."""
    traits: tuple[str, ...] = field(default=(), compare=False)
    """The traits of this bug, the most telling first; those that all bugs share become words."""

    @property
    def key(self) -> str:
        """The cause as JSON, the same for equal causes."""
        content = [self.ending, [list(step) for step in self.steps], list(self.details)]
        return json.dumps(content, separators=(",", ":"))

    @property
    def id(self) -> str:
        """The name of the cause, in all campaigns."""
        return hashlib.sha256(self.key.encode("ascii")).hexdigest()[:ID_LENGTH]


UNNAMED = Cause("")
"""For kinds of campaigns whose bugs have no causes."""


def cause_from(key: str) -> Cause:
    """The cause of a key that a stranger may have written; ValueError if it is not one of ours."""
    ending, steps, details = fitting(parse_json(key), _SHAPE)
    if any(flag not in FLAGS for _, flag in steps):
        raise ValueError("a step does something to goals that none does")
    return Cause(ending, tuple(LiftedStep(*step) for step in steps), tuple(details))
