"""A model of timelines with its rules."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from bugsieve.pictures.strips import SvgFile
from bugsieve.rooms.rules.campaign.rule_subject import Bound, Path
from bugsieve.rooms.rules.obligations.judge import Check
from bugsieve.rooms.rules.obligations.world import Certificate
from bugsieve.rooms.timelines.binding import TimelineRules
from bugsieve.rooms.timelines.models.model import Model
from bugsieve.rooms.timelines.models.saved import SavedModel
from bugsieve.rooms.timelines.plans.plan import token_text
from bugsieve.rooms.timelines.world import TimelineWorld, check_plan, draw_plan, identity_of

NDDL = "nddl"
"""The key of the language."""


@dataclass(frozen=True, eq=False)
class BoundModel(Bound):
    """A model of timelines with the rules as they read there."""

    language: ClassVar[str] = NDDL

    file: str
    model: Model
    rules: TimelineRules
    slots: int | None
    """Tokens that a timeline may have; None: more and more of them."""

    def saved(self) -> SavedModel:
        """The files of the model."""
        return SavedModel.of(self.model)

    def world(self, traces: Iterable[Certificate] = ()) -> TimelineWorld:
        """The plans of the model, those among them that are plans still."""
        world, check = TimelineWorld(self.model, self.rules, self.slots), self.check()
        task = identity_of(self.model)
        for trace in traces:
            with contextlib.suppress(ValueError):
                check({**trace, "task": task})
                world.learn(trace)
        return world

    def check(self) -> Check:
        """Checks of plans, by a reader of NDDL of their own."""
        return partial(check_plan, self.model, self.rules)

    def path(self, certificate: Certificate) -> Path:
        """The times, and the tokens that begin there."""
        plan = certificate["plan"]
        titles = []
        for time in range(*plan["horizon"]):
            begun = [token_text(item) for item in plan["tokens"] if item["start"] == time]
            titles.append(f"time {time}: {', '.join(begun)}" if begun else "")
        return titles, [frozenset(letter) for letter in plan["letters"]]

    def drawing(self, certificate: Certificate, *, title: str, picture: str | None) -> SvgFile:
        """The plan as a chart."""
        return draw_plan(certificate, title=title, picture=picture)
