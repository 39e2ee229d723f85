"""Checks of what a domain declares: types, constants, predicates and functions that are unused."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from bugsieve.rooms.domain_testing.lint.findings import LintFinding, finding
from bugsieve.rooms.domain_testing.places import LiteralPlace, literal_places
from bugsieve.tasks.pddl.costs import cost_amount
from bugsieve.tasks.pddl.declarations import ROOT_TYPE, typed_list
from bugsieve.tasks.pddl.domain import Domain, section
from bugsieve.tasks.pddl.execution import conjuncts
from bugsieve.tasks.pddl.problem import Problem
from bugsieve.tasks.pddl.reader import Block, Expression, Word, words_of

_OWN_PREDICATES = ("=",)


@dataclass(frozen=True)
class LintedDomain:
    """A domain and the problems that it was given with."""

    domain: Domain
    problems: Sequence[Problem]
    constraint_words: frozenset[str] = frozenset()
    """The words of their `:constraints`, which are left out of both."""

    @cached_property
    def places(self) -> list[LiteralPlace]:
        """Every literal of every action."""
        return list(literal_places(self.domain))

    @cached_property
    def added(self) -> frozenset[str]:
        """The predicates that some effect makes true."""
        return self._of(lambda place: place.role == "effect" and place.is_positive)

    @cached_property
    def changed(self) -> frozenset[str]:
        """The predicates that some effect changes."""
        return self._of(lambda place: place.role == "effect")

    @cached_property
    def read(self) -> frozenset[str]:
        """The predicates that some condition of an action asks for."""
        return self._of(lambda place: place.role != "effect")

    @cached_property
    def in_goals(self) -> frozenset[str]:
        """The words of all goals, and of all constraints."""
        goals = [problem.sections[":goal"] for problem in self.problems]
        words = frozenset(str(word) for goal in goals for word in words_in(goal))
        return words | self.constraint_words

    def _of(self, chosen: Callable[[LiteralPlace], bool]) -> frozenset[str]:
        return frozenset(str(place.atom[0]) for place in self.places if chosen(place))


def words_in(item: Expression) -> Iterator[Word]:
    """Every word of an expression."""
    pending = [item]
    while pending:
        part = pending.pop()
        if isinstance(part, Word):
            yield part
        else:
            pending += part


def check_declarations(subject: LintedDomain) -> Iterator[LintFinding]:
    """Declarations that are not used."""
    yield from _predicates(subject)
    yield from _immutable(subject)
    yield from _types(subject)
    yield from _constants(subject)
    yield from _functions(subject)


def _declared(domain: Domain, keyword: str) -> Iterator[Block]:
    for item in section(domain.sections, keyword)[1:]:
        if isinstance(item, Block) and item:
            yield item


def _predicates(subject: LintedDomain) -> Iterator[LintFinding]:
    document = subject.domain.document
    for item in _declared(subject.domain, ":predicates"):
        name = str(item[0])
        used = name in subject.read | subject.changed | subject.in_goals
        if not used:
            sentence = f"the predicate '{name}' is declared, but no action or goal mentions it"
            yield finding("unused-predicate", document, item, sentence)
        elif subject.problems and name not in subject.read | subject.in_goals:
            sentence = f"actions change '{name}', but no condition and no goal given asks for it"
            yield finding("never-read", document, item, sentence)


def _immutable(subject: LintedDomain) -> Iterator[LintFinding]:
    """One note for all of them: most often that is what they are for."""
    names = [str(item[0]) for item in _declared(subject.domain, ":predicates")]
    fixed = [name for name in names if name in subject.read - subject.changed]
    if fixed:
        listed = ", ".join(f"'{name}'" for name in fixed)
        sentence = f"no action changes {listed}: conditions find there what the problem says"
        place = section(subject.domain.sections, ":predicates")
        yield finding("immutable-predicate", subject.domain.document, place, sentence)


def check_truth(subject: LintedDomain) -> Iterator[LintFinding]:
    """Predicates that an action needs and that are never true in any of the problems."""
    if not subject.problems:
        return
    initial = {words_of(atom)[0] for problem in subject.problems for atom in problem.atoms}
    possible = subject.added | initial | set(_OWN_PREDICATES)
    reported = set()
    for place in subject.places:
        name = str(place.atom[0])
        if place.role != "precondition" or not place.is_positive or name in possible:
            continue
        if (place.action, name) in reported or not _is_needed(subject.domain, place):
            continue
        reported.add((place.action, name))
        sentence = (
            f"action '{place.action}' needs '{name}', which no action adds and which is true "
            "initially in no problem given"
        )
        yield finding("never-true", subject.domain.document, place.literal, sentence)


def _is_needed(domain: Domain, place: LiteralPlace) -> bool:
    """Return true if the literal is in the precondition's conjunction, not in a disjunction."""
    condition = domain.actions[place.action].get(":precondition", Block())
    return any(part is place.literal for part in conjuncts(condition))


def _types(subject: LintedDomain) -> Iterator[LintFinding]:
    domain = subject.domain
    ancestors = domain.vocabulary.ancestors
    used = set(_types_in_use(subject))
    in_use = {above for name in used for above in ancestors.get(name, frozenset())}
    for entry in typed_list(domain.document, section(domain.sections, ":types")[1:]):
        above = ancestors[str(entry.name)] - {ROOT_TYPE}
        # Problems that are not given may have objects of any type below one in use.
        if entry.name not in in_use and (subject.problems or not above & in_use):
            sentence = f"nothing is of the type '{entry.name}'"
            yield finding("unused-type", domain.document, entry.name, sentence)


def _types_in_use(subject: LintedDomain) -> Iterator[str]:
    """Types of objects, and what actions, quantifiers and predicates name."""
    domain = subject.domain
    yield from domain.vocabulary.constants.values()
    for problem in subject.problems:
        yield from problem.objects.values()
    for signature in (
        *domain.vocabulary.predicates.values(),
        *domain.vocabulary.functions.values(),
    ):
        yield from (kind for kinds in signature for kind in kinds)
    for action in domain.actions:
        for fields in domain.actions[action].values():
            yield from (str(word) for word in words_in(fields) if word in domain.vocabulary.types)


def _constants(subject: LintedDomain) -> Iterator[LintFinding]:
    domain = subject.domain
    used = {
        str(word)
        for fields in domain.actions.values()
        for part in fields.values()
        for word in words_in(part)
    }
    for entry in typed_list(domain.document, section(domain.sections, ":constants")[1:]):
        if entry.name not in used | subject.in_goals:
            sentence = (
                f"the constant '{entry.name}' is declared, but no action or goal mentions it"
            )
            yield finding("unused-constant", domain.document, entry.name, sentence)


def _functions(subject: LintedDomain) -> Iterator[LintFinding]:
    domain = subject.domain
    amounts = [cost_amount(fields) for fields in domain.actions.values()]
    used = {str(word) for amount in amounts if amount is not None for word in words_in(amount)}
    for item in _declared(domain, ":functions"):
        name = str(item[0])
        if name not in used and not (name == "total-cost" and any(a is not None for a in amounts)):
            sentence = f"the function '{name}' is declared, but no action's cost mentions it"
            yield finding("unused-function", domain.document, item, sentence)
