"""The stored rows of tests of rules: tasks and obligations once, then one answer each."""

from __future__ import annotations

from dataclasses import dataclass, field

from bugsieve.rooms.rules.obligations.answers import Answer
from bugsieve.rooms.rules.obligations.obligation import Obligation
from bugsieve.rooms.rules.store.languages import Saved

PDDL = "pddl"


@dataclass(frozen=True)
class RulesSubject:
    """The subject of tests: a domain or a model, and rules for it."""

    name: str
    """Of the domain."""
    domain: bytes = field(repr=False)
    """Its PDDL, or the first file of the model."""
    rules_file: str
    rules: bytes = field(repr=False)
    """The content of that file; empty where all rules come from the PDDL."""
    warnings: tuple[str, ...] = ()
    language: str = PDDL
    """A key of `LANGUAGES`."""


@dataclass(frozen=True, eq=False)
class RulesTaskRow:
    """A task or model on which rules are tested."""

    number: int
    file: str
    task: Saved
    language: str
    """That of the subject."""


@dataclass(frozen=True)
class ObligationRow:
    """An obligation of a task."""

    number: int
    task: int
    obligation: Obligation


@dataclass(frozen=True, eq=False)
class AnswerRow:
    """The findings about an obligation, and the time that took."""

    number: int
    answer: Answer
    seconds: float


@dataclass(frozen=True, eq=False)
class RulesCases:
    """Everything that is known before the first obligation is judged."""

    tasks: tuple[RulesTaskRow, ...]
    obligations: tuple[ObligationRow, ...]
