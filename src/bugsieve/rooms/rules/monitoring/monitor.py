"""Monitors runs of a policy: which rules each of them breaks, in batches.

A run that reaches the goal is read as a finite trace (LTLf), a loop as the infinite word that it
is; of any other run only what no continuation could repair counts: the strong view of the rule's
negation. That view also says where a violation is settled, so that no continuation repairs it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bugsieve.base.errors import UnsupportedError
from bugsieve.base.stopping import check_stop
from bugsieve.rooms.rules.engine.conditions import Condition
from bugsieve.rooms.rules.ltl.automaton import Automaton, TooManyStatesError, automaton_of
from bugsieve.rooms.rules.ltl.formula import Formula
from bugsieve.rooms.rules.ltl.views import in_view
from bugsieve.rooms.rules.monitoring.lassos import Lassos
from bugsieve.rooms.rules.monitoring.reading import NEVER, read_words
from bugsieve.rooms.rules.monitoring.rule_set import GroundRule, RuleSet
from bugsieve.rooms.rules.monitoring.traces import Bools, Ids, Letters, RunTraces

__all__ = ["NEVER", "NO_LOOP", "Monitor", "RuleMonitor"]

NO_LOOP = -1
"""In the place of a step: the run does not come back."""


class _Loops:
    """Those of some traces that go on as they did after the state they come back to.

    That state is first met in another way than it is met again: it belongs to the loop only as
    the last state, so that what led there is right.
    """

    def __init__(self, traces: RunTraces, loop_starts: Ids) -> None:
        self.which = np.flatnonzero(loop_starts != NO_LOOP)
        lengths = traces.lengths[self.which]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        shifts = np.repeat(traces.offsets[self.which] - offsets[:-1], lengths)
        self.entries = np.arange(len(shifts)) + shifts
        """All their entries in the traces."""
        self.words = Lassos(offsets, loop_starts[self.which] + 1)


class RuleMonitor:
    """One rule with its automata."""

    def __init__(self, rule: GroundRule, atoms: Mapping[str, Condition]) -> None:
        self.rule = rule
        self._atoms = atoms

    @cached_property
    def kept(self) -> Automaton:
        """Accepts the finite traces that keep the rule."""
        return self._automaton(self.rule.requirement)

    @cached_property
    def settled(self) -> Automaton:
        """Accepts the prefixes after which the rule is broken for good."""
        return self._automaton(in_view(~self.rule.requirement, "strong"))

    def _automaton(self, formula: Formula) -> Automaton:
        try:
            return automaton_of(formula)
        except TooManyStatesError as error:
            raise UnsupportedError(f"rule {self.rule.id}: {error}") from None

    def keeps_for_ever(self, letters: Letters, loops: _Loops) -> Bools:
        """The loops that keep the rule as they go on for ever."""
        return loops.words.holds(
            self.rule.requirement, lambda name: letters.column(name)[loops.entries]
        )


class Monitor:
    """All rules of a set."""

    def __init__(self, rules: RuleSet) -> None:
        self.atoms = rules.atoms
        self.rules = [RuleMonitor(rule, rules.atoms) for rule in rules.rules]

    @cached_property
    def _kept(self) -> list[Automaton]:
        return [rule.kept for rule in self.rules]

    @cached_property
    def _settled(self) -> list[Automaton]:
        return [rule.settled for rule in self.rules]

    def prepare(self) -> None:
        """Make all automata now; UnsupportedError, which names the rule, if one is too large."""
        _ = self._kept, self._settled

    def settled(self, traces: RunTraces) -> NDArray[np.int64]:
        """The step at which each rule (row) is broken for good in each trace, or NEVER."""
        return read_words(self._settled, Letters(traces, self.atoms)).first

    def broken(self, traces: RunTraces, solved: Bools, loop_starts: Ids) -> Bools:
        """Which rules (rows) each run breaks; loops have the step that they come back to."""
        letters = Letters(traces, self.atoms)
        found: Bools = read_words(self._settled, letters).first != NEVER
        if solved.any():
            found |= solved & ~read_words(self._kept, letters).at_end
        loops = _Loops(traces, loop_starts)
        if len(loops.which):
            for row, rule in enumerate(self.rules):
                check_stop()
                found[row, loops.which] |= ~rule.keeps_for_ever(letters, loops)
        return found

    def keeps(self, trace: RunTraces) -> bool:
        """Return true if one finite trace keeps all rules."""
        return bool(read_words(self._kept, Letters(trace, self.atoms)).at_end.all())
