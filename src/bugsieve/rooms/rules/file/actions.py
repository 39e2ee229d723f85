"""`(did ACTION ARGUMENT ...)`: the action that led into a state, `*` standing for any object."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

from bugsieve.base.names import suggest
from bugsieve.tasks.grounded.task import Task
from bugsieve.tasks.pddl.declarations import ROOT_TYPE
from bugsieve.tasks.pddl.formulas import FormulaScope, check_arguments
from bugsieve.tasks.pddl.reader import Block, Word, make_block, words_of
from bugsieve.tasks.pddl.summary import Schema

DID = "did"
ANY = "*"

_Arguments: TypeAlias = tuple[str, ...]


def is_did(block: Block) -> bool:
    """Return true if a part of a condition speaks of an action."""
    return bool(block) and block[0] == DID


@dataclass(frozen=True)
class Actions:
    """The actions of a domain, and the operators they have become in one task."""

    task: Task
    schemas: Mapping[str, Schema]

    def check(self, scope: FormulaScope, block: Block) -> None:
        """Raise unless the part names an action with as many fitting arguments."""
        if DID in scope.vocabulary.predicates:
            raise scope.document.unsupported(
                block, scope.owner, f"'{DID}' beside a predicate of that name"
            )
        if len(block) < 2 or not isinstance(block[1], Word):
            raise scope.document.error(
                block, f"'{DID}' in {scope.owner} must have the form (did ACTION ARGUMENT ...)"
            )
        name = str(block[1])
        if name not in self.schemas:
            raise scope.document.error(
                block[1],
                f"{scope.owner} uses the unknown action '{name}'{suggest(name, self.schemas)}",
            )
        kinds = self.schemas[name].parameters.values()
        own = scope if ANY in scope.terms else _with_any(scope)
        given = [*block[2:], *[None] * (len(kinds) - len(block) + 2)]
        signature = tuple(
            (ROOT_TYPE,) if term == ANY else (kind,)
            for term, kind in zip(given, kinds, strict=False)
        )
        check_arguments(own, make_block(block.line, *block[1:]), "action", signature)

    def operators(self, leaf: str) -> tuple[int, ...]:
        """The operators that a ground `(did ACTION ARGUMENT ...)` stands for, ascending."""
        _, name, *arguments = words_of(leaf)
        fixed = tuple(place for place, word in enumerate(arguments) if word != ANY)
        if (name, fixed) not in self._tables:
            self._tables[name, fixed] = self._table(name, fixed)
        wanted = tuple(arguments[place] for place in fixed)
        return self._tables[name, fixed].get(wanted, ())

    def has_operators(self, action: str) -> bool:
        """Return true if the action has become any operator."""
        return action in self._by_action

    @cached_property
    def _by_action(self) -> Mapping[str, Sequence[tuple[_Arguments, int]]]:
        found: dict[str, list[tuple[_Arguments, int]]] = {}
        for index, text in enumerate(self.task.operator_names):
            name, *arguments = words_of(text)
            found.setdefault(name, []).append((tuple(arguments), index))
        return found

    @cached_property
    def _tables(self) -> dict[tuple[str, tuple[int, ...]], dict[_Arguments, tuple[int, ...]]]:
        return {}

    def _table(self, name: str, fixed: tuple[int, ...]) -> dict[_Arguments, tuple[int, ...]]:
        """The operators of an action by their arguments at the fixed places."""
        table: dict[_Arguments, list[int]] = {}
        for arguments, index in self._by_action.get(name, ()):
            table.setdefault(tuple(arguments[place] for place in fixed), []).append(index)
        return {fixed: tuple(operators) for fixed, operators in table.items()}


def _with_any(scope: FormulaScope) -> FormulaScope:
    return replace(scope, terms={**scope.terms, ANY: ROOT_TYPE})
