"""Campaigns written by hand, on a line of places, whose measures can be counted on fingers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bugsieve.campaigns.cost.store import CostStore, PoolPart
from bugsieve.campaigns.options import CostOptions
from bugsieve.campaigns.store.progress import Addition, CampaignHeader, Progress
from bugsieve.pipeline.bugs.bug import Bug, FoundBy
from bugsieve.pipeline.bugs.verdict import Outcome, Verdict
from bugsieve.pipeline.judging.cases import Visit
from bugsieve.pipeline.judging.findings import (
    CostBugRow,
    Finding,
    OracleRow,
    RejectedRow,
    RunRow,
    VerdictRow,
)
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.pipeline.pool.pool import PoolEntry
from bugsieve.policies.decisions import Ending
from bugsieve.tasks.grounded.saved import SavedTask
from tests.unit.policies.line import at, line_task

PLACES = 100

_OUTCOMES = {
    "b": Outcome.BUG,
    "i": Outcome.IMPLIED,
    "p": Outcome.PASS,
    "?": Outcome.INCONCLUSIVE,
    "r": Outcome.BUG,  # claimed, but rejected by the checker
}


@dataclass(frozen=True)
class Sample:
    """A campaign: one character per pool state, which is the place of that number."""

    runs: str
    """"s" for solved, "l" for a loop."""
    verdicts: Mapping[str, str]
    """By oracle; "b" bug, "i" implied, "p" pass, "?" inconclusive, "r" rejected claim."""
    places: Sequence[int] = ()
    """The places of the pool states; 0, 1, 2, … if there are none."""
    objections: Mapping[str, str] = field(default_factory=dict)
    bias: str = "policy-quality"
    novelty: int = 2
    seed: int = 0
    policy: str = "greedy:hff"
    objective: str = "quantitative"
    domain: bytes | None = b"; a comment\n(define (domain Line)\n)"
    length: int = PLACES
    """Of the line: makes tasks different."""
    unjudged: int = 0
    """Further states of the pool."""
    pool_from: str | None = None

    def write(self, folder: Path) -> Path:
        """Make the campaign's folder; bugs are found one second after the other."""
        folder.mkdir(parents=True)
        places = list(self.places or range(len(self.runs)))
        following = max(places, default=-1) + 1
        places += range(following, following + self.unjudged)
        entries = [PoolEntry(i, i - 1 if i else None, (), i or None) for i in range(len(places))]
        findings = [self._finding(number) for number in range(len(self.runs))]
        progress = Progress(
            walks=len(places),
            visits=len(self.runs),
            seconds=float(len(self.runs)),
            finished="pool full",
        )
        pool = PoolPart(entries, at(*places))
        CostStore.create(folder, self._header(), Addition(progress, pool, findings))
        return folder

    def _header(self) -> CampaignHeader:
        options = CostOptions(
            task=(),
            policy=self.policy,
            objective=self.objective,
            mode="interleaved" if self.verdicts else "pool",
            oracles=(*self.verdicts, *self.objections),
            pool_from=self.pool_from,
            fuzz=FuzzOptions(bias=self.bias, novelty=self.novelty, seed=self.seed),
        )
        task = line_task(self.length)
        saved = SavedTask(f"line-{self.length}", task.to_sas(), domain=self.domain, problem=b"()")
        rows = [OracleRow(spec) for spec in self.verdicts]
        rows += [OracleRow(spec, reason) for spec, reason in self.objections.items()]
        return CampaignHeader(
            options.to_toml(), saved, self.policy, False, tuple(rows), objective=self.objective
        )

    def _finding(self, number: int) -> Finding:
        solved = self.runs[number] == "s"
        run = RunRow(int(Ending.SOLVED if solved else Ending.LOOP), 3, 3, 3.0 if solved else 9.0)
        rows = {spec: letters[number] for spec, letters in self.verdicts.items()}
        verdicts = tuple(
            VerdictRow(spec, Verdict(_OUTCOMES[letter], gap=1.0)) for spec, letter in rows.items()
        )
        finders = tuple(spec for spec, letter in rows.items() if letter == "b")
        rejected = tuple(
            RejectedRow(number, spec, "nonsense") for spec, letter in rows.items() if letter == "r"
        )
        kind = "costly" if solved else "unsolved"
        bugs = (_bug_row(number, kind, finders, self.objective),) if finders else ()
        return Finding(Visit(number, number), run, verdicts, bugs, rejected=rejected)


def _bug_row(number: int, kind: str, finders: tuple[str, ...], objective: str) -> CostBugRow:
    """A bug that looks real to everybody but the checker."""
    path = {"operators": [], "actions": [], "cost": 0}
    certificate: dict[str, Any] = {
        "certificate": 1,
        "kind": kind,
        "task": {"name": "line", "sha256": ""},
        "objective": objective,
        "policy": "",
        "state": [number],
        "facts": [],
        "run": {**path, "ending": "loop", "loop_start": None, "chosen": None, "detail": ""},
        "plan": path,
        "policy_value": None,
        "value": 0,
        "gap": 1 if kind == "costly" else None,
    }
    found_by = FoundBy(number, 1, ())
    bug = Bug(f"{number:012x}", certificate, finders[0], "found", False, found_by)
    return CostBugRow(number, bug, finders, number, number, number + 1.0)
