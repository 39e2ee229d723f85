"""What a campaign has come to, whatever its kind, with the verdict that follows from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bugsieve.base.wording import counted
from bugsieve.campaigns.coverage import Coverage
from bugsieve.campaigns.policy_failures import Trouble
from bugsieve.campaigns.store.records import CampaignRecords
from bugsieve.campaigns.verdict import CampaignResult, CampaignVerdict, verdict_of
from bugsieve.pipeline.judging.findings import DeterminismCheck, RejectedRow, UnstableRow
from bugsieve.pipeline.measuring.figures import Figures


@dataclass(frozen=True, kw_only=True)
class Summary:
    """What campaigns of every kind have done so far, all sessions together."""

    reason: str | None
    """Why it has finished; None if there is more to do."""
    seconds: float
    walks: int
    steps: int
    bugs: int
    bugs_by_kind: Mapping[str, int]
    cause_count: int = 0
    """Lines in which the causes of the bugs are listed; 0 where bugs have none."""
    rejected: tuple[RejectedRow, ...]
    """Claims that the checker did not believe: each is a fault in Bugsieve."""
    troubles: Mapping[str, Trouble]
    """What went wrong because the policy gave no usable answer, by kind."""
    traces: Mapping[str, str] = field(default_factory=dict)
    """The first traceback of each kind of trouble with what was printed, where it is known."""
    policy_calls: int = 0
    asked_again: int = 0
    """Questions beside these calls, to see whether the policy stands by its answers."""
    unstable: tuple[UnstableRow, ...] = ()
    """States in which it did not, and what depends on the order of sets."""
    check: DeterminismCheck | None = None
    """The result of asking it again about runs without a bug; None if that was not done."""
    measured: Figures | None = None
    """What a measurement has come to; None for campaigns that are none."""
    coverage: Coverage | None = None
    """How much of what can be reached was tested; None where that is not known."""

    @property
    def certain(self) -> int:
        """Bugs that must be there, but for which nobody has a proof."""
        return 0

    @property
    def is_telling(self) -> bool:
        """Whether anything was found out about the policy."""
        return True

    @property
    def undecided(self) -> int:
        """Cases in which the policy fails and nobody knows whether it had to."""
        return 0

    @property
    def left_open(self) -> str:
        """The same in words."""
        return f"{counted(self.undecided, 'failing run')} that nobody could decide"

    @property
    def all_calls(self) -> int:
        """All questions to the policy, which a budget of them is about."""
        return self.policy_calls + self.asked_again

    @property
    def changed(self) -> tuple[UnstableRow, ...]:
        """Where the policy changed its answers; a bug whose answers depend on set order is one."""
        return tuple(row for row in self.unstable if not row.cause or not row.claim)

    @property
    def mistake(self) -> Trouble | None:
        """Why all runs ended at their first decision, if all did so for the same reason."""
        return None

    @property
    def trace(self) -> str:
        """The first traceback, and what was printed before, if the policy gave no answer."""
        return "" if self.unanswered is None else next(iter(self.traces.values()), "")

    @property
    def unanswered(self) -> str | None:
        """Why nothing could be tested, if the policy gave no answer in any run; else None."""
        return None

    @property
    def would_decide(self) -> str:
        """What would tell more where something was left open."""
        return "more cases"

    @property
    def tested(self) -> Mapping[str, int]:
        """How many cases were tested, by what they are called."""
        return {}

    @property
    def untested(self) -> str:
        """Why nothing was tested, in a sentence, where that is not the policy's doing."""
        return ""

    @property
    def instability(self) -> str:
        """The sentence on a policy that changes its answers, or could not be asked again."""
        check = self.check
        if check is not None and check.differing:
            return check.sentence
        if self.changed:
            return "undecided: the policy changes its answers"
        if check is not None and check.is_missing:
            return f"undecided: the policy could not be asked again ({check.cut})"
        return ""

    @property
    def green(self) -> str:
        """What a certificate proves that was accepted, in a sentence; empty without one."""
        return ""

    @property
    def verdict(self) -> CampaignVerdict:
        """The first line on the campaign, with its outcome and exit code."""
        return verdict_of(self)

    @property
    def outcome(self) -> CampaignResult:
        """What it says of the policy."""
        return self.verdict.outcome

    @property
    def exit_code(self) -> int:
        """What a command returns that ran the campaign: see the table of verdicts."""
        return self.verdict.exit_code


def changes_of(records: CampaignRecords[Any]) -> tuple[UnstableRow, ...]:
    """Where the policy changed its answers, in claims of bugs and when it was asked again."""
    check = records.check()
    return (*records.unstable(), *(() if check is None else check.rows))
