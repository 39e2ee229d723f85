"""Checks a PDDL domain file and returns what it declares."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bugsieve.base.names import suggest
from bugsieve.tasks.pddl.declarations import (
    Vocabulary,
    read_functions,
    read_objects,
    read_predicates,
    read_types,
    refuse_tall,
    variables,
)
from bugsieve.tasks.pddl.formulas import (
    COST_FUNCTION,
    EQUALITY,
    FormulaScope,
    check_condition,
    check_effect,
)
from bugsieve.tasks.pddl.reader import (
    Block,
    Document,
    Expression,
    PddlError,
    Word,
    make_block,
    make_word,
)

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

_ACTION = ":action"
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

    def parameters(self, action: str) -> dict[str, str]:
        """The variables of an action's parameters, in order, with their types."""
        block = self.actions[action].get(":parameters", Block())
        assert isinstance(block, Block)
        return variables(self.document, block, self.vocabulary.types, action)


def define_block(document: Document) -> tuple[Word, Word]:
    """("domain" or "problem", the name) of a PDDL file."""
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
    return kind, header[1]


def defined_name(document: Document, kind: str) -> str:
    """The name that a file defines, which must be one of a "domain" or of a "problem"."""
    found, name = define_block(document)
    if found != kind:
        raise document.error(
            found,
            f"is a {found} file where the {kind} was expected, give the domain first",
        )
    return str(name)


def check_domain(document: Document) -> Domain:
    """The declarations of a domain file, or an error that names the line."""
    name = defined_name(document, "domain")
    sections, blocks = split_sections(document, (*SECTIONS, _ACTION), _FOREIGN_SECTIONS)
    actions = _by_name(document, blocks)
    check_requirements(document, sections)
    vocabulary = _vocabulary(document, sections)
    return Domain(
        name,
        document,
        vocabulary,
        sections,
        {name: _check_action(document, vocabulary, block) for name, block in actions.items()},
    )


def check_requirements(document: Document, sections: Mapping[str, Block]) -> None:
    """Raise unless every label is one we can live with."""
    for item in section(sections, ":requirements")[1:]:
        _check_requirement(document, item)


def _check_requirement(document: Document, item: Expression) -> None:
    if isinstance(item, Block):
        raise document.error(item, "a requirement is one word such as :typing")
    if item in _FOREIGN_REQUIREMENTS:
        raise document.unsupported(item, f"the requirement {item}", _FOREIGN_REQUIREMENTS[item])
    known = REQUIREMENTS | HARMLESS_REQUIREMENTS
    if item not in known:
        raise document.error(item, f"unknown requirement '{item}'{suggest(item, known)}")


def split_sections(
    document: Document, known: tuple[str, ...], foreign: Mapping[str, str]
) -> tuple[dict[str, Block], list[Block]]:
    """The sections by name, and the actions in order."""
    sections: dict[str, Block] = {}
    actions: list[Block] = []
    for item in document.root[2:]:
        keyword, block = _section_of(document, item, known, foreign)
        if keyword == _ACTION:
            actions.append(block)
        elif keyword in sections:
            sentence = f"'{keyword}' appears twice, merge the two sections"
            raise document.error(block, sentence, "repeated-section")
        else:
            sections[keyword] = block
    return sections, actions


def section(sections: Mapping[str, Block], keyword: str) -> Block:
    """The section of that name, an empty one where the file has none."""
    return sections.get(keyword) or make_block(0, make_word(keyword, 0))


def _section_of(
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
    """The user of an unsupported section: its action or predicate if it has a name."""
    name = section[1] if len(section) > 1 else None
    if section[0] in (":derived", ":axiom") and isinstance(name, Block) and name:
        return f"predicate '{name[0]}'"
    if isinstance(name, Word) and not name.startswith(":"):
        return f"'({section[0]} {name}'"
    return f"'{section[0]}'"


def _vocabulary(document: Document, sections: Mapping[str, Block]) -> Vocabulary:
    types = read_types(document, section(sections, ":types"))
    refuse_tall(document, section(sections, ":types"), types)
    constants = read_objects(document, section(sections, ":constants"), types)
    declared = read_predicates(document, section(sections, ":predicates"), types)
    functions = read_functions(document, section(sections, ":functions"), types)
    functions.setdefault(COST_FUNCTION, ())
    return Vocabulary(types, constants, {"=": EQUALITY, **declared}, functions)


def _by_name(document: Document, blocks: Iterable[Block]) -> dict[str, Block]:
    actions: dict[str, Block] = {}
    for block in blocks:
        name = block[1] if len(block) > 1 else None
        if not isinstance(name, Word) or name.startswith((":", "?")):
            raise document.error(block, "an action needs a name: '(:action NAME :parameters ...'")
        if name in actions:
            first = actions[name].line
            sentence = f"there are two actions '{name}' (the first on line {first}), rename one"
            raise document.error(name, sentence, "repeated-action")
        actions[str(name)] = block
    return actions


def _check_action(
    document: Document, vocabulary: Vocabulary, block: Block
) -> dict[str, Expression]:
    owner = f"action '{block[1]}'"
    fields = _fields(document, block, owner)
    parameters = fields.get(":parameters", Block())
    if isinstance(parameters, Word):
        raise document.error(parameters, f"the parameters of {owner} must stand in parentheses")
    own = variables(document, parameters, vocabulary.types, owner)
    scope = FormulaScope(document, vocabulary, owner, {**vocabulary.constants, **own})
    try:
        if fields.get(":precondition", []) != []:
            check_condition(scope, fields[":precondition"])
        if fields.get(":effect", []) != []:
            check_effect(scope, fields[":effect"])
    except PddlError as error:
        if error.code != "unknown-variable" or ":parameters" in fields:
            raise
        sentence = f"{owner} uses the variable '{error.place}', but has no ':parameters'"
        raise document.error(block[1], sentence, "missing-parameters") from None
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
            raise document.error(keyword, f"{owner} has '{keyword}' twice", "repeated-field")
        fields[str(keyword)] = value
    return fields
