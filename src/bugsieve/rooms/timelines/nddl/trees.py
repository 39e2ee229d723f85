"""Turns what Lark's parser gives into statements."""

from __future__ import annotations

import math
from typing import Any

from bugsieve.rooms.timelines.nddl import syntax
from bugsieve.rooms.timelines.nddl.packages import load_lark
from bugsieve.rooms.timelines.nddl.syntax import Place

MAX_NUMBER = 1_000_000
"""No number may be larger, so that sums stay far from overflow."""
_COMPARISONS = {"==": "eq", "!=": "neq", "<=": "leq", "<": "lt", ">=": "geq", ">": "gt"}


class _Numbers:
    """Whole numbers within bounds."""

    def __init__(self, path: str) -> None:
        self.path = path

    def place(self, token: Any) -> Place:
        return Place(self.path, token.line, token.column)

    def whole(self, items: list[Any]) -> int:
        """The value of a number with or without sign."""
        token = items[-1]
        value = float(token.value.rstrip("lLfFdD"))
        if not math.isfinite(value) or abs(value) > MAX_NUMBER:
            raise self.place(token).error(f"numbers may be as large as {MAX_NUMBER}")
        if value != int(value):
            raise self.place(token).unsupported(f"{token.value} is not a whole number")
        return -int(value) if len(items) == 2 and items[0].value == "-" else int(value)


class _Statements(_Numbers):
    """The result for each rule of the grammar: one method per rule."""

    def file(self, items: list[Any]) -> list[Any]:
        return _flat(items)

    block = file

    def noop(self, items: list[Any]) -> list[Any]:
        return []

    def announced(self, items: list[Any]) -> list[Any]:
        return []

    def enumeration(self, items: list[Any]) -> Any:
        return syntax.Enumeration(
            items[1].value, tuple(item.value for item in items[2:]), self.place(items[1])
        )

    def class_(self, items: list[Any]) -> Any:
        _, name, _, parent, *rest = items
        body = _flat(rest)
        return syntax.ClassDeclaration(
            name.value,
            parent and parent.value,
            tuple(item for item in body if isinstance(item, syntax.VariableDeclaration)),
            tuple(item for item in body if isinstance(item, syntax.Constructor)),
            tuple(item for item in body if isinstance(item, syntax.PredicateDeclaration)),
            self.place(name),
        )

    def constructor(self, items: list[Any]) -> Any:
        name, *parameters, body = items
        named = tuple(item for item in parameters if item is not None)
        return syntax.Constructor(name.value, named, tuple(body), self.place(name))

    def parameter(self, items: list[Any]) -> Any:
        return syntax.Parameter(items[0].value, items[1].value, self.place(items[1]))

    def predicate(self, items: list[Any]) -> Any:
        return syntax.PredicateDeclaration(items[1].value, tuple(items[2]), self.place(items[1]))

    def rule_(self, items: list[Any]) -> Any:
        owner, predicate, body = items
        return syntax.RuleDefinition(owner.value, predicate.value, tuple(body), self.place(owner))

    def variables(self, items: list[Any]) -> list[Any]:
        kind, *named = items
        return [
            syntax.VariableDeclaration(
                kind.value, name.value, value, tuple(conditions), self.place(name)
            )
            for name, value, conditions in named
        ]

    def plain(self, items: list[Any]) -> Any:
        return items[0], None, ()

    def initialised(self, items: list[Any]) -> Any:
        return items[0], items[1], ()

    def filtered(self, items: list[Any]) -> Any:
        return items[0], None, items[1]

    def assignment(self, items: list[Any]) -> Any:
        return syntax.Assignment(items[0], items[-1], items[0].place)

    def constraint(self, items: list[Any]) -> Any:
        return syntax.Constraint(items[0].value, _given(items[1:]), self.place(items[0]))

    def comparison(self, items: list[Any]) -> Any:
        left, sign, right = items
        return syntax.Constraint(_COMPARISONS[sign.value], (left, right), left.place)

    compared = comparison

    def tested(self, items: list[Any]) -> Any:
        true = syntax.Truth(True, items[0].place)
        return syntax.Constraint("eq", (items[0], true), items[0].place)

    def branch(self, items: list[Any]) -> Any:
        word, condition, then, _, otherwise = items
        return syntax.If(
            condition, tuple(_flat([then])), tuple(_flat([otherwise or []])), self.place(word)
        )

    def call(self, items: list[Any]) -> Any:
        target = items.pop(0) if isinstance(items[0], syntax.Name) else None
        return syntax.Call(target, items[0].value, _given(items[1:]), self.place(items[0]))

    def demand(self, items: list[Any]) -> Any:
        return syntax.Demand(items[0].value, items[1], self.place(items[0]))

    def relation(self, items: list[Any]) -> Any:
        subject = items[0] if len(items) == 3 else None
        word, targets = items[-2:]
        return syntax.Relation(subject, word.value, targets, self.place(word))

    def label(self, items: list[Any]) -> Any:
        return items[0].value

    def bare(self, items: list[Any]) -> Any:
        return (syntax.Target(syntax.Name((items[0].value,), self.place(items[0])), None),)

    def targets(self, items: list[Any]) -> Any:
        return tuple(items)

    def target(self, items: list[Any]) -> Any:
        return syntax.Target(items[0], items[1] and items[1].value)

    def allocation(self, items: list[Any]) -> Any:
        return syntax.New(items[1].value, _given(items[2:]), self.place(items[1]))

    def arithmetic(self, items: list[Any]) -> Any:
        left, sign, right = items
        return syntax.Arithmetic(sign.value, left, right, left.place)

    def number(self, items: list[Any]) -> Any:
        return syntax.Number(self.whole(items), self.place(items[0]))

    def text(self, items: list[Any]) -> Any:
        return syntax.StringLiteral(items[0].value[1:-1], self.place(items[0]))

    def truth(self, items: list[Any]) -> Any:
        return syntax.Truth(items[0].value == "true", self.place(items[0]))

    def range(self, items: list[Any]) -> Any:
        low, high = (item for item in items if item is not None)
        return syntax.Range(low[0], high[0], low[1])

    def bound(self, items: list[Any]) -> Any:
        where = self.place(items[0])
        if items[-1].type == "INFINITE":
            return None, where
        return self.whole(items), where

    def choice(self, items: list[Any]) -> Any:
        return syntax.Choice(tuple(items), items[0].place)

    def name(self, items: list[Any]) -> Any:
        if isinstance(items[0], syntax.Name):
            return syntax.Name((*items[0].parts, items[1].value), items[0].place)
        return syntax.Name((items[0].value,), self.place(items[0]))


def make_transformer(path: str) -> Any:
    """A transformer of trees of Lark whose result is the list of statements."""
    # Made here, since Lark is loaded only where it is used.
    base: Any = load_lark().Transformer

    class Transformer(_Statements, base):  # type: ignore[misc]
        """Our methods under Lark's way through a tree."""

        def __init__(self) -> None:
            _Statements.__init__(self, path)
            base.__init__(self)

    return Transformer()


def _flat(items: list[Any]) -> list[Any]:
    """Some rules stand for several statements, or for none."""
    return [part for item in items for part in (item if isinstance(item, list) else [item])]


def _given(items: list[Any]) -> tuple[Any, ...]:
    return tuple(item for item in items if item is not None)
