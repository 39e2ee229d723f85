"""Reads PDDL domains and problems for the validator of traces (`rules_pddl`).

It shares no code with the rest of Bugsieve. It refuses features that it does
not understand: derived predicates, durative actions, `oneof`, numeric conditions. It leaves out
costs and `:constraints`: they are not a part of the effects of actions.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from typing import Any, NamedTuple, NoReturn, TypeAlias

from bugsieve.checkers.cost import CertificateError

MAX_TEXT = 50_000_000
MAX_DEPTH = 120

Expression: TypeAlias = Any
"""A word, or a list of expressions."""
Types: TypeAlias = tuple[str, ...]

_TOKEN = re.compile(r"[()]|[^\s();]+")
_UNKNOWN = frozenset(
    {"<", ">", "<=", ">=", "preference", "oneof", "assign", "decrease", "scale-up", "scale-down"}
)
_COMMENT = re.compile(r";[^\n]*")


class RefusedPddlError(CertificateError):
    """The files are malformed, or hold what the validator does not understand."""


class Typed(NamedTuple):
    """A variable or object with its types, any of which it may have."""

    name: str
    types: Types


class Action(NamedTuple):
    """An action schema; condition and effect are expressions."""

    name: str
    parameters: tuple[Typed, ...]
    precondition: Expression
    effect: Expression


class Domain(NamedTuple):
    """A domain: types, constants, predicates, and its actions."""

    name: str
    parents: dict[str, set[str]]
    constants: tuple[Typed, ...]
    arities: dict[str, int]
    """Of predicates."""
    actions: dict[str, Action]


class Problem(NamedTuple):
    """Objects, the atoms that are true at first, and the goal."""

    domain: str
    objects: tuple[Typed, ...]
    initial: frozenset[tuple[str, ...]]
    goal: Expression


def read_expression(text: str, what: str) -> Expression:
    """The one expression in a text, cases folded, without comments."""
    if not isinstance(text, str):
        refuse(f"{what} must be given as text")
    if len(text) > MAX_TEXT:
        refuse(f"{what} is longer than {MAX_TEXT} characters")
    stack: list[list[Expression]] = [[]]
    for matched in _TOKEN.finditer(_COMMENT.sub("", text).lower()):
        token = matched[0]
        if token == "(":
            stack.append([])
            if len(stack) > MAX_DEPTH:
                refuse(f"{what} is nested deeper than {MAX_DEPTH} parentheses")
        elif token != ")":
            stack[-1].append(token)
        elif len(stack) == 1:
            refuse(f"{what} has a ')' that closes nothing")
        else:
            inner = stack.pop()
            stack[-1].append(inner)
    if len(stack) > 1 or len(stack[0]) != 1:
        refuse(f"{what} must be one expression in parentheses")
    return stack[0][0]


def read_domain(text: str) -> Domain:
    """The domain in a text."""
    name, sections = _definition(read_expression(text, "the domain"), "domain")
    parents: dict[str, set[str]] = {}
    constants: tuple[Typed, ...] = ()
    arities: dict[str, int] = {}
    actions: dict[str, Action] = {}
    for key, content in sections:
        if key == ":types":
            for kind, above in typed_list(content, "the types"):
                parents.setdefault(kind, set()).update(above)
        elif key == ":constants":
            constants = typed_list(content, "the constants")
        elif key == ":predicates":
            arities = dict(_predicate(one) for one in content)
        elif key == ":action":
            action = _action(content)
            if action.name in actions:
                refuse(f"there are two actions {action.name[:80]}")
            actions[action.name] = action
        elif key not in (":requirements", ":functions", ":constraints"):
            refuse(f"the domain has {key[:40]}, which the validator does not know")
    for action in actions.values():
        refuse_unknown([action.precondition, action.effect], f"action {action.name[:80]}", arities)
    return Domain(name, parents, constants, arities, actions)


def refuse_unknown(whole: Expression, what: str, predicates: Container[str] = ()) -> None:
    """RefusedPddlError if the expression holds numeric conditions or choices, at any depth."""
    waiting = [whole]
    while waiting:
        part = waiting.pop()
        if type(part) is not list or not part:
            continue
        head = part[0]
        if type(head) is str and head in _UNKNOWN and head not in predicates:
            refuse(f"{what} has '{head}', which the validator does not know")
        if head == "=" and any(type(one) is list for one in part):
            refuse(f"{what} compares numbers, which the validator does not know")
        waiting += part


def read_problem(text: str) -> Problem:
    """The problem in a text."""
    _, sections = _definition(read_expression(text, "the problem"), "problem")
    found = dict(sections)
    for key in (":domain", ":init", ":goal"):
        if key not in found:
            refuse(f"the problem lacks {key}")
    ignored = (":requirements", ":metric", ":constraints")
    unknown = [k for k in found if k not in (":domain", ":objects", ":init", ":goal", *ignored)]
    if unknown:
        refuse(f"the problem has {unknown[0][:40]}, which the validator does not know")
    refuse_unknown(found[":goal"], "the goal")
    if len(found[":domain"]) != 1 or len(found[":goal"]) != 1:
        refuse("the problem must name one domain and have one goal")
    return Problem(
        domain=_word(found[":domain"][0], "the problem's domain"),
        objects=typed_list(found.get(":objects", []), "the objects"),
        initial=frozenset(_initial_atoms(found[":init"])),
        goal=found[":goal"][0],
    )


def _definition(whole: Expression, what: str) -> tuple[str, list[tuple[str, list[Expression]]]]:
    """The name, and the sections with their keys; only actions may come again and again."""
    is_list = type(whole) is list and len(whole) > 1 and whole[0] == "define"
    if not is_list or type(whole[1]) is not list or len(whole[1]) != 2 or whole[1][0] != what:
        refuse(f"the {what} must begin with (define ({what} NAME)")
    sections: list[tuple[str, list[Expression]]] = []
    for section in whole[2:]:
        if type(section) is not list or not section or type(section[0]) is not str:
            refuse(f"the {what} has something that is no section")
        if section[0] != ":action" and section[0] in [key for key, _ in sections]:
            refuse(f"the {what} has {section[0][:40]} twice")
        sections.append((section[0], section[1:]))
    return _word(whole[1][1], f"the name of the {what}"), sections


def typed_list(content: Sequence[Expression], what: str) -> tuple[Typed, ...]:
    """Names with their types: `a b - t c - (either t u) d`."""
    found: list[Typed] = []
    names: list[str] = []
    words = iter(content)
    for word in words:
        if word != "-":
            names.append(_word(word, f"a name among {what}"))
            continue
        types = _types(next(words, None), what)
        if not names:
            refuse(f"{what} have a type for nothing")
        found += [Typed(name, types) for name in names]
        names = []
    return (*found, *(Typed(name, ("object",)) for name in names))


def _types(value: Expression, what: str) -> Types:
    if type(value) is list and len(value) > 1 and value[0] == "either":
        return tuple(_word(one, f"a type among {what}") for one in value[1:])
    return (_word(value, f"a type among {what}"),)


def _predicate(value: Expression) -> tuple[str, int]:
    if type(value) is not list or not value:
        refuse("a predicate must be declared in parentheses")
    return _word(value[0], "a predicate"), len(typed_list(value[1:], "a predicate's parameters"))


def _action(content: list[Expression]) -> Action:
    name = _word(content[0] if content else None, "an action's name")
    keys, values = content[1::2], content[2::2]
    if len(keys) != len(values) or not all(type(key) is str for key in keys):
        refuse(f"action {name[:80]} must be made of keys and values")
    parts = dict(zip(keys, values, strict=True))
    if len(parts) < len(keys) or not parts.keys() <= {":parameters", ":precondition", ":effect"}:
        refuse(f"action {name[:80]} has a key twice, or one that the validator does not know")
    parameters = parts.get(":parameters", [])
    if type(parameters) is not list:
        refuse(f"the parameters of {name[:80]} must be in parentheses")
    typed = typed_list(parameters, f"the parameters of {name[:80]}")
    if len({one.name for one in typed}) < len(typed):
        refuse(f"action {name[:80]} has a parameter twice")
    return Action(name, typed, parts.get(":precondition", []), parts.get(":effect", []))


def _initial_atoms(content: list[Expression]) -> Iterator[tuple[str, ...]]:
    for item in content:
        if type(item) is not list or not item:
            refuse("the initial state must be made of atoms")
        if item[0] == "=":
            continue  # the value of a function; costs do not matter
        if item[0] == "not":
            continue  # facts that are not said to be true are false anyway
        if not all(type(word) is str for word in item):
            refuse(f"the initial state has {_shown(item)}, which is no atom")
        yield tuple(item)


def _word(value: Expression, what: str) -> str:
    if type(value) is not str:
        refuse(f"{what} must be a word")
    return str(value)


def _shown(value: Expression) -> str:
    """The beginning of an expression, for sentences."""
    if type(value) is not list:
        return str(value)[:40]
    return f"({' '.join(word if type(word) is str else '(…)' for word in value[:4])[:60]} …)"


def refuse(sentence: str) -> NoReturn:
    """Raise RefusedPddlError."""
    raise RefusedPddlError(sentence)
