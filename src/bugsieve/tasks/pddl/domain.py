"""Checks a PDDL domain file and returns what it declares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bugsieve.basis.names import suggest
from bugsieve.tasks.pddl.declarations import (
    ROOT_TYPE,
    Signature,
    Vocabulary,
    read_functions,
    read_objects,
    read_predicates,
    read_types,
    variables,
)
from bugsieve.tasks.pddl.formulas import (
    COST_FUNCTION,
    Scope,
    check_condition,
    check_effect,
)
from bugsieve.tasks.pddl.reader import Block, Document, Expression, Word

REQUIREMENTS = frozenset(
    {
        ":strips",
        ":adl",
        ":typing",
        ":negation",
        ":equality",
        ":negative-preconditions",
        ":disjunctive-preconditions",
        ":existential-preconditions",
        ":universal-preconditions",
        ":quantified-preconditions",
        ":conditional-effects",
        ":derived-predicates",
        ":action-costs",
    }
)
"""Labels the translator knows."""

HARMLESS_REQUIREMENTS = frozenset(
    {":fluents", ":numeric-fluents", ":object-fluents", ":no-negation"}
)
"""Labels that say nothing about what a file really uses; the use itself is judged."""

_FOREIGN_REQUIREMENTS = {
    ":durative-actions": "durative actions",
    ":duration-inequalities": "durative actions",
    ":continuous-effects": "continuous effects",
    ":timed-initial-literals": "timed initial literals",
    ":preferences": "preferences",
    ":constraints": "constraints",
    ":probabilistic-effects": "probabilistic effects outside 'bugsieve safety'",
    ":non-deterministic": "non-deterministic effects outside 'bugsieve safety'",
    ":hierarchy": "task hierarchies",
    ":multi-agent": "several agents",
    ":time": "processes and events",
}

SECTIONS = (":requirements", ":types", ":constants", ":predicates", ":functions")
"""Sections that come once, in the order the translator wants them."""

_FOREIGN_SECTIONS = {
    ":derived": "derived predicates (axioms)",
    ":axiom": "axioms",
    ":durative-action": "durative actions",
    ":constraints": "constraints",
    ":process": "processes",
    ":event": "events",
    ":task": "task hierarchies",
    ":method": "task hierarchies",
    ":safety": "safety constraints",
}

ACTION_FIELDS = (":parameters", ":precondition", ":effect")
_FOREIGN_FIELDS = {
    ":duration": "durations",
    ":condition": "durative conditions",
    ":vars": "':vars'",
    ":observe": "sensing",
    ":agent": "several agents",
}


@dataclass(frozen=True)
class Domain:
    """A checked domain file."""

    name: str
    document: Document
    vocabulary: Vocabulary
    sections: Mapping[str, Block]
    actions: Mapping[str, Mapping[str, Expression]]
    """Action name to its fields."""


def define_block(document: Document) -> tuple[str, Word, Word]:
    """("domain" or "problem", that word, the name) of a PDDL file."""
    root = document.root
    header = root[1] if len(root) > 1 else None
    if not root or root[0] != "define" or not isinstance(header, Block) or not header:
        raise document.error(
            root,
            "is not PDDL, which starts with '(define (domain NAME)' or '(define (problem NAME)'",
        )
    kind = header[0]
    if kind not in ("domain", "problem") or not isinstance(kind, Word):
        raise document.error(header, "'domain' or 'problem' must follow '(define ('")
    if len(header) != 2 or not isinstance(header[1], Word):
        raise document.error(header, f"'({kind} NAME)' needs exactly one name")
    return str(kind), kind, header[1]


def check_domain(document: Document) -> Domain:
    """What a domain file declares, or an error that names the line."""
    kind, place, name = define_block(document)
    if kind != "domain":
        raise document.error(
            place,
            "is a problem file where the domain was expected, give the domain first",
        )
    sections, actions = _split(document)
    for requirement in sections.get(":requirements", Block())[1:]:
        check_requirement(document, requirement)
    vocabulary = _vocabulary(document, sections)
    return Domain(
        str(name),
        document,
        vocabulary,
        sections,
        {str(action[1]): _check_action(document, vocabulary, action) for action in actions},
    )


def check_requirement(document: Document, item: Expression) -> None:
    """Raise unless the label is one we can live with."""
    if isinstance(item, Block):
        raise document.error(item, "a requirement is one word such as :typing")
    if item in _FOREIGN_REQUIREMENTS:
        raise document.unsupported(item, f"the requirement {item}", _FOREIGN_REQUIREMENTS[item])
    known = REQUIREMENTS | HARMLESS_REQUIREMENTS
    if item not in known:
        raise document.error(item, f"unknown requirement '{item}'{suggest(item, known)}")


def _split(document: Document) -> tuple[dict[str, Block], list[Block]]:
    """The sections by name, and the actions in order."""
    sections: dict[str, Block] = {}
    actions: dict[str, Block] = {}
    for item in document.root[2:]:
        keyword, block = section_of(document, item, (*SECTIONS, ":action"), _FOREIGN_SECTIONS)
        if keyword == ":action":
            _add_action(document, block, actions)
        elif keyword in sections:
            raise document.error(block, f"'{keyword}' appears twice, merge the two sections")
        else:
            sections[keyword] = block
    return sections, list(actions.values())


def section_of(
    document: Document,
    item: Expression,
    known: tuple[str, ...],
    foreign: Mapping[str, str],
) -> tuple[str, Block]:
    """The keyword of a section and its block; unsupported and unknown sections are errors."""
    if isinstance(item, Word) or not item or not isinstance(item[0], Word):
        raise document.error(item, f"a section such as '({known[0]} ...' was expected here")
    keyword = item[0]
    if keyword in foreign:
        raise document.unsupported(item, _user(item), foreign[keyword])
    if keyword not in known:
        raise document.error(keyword, f"unknown section '{keyword}'{suggest(keyword, known)}")
    return str(keyword), item


def _user(section: Block) -> str:
    """Who uses an unsupported section: its action or predicate if it has a name."""
    name = section[1] if len(section) > 1 else None
    if section[0] in (":derived", ":axiom") and isinstance(name, Block) and name:
        return f"predicate '{name[0]}'"
    if isinstance(name, Word) and not name.startswith(":"):
        return f"'({section[0]} {name}'"
    return f"'{section[0]}'"


def _vocabulary(document: Document, sections: Mapping[str, Block]) -> Vocabulary:
    types: dict[str, tuple[str, ...]] = {ROOT_TYPE: ()}
    constants: dict[str, str] = {}
    predicates: dict[str, Signature] = {"=": ((ROOT_TYPE,), (ROOT_TYPE,))}
    functions: dict[str, Signature] = {}
    if ":types" in sections:
        types = read_types(document, sections[":types"])
    if ":constants" in sections:
        constants = read_objects(document, sections[":constants"], types)
    if ":predicates" in sections:
        predicates |= read_predicates(document, sections[":predicates"], types)
    if ":functions" in sections:
        functions = read_functions(document, sections[":functions"], types)
    functions.setdefault(COST_FUNCTION, ())
    return Vocabulary(types, constants, predicates, functions)


def _add_action(document: Document, block: Block, actions: dict[str, Block]) -> None:
    name = block[1] if len(block) > 1 else None
    if not isinstance(name, Word) or name.startswith((":", "?")):
        raise document.error(block, "an action needs a name: '(:action NAME :parameters ...'")
    if name in actions:
        raise document.error(
            name,
            f"there are two actions '{name}' (the first on line {actions[name].line}), rename one",
        )
    actions[str(name)] = block


def _check_action(
    document: Document, vocabulary: Vocabulary, block: Block
) -> dict[str, Expression]:
    owner = f"action '{block[1]}'"
    fields = _fields(document, block, owner)
    parameters = fields.get(":parameters", Block())
    if isinstance(parameters, Word):
        raise document.error(parameters, f"the parameters of {owner} must stand in parentheses")
    entries = variables(document, parameters, vocabulary.types, owner)
    terms = {
        **vocabulary.constants,
        **{str(entry.name): entry.type for entry in entries},
    }
    scope = Scope(document, vocabulary, owner, terms)
    if fields.get(":precondition", []) != []:
        check_condition(scope, fields[":precondition"])
    if fields.get(":effect", []) != []:
        check_effect(scope, fields[":effect"])
    return fields


def _fields(document: Document, block: Block, owner: str) -> dict[str, Expression]:
    fields: dict[str, Expression] = {}
    items = iter(block[2:])
    for keyword in items:
        if isinstance(keyword, Word) and keyword in _FOREIGN_FIELDS:
            raise document.unsupported(keyword, owner, _FOREIGN_FIELDS[keyword])
        if not isinstance(keyword, Word) or keyword not in ACTION_FIELDS:
            raise document.error(
                keyword,
                f"{owner} has something other than {', '.join(ACTION_FIELDS)} here",
            )
        value = next(items, None)
        if value is None:
            raise document.error(keyword, f"nothing follows '{keyword}' in {owner}")
        if keyword in fields:
            raise document.error(keyword, f"{owner} has '{keyword}' twice")
        fields[str(keyword)] = value
    return fields
