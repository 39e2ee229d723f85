"""Places of the literals of a domain's actions, and domains with another expression there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from bugsieve.tasks.pddl.declarations import variables
from bugsieve.tasks.pddl.domain import Domain
from bugsieve.tasks.pddl.execution import is_literal
from bugsieve.tasks.pddl.formulas import QUANTIFIERS
from bugsieve.tasks.pddl.reader import Block, Expression, Word, make_block, make_word

Role: TypeAlias = Literal["precondition", "condition", "effect"]
"""`condition`: of a conditional effect."""

Path: TypeAlias = tuple[int, ...]
"""The way from the root of a document to an expression, by places in blocks."""


@dataclass(frozen=True)
class LiteralPlace:
    """One occurrence of a literal."""

    action: str
    role: Role
    path: Path
    literal: Block
    terms: Mapping[str, str]
    """The variables and constants in reach, with their types."""

    @property
    def atom(self) -> Block:
        """The literal without its negation."""
        inner = self.literal[1] if self.literal[0] == "not" else self.literal
        assert isinstance(inner, Block)
        return inner

    @property
    def is_positive(self) -> bool:
        """Return true if the literal is not a negation."""
        return self.literal[0] != "not"


def action_paths(domain: Domain) -> dict[str, Path]:
    """Each action with the way to its block."""
    root = domain.document.root
    found: dict[str, Path] = {}
    for index, section in enumerate(root):
        if isinstance(section, Block) and section and section[0] == ":action":
            found[str(section[1])] = (index,)
    return found


def action_line(domain: Domain, action: str) -> int:
    """The line on which the name of an action stands."""
    block = at(domain.document.root, action_paths(domain)[action])
    assert isinstance(block, Block)
    return block[1].line


def field_path(domain: Domain, action: str, field: str) -> Path | None:
    """The way to a field of an action, such as `:effect`; None if it has none."""
    path = action_paths(domain)[action]
    block = at(domain.document.root, path)
    assert isinstance(block, Block)
    places = [index for index, item in enumerate(block) if item == field]
    return (*path, places[0] + 1) if places else None


def literal_places(domain: Domain) -> Iterator[LiteralPlace]:
    """Every literal of every action, in the order of the file."""
    for action in domain.actions:
        yield from action_literals(domain, action)


def action_literals(domain: Domain, action: str) -> Iterator[LiteralPlace]:
    """Every literal of one action: of the precondition, then of the effect."""
    terms = {**domain.vocabulary.constants, **domain.parameters(action)}
    for field, role in ((":precondition", "precondition"), (":effect", "effect")):
        path = field_path(domain, action, field)
        if path is not None:
            walk = _Walk(domain, action)
            yield from walk.places(at(domain.document.root, path), path, role, terms)


class _Walk:
    """Follows the expressions of one action; their depth is limited by the reader."""

    def __init__(self, domain: Domain, action: str) -> None:
        self.domain = domain
        self.action = action

    def places(
        self, item: Expression, path: Path, role: str, terms: Mapping[str, str]
    ) -> Iterator[LiteralPlace]:
        if isinstance(item, Word) or not item or item[0] == "increase":
            return
        if is_literal(item):
            yield LiteralPlace(self.action, role, path, item, terms)  # type: ignore[arg-type]
        elif item[0] in QUANTIFIERS:
            inside = {**terms, **quantified_variables(self.domain, item)}
            yield from self.places(item[2], (*path, 2), role, inside)
        elif item[0] == "when":
            yield from self.places(item[1], (*path, 1), "condition", terms)
            yield from self.places(item[2], (*path, 2), role, terms)
        else:
            for index, part in enumerate(item[1:], start=1):
                yield from self.places(part, (*path, index), role, terms)


def quantified_variables(domain: Domain, item: Block) -> dict[str, str]:
    """The variables of a quantifier with their types."""
    assert isinstance(item[1], Block)
    return variables(domain.document, item[1], domain.vocabulary.types, f"'{item[0]}'")


def at(root: Expression, path: Path) -> Expression:
    """The expression at the end of a way."""
    for index in path:
        assert isinstance(root, Block)
        root = root[index]
    return root


def replaced(root: Block, path: Path, new: Expression | None) -> Block:
    """A copy of the tree with another expression in one place, or without it."""
    index, rest = path[0], path[1:]
    before, after = root[:index], root[index + 1 :]
    if not rest:
        return make_block(root.line, *before, *([] if new is None else [new]), *after)
    inner = root[index]
    assert isinstance(inner, Block)
    return make_block(root.line, *before, replaced(inner, rest, new), *after)


def negated(literal: Block) -> Block:
    """The opposite of a literal."""
    if literal[0] == "not":
        assert isinstance(literal[1], Block)
        return literal[1]
    return make_block(literal.line, make_word("not", literal.line), literal)
