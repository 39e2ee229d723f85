"""Checks of actions: parameters, preconditions and effects that cannot be meant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from bugsieve.rooms.domain_testing.lint.declarations import LintedDomain, words_in
from bugsieve.rooms.domain_testing.lint.findings import LintFinding, finding
from bugsieve.rooms.domain_testing.places import (
    LiteralPlace,
    action_line,
    action_literals,
    negated,
    quantified_variables,
)
from bugsieve.tasks.pddl.domain import Domain
from bugsieve.tasks.pddl.execution import conjuncts, is_literal
from bugsieve.tasks.pddl.formulas import QUANTIFIERS
from bugsieve.tasks.pddl.reader import Block, Expression, Word, to_text

_NEGATIONS = ("not-", "not_", "not", "non-", "un", "no-", "no_")
_Scoped: TypeAlias = tuple[Expression, frozenset[str]]


def check_actions(subject: LintedDomain) -> Iterator[LintFinding]:
    """Mistakes in single actions, and actions that are the same."""
    for action in subject.domain.actions:
        places = list(action_literals(subject.domain, action))
        yield from _parameters(subject.domain, action)
        yield from _quantifiers(subject.domain, action)
        yield from _preconditions(subject.domain, action)
        yield from _effects(subject.domain, action, places)
        yield from _terms(subject.domain, places)
    yield from _duplicates(subject.domain)


def _field(domain: Domain, action: str, name: str) -> Expression:
    return domain.actions[action].get(name, Block())


def _parameters(domain: Domain, action: str) -> Iterator[LintFinding]:
    used = {
        str(word)
        for name in (":precondition", ":effect")
        for word in words_in(_field(domain, action, name))
    }
    block = _field(domain, action, ":parameters")
    for name in domain.parameters(action):
        if name not in used:
            place = next(word for word in words_in(block) if word == name)
            sentence = f"action '{action}' does not use its parameter '{name}'"
            yield finding("unused-parameter", domain.document, place, sentence)


def _quantifiers(domain: Domain, action: str) -> Iterator[LintFinding]:
    """Variables of quantifiers that hide others, or that nothing mentions."""
    outer = frozenset(domain.parameters(action))
    pending: list[_Scoped] = [
        (_field(domain, action, name), outer) for name in (":effect", ":precondition")
    ]
    while pending:
        item, known = pending.pop()
        if isinstance(item, Word) or not item:
            continue
        if item[0] in QUANTIFIERS:
            own = quantified_variables(domain, item)
            yield from _quantifier(domain, action, item, own, known)
            pending.append((item[2], known | set(own)))
        else:
            pending += [(part, known) for part in reversed(item)]


def _quantifier(
    domain: Domain, action: str, item: Block, own: Mapping[str, str], known: frozenset[str]
) -> Iterator[LintFinding]:
    inside = {str(word) for word in words_in(item[2])}
    for name in own:
        place = next(word for word in words_in(item[1]) if word == name)
        where = f"'{item[0]}' in action '{action}'"
        if name in known:
            sentence = f"the variable '{name}' of {where} hides another of the same name"
            yield finding("shadowed-variable", domain.document, place, sentence)
        if name not in inside:
            sentence = f"the variable '{name}' of {where} is not used"
            yield finding("unused-variable", domain.document, place, sentence)


def _preconditions(domain: Domain, action: str) -> Iterator[LintFinding]:
    seen: dict[str, Block] = {}
    for part in conjuncts(_field(domain, action, ":precondition")):
        text = to_text(part)
        if text in seen:
            sentence = f"action '{action}' has the precondition {text} twice"
            yield finding("duplicate-literal", domain.document, part, sentence)
        seen.setdefault(text, part)
        if not is_literal(part):
            continue
        opposite = to_text(negated(part))
        if opposite in seen:
            sentence = f"action '{action}' needs both {opposite} and {text}: it never applies"
            yield finding("contradictory-precondition", domain.document, part, sentence)
        if _is_false(part):
            sentence = f"action '{action}' needs {text}, which is false of every object"
            yield finding("contradictory-precondition", domain.document, part, sentence)


def _is_false(literal: Block) -> bool:
    atom = literal[1] if literal[0] == "not" else None
    return isinstance(atom, Block) and atom[0] == "=" and atom[1] == atom[2]


def _effects(domain: Domain, action: str, places: list[LiteralPlace]) -> Iterator[LintFinding]:
    effects = [place for place in places if place.role == "effect"]
    document = domain.document
    if not effects:
        sentence = f"action '{action}' changes nothing"
        yield finding("no-effect", document, action_line(domain, action), sentence)
    plain = {
        id(part): part for part in conjuncts(_field(domain, action, ":effect")) if is_literal(part)
    }
    texts: dict[str, Block] = {}
    for part in plain.values():
        text, opposite = to_text(part), to_text(negated(part))
        if opposite in texts:
            atom = to_text(part if part[0] != "not" else part[1])
            sentence = f"action '{action}' adds and deletes {atom}: it is true afterwards"
            yield finding("complementary-effects", document, part, sentence)
        if text in texts:
            sentence = f"action '{action}' has the effect {text} twice"
            yield finding("duplicate-literal", document, part, sentence)
        texts.setdefault(text, part)
    needed = {to_text(part) for part in conjuncts(_field(domain, action, ":precondition"))}
    for text, part in texts.items():
        if text in needed and to_text(negated(part)) not in texts:
            sentence = f"action '{action}' has the effect {text}, which its precondition demands"
            yield finding("redundant-effect", document, part, sentence)
        elif text not in needed:
            yield from _implied(domain, action, part)


def _implied(domain: Domain, action: str, effect: Block) -> Iterator[LintFinding]:
    """An effect that says in the words of the opposite predicate what the precondition says."""
    for part in conjuncts(_field(domain, action, ":precondition")):
        if is_literal(part) and part is not effect and _opposed(domain, part, effect):
            sentence = (
                f"action '{action}' has the effect {to_text(effect)}, which its precondition "
                f"{to_text(part)} implies"
            )
            yield finding("implied-effect", domain.document, effect, sentence)


def _opposed(domain: Domain, one: Block, other: Block) -> bool:
    """Return true if two literals say the same, one of P and one of the predicate not-P."""
    (sign, atom), (other_sign, other_atom) = _signed(one), _signed(other)
    if sign == other_sign or atom[1:] != other_atom[1:]:
        return False
    names = str(atom[0]), str(other_atom[0])
    declared = domain.vocabulary.predicates
    return any(
        long == f"{negation}{short}" and declared.get(long) == declared.get(short)
        for long, short in (names, names[::-1])
        for negation in _NEGATIONS
    )


def _signed(literal: Block) -> tuple[bool, Block]:
    inner = literal[1] if literal[0] == "not" else literal
    assert isinstance(inner, Block)
    return literal[0] != "not", inner


def _terms(domain: Domain, places: list[LiteralPlace]) -> Iterator[LintFinding]:
    """Arguments whose type has nothing in common with what the predicate takes."""
    vocabulary = domain.vocabulary
    for place in places:
        signature = vocabulary.predicates.get(str(place.atom[0]), ())
        for term, accepted in zip(place.atom[1:], signature, strict=False):
            kind = place.terms.get(str(term))
            if kind is None or vocabulary.fits(kind, accepted):
                continue
            if any(kind in vocabulary.ancestors[name] for name in accepted):
                continue  # the action narrows a wider type, as PDDL allows
            if _share_objects(domain, kind, accepted):
                continue
            wanted = " or ".join(f"'{name}'" for name in accepted)
            sentence = (
                f"action '{place.action}' has {to_text(place.atom)}, but '{place.atom[0]}' takes "
                f"{wanted} there and '{term}' is a '{kind}'"
            )
            yield finding("type-mismatch", domain.document, place.literal, sentence)


def _share_objects(domain: Domain, kind: str, accepted: tuple[str, ...]) -> bool:
    """Return true if some type is below both; PDDL with several supertypes allows that."""
    below = domain.vocabulary.ancestors.values()
    return any(kind in above and any(name in above for name in accepted) for above in below)


def _duplicates(domain: Domain) -> Iterator[LintFinding]:
    seen: dict[object, str] = {}
    for action in domain.actions:
        shape = _shape(domain, action)
        if shape in seen:
            sentence = f"action '{action}' has the conditions and effects of '{seen[shape]}'"
            line = action_line(domain, action)
            yield finding("duplicate-action", domain.document, line, sentence)
        seen.setdefault(shape, action)


def _shape(domain: Domain, action: str) -> object:
    """Parameters by place, conditions and effects in no order."""
    parameters = domain.parameters(action)
    names = {name: f"?{number}" for number, name in enumerate(parameters)}
    parts = [
        frozenset(_renamed(part, names) for part in conjuncts(_field(domain, action, name)))
        for name in (":precondition", ":effect")
    ]
    return (tuple(parameters.values()), *parts)


def _renamed(item: Expression, names: Mapping[str, str]) -> str:
    if isinstance(item, Word):
        return names.get(item, str(item))
    return "(" + " ".join(_renamed(part, names) for part in item) + ")"
