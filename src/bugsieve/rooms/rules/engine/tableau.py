"""The letters that meet a formula on infinite words, with promises for what comes after.

A generalised Büchi automaton with its acceptance on transitions: its states are sets of formulas
that hold from here on, and no F, U or M may be put off from some point on for ever.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple, TypeAlias

from bugsieve.rooms.rules.ltl.formula import Formula, subformulas
from bugsieve.rooms.rules.ltl.normal_form import nnf

Obligations: TypeAlias = frozenset[Formula]

_EVENTUAL = ("finally", "until", "strong-release")
_NOTHING: Obligations = frozenset()


class Choice(NamedTuple):
    """Formulas that must hold from the next state on, and those of them that were put off."""

    later: Obligations
    put_off: Obligations


class Tableau:
    """The ways to satisfy one formula."""

    def __init__(self, formula: Formula) -> None:
        positive = nnf(formula)
        self.start: Obligations = frozenset({positive})
        self.eventual = frozenset(f for f in subformulas(positive) if f.operator in _EVENTUAL)
        self._known: dict[tuple[Obligations, frozenset[str]], tuple[Choice, ...]] = {}

    def choices(self, obligations: Obligations, letter: frozenset[str]) -> tuple[Choice, ...]:
        """The ways to meet obligations in a state of this letter, the least demanding ones."""
        key = obligations, letter
        if key not in self._known:
            ways = _joined(self._ways(item, letter) for item in _ordered(obligations))
            self._known[key] = tuple(_least(ways))
        return self._known[key]

    def _ways(self, item: Formula, letter: Collection[str]) -> list[Choice]:
        operator, parts = item.operator, item.parts
        free = [Choice(_NOTHING, _NOTHING)]
        match operator:
            case "true":
                return free
            case "false":
                return []
            case "atom":
                return free if item.name in letter else []
            case "not":
                return [] if parts[0].name in letter else free
            case "and":
                return _joined(self._ways(part, letter) for part in parts)
            case "or":
                return [way for part in parts for way in self._ways(part, letter)]
            case "next" | "weak-next":
                return [Choice(frozenset(parts), _NOTHING)]
            case _:
                return self._unfolded(item, [self._ways(part, letter) for part in parts])

    def _unfolded(self, item: Formula, parts: list[list[Choice]]) -> list[Choice]:
        """Now, or later again; what is eventual has been put off then."""
        again = frozenset({item})
        later = [Choice(again, again if item in self.eventual else _NOTHING)]
        match item.operator:
            case "finally":
                return parts[0] + later
            case "globally":
                return _joined([parts[0], later])
            case "until" | "weak-until":
                return parts[1] + _joined([parts[0], later])
            case _:
                return _joined([parts[1], parts[0] + later])


def _ordered(obligations: Obligations) -> list[Formula]:
    return sorted(obligations, key=repr)


def _joined(parts: Iterable[list[Choice]]) -> list[Choice]:
    """All of them at once."""
    found = [Choice(_NOTHING, _NOTHING)]
    for part in parts:
        pairs = ((one, other) for one in found for other in part)
        found = _least(Choice(a.later | b.later, a.put_off | b.put_off) for a, b in pairs)
    return found


def _least(choices: Iterable[Choice]) -> list[Choice]:
    """Without those that demand all that another one does."""
    found: list[Choice] = []
    for choice in sorted(set(choices), key=lambda c: (len(c.later), len(c.put_off), repr(c))):
        if not any(o.later <= choice.later and o.put_off <= choice.put_off for o in found):
            found.append(choice)
    return found
