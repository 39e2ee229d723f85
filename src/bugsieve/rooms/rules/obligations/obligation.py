"""Obligations: what tests of a rule must show (unique-first-cause coverage, papers/004).

A desired rule must hold, a forbidden one must not; both are turned into what is *required*. Each
rule obliges us to look for a violation, for every cause of a violation, and for every cause of
the rule's truth; each atom to be true somewhere, and false somewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from bugsieve.rooms.rules.file.binding import RuleInstance
from bugsieve.rooms.rules.ltl.causes import Occurrence, literals
from bugsieve.rooms.rules.ltl.formula import TRUE, Formula, atom, atoms_of, finally_, negation
from bugsieve.rooms.rules.ltl.normal_form import nnf
from bugsieve.rooms.rules.ltl.printer import to_text

Aim: TypeAlias = Literal["violation", "violated by", "satisfied by", "reached", "together"]

FORBIDDEN = "forbidden"


@dataclass(frozen=True)
class Obligation:
    """One thing to find a trace for; for violations none should exist, for the others one.

    `formula` is what is required of all traces (`reached`: what is to be met; `together` is about
    all rules, of which every two should agree). `occurrence` counts the literals of its normal
    form, or of that of its negation for `violated by`.
    """

    aim: Aim
    rule: str
    """The instance, as in `FR-2[rover1]`; empty where it is about no single rule."""
    family: str
    """The rule without its objects."""
    formula: Formula
    literal: str = ""
    """As in `!moving(rover1)`."""
    occurrence: int = 0

    @property
    def must_fail(self) -> bool:
        """Return true if a trace would be a failure."""
        return self.aim in ("violation", "violated by")

    @property
    def title(self) -> str:
        """The trace that is looked for, in words."""
        if self.aim == "violation":
            return "a violation"
        if self.aim == "reached":
            return f"a state with {self.literal}"
        if self.aim == "together":
            return "traces that satisfy every two rules"
        how = "falsified" if self.aim == "violated by" else "satisfied"
        return f"the rule {how} because of {self.literal}"

    @property
    def name(self) -> str:
        """The same with the rule, if it is about one."""
        return f"{self.rule}: {self.title}" if self.rule else self.title


def required(rule: RuleInstance, *, folded: bool = True) -> Formula:
    """The rule's demand on every trace; if not folded, with the atoms that never change."""
    formula = rule.formula if folded else rule.unfolded
    return negation(formula) if rule.kind == FORBIDDEN else formula


def obligations_of(rules: Sequence[RuleInstance]) -> Iterator[Obligation]:
    """All obligations, in the order of the file; those of atoms and pairs come last."""
    for rule in rules:
        yield from rule_obligations(rule)
    for name in dict.fromkeys(name for rule in rules for name in atoms_of(rule.formula)):
        for goal in (atom(name), negation(atom(name))):
            yield Obligation("reached", "", "", finally_(goal), to_text(goal))
    if len(rules) > 1:
        yield Obligation("together", "", "", TRUE)


def rule_obligations(rule: RuleInstance) -> Iterator[Obligation]:
    """Those of one rule: that nothing violates it, then the causes of both its truth values."""
    # The rule itself is judged as it was written; what never changes causes nothing.
    yield Obligation("violation", rule.id, rule.rule, required(rule, folded=False))
    wanted = required(rule)
    for aim, formula in sides(wanted):
        for number, occurrence in enumerate(occurrences(formula)):
            yield Obligation(aim, rule.id, rule.rule, wanted, str(occurrence), number)


def sides(wanted: Formula) -> tuple[tuple[Aim, Formula], ...]:
    """The aims "violated by" and "satisfied by", each with its formula."""
    return (("violated by", negation(wanted)), ("satisfied by", wanted))


def caused(obligation: Obligation) -> Formula:
    """The formula in normal form whose truth the literal of the obligation should cause."""
    wanted = obligation.formula
    return nnf(negation(wanted) if obligation.aim == "violated by" else wanted)


def occurrences(formula: Formula) -> tuple[Occurrence, ...]:
    """The literals of the normal form, each occurrence by itself."""
    return literals(nnf(formula))
