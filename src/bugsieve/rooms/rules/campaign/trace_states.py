"""Words for the states of a trace: what happens, and which parts of the rule are true."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bugsieve.rooms.rules.campaign.rule_subject import Bound
from bugsieve.rooms.rules.ltl.formula import atoms_of
from bugsieve.rooms.rules.ltl.printer import to_text
from bugsieve.rooms.rules.ltl.reader import Place, read_ltl
from bugsieve.rooms.rules.ltl.traces import truth_table


@dataclass(frozen=True)
class ToldState:
    """A state of a trace."""

    title: str
    """The action before it; empty where there is none."""
    atoms: tuple[str, ...]
    """The atoms of the rule, those that do not hold with a `!`."""
    true: tuple[str, ...]
    """The parts of the rule that are true there, beside atoms."""


def told_states(bound: Bound, certificate: Mapping[str, Any]) -> list[ToldState]:
    """The states of a trace that was checked."""
    rule = read_ltl(certificate["rule"], place=Place("the certificate"))
    titles, letters = bound.path(certificate)
    start = certificate["trace"]["loop_start"] if certificate["lasso"] else None
    table = truth_table(rule, letters, loop_start=start)
    parts = [row for row in table if row.formula.operator != "atom"]
    names = sorted(atoms_of(rule))
    return [
        ToldState(
            title,
            tuple(name if name in letters[place] else f"!{name}" for name in names),
            tuple(to_text(row.formula) for row in parts if row.values[place]),
        )
        for place, title in enumerate(titles)
    ]
