"""The counts of a campaign, read from its store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bugsieve.campaigns.troubles import Trouble, silence
from bugsieve.policies.decisions import Ending
from bugsieve.results.records import Records
from bugsieve.results.rows import RejectedRow


@dataclass(frozen=True)
class Summary:
    """What a campaign has done so far, all sessions together."""

    reason: str | None
    """Why it has finished; None if there is more to do."""
    seconds: float
    pool: int
    judged: int
    walks: int
    steps: int
    rounds: int
    policy_calls: int
    endings: Mapping[str, int]
    """Runs of the policy from the judged states, by how they ended."""
    outcomes: Mapping[str, Mapping[str, int]]
    """Verdicts by oracle and outcome."""
    bugs: int
    bugs_by_kind: Mapping[str, int]
    implied: int
    """States that must be bugs by some oracle, but for which nobody has a better run."""
    rejected: tuple[RejectedRow, ...]
    """Claims that the checker did not believe: each is a fault in Bugsieve."""
    skipped: Mapping[str, str]
    """Oracles that could not judge on this task, and why."""
    telling: int
    """Runs that determine a value; step limits, hangs and policies that never start do not."""
    troubles: Mapping[str, Trouble]
    """Runs that ended because the policy gave no usable action, by their ending."""

    @property
    def unanswered(self) -> str | None:
        """Why nothing could be tested, if the policy gave no answer in any run; else None."""
        return None if self.telling else silence(self.judged, self.troubles)


def summarise(records: Records) -> Summary:
    """The counts as they are now."""
    progress = records.progress()
    by_kind = records.bugs_by_kind()
    return Summary(
        reason=progress.finished,
        seconds=progress.seconds,
        pool=records.pool_size(),
        judged=progress.judged,
        walks=progress.walks,
        steps=progress.steps,
        rounds=progress.rounds,
        policy_calls=progress.policy_calls,
        endings={Ending(code).label: count for code, count in records.endings().items()},
        outcomes=records.outcomes(),
        bugs=sum(by_kind.values()),
        bugs_by_kind=by_kind,
        implied=records.implied(),
        rejected=tuple(records.rejected()),
        skipped={
            oracle.spec: oracle.objection
            for oracle in records.header.oracles
            if oracle.objection is not None
        },
        telling=records.telling(),
        troubles={
            Ending(code).label: Trouble.of(reasons) for code, reasons in records.failures().items()
        },
    )
