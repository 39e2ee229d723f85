"""Puts the editor's page together from its parts and the vocabulary of a domain.

Names of a domain are a stranger's: they enter the page as JSON in which no sign could end the
element that holds it, and the page's scripts show them as text. No other script can run: the
policy names the hashes of ours.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from bugsieve.base.pages import json_block, part_of, sealed_page
from bugsieve.rooms.rules.ltl.patterns import PATTERNS
from bugsieve.tasks.pddl.check import PddlTask, check_pddl
from bugsieve.tasks.pddl.summary import without_constraints

MAX_OBJECTS = 500
"""More are not offered for completion."""


@dataclass(frozen=True)
class Named:
    """A predicate or an action with the types of its parameters."""

    name: str
    kinds: tuple[str, ...]


@dataclass(frozen=True)
class EditorVocabulary:
    """The names that the editor completes."""

    domain: str
    problem: str
    predicates: Sequence[Named]
    actions: Sequence[Named]
    types: Mapping[str, Sequence[str]]
    """Every type to itself and its supertypes."""
    objects: Sequence[str]


def editor_of_files(domain: str | os.PathLike[str], problem: str | os.PathLike[str]) -> str:
    """The editor for rules of a domain and a problem; errors name file and line."""
    return editor_page(vocabulary_of(check_pddl(domain, problem, rewrite=without_constraints)))


def vocabulary_of(task: PddlTask) -> EditorVocabulary:
    """The vocabulary that a domain and a problem declare."""
    declared = task.domain.vocabulary
    predicates = [
        Named(name, tuple(kinds[0] for kinds in signature))
        for name, signature in declared.predicates.items()
        if name != "="
    ]
    actions = [
        Named(name, tuple(task.domain.parameters(name).values())) for name in task.domain.actions
    ]
    return EditorVocabulary(
        task.domain.name,
        task.problem.name,
        predicates,
        actions,
        {name: sorted(known) for name, known in declared.ancestors.items()},
        list(task.problem.objects)[:MAX_OBJECTS],
    )


def editor_page(vocabulary: EditorVocabulary) -> str:
    """The page, complete in itself."""
    patterns = {name: pattern.meaning for name, pattern in PATTERNS.items()}
    return sealed_page(
        _part("page.html"),
        {"vocabulary": json_block({**asdict(vocabulary), "patterns": patterns})},
        script=_part("logic.js") + _part("editor.js"),
        style=_part("style.css"),
    )


def _part(name: str) -> str:
    return part_of(__package__, name)
