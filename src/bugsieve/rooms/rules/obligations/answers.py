"""The findings about an obligation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from bugsieve.rooms.rules.ltl.views import View
from bugsieve.rooms.rules.obligations.obligation import Aim

Verdict: TypeAlias = Literal[
    "failed",  # a violation, with its trace
    "passed",  # no violation, proven
    "safety part holds",  # no prefix was found that refutes it; what must come is not judged
    "covered",  # a trace shows what was asked for
    "vacuous",  # no trace of this task can show it, proven
    "infeasible",  # no trace of any task can
    "not testable",  # the initial state breaks the rule, so that nothing more can be shown
    "undecidable",  # prefixes cannot refute the rule
    "conflict",  # rules that no trace satisfies together, proven
    "inconclusive",  # a limit came first
]

_REFUTED: tuple[Verdict, ...] = (
    *("failed", "inconclusive", "undecidable", "safety part holds", "passed", "infeasible"),
)
_SHOWN: tuple[Verdict, ...] = (
    *("covered", "inconclusive", "not testable", "vacuous", "infeasible"),
)
VERDICTS_ON: Mapping[Aim, tuple[Verdict, ...]] = {
    "violation": _REFUTED,
    "violated by": _REFUTED,
    "satisfied by": _SHOWN,
    "reached": _SHOWN,
    "together": ("conflict", "inconclusive", "covered", "vacuous"),
}
"""The verdicts on an obligation. Of several tasks, the one counts whose verdict is named first:
a rule must hold in all of them, and something need only be shown in one."""
MET: frozenset[Verdict] = frozenset({"passed", "covered"})
"""Obligations that are met."""

Reading: TypeAlias = Literal["prefix", "plan", "lasso"]
"""Which traces count: any that begins in the initial state; only those that end in a goal state;
those that go on for ever."""

BY_SLOTS = "slots"
"""The proof of "none" on timelines: the solver excluded all plans with so many tokens."""
NO_PLAN = "the goal cannot be reached, so that there is no plan to judge"
"""The reason why nothing can be said of a task where plans alone count."""


@dataclass(frozen=True)
class Answer:
    """A verdict, and what proves it."""

    verdict: Verdict
    reason: str = ""
    view: View | None = None
    """Of a cause that was shown: how certain the end of the trace leaves it."""
    reading: Reading = "prefix"
    certificates: tuple[Mapping[str, Any], ...] = field(default=(), repr=False)
    """A trace, or proofs that there is none, one for each view and reading that was tried."""
    expanded: int = 0
    is_known: bool = False
    """True if the trace was found for an earlier obligation."""

    @property
    def is_met(self) -> bool:
        """Return true if the obligation is met."""
        return self.verdict in MET

    @property
    def is_undecided(self) -> bool:
        """Return true if it neither shows nor excludes a trace."""
        return self.verdict in ("inconclusive", "undecidable") or self.reason == NO_PLAN

    @property
    def bound(self) -> int | None:
        """The tokens that plans may have of which this is said; None where it is of all traces."""
        proofs = [item["proof"] for item in self.certificates if item["kind"] == "none"]
        bounded = [one for one in proofs if one["by"] == BY_SLOTS and not one["is_complete"]]
        return min((one["slots"] for one in bounded), default=None)

    @property
    def trace(self) -> Mapping[str, Any] | None:
        """The certificate of the trace, where there is one."""
        return next((item for item in self.certificates if item["kind"] == "trace"), None)
