"""Reads JANI expressions into typed terms: names, literals, operators, calls.

Part of the interpreter: standard library only, no code shared with the engine. Nothing recurses,
since expressions may be as deep as their author likes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bugsieve.rooms.safety.checker.jani_terms import (
    INT64,
    OPERATORS,
    TRUE,
    UNARY,
    RefusedModelError,
    Source,
    Term,
    as_real,
    combine,
    constant,
)


@dataclass(frozen=True)
class Function:
    """A function of the model; a call stands for its body."""

    kind: str
    parameters: tuple[tuple[str, str], ...]  # name and kind
    body: Any
    scope: Scope


@dataclass(frozen=True)
class Scope:
    """The meaning of names at some place of the model."""

    names: Mapping[str, Term]
    functions: Mapping[str, Function]
    parameters: Mapping[str, Term] = field(default_factory=dict)
    inside: frozenset[str] = frozenset()  # functions whose body this is


class UnknownNameError(RefusedModelError):
    """A name that has no meaning, or none yet."""


class ExpressionReader:
    """Turns JSON expressions into terms, without recursion."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def read(self, expression: Any, scope: Scope) -> Term:
        """The term of an expression."""
        done: list[Term] = []
        todo: list[tuple[Any, ...]] = [("visit", expression, scope)]
        while todo:
            step = todo.pop()
            if step[0] == "visit":
                self._visit(step[1], step[2], todo, done)
                continue
            if step[0] == "return":
                done[-1] = self.convert(done[-1], step[1])
                continue
            _, name, data, inner, count = step
            operands = done[len(done) - count :]
            del done[len(done) - count :]
            if name == "call":
                self._call(data, inner, operands, todo)
            else:
                done.append(self._source.shortened(combine(name, operands)))
        return done.pop()

    def read_as(self, expression: Any, scope: Scope, kind: str) -> Term:
        """The same for an expression that must be of a kind; integers become reals."""
        return self.convert(self.read(expression, scope), kind)

    def read_value(self, expression: Any, scope: Scope, kind: str) -> Any:
        """The value of an expression that must be constant."""
        term = self.read_as(expression, scope, kind)
        if term.value is None:
            raise RefusedModelError("an expression that must be constant is not")
        return term.value

    def convert(self, term: Term, kind: str) -> Term:
        """The term as that kind."""
        if term.kind == kind:
            return term
        if term.kind != "int" or kind != "real":
            raise RefusedModelError(f"an expression of type {term.kind} where {kind} is needed")
        return self._source.shortened(as_real(term))

    def conjunction(self, terms: Sequence[Term]) -> Term:
        """All of the terms, tested in this order."""
        result = TRUE
        for term in terms:
            result = self._source.shortened(combine("∧", [result, term]))
        return result

    def apply(self, name: str, *operands: Term) -> Term:
        """An operator of JANI applied to terms."""
        return self._source.shortened(combine(name, operands))

    def _visit(
        self, data: Any, scope: Scope, todo: list[tuple[Any, ...]], done: list[Term]
    ) -> None:
        if isinstance(data, str):
            done.append(_meaning(data, scope))
        elif isinstance(data, dict) and "op" in data:
            name = data["op"]
            operands = _operands(name, data)
            todo.append(("combine", name, data, scope, len(operands)))
            todo.extend(("visit", operand, scope) for operand in reversed(operands))
        elif isinstance(data, dict) and "constant" in data:
            done.append(constant(_named(data["constant"])))
        elif isinstance(data, dict) and "exp" in data:
            todo.append(("visit", data["exp"], scope))
        elif type(data) in (bool, int, float):
            done.append(constant(_literal(data)))
        else:
            raise RefusedModelError(f"an expression that is {type(data).__name__}")

    def _call(
        self, data: Any, scope: Scope, operands: list[Term], todo: list[tuple[Any, ...]]
    ) -> None:
        name = data.get("function")
        function = scope.functions.get(name) if isinstance(name, str) else None
        if function is None:
            raise RefusedModelError(f"there is no function {name!r}")
        if name in scope.inside or len(operands) != len(function.parameters):
            raise RefusedModelError(f"a call of the function {name!r} that makes no sense")
        given = {
            parameter: self.convert(operand, kind)
            for (parameter, kind), operand in zip(function.parameters, operands, strict=True)
        }
        outer = function.scope
        inner = Scope(outer.names, outer.functions, given, scope.inside | {name})
        todo.append(("return", function.kind))
        todo.append(("visit", function.body, inner))


def _meaning(name: str, scope: Scope) -> Term:
    if name in scope.parameters:
        return scope.parameters[name]
    if name not in scope.names:
        raise UnknownNameError(f"there is no variable or constant {name!r}")
    return scope.names[name]


def _operands(name: Any, data: Mapping[str, Any]) -> list[Any]:
    if name == "call":
        keys: tuple[str, ...] = ("args",)
    elif name == "ite":
        keys = ("if", "then", "else")
    elif isinstance(name, str) and name in OPERATORS:
        keys = ("exp",) if name in UNARY else ("left", "right")
    else:
        raise RefusedModelError(f"the operator {name!r}")
    if any(key not in data for key in keys):
        raise RefusedModelError(f"an operator {name!r} without all of its operands")
    return list(data["args"]) if name == "call" else [data[key] for key in keys]


def _named(name: Any) -> float:
    if name == "e":
        return math.e
    if name == "π":
        return math.pi
    raise RefusedModelError(f"the constant {name!r}")


def _literal(value: Any) -> Any:
    if type(value) is float and not math.isfinite(value):
        raise RefusedModelError("a number that is too large")
    if type(value) is int and not -INT64 <= value < INT64:
        raise RefusedModelError("an integer that does not fit 64 bits")
    return value
