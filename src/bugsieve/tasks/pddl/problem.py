"""Checks a PDDL problem file against its domain and returns its objects and initial atoms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bugsieve.base.names import suggest
from bugsieve.tasks.pddl.declarations import read_objects
from bugsieve.tasks.pddl.domain import (
    Domain,
    check_requirements,
    defined_name,
    section,
    split_sections,
)
from bugsieve.tasks.pddl.formulas import (
    COST_FUNCTION,
    FormulaScope,
    check_atom,
    check_condition,
    check_function,
    check_number,
    is_number,
)
from bugsieve.tasks.pddl.reader import Block, Document, Expression, Word, flat_text

SECTIONS = (":domain", ":requirements", ":objects", ":init", ":goal", ":metric")
"""In the order the translator wants them."""

_IGNORED_SECTIONS = (":length", ":situation")
_FOREIGN_SECTIONS = {
    ":constraints": "constraints",
    ":htn": "task hierarchies",
    ":tasks": "task hierarchies",
    ":goal-reward": "rewards",
    ":observable": "partial observability",
}
_FOREIGN_INIT = {
    "oneof": "uncertain initial states",
    "unknown": "uncertain initial states",
    "or": "uncertain initial states",
    "probabilistic": "probabilistic initial states",
}


@dataclass(frozen=True)
class Problem:
    """A checked problem file."""

    name: str
    document: Document
    sections: Mapping[str, Block]
    objects: Mapping[str, str]
    """Every object to its type, the domain's constants first."""
    atoms: frozenset[str]
    """The atoms that are true initially, as "(on a b)"."""
    values: Mapping[str, Word]
    """Functions with their arguments, as "(distance a b)", to their initial values."""


def check_problem(document: Document, domain: Domain) -> Problem:
    """The content of a problem file, or an error that names the line."""
    name = defined_name(document, "problem")
    sections = _split(document)
    _check_domain_name(document, sections, domain)
    check_requirements(document, sections)
    types, constants = domain.vocabulary.types, domain.vocabulary.constants
    own = read_objects(document, section(sections, ":objects"), types, constants)
    objects = {**constants, **own}
    init = _Init(FormulaScope(document, domain.vocabulary, "':init'", objects, checks_types=True))
    atoms = init.read(sections[":init"])
    goal_scope = FormulaScope(document, domain.vocabulary, "the goal", objects, checks_types=True)
    _check_goal(goal_scope, sections[":goal"])
    _check_metric(document, sections.get(":metric"))
    return Problem(name, document, sections, objects, atoms, init.values)


def _split(document: Document) -> dict[str, Block]:
    known = (*SECTIONS, *_IGNORED_SECTIONS)
    sections, _ = split_sections(document, known, _FOREIGN_SECTIONS)
    for keyword in (":domain", ":init", ":goal"):
        if keyword not in sections:
            raise document.error(document.root, f"the problem has no '({keyword} ...)' section")
    return sections


def _check_domain_name(document: Document, sections: Mapping[str, Block], domain: Domain) -> None:
    section = sections[":domain"]
    if len(section) != 2 or not isinstance(section[1], Word):
        raise document.error(section, "'(:domain NAME)' needs exactly one name")
    if section[1] != domain.name:
        raise document.error(
            section[1],
            f"this problem is for the domain '{section[1]}', but {domain.document.path} "
            f"defines '{domain.name}': give the matching domain file",
        )


class _Init:
    """Reads the initial state, remembering every literal to find contradictions."""

    def __init__(self, scope: FormulaScope) -> None:
        self.scope = scope
        self.document = scope.document
        self.truths: dict[str, bool] = {}
        self.values: dict[str, Word] = {}

    def read(self, section: Block) -> frozenset[str]:
        for item in section[1:]:
            if isinstance(item, Word) or not item:
                raise self.document.error(item, "':init' lists atoms such as (on a b)")
            self._fact(item)
        return frozenset(atom for atom, value in self.truths.items() if value)

    def _fact(self, block: Block) -> None:
        tag = block[0]
        if isinstance(tag, Block):
            raise self.document.error(tag, "':init' has one '(' too many here")
        if tag == "=":
            self._assignment(block)
        elif tag == "not":
            if len(block) != 2 or not isinstance(block[1], Block) or not block[1]:
                raise self.document.error(block, "'not' in ':init' must have the form (not ATOM)")
            self._literal(block[1], value=False)
        elif tag in _FOREIGN_INIT and tag not in self.scope.vocabulary.predicates:
            raise self.document.unsupported(block, "':init'", _FOREIGN_INIT[tag])
        elif _is_timed(block):
            raise self.document.unsupported(block, "':init'", "timed initial literals")
        else:
            self._literal(block, value=True)

    def _literal(self, block: Block, *, value: bool) -> None:
        check_atom(self.scope, block)
        atom = flat_text(block)
        if self.truths.setdefault(atom, value) is not value:
            raise self.document.error(block, f"':init' says both {atom} and (not {atom})")

    def _assignment(self, block: Block) -> None:
        if len(block) != 3:
            raise self.document.error(block, "a value has the form (= (FUNCTION ...) NUMBER)")
        call, value = block[1], block[2]
        if isinstance(call, Word) and isinstance(value, Word) and not is_number(value):
            raise self.document.unsupported(block, "':init'", "equalities between objects")
        check_function(self.scope, call)
        if isinstance(value, Block) or not is_number(value):
            raise self.document.unsupported(
                block, "':init'", f"the value '{_shown(value)}', not a number,"
            )
        check_number(self.document, value, "':init'")
        self._value(block, flat_text(call if isinstance(call, Block) else [call]), value)

    def _value(self, block: Block, function: str, value: Word) -> None:
        before = self.values.setdefault(function, value)
        if before is not value and int(before) != int(value):
            raise self.document.error(
                block, f"':init' gives {function} two values, {before} and {value}"
            )


def _shown(item: Expression) -> str:
    return str(item) if isinstance(item, Word) else "(...)"


def _is_timed(block: Block) -> bool:
    """Return true if the block is (at TIME LITERAL)."""
    if block[0] != "at" or len(block) != 3:
        return False
    return isinstance(block[1], Word) and is_number(block[1]) and isinstance(block[2], Block)


def _check_goal(scope: FormulaScope, section: Block) -> None:
    if len(section) != 2:
        raise scope.document.error(section, "'(:goal CONDITION)' needs exactly one condition")
    if section[1] == []:
        raise scope.document.error(section, "the goal is empty, so there is nothing to test")
    check_condition(scope, section[1])


def goal_disjunction(problem: Problem) -> Block | None:
    """The first `or` of the goal, else the first other part that means a disjunction."""
    found = list(_disjunctions(problem.sections[":goal"][1], positive=True))
    return next((block for block in found if block[0] == "or"), found[0] if found else None)


def _disjunctions(item: Expression, *, positive: bool) -> Iterator[Block]:
    """The parts of a checked condition, or of its negation, that mean a disjunction."""
    assert isinstance(item, Block)
    tag = item[0]
    if tag in (("or", "imply", "exists") if positive else ("and", "forall")):
        yield item
    if tag == "not":
        yield from _disjunctions(item[1], positive=not positive)
    elif tag == "imply":
        yield from _disjunctions(item[1], positive=not positive)
        yield from _disjunctions(item[2], positive=positive)
    elif tag in ("forall", "exists"):
        yield from _disjunctions(item[2], positive=positive)
    elif tag in ("and", "or"):
        for part in item[1:]:
            yield from _disjunctions(part, positive=positive)


def _check_metric(document: Document, section: Block | None) -> None:
    """Accept only one metric: minimising the total cost."""
    if section is None:
        return
    if len(section) != 3 or section[1] not in ("minimize", "maximize"):
        hint = suggest(str(section[1]), ["minimize"]) if len(section) > 1 else ""
        raise document.error(section, f"a metric is (:metric minimize (total-cost)){hint}")
    if section[1] == "maximize" or section[2] not in ([COST_FUNCTION], COST_FUNCTION):
        raise document.unsupported(
            section, "':metric'", "something other than minimising (total-cost)"
        )
