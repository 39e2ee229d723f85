"""The same seed gives the same pool, verdicts and bugs however the work is cut up."""

from __future__ import annotations

import os
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.options import CostOptions
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.policies.limits import WorkerLimits
from tests.depth import IS_DEEP, examples
from tests.system.killing import command
from tests.unit.campaigns.contents import contents
from tests.unit.policies.generated import write_task

ALL_ORACLES = (
    "lookahead",
    "aras",
    "undo-qual",
    "inv-quant",
    "planner:gbfs-200",
    "perfect",
    "bounds",
    "any:aras+planner:ehc",
    "best-of:lookahead:1+planner:astar-lmcut",
)
FUZZ = FuzzOptions(pool_size=examples(50, quick=25), round_walks=16, seed=11)
CONDITION = "(and (ontable b2) (ontable b3))"

CAMPAIGNS: dict[str, dict[str, Any]] = {
    "all oracles": {"policy": "greedy:hff", "oracles": ALL_ORACLES},
    "a random policy": {
        "policy": "random",
        "policy_seed": 4,
        "objective": "qualitative",
        "oracles": ("lookahead:1", "perfect", "undo-qual"),
        "fuzz": replace(FUZZ, bias="loopiness", novelty=1),
    },
    "a condition to avoid": {
        "policy": "hill-climbing:hadd",
        "objective": f"avoid:{CONDITION}",
        "oracles": ("lookahead", "perfect", "planner:ehc"),
        "fuzz": replace(FUZZ, bias="surface", novelty=0, prune_dead_ends=False),
    },
    "a policy in a process": {
        "policy": "python:bugsieve.policies.examples.blocksworld:choose",
        "oracles": ("lookahead:1", "planner:gbfs-200"),
        "fuzz": replace(FUZZ, bias="detour", walk_length=9),
    },
}
WAYS: list[dict[str, Any]] = [
    {"batch_size": 7, "policy_limits": WorkerLimits(batch_size=3)},
    {"batch_size": 1, "workers": 2},
    {"batch_size": 256, "mode": "separate", "workers": 2},
]
if IS_DEEP:  # each of these differs from one above in a single thing
    WAYS += [{"batch_size": 1}, {"batch_size": 7, "mode": "separate"}]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    folder = tmp_path_factory.mktemp("task")
    return tuple(write_task(folder, "blocksworld", seed=1, blocks=5))


@pytest.mark.parametrize("name", CAMPAIGNS)
def test_batches_workers_and_modes_do_not_matter(
    tmp_path: Path, files: tuple[str, ...], name: str
) -> None:
    usual = CostOptions(**{"task": files, "fuzz": FUZZ, **CAMPAIGNS[name]})
    reference = run(tmp_path / "usual", usual)
    assert len(reference["pool"][0]) >= 20 and not reference["rejected"]
    assert reference["bugs"] or name == "a policy in a process"
    for number, way in enumerate(WAYS):
        assert run(tmp_path / str(number), replace(usual, **way)) == reference, way


def run(folder: Path, options: CostOptions) -> dict[str, Any]:
    """What a campaign finds."""
    Campaign.create(folder, options).run()
    return contents(folder)


def test_nothing_depends_on_the_order_of_sets(tmp_path: Path, files: tuple[str, ...]) -> None:
    options = CostOptions(**{"task": files, "fuzz": FUZZ, **CAMPAIGNS["all oracles"]})
    found = []
    for seed in ("1", "2"):
        folder = tmp_path / seed
        program, environment = command(folder, options), {**os.environ, "PYTHONHASHSEED": seed}
        subprocess.run(program, check=True, env=environment, stdout=subprocess.DEVNULL)
        found.append(contents(folder))
    assert found[0] == found[1]
