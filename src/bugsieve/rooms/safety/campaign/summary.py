"""The counts of a safety campaign, read from its store."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from bugsieve.base.wording import counted, shown_number
from bugsieve.campaigns.policy_failures import Trouble
from bugsieve.campaigns.summary import Summary, changes_of
from bugsieve.pipeline.judging.findings import UnprovenRow
from bugsieve.rooms.jani.model.saved import has_probabilities
from bugsieve.rooms.jani.starts import StartSampler
from bugsieve.rooms.safety.campaign.green import UNTESTED, proof_of
from bugsieve.rooms.safety.campaign.measuring import run_class, safety_figures
from bugsieve.rooms.safety.campaign.options import SafetyOptions
from bugsieve.rooms.safety.oracles.analysis import RunVerdict
from bugsieve.rooms.safety.store.records import SafetyRecords
from bugsieve.rooms.safety.walks.walk_outcomes import WalkOutcome

_FAILURES = {outcome.value for outcome in WalkOutcome if outcome.is_failure}
STEP_LIMIT = WalkOutcome.STEP_LIMIT.value
_STARTS = 1000
_OVER = {WalkOutcome.EXHAUSTED.value, WalkOutcome.DEAD_END.value}


@dataclass(frozen=True)
class RunCounts:
    """The verdicts of an oracle on the unsafe runs; each run is one of these."""

    with_fault: int = 0
    """The policy left safety: one of its decisions is a fault."""
    unavoidable: int = 0
    """No policy could have avoided the danger, not even from the start (within the radius)."""
    inconclusive: int = 0
    """A limit came first."""
    seconds: float = 0.0
    expanded: int = 0


@dataclass(frozen=True)
class SafetyProof:
    """Counts of a certificate that a checker has accepted."""

    starts: int
    """Start states: all that there are."""
    states: int
    """The number of states that the policy can reach from there, with all outcomes."""
    ends: int
    """Those in which it gives no applicable action where there is one."""


@dataclass(frozen=True, kw_only=True)
class SafetySummary(Summary):
    """The results of a safety campaign so far; troubles are answers, by their kind."""

    fuzz_seconds: float
    proof_seconds: float
    outcomes: Mapping[str, int]
    """Walks by how they ended: values of `WalkOutcome`, danger first, as far as they occur."""
    runs: int
    """Unsafe runs."""
    different_runs: int
    oracles: Mapping[str, RunCounts]
    unproven: tuple[UnprovenRow, ...]
    """Claims that are not bugs, since their proofs are too large or cannot be checked."""
    proof: SafetyProof | None = None
    """The result that a certificate proves of all start states; None without one."""
    began_at_ends: bool = False
    """True if all walks began at goals, or where no action is applicable."""
    has_probabilities: bool = False
    """True if the model says how likely outcomes are."""

    @property
    def failed_walks(self) -> int:
        """Walks that ended since the policy gave no action, or one that is not applicable."""
        return sum(self.outcomes.get(outcome, 0) for outcome in _FAILURES)

    @property
    def certain(self) -> int:
        """Faults that the oracle is certain of, in places of their own."""
        return len({(row.case, row.position) for row in self.unproven})

    @property
    def is_telling(self) -> bool:
        """Return true if an unsafe run was decided, or the ending of a walk says something.

        A walk that was cut short does not, nor one that ends for want of an action if the policy
        fails to answer.
        """
        if self.runs:
            counts = self.oracles.values()
            return any(count.with_fault + count.unavoidable for count in counts)
        if self.proof is not None:
            return True
        silent = {STEP_LIMIT, *(_FAILURES if self.troubles else ())}
        return not silent.issuperset(self.outcomes)

    @property
    def open_runs(self) -> int:
        """Unsafe runs that no oracle decided."""
        inconclusive = (counts.inconclusive for counts in self.oracles.values())
        return min(inconclusive, default=0) if self.runs else 0

    @property
    def undecided(self) -> int:
        """Unsafe runs that no oracle decided, and walks that the policy's failure ended.

        Where no danger can follow, failures leave nothing open; `green` counts them.
        """
        return self.open_runs + (self.failed_walks if self.proof is None else 0)

    @property
    def untested(self) -> str:
        """There is no danger to meet, or all walks were over before they began.

        A walk that ends at its start may be a test: all that the policy can come to was looked at.
        """
        if self.reason in UNTESTED:
            return f"{self.reason}: nothing was tested"
        if self.began_at_ends:
            return f"all {counted(self.walks, 'walk')} began where runs end: nothing was tested"
        return ""

    @property
    def green(self) -> str:
        """The number of start states from which the policy is safe, in words; empty if unknown."""
        if self.proof is None or self.runs:
            return ""
        starts = shown_number(self.proof.starts)
        said = f"all {starts} start states" if self.proof.starts > 1 else "the only start state"
        ends, states = map(shown_number, (self.proof.ends, self.proof.states))
        beside = f", without an action in {ends} of {states} states" if self.proof.ends else ""
        return f"safe from {said} (proven){beside}"

    @property
    def tested(self) -> Mapping[str, int]:
        """Walks; of a measurement, its tests."""
        return {"walk" if self.measured is None else "test": self.walks}

    @property
    def left_open(self) -> str:
        """The same in words."""
        runs = f"{counted(self.open_runs, 'unsafe run')} that nobody could decide"
        walks = f"{counted(self.failed_walks, 'walk')} that ended since the policy failed"
        counts = ((self.open_runs, runs), (self.failed_walks, walks))
        return " and ".join(words for count, words in counts if count)

    @property
    def would_decide(self) -> str:
        """More expansions for unsafe runs; longer walks, or answers, where there are none."""
        if self.failed_walks and self.is_telling and not self.open_runs:
            return "a policy that chooses applicable actions"
        if self.runs:
            return "more expansions per state (--expansions)"
        if STEP_LIMIT in self.outcomes:
            return "longer walks (--step-limit)"
        return "a policy that answers" if self.troubles else "more walks"

    @property
    def unanswered(self) -> str | None:
        """The reason why no walk could be made, if the policy failed in all of them; else None."""
        if not self.troubles or not 0 < self.failed_walks == sum(self.outcomes.values()):
            return None
        return "; ".join(self.trouble_sentences())

    def trouble_sentences(self) -> list[str]:
        """One per kind: `policy crash in 3 answers, first: KeyError: 'x'`."""
        return [trouble.sentence(kind) for kind, trouble in self.troubles.items()]


def summarise_safety(records: SafetyRecords) -> SafetySummary:
    """The counts as they are now."""
    progress, runs = records.progress(), records.runs()
    weights = Counter(runs.same_as.tolist())
    kinds = records.bugs_by_kind()
    troubles = json.loads(progress.troubles)
    return SafetySummary(
        reason=progress.finished,
        seconds=progress.seconds,
        fuzz_seconds=progress.fuzz_seconds,
        proof_seconds=records.proof_seconds(),
        walks=progress.walks,
        steps=progress.steps,
        outcomes=dict(sorted(records.outcomes().items(), key=_danger_first)),
        runs=len(runs),
        different_runs=len(weights),
        oracles={
            oracle: _counts(records.verdicts(oracle), weights)
            for oracle in records.header.used_oracles
        },
        bugs=sum(kinds.values()),
        bugs_by_kind=kinds,
        cause_count=records.cause_count(),
        unproven=tuple(records.unproven()),
        rejected=tuple(records.rejected()),
        troubles={
            kind: Trouble(trouble["answers"], trouble["first"])
            for kind, trouble in troubles.items()
        },
        traces={kind: item["trace"] for kind, item in troubles.items() if item.get("trace")},
        policy_calls=progress.policy_calls,
        asked_again=progress.asked_again,
        unstable=changes_of(records),
        check=records.check(),
        measured=safety_figures(records) if records.is_sample else None,
        proof=_proof(records),
        began_at_ends=_began_at_ends(records),
        has_probabilities=has_probabilities(records.header.subject),
    )


def _began_at_ends(records: SafetyRecords) -> bool:
    """Draw the start states again, where no walk has made a step; so many show what they are."""
    walks = records.progress().walks
    if not walks or records.progress().steps or not _OVER.issuperset(records.outcomes()):
        return False
    options = SafetyOptions.from_toml(records.header.options, name=str(records.directory))
    model = records.header.subject.load(source=str(records.directory))
    starts = StartSampler(model, options.fuzz.seed).sample(range(min(walks, _STARTS)))
    return not model.observe(starts)[1].any()


def _proof(records: SafetyRecords) -> SafetyProof | None:
    proof = proof_of(records)
    return None if proof is None else SafetyProof(*map(proof.get, ("starts", "states", "ends")))


def _danger_first(item: tuple[str, int]) -> tuple[bool, str]:
    return item[0] != WalkOutcome.UNSAFE.value, item[0]


def _counts(verdicts: Mapping[int, RunVerdict], weights: Mapping[int, int]) -> RunCounts:
    counts: Counter[str] = Counter()
    for walk, row in verdicts.items():
        counts[run_class(row)] += weights[walk]
    return RunCounts(
        counts["with_fault"],
        counts["unavoidable"],
        counts["inconclusive"],
        sum(row.seconds for row in verdicts.values()),
        sum(row.expanded for row in verdicts.values()),
    )
