"""Ground PDDL conditions as JANI expressions over the atoms of a task."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

from bugsieve.tasks.pddl.check import PddlTask
from bugsieve.tasks.pddl.declarations import variables
from bugsieve.tasks.pddl.formulas import Scope, check_condition
from bugsieve.tasks.pddl.reader import Block, Document, Expression, parse

MAX_INSTANCES = 1_000_000

Json = Any
AtomMeaning = Callable[[str], Json]
"""The expression of an atom "(on a b)": a variable, or a truth value where it never changes."""


def parse_condition(text: str, *, name: str) -> Document:
    """A condition that is a text of its own; `name` stands for its file in errors."""
    data = text.encode()
    return Document(name, data, parse(data, name))


def ground_condition(
    condition: Expression, document: Document, pddl: PddlTask, meaning: AtomMeaning
) -> Json:
    """The JANI expression of a PDDL condition that stands in the document."""
    objects = pddl.problem.objects
    scope = Scope(document, pddl.domain.vocabulary, "the condition", objects, checks_types=True)
    check_condition(scope, condition)
    return _Grounder(scope, objects, meaning).expression(condition, {})


def conjunction(parts: Sequence[Json]) -> Json:
    """The formula that holds where all the parts hold."""
    return _joined("∧", parts)


def disjunction(parts: Sequence[Json]) -> Json:
    """The formula that holds where at least one of the parts holds."""
    return _joined("∨", parts)


def negation(part: Json) -> Json:
    """The formula that holds where the part does not."""
    return (not part) if isinstance(part, bool) else {"op": "¬", "exp": part}


def _joined(operator: str, parts: Sequence[Json]) -> Json:
    """Balanced, so that a long list does not nest deeply."""
    neutral = operator == "∧"
    if any(part is (not neutral) for part in parts):
        return not neutral
    kept = [part for part in parts if not isinstance(part, bool)]
    if not kept:
        return neutral
    while len(kept) > 1:
        pairs = [kept[k : k + 2] for k in range(0, len(kept), 2)]
        kept = [
            pair[0] if len(pair) == 1 else {"op": operator, "left": pair[0], "right": pair[1]}
            for pair in pairs
        ]
    return kept[0]


class _Grounder:
    """Replaces variables by objects; conditions are at most 200 levels deep."""

    def __init__(self, scope: Scope, objects: Mapping[str, str], meaning: AtomMeaning) -> None:
        self._scope = scope
        self._objects = objects
        self._meaning = meaning
        self._instances = 0

    def expression(self, item: Expression, bound: Mapping[str, str]) -> Json:
        assert isinstance(item, Block)
        tag = item[0]
        if tag in ("forall", "exists"):
            join = conjunction if tag == "forall" else disjunction
            return join([self.expression(item[2], case) for case in self._cases(item, bound)])
        if tag in ("and", "or", "not", "imply"):
            parts = [self.expression(part, bound) for part in item[1:]]
            if tag == "imply":
                return disjunction([negation(parts[0]), parts[1]])
            if tag == "not":
                return negation(parts[0])
            return conjunction(parts) if tag == "and" else disjunction(parts)
        self._count(item)
        words = [bound.get(str(word), str(word)) for word in item]
        if tag == "=":
            return words[1] == words[2]
        return self._meaning(f"({' '.join(words)})")

    def _cases(self, item: Block, bound: Mapping[str, str]) -> list[dict[str, str]]:
        scope = self._scope
        assert isinstance(item[1], Block)
        entries = variables(scope.document, item[1], scope.vocabulary.types, scope.owner)
        choices = [
            [
                name
                for name, given in self._objects.items()
                if scope.vocabulary.fits(given, tuple(map(str, entry.types)) or ("object",))
            ]
            for entry in entries
        ]
        names = [str(entry.name) for entry in entries]
        size = 1
        for choice in choices:
            size *= max(len(choice), 1)
            self._check_size(item, size)
        return [{**bound, **dict(zip(names, case, strict=True))} for case in product(*choices)]

    def _count(self, item: Block) -> None:
        self._instances += 1
        self._check_size(item, self._instances)

    def _check_size(self, item: Block, size: int) -> None:
        if size > MAX_INSTANCES:
            raise self._scope.document.unsupported(
                item, self._scope.owner, f"more than {MAX_INSTANCES} ground atoms"
            )
