"""Checks that a domain declares the requirements of what it uses."""

from __future__ import annotations

from collections.abc import Iterator

from bugsieve.rooms.domain_testing.lint.declarations import LintedDomain
from bugsieve.rooms.domain_testing.lint.findings import LintFinding, finding
from bugsieve.tasks.pddl.domain import Domain, section
from bugsieve.tasks.pddl.execution import is_literal
from bugsieve.tasks.pddl.reader import Block, Expression, Word

_ADL = {
    ":strips",
    ":typing",
    ":negative-preconditions",
    ":disjunctive-preconditions",
    ":equality",
    ":quantified-preconditions",
    ":existential-preconditions",
    ":universal-preconditions",
    ":conditional-effects",
}
_IMPLIED = {
    ":adl": _ADL,
    ":quantified-preconditions": {":existential-preconditions", ":universal-preconditions"},
}


def check_requirements(subject: LintedDomain) -> Iterator[LintFinding]:
    """One note per feature that is used and not declared, at its first use."""
    domain = subject.domain
    labels = {str(label) for label in section(domain.sections, ":requirements")[1:]}
    declared = labels.union(*(_IMPLIED.get(label, set()) for label in labels))
    reported: set[str] = set()
    for label, place in _uses(domain):
        if label not in declared | reported:
            reported.add(label)
            sentence = f"the domain uses what {label} stands for, but does not declare it"
            yield finding("missing-requirement", domain.document, place, sentence)


def _uses(domain: Domain) -> Iterator[tuple[str, Expression]]:
    if ":types" in domain.sections:
        yield ":typing", domain.sections[":types"]
    for fields in domain.actions.values():
        yield from _condition_uses(fields.get(":precondition", Block()))
        yield from _effect_uses(fields.get(":effect", Block()))


def _condition_uses(condition: Expression) -> Iterator[tuple[str, Expression]]:
    pending = [condition]
    while pending:
        item = pending.pop()
        if isinstance(item, Word) or not item:
            continue
        tag = item[0]
        if tag == "=":
            yield ":equality", item
        elif tag in ("or", "imply"):
            yield ":disjunctive-preconditions", item
        elif tag == "exists":
            yield ":existential-preconditions", item
        elif tag == "forall":
            yield ":universal-preconditions", item
        elif tag == "not" and not _is_equality(item[1]):
            name = "negative" if is_literal(item) else "disjunctive"
            yield f":{name}-preconditions", item
        pending += reversed([part for part in item[1:] if isinstance(part, Block)])


def _is_equality(item: Expression) -> bool:
    return isinstance(item, Block) and bool(item) and item[0] == "="


def _effect_uses(effect: Expression) -> Iterator[tuple[str, Expression]]:
    pending = [effect]
    while pending:
        item = pending.pop()
        if isinstance(item, Word) or not item:
            continue
        if item[0] == "increase":
            yield ":action-costs", item
        elif item[0] in ("when", "forall"):
            yield ":conditional-effects", item
            if item[0] == "when":
                yield from _condition_uses(item[1])
            pending.append(item[2])
        elif item[0] == "and":
            pending += reversed(item[1:])
