"""Puts the editor's page together from its parts and the vocabulary of a domain.

Names of a domain are a stranger's: they enter the page as JSON in which no sign could end the
element that holds it, and the page's scripts show them as text. No other script can run: the
policy names the hashes of ours.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.resources import files

from bugsieve.rules.ltl.patterns import PATTERNS
from bugsieve.tasks.pddl.check import PddlTask, check_pddl
from bugsieve.tasks.pddl.summary import without_constraints

MAX_OBJECTS = 500
"""More are not offered for completion."""

_ESCAPES = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}


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
    """What a domain and a problem declare."""
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
    script = _part("logic.js") + _part("editor.js")
    style = _part("style.css")
    patterns = {name: pattern.meaning for name, pattern in PATTERNS.items()}
    contents = {
        "policy": _policy(script, style),
        "style": style,
        "vocabulary": _json({**asdict(vocabulary), "patterns": patterns}),
        "script": script,
    }
    # One pass from left to right: what is put in is never looked at for further gaps.
    head, *rest = _part("page.html").split("{")
    filled = [head]
    for piece in rest:
        gap, _, after = piece.partition("}")
        filled += [contents[gap], after]
    return "".join(filled)


def _part(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _policy(script: str, style: str) -> str:
    sources = f"script-src {_hash(script)}; style-src {_hash(style)}"
    return f"default-src 'none'; {sources}; base-uri 'none'; form-action 'none'"


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False).translate(_ESCAPES)
