"""Whole state spaces without a bug: certified, kept, believed, asked again and given away."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bugsieve.base.errors import InputError
from bugsieve.campaigns import greens
from bugsieve.campaigns.campaign import Campaign, summary_of
from bugsieve.campaigns.cost.green import answers, stored_green
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.options import CostOptions
from bugsieve.campaigns.store.certificate_blobs import packed
from bugsieve.campaigns.store.schema import STORE_FILE
from bugsieve.checkers.green import main as check_alone
from bugsieve.cli import main
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.policies.foreign.plan_runs import PlanRuns
from bugsieve.tasks.grounded.task import NO_ACTION, ActionArray, StateArray, Task
from bugsieve.tasks.search import exact_costs
from tests.depth import examples
from tests.property.green_claims import claim_of, some_policy, some_task
from tests.reference.greens import is_true
from tests.unit.bugs.samples import TablePolicy
from tests.unit.policies.generated import generated_task
from tests.unit.policies.line import as_task


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> Task:
    """28 states, none of them lost."""
    return generated_task(tmp_path_factory.mktemp("task"), "gripper", balls=2)


@pytest.fixture(autouse=True)
def state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user with a key of their own."""
    greens._refusal.cache_clear()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def best_policy(task: Task) -> TablePolicy:
    """The first action of a best plan in every state."""
    exact = exact_costs(task)
    rows = enumerate(map(tuple, exact.states.tolist()))
    plans = {state: exact.plan(row) for row, state in rows}
    return TablePolicy({state: plan[0] for state, plan in plans.items() if plan})


class BestPlans:
    """Makes a best plan where a run starts, and follows it to its end."""

    spec = "table"

    def __init__(self, task: Task) -> None:
        self._task, self._exact = task, exact_costs(task)

    def choose(self, states: StateArray) -> ActionArray:
        raise AssertionError("its runs come from another source")

    def run_source(self, task: Task) -> PlanRuns:
        return PlanRuns(task, lambda states: map(self._plan, states))

    def _plan(self, state: StateArray) -> tuple[str, ...]:
        (row,) = self._exact.rows(state[None]).tolist()
        return tuple(self._task.operator_names[number] for number in self._exact.plan(row) or ())


def run(folder: Path, task: Task, policy: Any = "optimal:plans", **changes: Any) -> Any:
    """The summary of a campaign; by default of a policy that is optimal."""
    spec = policy if isinstance(policy, str) else "table"
    options = CostOptions(**{"task": (), "policy": spec, **changes})
    return Campaign.create(folder, options, task, policy=None if spec == policy else policy).run()


def change_store(folder: Path, query: str, *values: Any) -> None:
    with closing(sqlite3.connect(folder / STORE_FILE)) as store, store:
        store.execute(query, values)


@pytest.mark.parametrize("objective", ["quantitative", "qualitative"])
@pytest.mark.parametrize("workers", [1, 2])
def test_a_whole_space_without_a_bug_is_certified(
    task: Task, tmp_path: Path, objective: str, workers: int
) -> None:
    folder = tmp_path / "campaign"
    summary = run(folder, task, policy="optimal", objective=objective, workers=workers)
    assert summary.bugs == 0 and summary.coverage.is_proven
    with CostRecords(folder) as records:
        known = answers(records)
    assert known is not None and len(known.states) == summary.coverage.reachable
    assert (known.actions != NO_ACTION).all() and len(known.asked) == len(known.actions)


def test_of_plans_the_runs_are_certified(task: Task, tmp_path: Path) -> None:
    policy = BestPlans(task)
    assert run(tmp_path / "campaign", task, policy=policy).coverage.is_proven
    green: Any = stored_green(tmp_path / "campaign")
    assert sorted(green["columns"]) == ["costs", "lengths", "lost", "operators", "states"]


@pytest.mark.parametrize(
    "changes",
    [{"policy": "random"}, {"fuzz": FuzzOptions(test_states="(at-robby room1)")}, {"whole": "no"}],
)
def test_nothing_else_is_certified(task: Task, tmp_path: Path, changes: dict[str, Any]) -> None:
    summary = run(tmp_path / "campaign", task, **changes)
    assert summary.coverage is None or not summary.coverage.is_proven
    assert stored_green(tmp_path / "campaign") is None


def test_campaigns_on_random_tasks_are_proven_exactly_where_brute_force_says_so(
    tmp_path: Path,
) -> None:
    seen: set[bool] = set()
    for seed in range(examples(200, quick=15)):
        sas = some_task(seed)
        policy = some_policy(sas, seed)
        claim = claim_of(sas, policy, objective="quantitative")
        if claim is None:
            continue
        truth = is_true(sas, claim)
        table = TablePolicy(policy)
        coverage = run(tmp_path / str(seed), as_task(sas), policy=table).coverage
        assert coverage.is_whole and coverage.is_proven == truth, seed
        seen.add(truth)
    assert seen == {True, False}


def test_a_campaign_that_was_cut_is_certified_when_it_goes_on(task: Task, tmp_path: Path) -> None:
    folder, policy = tmp_path / "campaign", best_policy(task)
    run(folder, task, policy=policy)
    asked = policy.asked
    change_store(folder, "DELETE FROM greens")
    assert not summary_of(folder).coverage.is_proven
    assert Campaign.open(folder, policy=policy).run().coverage.is_proven
    assert policy.asked == asked  # the answers that were judged count


def test_what_we_have_sealed_is_not_checked_again(
    task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "campaign"
    run(folder, task)
    calls: list[bytes] = []

    def count(content: bytes, check: greens.Check) -> None:
        calls.append(content)

    monkeypatch.setattr(greens, "_checked", count)
    assert summary_of(folder).coverage.is_proven and not calls
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "another user"))
    assert summary_of(folder).coverage.is_proven and len(calls) == 1


def forgeries(green: dict[str, Any]) -> Iterator[Any]:
    yield {**green, "with_plan": green["with_plan"] - 1}
    yield {**green, "step_limit": 1}
    yield {**green, "task": {**green["task"], "sha256": "0" * 64}}
    yield {**green, "columns": {**green["columns"], "steps": green["columns"]["costs"][:-1]}}
    yield "green"


def test_a_stranger_proves_nothing_by_words(
    task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "campaign"
    run(folder, task)
    green: Any = stored_green(folder)
    for forged in forgeries(green):
        change_store(folder, "UPDATE greens SET content = ?", packed(forged))
        assert not summary_of(folder).coverage.is_proven
        with pytest.raises(InputError, match="does not hold"):
            stored_green(folder)
    assert main(["replay", str(folder)]) == 4
    assert "does not hold" in capsys.readouterr().err
    change_store(folder, "UPDATE greens SET content = ?", b"no zlib")
    assert not summary_of(folder).coverage.is_proven
    change_store(folder, "UPDATE greens SET content = ?, seal = NULL", packed(green))
    assert summary_of(folder).coverage.is_proven


def test_replay_asks_in_every_state_and_checks_again(
    task: Task, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "campaign"
    run(folder, task, policy="optimal")
    states = summary_of(folder).coverage.reachable
    asked = len(stored_asked(folder))
    assert main(["replay", str(folder), "--trust-policy"]) == 0
    told = capsys.readouterr().out
    assert told == (
        f"PROOF HOLDS: the policy answers as before in {asked} states and is optimal from all "
        f"{states} reachable states\n"
    )
    assert main(["replay", str(folder), "--policy", "random", "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["status"] == "proof lost" and 0 < report["changed"] <= report["asked"] == asked
    junit = tmp_path / "junit.xml"
    assert main(["replay", str(folder), "--policy", "optimal:plans", "--junit", str(junit)]) == 0
    assert 'failures="0"' in junit.read_text() and "PROOF HOLDS" in capsys.readouterr().out


def stored_asked(folder: Path) -> StateArray:
    with CostRecords(folder) as records:
        known = answers(records)
    assert known is not None
    return np.asarray(known.asked)


def test_the_certificate_is_exported_for_the_checker_alone(
    task: Task, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, file = tmp_path / "campaign", tmp_path / "green.json"
    run(folder, task)
    assert main(["export", str(folder), "--green", str(file)]) == 0
    assert f"wrote {file}" in capsys.readouterr().out
    assert check_alone([str(folder / "task.sas"), str(file)]) == 0
    assert "is optimal from all" in capsys.readouterr().out
    run(tmp_path / "bad", task, policy="random")
    assert main(["export", str(tmp_path / "bad"), "--green", str(file)]) == 4
    assert "has no certificate that there is no bug" in capsys.readouterr().err
