"""Rules that name a pattern: the keys beside it, and the formula they make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bugsieve.base.wording import shown_value
from bugsieve.rooms.rules.file.source import PlacedText
from bugsieve.rooms.rules.file.tables import TomlTable
from bugsieve.rooms.rules.ltl.formula import Formula, distinct_parts
from bugsieve.rooms.rules.ltl.patterns import (
    MAX_BOUND,
    PATTERNS,
    SCOPES,
    pattern_formula,
)
from bugsieve.rooms.rules.ltl.reader import Place, read_ltl

PATTERN_KEYS = ("p", "s", "k", "scope", "q", "r")

_BOOLEAN = frozenset({"true", "false", "atom", "not", "and", "or", "implies", "iff"})


@dataclass(frozen=True)
class TextPlace(Place):
    """The place of a string in a rules file, whose characters may be escaped or on many lines."""

    string: PlacedText | None = None

    @classmethod
    def of(cls, text: PlacedText) -> TextPlace:
        """The place of a string."""
        position = text.position()
        return cls(position.file, position.line, position.column or 1, text)

    def at(self, text: str, offset: int) -> str:
        """The position of the character in the file."""
        if self.string is None or text != self.string.value:
            return super().at(text, offset)
        return self.string.where(offset)


def read_pattern(table: TomlTable) -> tuple[Formula, str, tuple[PlacedText, ...]]:
    """The formula of a rule that names a pattern, as it was written, and the texts it is in."""
    pattern = table.choice("pattern", tuple(PATTERNS), "the pattern of a rule")
    scope = table.choice("scope", tuple(SCOPES), "the scope of a pattern") or "global"
    assert pattern is not None
    taken = _parameters(table, pattern, scope)
    texts = {name: table.text(name, f"the pattern {pattern!r}") for name in taken if name != "k"}
    parts = {name: _read_part(name, text) for name, text in texts.items()}
    formula = pattern_formula(pattern, scope, k=_bound(table), **parts)
    named = table.text("pattern", "a rule")
    return formula, _source(table, (*taken, "scope")), (named, *texts.values())


def _parameters(table: TomlTable, pattern: str, scope: str) -> tuple[str, ...]:
    """The keys that pattern and scope take; raise for the first other one."""
    taken = (*PATTERNS[pattern].parameters, *SCOPES[scope].parameters)
    for key in PATTERN_KEYS:
        if key in table.content and key not in (*taken, "scope"):
            raise table.error(
                key,
                f"the pattern {pattern!r} with the scope {scope!r} takes no {key!r}, only "
                f"{', '.join(taken)}",
            )
    return taken


def _read_part(name: str, text: PlacedText) -> Formula:
    """The Boolean formula that one of the keys holds."""
    formula = read_ltl(text.value, place=TextPlace.of(text))
    if any(part.operator not in _BOOLEAN for part in distinct_parts(formula)):
        raise text.error(0, f"{name!r} of a pattern is a Boolean formula, without G, F, X, U, …")
    return formula


def _bound(table: TomlTable) -> int | None:
    value = table.content.get("k")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_BOUND:
        raise table.error(
            "k", f"'k' must be a whole number from 0 to {MAX_BOUND}, not {shown_value(value)}"
        )
    return value


def _source(table: TomlTable, keys: Sequence[str]) -> str:
    given = [f"{key} = {table.content[key]}" for key in keys if key in table.content]
    return "; ".join((table.content["pattern"], *given))
