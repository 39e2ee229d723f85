"""Atoms on timelines: the level of a reservoir, or a token with its parameters.

They are read here, so that every rules file can be read without a model, and given their meaning
where timelines are known. Names keep their case.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, TypeAlias

from bugsieve.base.errors import InputError
from bugsieve.base.names import suggest
from bugsieve.rooms.rules.file.atom_forms import AtomForm
from bugsieve.rooms.rules.file.source import PlacedText

FORMS = ("level", "token")
COMPARISONS = ("<=", ">=", "<", ">", "=", "!=")

_TOKEN = re.compile(
    r"\s+"
    r"|(?P<name>\??[A-Za-z_][A-Za-z0-9_-]*(?:\.[A-Za-z_][A-Za-z0-9_-]*)*)"
    r"|(?P<number>[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+))"
    r"|(?P<sign>[<>!]=|[<>=(),])"
    r"|(?P<strange>.)",
    re.DOTALL,
)
_MAX_DIGITS = 50
_EXAMPLES = "'level(Battery) >= 200' or 'token(Navigator.At, location = rock4)'"


@dataclass(frozen=True)
class LevelAtom:
    """Compares the level of a reservoir with a number."""

    about: ClassVar[str] = "timelines"
    variables: ClassVar[tuple[str, ...]] = ()

    reservoir: str
    """As it was written, with dots if it is part of something."""
    comparison: str
    bound: Fraction


@dataclass(frozen=True)
class TokenAtom:
    """True while a token of the predicate holds whose parameters have these values."""

    about: ClassVar[str] = "timelines"

    timeline: str
    predicate: str
    arguments: tuple[tuple[str, str], ...] = ()
    """Parameter and value: a name or a number as it was written, or a variable in lower case."""

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables among the values."""
        return tuple(value for _, value in self.arguments if value.startswith("?"))


TimelineAtom: TypeAlias = LevelAtom | TokenAtom


def read_timeline_atom(text: PlacedText) -> TimelineAtom:
    """The atom that a text means, or an InputError that names the character."""
    return _Reader(text).read()


TIMELINE_ATOMS = AtomForm(lambda text: True, read_timeline_atom)
"""The last form: its reader says what is wrong with a text that begins like no other."""


@dataclass(frozen=True)
class _Token:
    text: str
    offset: int
    kind: str


class _Reader:
    def __init__(self, text: PlacedText) -> None:
        self.text = text
        self.tokens = list(self._tokens())
        self.next = 0

    def _tokens(self) -> list[_Token]:
        value = self.text.value
        found = [
            _Token(match.group(), match.start(), match.lastgroup)
            for match in _TOKEN.finditer(value)
            if match.lastgroup is not None
        ]
        return [*found, _Token("", len(value.rstrip()), "end")]

    def read(self) -> TimelineAtom:
        form = self._take("name", "a condition in parentheses, 'level' or 'token'")
        if form.text not in FORMS:
            raise self._error(
                form,
                f"{form.text[:40]!r} begins neither a PDDL condition in parentheses nor an atom "
                f"on timelines, such as {_EXAMPLES}{suggest(form.text, FORMS)}",
            )
        self._sign("(")
        atom = self._level() if form.text == "level" else self._token()
        self._take("end", "the end of the condition")
        return atom

    def _level(self) -> LevelAtom:
        reservoir = self._take("name", "the name of a reservoir")
        self._sign(")")
        comparison = self._take("sign", f"one of {' '.join(COMPARISONS)}")
        if comparison.text not in COMPARISONS:
            raise self._wanted(comparison, f"one of {' '.join(COMPARISONS)}")
        bound = self._take("number", "a number")
        if len(bound.text) > _MAX_DIGITS:
            raise self._error(bound, f"the number has more than {_MAX_DIGITS} digits")
        return LevelAtom(reservoir.text, comparison.text, Fraction(bound.text))

    def _token(self) -> TokenAtom:
        name = self._take("name", "a timeline and a predicate, as in Navigator.At")
        timeline, dot, predicate = name.text.rpartition(".")
        if not dot:
            raise self._error(
                name,
                f"{name.text!r} names no predicate: write TIMELINE.PREDICATE, as in Navigator.At",
            )
        arguments: dict[str, str] = {}
        while self._sign(",", ")") == ",":
            parameter = self._take("name", "the name of a parameter")
            if parameter.text in arguments:
                raise self._error(parameter, f"the parameter {parameter.text!r} is given twice")
            self._sign("=")
            value = self._take_value().text
            arguments[parameter.text] = value.lower() if value.startswith("?") else value
        return TokenAtom(timeline, predicate, tuple(arguments.items()))

    def _take_value(self) -> _Token:
        kind = "number" if self.tokens[self.next].kind == "number" else "name"
        return self._take(kind, "a value: a name, a number, or a variable such as '?l'")

    def _sign(self, *signs: str) -> str:
        wanted = " or ".join(map(repr, signs))
        token = self._take("sign", wanted)
        if token.text not in signs:
            raise self._wanted(token, wanted)
        return token.text

    def _take(self, kind: str, wanted: str) -> _Token:
        token = self.tokens[self.next]
        if token.kind != kind:
            raise self._wanted(token, wanted)
        self.next += 1
        return token

    def _wanted(self, token: _Token, wanted: str) -> InputError:
        found = repr(token.text[:40]) if token.text else "the end"
        return self._error(token, f"{wanted} was expected here, not {found}; see {_EXAMPLES}")

    def _error(self, token: _Token, sentence: str) -> InputError:
        return self.text.error(token.offset, sentence)
