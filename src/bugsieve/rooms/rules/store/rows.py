"""What tests of rules store: tasks and obligations once, then one answer after the other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from bugsieve.rooms.rules.obligations.answers import Answer
from bugsieve.rooms.rules.obligations.obligation import Obligation
from bugsieve.rooms.timelines.models.saved import SavedModel
from bugsieve.tasks.grounded.saved import SavedTask

Language: TypeAlias = Literal["pddl", "nddl"]
PDDL: Language = "pddl"
NDDL: Language = "nddl"


@dataclass(frozen=True)
class RulesSubject:
    """What is tested: a domain or a model of timelines, and rules for it."""

    name: str
    """Of the domain."""
    domain: bytes = field(repr=False)
    """Its PDDL, or the first file of the model's NDDL."""
    rules_file: str
    rules: bytes = field(repr=False)
    """The content of that file; empty where all rules come from the PDDL."""
    warnings: tuple[str, ...] = ()
    language: Language = PDDL


@dataclass(frozen=True, eq=False)
class RulesTaskRow:
    """A task or model on which rules are tested."""

    number: int
    file: str
    task: SavedTask | SavedModel


@dataclass(frozen=True)
class ObligationRow:
    """An obligation of a task."""

    number: int
    task: int
    obligation: Obligation


@dataclass(frozen=True, eq=False)
class AnswerRow:
    """What was found out about an obligation, and how long that took."""

    number: int
    answer: Answer
    seconds: float


@dataclass(frozen=True, eq=False)
class RulesCases:
    """Everything that is known before the first obligation is judged."""

    tasks: tuple[RulesTaskRow, ...]
    obligations: tuple[ObligationRow, ...]
