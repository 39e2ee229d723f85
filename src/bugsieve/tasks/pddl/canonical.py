"""Rewrites checked PDDL into the form Fast Downward's translator takes without stumbling.

The translator wants its sections in one order and knows few requirement labels. It fails on
actions that change nothing or only cost something, and drops actions whose cost has no value.
Files that are fine already are handed on unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from bugsieve.tasks.pddl import domain as domains
from bugsieve.tasks.pddl import problem as problems
from bugsieve.tasks.pddl.costs import MISSING_COST
from bugsieve.tasks.pddl.declarations import ROOT_TYPE
from bugsieve.tasks.pddl.domain import Domain
from bugsieve.tasks.pddl.formulas import COST_FUNCTION
from bugsieve.tasks.pddl.problem import Problem
from bugsieve.tasks.pddl.reader import (
    Block,
    Document,
    Expression,
    Word,
    make_block,
    to_text,
    words_of,
)
from bugsieve.tasks.pddl.reader import make_word as make


def canonical_domain(domain: Domain) -> bytes:
    """The domain as text for the translator."""
    root = domain.document.root
    sections = dict(domain.sections)
    _drop_unknown_requirements(sections)
    _declare_supertypes(sections, domain.vocabulary.types)
    actions = [_action(item, domain) for item in root[2:] if _keyword(item) == ":action"]
    ordered = [sections[key] for key in domains.SECTIONS if key in sections]
    return _text(domain.document, make_block(root.line, *root[:2], *ordered, *actions))


def canonical_problem(problem: Problem, missing: Sequence[str] = ()) -> bytes:
    """The problem as text for the translator, with a mark for each missing cost value."""
    root = problem.document.root
    sections = dict(problem.sections)
    if missing:
        init = sections[":init"]
        marks = (_mark(call, init.line) for call in missing)
        sections[":init"] = make_block(init.line, *init, *marks)
    _drop_unknown_requirements(sections)
    metric = sections.get(":metric")
    if metric is not None and isinstance(metric[2], Word):
        function = make_block(metric.line, make(COST_FUNCTION, metric.line))
        sections[":metric"] = make_block(metric.line, *metric[:2], function)
    ordered = [sections[key] for key in problems.SECTIONS if key in sections]
    return _text(problem.document, make_block(root.line, *root[:2], *ordered))


def _mark(call: str, line: int) -> Block:
    function = make_block(line, *(make(word, line) for word in words_of(call)))
    return make_block(line, make("=", line), function, make(str(MISSING_COST), line))


def _text(document: Document, root: Block) -> bytes:
    if root == document.root and document.data.isascii():
        return document.data
    return "\n".join(_lines(root)).encode("ascii")


def _lines(root: Block) -> Iterator[str]:
    yield "(define"
    yield from (to_text(item) for item in root[1:])
    yield ")\n"


def _keyword(item: Expression) -> str:
    return str(item[0]) if isinstance(item, Block) and item else ""


def _drop_unknown_requirements(sections: dict[str, Block]) -> None:
    section = sections.get(":requirements")
    if section is not None:
        kept = [label for label in section[1:] if label in domains.REQUIREMENTS]
        sections[":requirements"] = make_block(section.line, section[0], *kept)


def _declare_supertypes(sections: dict[str, Block], types: Iterable[str]) -> None:
    """The translator knows no objects of a type that is only mentioned as a supertype."""
    section = sections.get(":types")
    if section is None:
        return
    missing = [name for name in types if name != ROOT_TYPE and not _declares(section, name)]
    words = [make(word, section.line) for name in missing for word in (name, "-", ROOT_TYPE)]
    sections[":types"] = make_block(section.line, section[0], *words, *section[1:])


def _declares(section: Block, name: str) -> bool:
    return any(
        item == name and (position == 0 or section[position - 1] != "-")
        for position, item in enumerate(section)
    )


def _action(block: Expression, domain: Domain) -> Block:
    assert isinstance(block, Block)
    name = str(block[1])
    fields = dict(domain.actions[name])
    line = block.line
    effect = fields.get(":effect", Block())
    if effect == []:
        fields[":effect"] = make_block(line, make("and", line))
    elif isinstance(effect, Block) and effect[0] == "increase":
        fields[":effect"] = make_block(line, make("and", line), effect)
    ordered = [key for key in domains.ACTION_FIELDS if key in fields]
    items = [item for key in ordered for item in (make(key, line), fields[key])]
    return make_block(line, *block[:2], *items)
