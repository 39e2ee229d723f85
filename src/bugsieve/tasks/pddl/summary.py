"""Declarations of the PDDL of a task, as plain data that can be kept, sent and compared.

`Task.pddl` makes it from the texts that the task was loaded from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias, TypeGuard

from bugsieve.tasks.pddl.declarations import Signature
from bugsieve.tasks.pddl.domain import Domain, check_domain, defined_name
from bugsieve.tasks.pddl.problem import check_problem
from bugsieve.tasks.pddl.reader import (
    Block,
    Document,
    Expression,
    Word,
    make_block,
    parse,
    to_text,
)

Term: TypeAlias = str | tuple["Term", ...]
"""A word, or a parenthesised list of terms: `("not", ("clear", "?x"))`."""

_CONSTRAINTS = ":constraints"


class PddlTexts(NamedTuple):
    """The files that a task was loaded from."""

    domain: bytes
    problem: bytes


@dataclass(frozen=True)
class Schema:
    """An action of the domain; an empty term stands for a condition or effect that is left out."""

    name: str
    parameters: Mapping[str, str]
    """Variable to type, in order."""
    precondition: Term
    effect: Term


@dataclass(frozen=True)
class PddlSummary:
    """The declarations of a domain and a problem that have been checked."""

    domain: str
    problem: str
    requirements: tuple[str, ...]
    types: Mapping[str, tuple[str, ...]]
    """Type to its supertypes, of which there is most often one; none for `object`."""
    constants: Mapping[str, str]
    """Object of the domain to its type."""
    objects: Mapping[str, str]
    """Every object to its type, the constants first."""
    predicates: Mapping[str, Signature]
    """Declared predicate to the types that each argument accepts."""
    functions: Mapping[str, Signature]
    schemas: Mapping[str, Schema]
    goal: Term
    constraints: tuple[Term, ...]
    """The terms after `:constraints`, the domain's first; plans are not held to it."""


def summarise(texts: PddlTexts) -> PddlSummary:
    """The summary of two texts; InputError if they do not pass the checks."""
    given = [_document(name, data) for name, data in zip(texts._fields, texts, strict=True)]
    plain = [without_constraints(document) for document in given]
    domain = check_domain(plain[0])
    problem = check_problem(plain[1], domain)
    vocabulary = domain.vocabulary
    sections = [part for document in given for part in document.root[2:]]
    return PddlSummary(
        domain.name,
        problem.name,
        tuple(str(word) for word in _parts(sections, ":requirements")),
        dict(vocabulary.types),
        dict(vocabulary.constants),
        dict(problem.objects),
        {name: types for name, types in vocabulary.predicates.items() if name != "="},
        dict(vocabulary.functions),
        {name: _schema(domain, name) for name in domain.actions},
        _term(problem.sections[":goal"][1]),
        tuple(_term(part) for part in _parts(sections, _CONSTRAINTS)),
    )


def summarise_domain(data: bytes) -> PddlSummary:
    """The summary of a domain with a problem of nothing; InputError if it is not a domain."""
    name = defined_name(_document("domain", data), "domain")
    problem = f"(define (problem none) (:domain {name}) (:init) (:goal (and)))"
    return summarise(PddlTexts(data, problem.encode()))


def without_constraints(document: Document) -> Document:
    """The document without `:constraints`; for `check_pddl`, which refuses them otherwise.

    A planner would not heed them. Who leaves them out must check runs against them.
    """
    kept = [_without_label(part) for part in document.root if not _is(part, _CONSTRAINTS)]
    root = make_block(document.root.line, *kept)
    if root == document.root:
        return document
    return replace(document, data=to_text(root).encode(), root=root)


def with_constraints_of(original: Document, document: Document) -> Document:
    """The document with the `:constraints` of the original, which it lost."""
    lost = [part for part in original.root if _is(part, _CONSTRAINTS)]
    if not lost:
        return document
    root = make_block(document.root.line, *document.root, *lost)
    return replace(document, data=to_text(root).encode(), root=root)


def constraint_words(document: Document) -> frozenset[str]:
    """Every word of the `:constraints`, the predicates that they mention among them."""
    pending = list(_parts(document.root, _CONSTRAINTS))
    found = set()
    while pending:
        part = pending.pop()
        if isinstance(part, Block):
            pending += part
        else:
            found.add(str(part))
    return frozenset(found)


def _without_label(section: Expression) -> Expression:
    if not _is(section, ":requirements"):
        return section
    return make_block(section.line, *(word for word in section if word != _CONSTRAINTS))


def _is(section: Expression, keyword: str) -> TypeGuard[Block]:
    return isinstance(section, Block) and bool(section) and section[0] == keyword


def _parts(sections: Sequence[Expression], keyword: str) -> list[Expression]:
    found = [section for section in sections if _is(section, keyword)]
    return [part for section in found for part in section[1:]]


def _document(name: str, data: bytes) -> Document:
    path = f"{name}.pddl"
    return Document(path, data, parse(data, path))


def _schema(domain: Domain, name: str) -> Schema:
    fields = domain.actions[name]
    precondition, effect = (fields.get(key, Block()) for key in (":precondition", ":effect"))
    return Schema(name, domain.parameters(name), _term(precondition), _term(effect))


def _term(item: Expression) -> Term:
    """The expression without its lines; its depth is limited by the reader."""
    return str(item) if isinstance(item, Word) else tuple(_term(part) for part in item)
