"""What went wrong because the policy gave no usable action: how often, and mostly why."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bugsieve.base.wording import counted
from bugsieve.pipeline.judging.findings import RunRow
from bugsieve.policies.decisions import Ending

FEWEST_RUNS = 3
"""So many runs must end at their first decision before that is held for a mistake."""
MISTAKES = tuple(
    ending.label for ending in (Ending.ILLEGAL_ACTION, Ending.POLICY_CRASH, Ending.POLICY_HANG)
)
_VARYING = re.compile(r"[(\[{].*(?:[)\]}]|…)|'[^']*'|\"[^\"]*\"|\d+")
"""Actions, tuples and the like, which may have been cut; names in quotes; numbers."""
_UNANSWERED = (Ending.POLICY_CRASH.label, Ending.POLICY_HANG.label)


@dataclass(frozen=True)
class Trouble:
    """The runs, or single answers, that went wrong in one way."""

    count: int
    reason: str
    """The most frequent one, or of answers the first."""
    alike: int | None = None
    """Runs that ended for this reason; None where reasons were not counted."""

    @staticmethod
    def of(reasons: Mapping[str, int]) -> Trouble:
        """From how often there was each reason, at least one; of equal ones the first."""
        reason = max(reasons, key=lambda reason: reasons[reason])
        return Trouble(sum(reasons.values()), reason, reasons[reason])

    def sentence(self, ending: str) -> str:
        """`policy crash (3 runs): KeyError: 'x'`."""
        if self.alike is None:
            return f"{ending} in {counted(self.count, 'answer')}, first: {self.reason}"
        runs = counted(self.count, "run")
        how_many = runs if self.alike == self.count else f"{runs}, {self.alike} of them so"
        return f"{ending} ({how_many}): {self.reason}"


def troubles_of(runs: Iterable[RunRow]) -> dict[str, Trouble]:
    """The troubles in these runs, by their ending."""
    reasons: dict[str, Counter[str]] = {}
    for run in runs:
        if run.detail:
            reasons.setdefault(Ending(run.ending).label, Counter())[run.detail] += 1
    return {ending: Trouble.of(counts) for ending, counts in reasons.items()}


def is_one_reason(reasons: Iterable[str]) -> bool:
    """Whether the reasons are one, apart from the names and numbers in them."""
    return len({_VARYING.sub("…", reason) for reason in reasons}) == 1


def silence(runs: int, troubles: Mapping[str, Trouble]) -> str | None:
    """Why the policy gave no answer in any of the runs; None if some ended in another way."""
    unanswered = {ending: troubles[ending] for ending in _UNANSWERED if ending in troubles}
    if not runs or sum(trouble.count for trouble in unanswered.values()) < runs:
        return None
    return "; ".join(trouble.sentence(ending) for ending, trouble in unanswered.items())
