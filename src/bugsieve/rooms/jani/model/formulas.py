"""Reads JANI expressions into the graph: names, literals, operators, calls, with their types.

Nothing here recurses, since expressions may be as deep as their author likes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from bugsieve.base.names import suggest
from bugsieve.base.parts import Part, existing
from bugsieve.rooms.jani.model.expressions import Graph
from bugsieve.rooms.jani.model.operators import INT64, OF_REALS
from bugsieve.rooms.jani.model.types import Kind, Type, Value
from bugsieve.tasks.json_text import MAX_DEPTH

_MAX_INLINED = 200_000
"""Operators and names in the bodies of all calls together."""

_COMPARISONS = {"<": "less", "≤": "at_most", ">": "less", "≥": "at_most"}
_ARITHMETIC = {"+": "add", "-": "subtract", "*": "multiply", "min": "minimum", "max": "maximum",
               "pow": "power"}  # fmt: skip
_ROUNDING = {"floor": "floor", "ceil": "ceiling", "trc": "truncate"}
_MEASURES = {"abs": "absolute", "sgn": "sign"}
_OF_EITHER_KIND = {**_ARITHMETIC, **_MEASURES}
_NAMED_CONSTANTS = {"e": math.e, "π": math.pi}

_BINARY = {"∧", "∨", "⇒", "=", "≠", "/", "%", "log", *_COMPARISONS, *_ARITHMETIC}
_UNARY = {"¬", *_ROUNDING, *_MEASURES, *OF_REALS}
_OTHERS = {"aa": "arrays", "ac": "arrays", "al": "arrays", "av": "arrays", "da": "datatypes",
           "dv": "datatypes", "der": "derivatives", "nondet": "non-deterministic choice",
           "empty": "options", "oa": "options", "ov": "options"}  # fmt: skip


@dataclass(frozen=True)
class Function:
    """A function of the model; calls are replaced by its body."""

    name: str
    type: Type
    parameters: tuple[tuple[str, Type], ...]
    body: Part
    scope: Scope


@dataclass(frozen=True)
class Scope:
    """The meaning of names: nodes of the graph, and functions."""

    names: Mapping[str, int]
    functions: Mapping[str, Function]
    parameters: Mapping[str, int] = field(default_factory=dict)
    active: frozenset[str] = frozenset()  # functions whose body is being read

    def node(self, part: Part, name: str) -> int:
        """The node a name stands for."""
        if name in self.parameters:
            return self.parameters[name]
        kind = "variable or constant"
        return self.names[existing(part, name, self.names, kind, " in the model")]


@dataclass(frozen=True, slots=True)
class _Visit:
    part: Part
    scope: Scope
    depth: int


@dataclass(frozen=True, slots=True)
class _Combine:
    part: Part
    name: str
    count: int
    scope: Scope
    depth: int


@dataclass(frozen=True, slots=True)
class _Return:
    part: Part
    function: Function


class FormulaReader:
    """Reads expressions of one model into its graph."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._typing = Typing(graph)
        self._inlined = 0

    def read(self, part: Part, scope: Scope) -> int:
        """The node of an expression."""
        results: list[int] = []
        todo: list[_Visit | _Combine | _Return] = [_Visit(part, scope, 0)]
        while todo:
            step = todo.pop()
            if isinstance(step, _Visit):
                self._visit(step, todo, results)
            elif isinstance(step, _Return):
                results[-1] = self._typing.convert(results[-1], step.function.type, step.part)
            else:
                operands = results[len(results) - step.count :]
                del results[len(results) - step.count :]
                if step.name == "call":
                    self._call(step, operands, todo)
                else:
                    results.append(self._typing.combine(step.name, operands, step.part))
        return results.pop()

    def read_as(self, part: Part, scope: Scope, wanted: Type) -> int:
        """The node of an expression that must have the kind of a type; integers become reals."""
        return self._typing.convert(self.read(part, scope), wanted, part)

    def read_constant(self, part: Part, scope: Scope, wanted: Type) -> Value:
        """The value of an expression without variables, which must lie within the bounds."""
        value = self.graph.value(self.read_as(part, scope, wanted))
        if value is None:
            raise part.error("must be a constant that can be computed")
        if not wanted.holds(value):
            raise part.error(f"the value {value} does not fit the type {wanted}")
        return value

    def _visit(
        self, step: _Visit, todo: list[_Visit | _Combine | _Return], results: list[int]
    ) -> None:
        part = step.part
        self._inlined += bool(step.scope.active)
        if step.depth > MAX_DEPTH:
            raise part.error(f"the expression is nested more than {MAX_DEPTH} levels deep")
        if self._inlined > _MAX_INLINED:
            raise part.unsupported("the calls of functions together are too large")
        if isinstance(part.data, str):
            results.append(step.scope.node(part, part.text()))
        elif isinstance(part.data, dict):
            name, operands = _operands(part)
            if name == "":
                todo.append(_Visit(operands[0], step.scope, step.depth + 1))
            elif name == "constant":
                results.append(self.graph.constant(_named_constant(part)))
            else:
                # The operator waits below its operands, which are taken in order from the top;
                # when its turn comes, their nodes are the last results.
                todo.append(_Combine(part, name, len(operands), step.scope, step.depth))
                inner = [_Visit(operand, step.scope, step.depth + 1) for operand in operands]
                todo.extend(reversed(inner))
        else:
            results.append(self.graph.constant(_literal(part)))

    def _call(
        self, step: _Combine, operands: list[int], todo: list[_Visit | _Combine | _Return]
    ) -> None:
        functions = step.scope.functions
        name = existing(step.part, step.part["function"].text(), functions, "function")
        function = functions[name]
        if name in step.scope.active:
            raise step.part.unsupported(f"the function {name!r} calls itself")
        if len(operands) != len(function.parameters):
            needed = len(function.parameters)
            raise step.part.error(f"{name!r} takes {needed} arguments, not {len(operands)}")
        given = {
            parameter: self._typing.convert(node, kind, step.part)
            for (parameter, kind), node in zip(function.parameters, operands, strict=True)
        }
        # Parameters hide all names but those that the function itself sees; the caller's own names
        # are out of reach.
        inner = Scope(
            function.scope.names, function.scope.functions, given, step.scope.active | {name}
        )
        todo.append(_Return(step.part, function))
        todo.append(_Visit(function.body, inner, step.depth + 1))


class Typing:
    """Applies JANI operators to nodes after checking and converting their kinds."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._rules = dict(_rules(self))

    def convert(self, node: int, wanted: Type, part: Part) -> int:
        """The node as that kind; only integers become something else, namely reals."""
        kind = self._graph.kind(node)
        if kind == wanted.kind:
            return node
        if kind == "int" and wanted.kind == "real":
            return self._graph.as_real(node)
        raise part.error(f"must be of type {wanted.kind}, but is of type {kind}")

    def combine(self, name: str, operands: Sequence[int], part: Part) -> int:
        """The node of an operator applied to nodes."""
        return self._rules[name](name, operands, part)

    def _kinds(self, operands: Sequence[int]) -> list[Kind]:
        return [self._graph.kind(node) for node in operands]

    def _demand(
        self, allowed: tuple[Kind, ...], name: str, nodes: Sequence[int], part: Part
    ) -> None:
        for kind in self._kinds(nodes):
            if kind not in allowed:
                raise part.error(f"{name!r} does not take operands of type {kind}")

    def _numbers(self, name: str, nodes: Sequence[int], part: Part) -> tuple[str, Sequence[int]]:
        """Both integers, or both converted to reals."""
        self._demand(("int", "real"), name, nodes, part)
        if "real" in self._kinds(nodes):
            return "real", [self._graph.as_real(node) for node in nodes]
        return "int", nodes

    def logic(self, name: str, nodes: Sequence[int], part: Part) -> int:
        """¬ ∧ ∨ ⇒."""
        self._demand(("bool",), name, nodes, part)
        if name == "¬":
            return self._graph.apply("not", nodes[0])
        if name == "∧":
            return self._graph.both(nodes[0], nodes[1])
        first = self._graph.apply("not", nodes[0]) if name == "⇒" else nodes[0]
        return self._graph.either(first, nodes[1])

    def equality(self, name: str, nodes: Sequence[int], part: Part) -> int:
        """= ≠; Booleans are the integers 0 and 1 in the core."""
        if self._kinds(nodes) == ["bool", "bool"]:
            kind = "int"
        else:
            kind, nodes = self._numbers(name, nodes, part)
        equal = self._graph.apply(f"{kind}_equal", *nodes)
        return equal if name == "=" else self._graph.apply("not", equal)

    def comparison(self, name: str, nodes: Sequence[int], part: Part) -> int:
        """< ≤ > ≥."""
        kind, nodes = self._numbers(name, nodes, part)
        if name in (">", "≥"):
            nodes = [nodes[1], nodes[0]]
        return self._graph.apply(f"{kind}_{_COMPARISONS[name]}", *nodes)

    def arithmetic(self, name: str, nodes: Sequence[int], part: Part) -> int:
        """+ - * min max pow abs sgn, of integers or of reals."""
        kind, nodes = self._numbers(name, nodes, part)
        return self._graph.apply(f"{kind}_{_OF_EITHER_KIND[name]}", *nodes)

    def reals(self, name: str, nodes: Sequence[int], part: Part) -> int:
        """Operators that always work on reals; integers are converted."""
        self._demand(("int", "real"), name, nodes, part)
        core = {"/": "real_divide", "log": "real_logarithm"}.get(name, name)
        return self._graph.apply(core, *[self._graph.as_real(node) for node in nodes])

    def modulo(self, name: str, nodes: Sequence[int], part: Part) -> int:
        """%, of integers only."""
        self._demand(("int",), name, nodes, part)
        return self._graph.apply("int_modulo", *nodes)

    def rounding(self, name: str, nodes: Sequence[int], part: Part) -> int:
        """Integers stay as they are."""
        self._demand(("int", "real"), name, nodes, part)
        if self._kinds(nodes) == ["int"]:
            return nodes[0]
        return self._graph.apply(_ROUNDING[name], nodes[0])

    def choice(self, name: str, nodes: Sequence[int], part: Part) -> int:
        """The value of an `ite` expression: one of two, as a condition decides."""
        self._demand(("bool",), "if", nodes[:1], part)
        then, otherwise = nodes[1:]
        if self._kinds(nodes[1:]) != ["bool", "bool"]:
            _, (then, otherwise) = self._numbers(name, nodes[1:], part)
        return self._graph.choose(nodes[0], then, otherwise)


_Rule = Callable[[str, Sequence[int], Part], int]


def _rules(typing: Typing) -> Iterator[tuple[str, _Rule]]:
    families: list[tuple[_Rule, Sequence[str]]] = [
        (typing.logic, "¬∧∨⇒"),
        (typing.equality, "=≠"),
        (typing.comparison, list(_COMPARISONS)),
        (typing.arithmetic, list(_OF_EITHER_KIND)),
        (typing.reals, ["/", "log", *OF_REALS]),
        (typing.modulo, "%"),
        (typing.rounding, list(_ROUNDING)),
        (typing.choice, ["ite"]),
    ]
    return ((name, rule) for rule, names in families for name in names)


def _operands(part: Part) -> tuple[str, list[Part]]:
    """Operator and operand expressions of an object; "" for one that only names an expression."""
    if "op" not in part.data:
        if "constant" in part.data:
            return "constant", []
        if "exp" in part.data:
            return "", [part["exp"]]
        raise part.error("is no expression: it has no 'op'")
    name = part["op"].text()
    if name in _BINARY:
        return name, [part["left"], part["right"]]
    if name in _UNARY:
        return name, [part["exp"]]
    if name == "ite":
        return name, [part["if"], part["then"], part["else"]]
    if name == "call":
        return name, list(part["args"].items())
    if name in _OTHERS:
        raise part.unsupported(f"{_OTHERS[name]} are not supported (operator {name!r})")
    near = suggest(name, [*_BINARY, *_UNARY])
    raise part.error(f"the operator {name!r} is unknown or makes no sense on states{near}")


def free_names(part: Part, functions: Mapping[str, Function]) -> set[str]:
    """The names in an expression, and in the bodies of the functions it calls."""
    found: set[str] = set()
    called: set[str] = set()
    todo = [part]
    while todo:
        inner = todo.pop()
        if isinstance(inner.data, str):
            found.add(inner.data)
        elif isinstance(inner.data, dict):
            name, operands = _operands(inner)
            todo.extend(operands)
            function = functions.get(inner["function"].text()) if name == "call" else None
            if function is not None and function.name not in called:
                called.add(function.name)
                todo.append(function.body)
    return found


def _named_constant(part: Part) -> float:
    name = part["constant"].text()
    if name not in _NAMED_CONSTANTS:
        raise part.error(f"there is no constant {name!r}; there are e and π")
    return _NAMED_CONSTANTS[name]


def _literal(part: Part) -> Value:
    data = part.data
    if isinstance(data, float) and not math.isfinite(data):
        raise part.error("the number is too large")
    if isinstance(data, int) and not -INT64 <= data < INT64:
        raise part.error("the integer does not fit 64 bits")
    if not isinstance(data, (bool, int, float)):
        raise part.error(f"must be an expression, but is {part.kind}")
    return data
