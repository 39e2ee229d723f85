"""Reads NDDL into nested tuples, for the checker of plans on timelines.

This file uses the standard library only and shares no code with the reader that the search uses:
a hand-written descent here, a grammar there. It reads files that the other one has accepted, so
its errors are short.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeAlias

Tree: TypeAlias = tuple[Any, ...]

_WORD = re.compile(
    r"\s+|//[^\n]*|/\*.*?\*/|#include[ \t]+\"[^\"\n]*\""
    r"|(?P<string>\"(?:[^\"\\\n]|\\.)*\")"
    r"|(?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?[lLfFdD]?)"
    r"|(?P<name>[A-Za-z_$][A-Za-z0-9_$]*)"
    r"|(?P<sign>::|==|!=|<=|>=|[-+*<>={}()\[\],;:.])",
    re.DOTALL,
)
RELATIONS = frozenset(
    (
        *("any", "meets", "met_by", "contains", "contained_by", "contains_start", "contains_end"),
        *("starts_during", "ends_during", "equals", "equal", "before", "after", "starts", "ends"),
        *("parallels", "paralleled_by", "parallelled_by", "starts_before", "starts_after"),
        *("ends_before", "ends_after", "starts_before_end", "ends_after_start"),
    )
)
_COMPARISONS = {"==": "eq", "!=": "neq", "<=": "leq", "<": "lt", ">=": "geq", ">": "gt"}
_METHODS = ("specify", "activate", "close", "super")


class NddlError(ValueError):
    """The text is not NDDL that this reader knows."""


def read(text: str) -> list[Tree]:
    """The statements of a text, as tuples that begin with their kind."""
    return _Reader(text).statements(None)


class _Reader:
    def __init__(self, text: str) -> None:
        self.words: list[tuple[str, str]] = []
        at = 0
        while at < len(text):
            match = _WORD.match(text, at)
            if match is None:
                raise NddlError(f"unknown character {text[at]!r}")
            if match.lastgroup:
                self.words.append((match.lastgroup, match.group()))
            at = match.end()
        self.at = 0

    def peek(self, ahead: int = 0) -> str:
        place = self.at + ahead
        return self.words[place][1] if place < len(self.words) else ""

    def kind(self, ahead: int = 0) -> str:
        place = self.at + ahead
        return self.words[place][0] if place < len(self.words) else ""

    def take(self, wanted: str | None = None) -> str:
        word = self.peek()
        if not word or (wanted is not None and word != wanted):
            raise NddlError(f"{wanted or 'a word'} expected, not {word!r}")
        self.at += 1
        return word

    def accept(self, word: str) -> bool:
        if self.peek() == word and self.kind() != "string":
            self.at += 1
            return True
        return False

    def statements(self, end: str | None) -> list[Tree]:
        found: list[Tree] = []
        while self.peek() != (end or ""):
            found += self.statement()
        if end:
            self.take(end)
        return found

    def block(self) -> list[Tree]:
        self.take("{")
        return self.statements("}")

    def body(self) -> list[Tree]:
        return self.block() if self.peek() == "{" else self.statement()

    def statement(self) -> list[Tree]:
        special: dict[str, Callable[[], list[Tree]]] = {
            ";": self.nothing,
            "enum": self.enumeration,
            "class": self.class_,
            "predicate": self.predicate,
            "if": self.branch,
            "goal": self.demand,
            "fact": self.demand,
            "new": self.allocation,
        }
        word = self.peek()
        if word in special:
            return special[word]()
        if self.peek(1) == "::":
            return self.rule()
        if word in RELATIONS or self.peek(1) in RELATIONS:
            return self.relation()
        if word in _METHODS:
            return self.call(None)
        if self.kind() == "name" and self.kind(1) == "name":
            return self.variables()
        if self.kind() == "name" and self.peek(1) == "(":
            return self.invocation()
        return self.comparison()

    def nothing(self) -> list[Tree]:
        self.take(";")
        return []

    def enumeration(self) -> list[Tree]:
        self.take("enum")
        name = self.take()
        self.take("{")
        values = [self.take()]
        while self.accept(","):
            values.append(self.take())
        self.take("}")
        return [("enum", name, values)]

    def class_(self) -> list[Tree]:
        self.take("class")
        name = self.take()
        if self.accept(";"):
            return []
        parent = self.take() if self.accept("extends") else "Object"
        return [("class", name, parent, self.block())]

    def predicate(self) -> list[Tree]:
        self.take("predicate")
        return [("predicate", self.take(), self.block())]

    def rule(self) -> list[Tree]:
        owner = self.take()
        self.take("::")
        return [("rule", owner, self.take(), self.block())]

    def branch(self) -> list[Tree]:
        self.take("if")
        self.take("(")
        left = self.sum()
        condition = ("constraint", "eq", [left, ("value", True)])
        if self.peek() in _COMPARISONS:
            name = _COMPARISONS[self.take()]
            condition = ("constraint", name, [left, self.sum()])
        self.take(")")
        then = self.body()
        return [("if", condition, then, self.body() if self.accept("else") else [])]

    def demand(self) -> list[Tree]:
        self.take()
        targets = self.targets()
        self.take(";")
        return [("demand", targets)]

    def relation(self) -> list[Tree]:
        subject = None if self.peek() in RELATIONS else self.take()
        relation = self.take()
        targets = self.targets() if self.peek() == "(" else [(self.path(), None)]
        self.take(";")
        return [("relation", subject, relation, targets)]

    def targets(self) -> list[Tree]:
        self.take("(")
        found = [self.target()]
        while self.accept(","):
            found.append(self.target())
        self.take(")")
        return found

    def target(self) -> Tree:
        path = self.path()
        return path, self.take() if self.kind() == "name" else None

    def path(self) -> list[str]:
        parts = [self.take()]
        while self.peek() == "." and self.peek(1) not in _METHODS:
            self.take(".")
            parts.append(self.take())
        return parts

    def call(self, path: list[str] | None) -> list[Tree]:
        method = self.take()
        arguments = self.arguments()
        self.take(";")
        return [("call", path, method, arguments)]

    def variables(self) -> list[Tree]:
        kind = self.take()
        found: list[Tree] = []
        while True:
            name, value, conditions = self.take(), None, []
            if self.accept("="):
                value = self.value()
            elif self.accept("("):
                value = self.value()
                self.take(")")
            elif self.accept(":"):
                conditions = self.block()
            found.append(("variable", kind, name, value, conditions))
            if not self.accept(","):
                break
        self.take(";")
        return found

    def invocation(self) -> list[Tree]:
        """A constraint, or the constructor of a class."""
        name = self.take()
        is_constructor = self.peek(1) == ")" and self.peek(2) == "{"
        is_constructor |= self.kind(1) == "name" and self.kind(2) == "name"
        if is_constructor:
            return self.constructor(name)
        arguments = self.arguments()
        self.take(";")
        return [("constraint", name, arguments)]

    def constructor(self, name: str) -> list[Tree]:
        self.take("(")
        parameters = []
        while not self.accept(")"):
            parameters.append((self.take(), self.take()))
            self.accept(",")
        return [("constructor", name, parameters, self.block())]

    def arguments(self) -> list[Tree]:
        self.take("(")
        found: list[Tree] = []
        while not self.accept(")"):
            found.append(self.value())
            self.accept(",")
        return found

    def allocation(self) -> list[Tree]:
        made = self.value()
        self.take(";")
        return [("make", made)]

    def comparison(self) -> list[Tree]:
        left = self.sum()
        if self.peek() == "." and self.peek(1) in _METHODS and left[0] == "path":
            self.take(".")
            return self.call(left[1])
        sign = self.take()
        if sign in ("=", "in"):
            found: Tree = ("assignment", left, self.value())
        else:
            found = ("constraint", _COMPARISONS[sign], [left, self.sum()])
        self.take(";")
        return [found]

    def value(self) -> Tree:
        if self.accept("new"):
            name = self.take()
            return ("new", name, self.arguments())
        return self.sum()

    def sum(self) -> Tree:
        left = self.product()
        while self.peek() in ("+", "-"):
            sign = self.take()
            left = ("sum", sign, left, self.product())
        return left

    def product(self) -> Tree:
        left = self.primary()
        while self.peek() == "*":
            self.take()
            left = ("sum", "*", left, self.primary())
        return left

    def primary(self) -> Tree:
        if self.peek() in ("+", "-") or self.kind() == "number":
            return ("value", self.number())
        if self.kind() == "string":
            return ("value", self.take()[1:-1])
        if self.accept("("):
            inner = self.sum()
            self.take(")")
            return inner
        if self.accept("["):
            low = self.bound()
            self.accept(",")
            high = self.bound()
            self.take("]")
            return ("range", low, high)
        if self.accept("{"):
            values = [self.value()]
            while self.accept(","):
                values.append(self.value())
            self.take("}")
            return ("set", values)
        if self.peek() in ("true", "false"):
            return ("value", self.take() == "true")
        return ("path", self.path())

    def number(self) -> int:
        sign = self.take() if self.peek() in ("+", "-") else "+"
        value = float(self.take().rstrip("lLfFdD"))
        if value != int(value):
            raise NddlError(f"{value} is not a whole number")
        return -int(value) if sign == "-" else int(value)

    def bound(self) -> int | None:
        ahead = int(self.peek() in ("+", "-"))
        if self.peek(ahead) in ("inf", "inff"):
            self.at += ahead + 1
            return None
        return self.number()
