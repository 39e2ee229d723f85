"""Plans: tokens with all their values, why each rule is kept, and the levels of reservoirs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

Value: TypeAlias = str | int | bool


@dataclass(frozen=True)
class Outside:
    """A token that a rule asks for and that lies beyond the horizon, where nothing is planned.

    Transactions of reservoirs have the same form, wherever they lie: no two rules share one.
    """

    object: str
    start: int
    end: int
    parameters: Mapping[str, Value]


@dataclass(frozen=True)
class Support:
    """The support of a rule: values of its variables and its tokens, in the order of the text.

    A token is a place in `Plan.tokens`, or one of its own; None if its branch is not taken.
    """

    rule: int
    """Its place among the model's rules; -1 for goals and facts."""
    variables: tuple[Value | None, ...]
    tokens: tuple[int | Outside | None, ...]


@dataclass(frozen=True)
class Token:
    """A token of the plan."""

    object: str
    predicate: str
    start: int
    end: int
    parameters: Mapping[str, Value]
    supports: tuple[Support, ...]


@dataclass(frozen=True)
class Plan:
    """A plan within a horizon; tokens may end beyond it."""

    horizon: tuple[int, int]
    tokens: tuple[Token, ...]
    root: Support
    levels: Mapping[str, tuple[int, ...]]
    """Of each reservoir in each step of the horizon."""
    letters: tuple[frozenset[str], ...]
    """The atoms that hold in each step."""

    def to_json(self) -> dict[str, Any]:
        """The plan as JSON data that the checker reads."""
        return {
            "horizon": list(self.horizon),
            "tokens": [_token(token) for token in self.tokens],
            "root": _support(self.root),
            "levels": {name: list(levels) for name, levels in self.levels.items()},
            "letters": [sorted(letter) for letter in self.letters],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Plan:
        """The inverse, for data that the checker has accepted."""
        start, end = data["horizon"]
        return cls(
            (start, end),
            tuple(_read_token(item) for item in data["tokens"]),
            _read_support(data["root"]),
            {name: tuple(levels) for name, levels in data["levels"].items()},
            tuple(frozenset(letter) for letter in data["letters"]),
        )


def token_text(item: Mapping[str, Any]) -> str:
    """A token of a plan's JSON for people, as in `spirit.Going(from = rock, to = lander) 3-7`."""
    given = ", ".join(f"{name} = {value}" for name, value in item["parameters"].items())
    inside = f"({given})" if given else ""
    return f"{item['object']}.{item['predicate']}{inside} {item['start']}-{item['end']}"


def _read_token(item: Mapping[str, Any]) -> Token:
    supports = tuple(_read_support(support) for support in item["supports"])
    where = (item["object"], item["predicate"], item["start"], item["end"])
    return Token(*where, item["parameters"], supports)


def _read_support(item: Mapping[str, Any]) -> Support:
    tokens = (Outside(**t) if isinstance(t, Mapping) else t for t in item["tokens"])
    return Support(item["rule"], tuple(item["variables"]), tuple(tokens))


def _token(token: Token) -> dict[str, Any]:
    return {
        "object": token.object,
        "predicate": token.predicate,
        "start": token.start,
        "end": token.end,
        "parameters": dict(token.parameters),
        "supports": [_support(support) for support in token.supports],
    }


def _support(support: Support) -> dict[str, Any]:
    return {
        "rule": support.rule,
        "variables": list(support.variables),
        "tokens": [_bound(token) for token in support.tokens],
    }


def _bound(token: int | Outside | None) -> Any:
    if not isinstance(token, Outside):
        return token
    return {
        "object": token.object,
        "start": token.start,
        "end": token.end,
        "parameters": dict(token.parameters),
    }
