"""Safety campaigns written by hand, whose measures can be counted on fingers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from bugsieve.campaigns.store.progress import Addition, CampaignHeader, Progress, WalkRow
from bugsieve.pipeline.judging.cases import Visit
from bugsieve.pipeline.judging.findings import Finding, OracleRow
from bugsieve.rooms.jani.model.saved import SavedModel
from bugsieve.rooms.jani.policies.runs import UnsafeRun
from bugsieve.rooms.safety.campaign.options import SafetyOptions
from bugsieve.rooms.safety.oracles.analysis import LoneVerdict, RunVerdict
from bugsieve.rooms.safety.oracles.decide import Safety
from bugsieve.rooms.safety.store.store import SafetyStore, WalkPart
from bugsieve.rooms.safety.walks.options import SafetyFuzzOptions
from bugsieve.rooms.safety.walks.run_examiner import UnsafeRunRow, run_digest
from tests.unit.campaigns.safety.ledge import ledge

_SAFETY = {"s": Safety.SAFE, "u": Safety.LOST, "?": Safety.UNKNOWN}


@dataclass(frozen=True)
class SafetySample:
    """A campaign whose unsafe runs have three states each."""

    alone: Mapping[str, str]
    """By oracle, one letter per run, of its first state: "s" safe, "u" unsafe, "?" unknown."""
    alone_seconds: Mapping[str, Sequence[float]]
    faults: Mapping[str, Sequence[int]] = field(default_factory=dict)
    """How many each oracle finds in the runs; -1 for a limit; one in each if there are none."""
    seconds: Mapping[str, Sequence[float]] = field(default_factory=dict)
    """Of the analysis of each run; 0.001 if there are none."""
    repeated: int = 0
    """Walks that find the first run again."""
    safe: int = 0
    """Walks that find nothing."""
    choice: str = "greedy"
    lookahead: int | None = None
    seed: int = 0
    policy: str = "random"
    name: str = "ledge"
    fuzz_seconds: float = 2.0

    def write(self, folder: Path) -> Path:
        """Make the campaign's folder."""
        folder.mkdir(parents=True)
        count = len(next(iter(self.alone.values()), ""))
        findings = [self._finding(number) for number in range(count)]
        runs = [finding.run for finding in findings]
        repeated = [
            UnsafeRunRow(walk, runs[0].run, runs[0].digest, runs[0].walk)
            for walk in range(count, count + self.repeated)
        ]
        walks = [WalkRow(row.walk, "unsafe", 2) for row in (*runs, *repeated)]
        unsafe = len(walks)
        walks += [WalkRow(number, "exhausted", 2) for number in range(unsafe, unsafe + self.safe)]
        progress = Progress(
            walks=len(walks),
            steps=2 * len(walks),
            visits=count,
            seconds=5.0,
            fuzz_seconds=self.fuzz_seconds,
            finished="all walks made",
        )
        start = Addition(progress, WalkPart(walks, repeated), findings)
        SafetyStore.create(folder, self._header(), start)
        return folder

    def _header(self) -> CampaignHeader:
        fuzz = SafetyFuzzOptions(lookahead=self.lookahead, choice=self.choice, seed=self.seed)
        options = SafetyOptions(model=(), policy=self.policy, oracles=tuple(self.alone), fuzz=fuzz)
        model = SavedModel(self.name, json.dumps(ledge()), ("left", "right"))
        oracles = tuple(map(OracleRow, options.oracles))
        return CampaignHeader(options.to_toml(), model, self.policy, False, oracles)

    def _finding(self, number: int) -> Finding:
        states = np.array([[number], [100 + number], [0]], dtype=np.uint64)
        run = UnsafeRun(states, np.zeros(2, dtype=np.int32))
        alone = tuple(
            LoneVerdict(
                0,
                spec,
                int(_SAFETY[letters[number]]),
                "expansions" if letters[number] == "?" else None,
                3,
                self.alone_seconds[spec][number],
            )
            for spec, letters in self.alone.items()
        )
        return Finding(
            Visit(number, number),
            UnsafeRunRow(number, run, run_digest(run), alone=alone),
            tuple(self._verdict(spec, number) for spec in self.alone),
        )

    def _verdict(self, spec: str, number: int) -> RunVerdict:
        count = self.faults[spec][number] if spec in self.faults else 1
        reached = "expansions" if count < 0 else None
        seconds = self.seconds[spec][number] if spec in self.seconds else 0.001
        safety = np.zeros(3, dtype=np.int8)
        faults = tuple(range(max(count, 0)))
        return RunVerdict(spec, safety, faults, (), reached, 5, seconds)


FULL = SafetySample(
    alone={"tarjan": "ssuu?", "tarjan:1": "suuu?", "lao": "ss?u?"},
    alone_seconds={
        "tarjan": (0.00005, 0.5, 0.002, 20.0, 1.0),
        "tarjan:1": (0.05, 0.05, 0.00005, 0.0005, 1.0),
        "lao": (0.005, 2.0, 3.0, 0.2, 1.0),
    },
    faults={"tarjan": (1, 1, 0, 2, 1), "tarjan:1": (0, 0, 0, 1, 3), "lao": (1, 1, -1, 2, 1)},
    seconds={
        "tarjan": (0.001, 0.002, 0.003, 0.004, 0.010),
        "tarjan:1": (0.010, 0.020, 0.030, 0.040, 0.100),
        "lao": (0.002, 0.004, 0.006, 0.008, 0.020),
    },
    repeated=2,
    safe=3,
)
"""Two bugs, two states that are none, one that nobody can decide."""
UNIFORM = SafetySample(
    {"tarjan": "s"}, {"tarjan": (0.5,)}, safe=9, choice="uniform", lookahead=1, fuzz_seconds=0.5
)
