"""Effects that add and delete the same atom where two terms of an action are the same object."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product
from typing import TypeAlias

from bugsieve.rooms.domain_testing.lint.findings import LintFinding, finding
from bugsieve.rooms.domain_testing.places import negated
from bugsieve.tasks.pddl.domain import Domain
from bugsieve.tasks.pddl.execution import conjuncts, is_literal
from bugsieve.tasks.pddl.reader import Block, Expression, Word, to_text, words_of

_Merge: TypeAlias = Mapping[str, str]
"""Term to the one that stands for the same object."""


_MOST_EFFECTS = 300  # of one action: pairs of them are compared


def check_collisions(
    domain: Domain, reachable: Collection[str] | None = None
) -> Iterator[LintFinding]:
    """Notes on each action; `reachable` are the groundings of all problems given."""
    bindings = None if reachable is None else _by_action(reachable)
    for action in domain.actions:
        known = None if bindings is None else bindings.get(action, [])
        for added, deleted in _pairs(domain, action):
            merge = _merge(domain, action, added, negated(deleted))
            if not merge or _is_excluded(domain, action, merge):
                continue
            if known is None or _is_reached(domain, action, merge, known):
                same = ", ".join(f"{one} = {other}" for one, other in merge.items())
                sentence = (
                    f"action '{action}' has the effects {to_text(added)} and {to_text(deleted)}: "
                    f"where {same} it adds and deletes the same atom"
                )
                code = "possible-complementary-effects"
                yield finding(code, domain.document, deleted, sentence)


def _by_action(names: Collection[str]) -> Mapping[str, list[list[str]]]:
    """The objects of each grounding."""
    found: dict[str, list[list[str]]] = {}
    for name in names:
        action, *objects = words_of(name)
        found.setdefault(action, []).append(objects)
    return found


def _pairs(domain: Domain, action: str) -> Iterator[tuple[Block, Block]]:
    """An effect that adds with each that deletes."""
    effects = _literals(domain.actions[action].get(":effect", Block()))[:_MOST_EFFECTS]
    adding = [effect for effect in effects if effect[0] != "not"]
    return product(adding, (effect for effect in effects if effect[0] == "not"))


def _literals(condition: Expression) -> list[Block]:
    return [part for part in conjuncts(condition) if is_literal(part)]


def _merge(domain: Domain, action: str, one: Block, other: Block) -> _Merge | None:
    """The terms that must be the same object for two atoms to be the same; None if impossible."""
    terms = {**domain.vocabulary.constants, **domain.parameters(action)}
    if one[0] != other[0] or len(one) != len(other):
        return None
    merge: dict[str, str] = {}
    for pair in zip(one[1:], other[1:], strict=True):
        first, second = sorted((merge.get(str(term), str(term)) for term in pair), reverse=True)
        if first == second:
            continue
        if not first.startswith("?") or not domain.vocabulary.overlaps(
            terms[first], (terms[second],)
        ):
            return None
        merge = {term: second if kept == first else kept for term, kept in merge.items()}
        merge[first] = second
    return merge


def _is_excluded(domain: Domain, action: str, merge: _Merge) -> bool:
    """Return true if the precondition contradicts itself where these terms are the same."""
    parts = _literals(domain.actions[action].get(":precondition", Block()))
    texts = {_merged(part, merge) for part in parts}
    return any(
        _merged(negated(part), merge) in texts or _is_unequal(part, merge) for part in parts
    )


def _is_unequal(literal: Block, merge: _Merge) -> bool:
    """Return true if the literal says that two terms differ which are the same."""
    inner = negated(literal)
    if literal[0] != "not" or inner[0] != "=":
        return False
    one, other = (merge.get(str(term), str(term)) for term in inner[1:])
    return one == other


def _merged(item: Expression, merge: _Merge) -> str:
    if isinstance(item, Word):
        return merge.get(str(item), str(item))
    return "(" + " ".join(_merged(part, merge) for part in item) + ")"


def _is_reached(
    domain: Domain, action: str, merge: _Merge, known: Collection[Sequence[str]]
) -> bool:
    """Return true if some grounding has the same object in all terms that are one."""
    parameters = list(domain.parameters(action))
    for objects in known:
        bound = dict(zip(parameters, objects, strict=False))
        if all(bound.get(one) == bound.get(other, other) for one, other in merge.items()):
            return True
    return False
