"""Failures of a policy of a model so far, for campaigns to report."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from bugsieve.base.wording import counted
from bugsieve.policies.decisions import Ending, Failure


@dataclass
class Troubles:
    """The number of crashes, hangs and illegal actions, and the first case of each.

    Every answer counts; a state that is asked about twice may be counted twice.
    """

    counts: Counter[Ending] = field(default_factory=Counter)
    first: dict[Ending, str] = field(default_factory=dict)
    traces: dict[Ending, str] = field(default_factory=dict)
    """Tracebacks and last words of the first cases, where they are known."""

    def __bool__(self) -> bool:
        return bool(self.counts)

    @property
    def unanswered(self) -> int:
        """The number of questions it crashed or hung on; an illegal action is an answer, too."""
        return self.counts[Ending.POLICY_CRASH] + self.counts[Ending.POLICY_HANG]

    def record(self, failure: Failure) -> None:
        """Count one failure, and keep its detail if it is the first of its kind."""
        self.counts[failure.ending] += 1
        if self.first.setdefault(failure.ending, failure.detail) == failure.detail:
            self.traces.setdefault(failure.ending, failure.trace)

    def sentences(self) -> list[str]:
        """One per kind, the gravest first: `policy crash in 3 answers, first: KeyError: 'x'`."""
        return [
            f"{ending.label} in {counted(self.counts[ending], 'answer')}, first: {detail}"
            for ending, detail in sorted(self.first.items(), reverse=True)
        ]

    def to_json(self) -> dict[str, Any]:
        """The same as `{"policy crash": {"answers": 3, "first": "KeyError: 'x'"}}`.

        With the `trace` of the first, where there is one.
        """
        return {
            ending.label: {
                "answers": self.counts[ending],
                "first": detail,
                **({"trace": self.traces[ending]} if self.traces.get(ending) else {}),
            }
            for ending, detail in sorted(self.first.items())
        }
