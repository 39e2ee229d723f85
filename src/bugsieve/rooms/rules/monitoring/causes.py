"""The causes of violations: the rules, and what came true of their negations at the last step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bugsieve.base.errors import UnsupportedError
from bugsieve.rooms.rules.ltl.causes import literals
from bugsieve.rooms.rules.ltl.formula import atoms_of
from bugsieve.rooms.rules.monitoring.rule_set import GroundRule
from bugsieve.rooms.rules.monitoring.traces import Letters


def names_of(rules: Sequence[GroundRule]) -> list[str]:
    """The names of rules without their objects, each once."""
    return sorted({_without_objects(rule.id) for rule in rules})


def news_of(rules: Sequence[GroundRule], letters: Letters) -> list[str]:
    """Return what came true of the negations of rules at the end of a run, without objects."""
    return sorted({literal for rule in rules for literal in _came_true(rule, letters)})


def _came_true(rule: GroundRule, letters: Letters) -> Iterator[str]:
    """The literals of the rule's negation that hold at the end of a run, and not just before."""
    try:
        occurrences = literals(~rule.requirement, equivalences="atom")
    except UnsupportedError:  # too many to name
        return
    for occurrence in occurrences:
        if occurrence.literal.operator != "iff":
            (atom,) = atoms_of(occurrence.literal)
            held = letters.column(atom) != occurrence.is_negated
            if held[-1] and not held[-2:-1].any():
                yield _without_objects(str(occurrence))


def _without_objects(name: str) -> str:
    """`FR-2` for `FR-2[rover1]`, `moving` for `moving(rover1)`."""
    return name.split("[")[0].split("(")[0].strip()
