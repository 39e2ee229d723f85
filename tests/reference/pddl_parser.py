"""An independent reader of PDDL files: STRIPS, typing, ADL conditions and effects, costs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tests.reference.pddl_syntax import (
    Action,
    And,
    Atom,
    Change,
    Condition,
    Domain,
    Effect,
    Equals,
    Exists,
    ForAll,
    ForEach,
    Increase,
    Not,
    OneOf,
    Or,
    Problem,
    Together,
    Typed,
    Types,
    When,
)

Expression = str | list["Expression"]


class PddlSyntaxError(ValueError):
    """A PDDL text is malformed or uses what the reference does not know."""


def read_expression(text: str) -> list[Expression]:
    """The nested list that the text writes in parentheses; comments go, case is dropped."""
    text = re.sub(r";[^\n]*", "", text).lower()
    outermost: list[Expression] = []
    stack = [outermost]
    for token in re.findall(r"[()]|[^\s()]+", text):
        if token == "(":
            inner: list[Expression] = []
            stack[-1].append(inner)
            stack.append(inner)
        elif token != ")":
            stack[-1].append(token)
        elif len(stack) == 1:
            raise PddlSyntaxError("a closing parenthesis too many")
        else:
            stack.pop()
    if len(stack) != 1 or len(outermost) != 1:
        raise PddlSyntaxError("expected exactly one balanced expression")
    return as_list(outermost[0])


def as_list(expression: Expression) -> list[Expression]:
    """The expression, which must be a list."""
    if isinstance(expression, str):
        raise PddlSyntaxError(f"expected a list, found {expression!r}")
    return expression


def as_word(expression: Expression) -> str:
    """The expression, which must be a single word."""
    if not isinstance(expression, str):
        raise PddlSyntaxError(f"expected a word, found {expression!r}")
    return expression


def parse_typed(expressions: Sequence[Expression]) -> tuple[Typed, ...]:
    """A list such as `a b - t c - (either t u) d`; what has no type is an object."""
    typed: list[Typed] = []
    waiting: list[str] = []
    rest = iter(expressions)
    for expression in rest:
        if expression != "-":
            waiting.append(as_word(expression))
            continue
        types = _parse_types(next(rest))
        typed += [Typed(name, types) for name in waiting]
        waiting = []
    return (*typed, *(Typed(name, ("object",)) for name in waiting))


def _parse_types(expression: Expression) -> Types:
    if isinstance(expression, str):
        return (expression,)
    if expression[0] != "either":
        raise PddlSyntaxError(f"expected a type, found {expression!r}")
    return tuple(as_word(word) for word in expression[1:])


def parse_atom(expression: Expression) -> Atom:
    """A predicate or function with its terms."""
    words = [as_word(word) for word in as_list(expression)]
    return Atom(words[0], tuple(words[1:]))


def parse_condition(expression: Expression) -> Condition:
    """A precondition, goal or effect condition; the empty list is true."""
    parts = as_list(expression)
    if not parts:
        return And(())
    match parts[0]:
        case "and":
            return And(_parse_conditions(parts[1:]))
        case "or":
            return Or(_parse_conditions(parts[1:]))
        case "not":
            return Not(parse_condition(_only(parts[1:])))
        case "imply":
            premise, conclusion = _parse_conditions(parts[1:])
            return Or((Not(premise), conclusion))
        case "exists":
            return Exists(parse_typed(as_list(parts[1])), parse_condition(_only(parts[2:])))
        case "forall":
            return ForAll(parse_typed(as_list(parts[1])), parse_condition(_only(parts[2:])))
        case "=":
            left, right = parts[1:]
            return Equals(as_word(left), as_word(right))
    return parse_atom(parts)


def _parse_conditions(expressions: Iterable[Expression]) -> tuple[Condition, ...]:
    return tuple(parse_condition(expression) for expression in expressions)


def _only(expressions: Sequence[Expression]) -> Expression:
    if len(expressions) != 1:
        raise PddlSyntaxError(f"expected one expression, found {expressions!r}")
    return expressions[0]


def parse_effect(expression: Expression) -> Effect:
    """An action's effect; the empty list does nothing."""
    parts = as_list(expression)
    if not parts:
        return Together(())
    match parts[0]:
        case "and":
            return Together(tuple(parse_effect(part) for part in parts[1:]))
        case "not":
            return Change(parse_atom(_only(parts[1:])), False)
        case "when":
            return When(parse_condition(parts[1]), parse_effect(_only(parts[2:])))
        case "forall":
            return ForEach(parse_typed(as_list(parts[1])), parse_effect(_only(parts[2:])))
        case "oneof":
            return OneOf(tuple(parse_effect(part) for part in parts[1:]))
        case "increase":
            return _parse_increase(parts[1:])
    return Change(parse_atom(parts), True)


def _parse_increase(parts: Sequence[Expression]) -> Increase:
    target, amount = parts
    if target != ["total-cost"]:
        raise PddlSyntaxError(f"expected (total-cost), found {target!r}")
    return Increase(int(amount) if isinstance(amount, str) else parse_atom(amount))


def parse_domain(text: str) -> Domain:
    """A domain file."""
    name = ""
    parents: dict[str, Types] = {}
    constants: tuple[Typed, ...] = ()
    actions: dict[str, Action] = {}
    for expression in read_expression(text)[1:]:
        section = as_list(expression)
        match section[0]:
            case "domain":
                name = as_word(section[1])
            case ":types":
                for declared in parse_typed(section[1:]):
                    parents[declared.name] = parents.get(declared.name, ()) + declared.types
            case ":constants":
                constants = parse_typed(section[1:])
            case ":action":
                action = _parse_action(section)
                actions[action.name] = action
            case ":requirements" | ":predicates" | ":functions":
                pass
            case unknown:
                raise PddlSyntaxError(f"a domain section {unknown!r} is not part of the reference")
    return Domain(name, parents, constants, actions)


def _parse_action(section: Sequence[Expression]) -> Action:
    fields = {as_word(key): value for key, value in zip(section[2::2], section[3::2], strict=True)}
    if not fields.keys() <= {":parameters", ":precondition", ":effect"}:
        raise PddlSyntaxError(f"unknown field in action {section[1]!r}: {sorted(fields)}")
    return Action(
        as_word(section[1]),
        parse_typed(as_list(fields.get(":parameters", []))),
        parse_condition(fields.get(":precondition", [])),
        parse_effect(fields.get(":effect", [])),
    )


def parse_problem(text: str) -> Problem:
    """A problem file."""
    sections: dict[str, list[Expression]] = {}
    for expression in read_expression(text)[1:]:
        section = as_list(expression)
        sections[as_word(section[0])] = section[1:]
    known = {"problem", ":domain", ":requirements", ":objects", ":init", ":goal", ":metric"}
    if not sections.keys() <= known:
        raise PddlSyntaxError(f"unknown problem section among {sorted(sections)}")
    initial, values = _parse_initial(sections.get(":init", []))
    return Problem(
        as_word(sections[":domain"][0]),
        parse_typed(sections.get(":objects", [])),
        initial,
        values,
        parse_condition(_only(sections[":goal"])),
        _parse_metric(sections.get(":metric")),
    )


def _parse_initial(
    expressions: Iterable[Expression],
) -> tuple[frozenset[Atom], dict[Atom, int]]:
    atoms: set[Atom] = set()
    values: dict[Atom, int] = {}
    for expression in expressions:
        parts = as_list(expression)
        if parts[0] == "=":
            values[parse_atom(parts[1])] = int(as_word(parts[2]))
        elif parts[0] != "not":  # a negative literal says what holds anyway
            atoms.add(parse_atom(parts))
    return frozenset(atoms), values


def _parse_metric(section: Sequence[Expression] | None) -> bool:
    if section is None:
        return False
    if list(section) != ["minimize", ["total-cost"]]:
        raise PddlSyntaxError(f"the metric {section!r} is not part of the reference")
    return True
