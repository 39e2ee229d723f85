"""Small tasks are tested whole: the choice, exact verdicts, and campaigns cut in any way."""

from __future__ import annotations

import sqlite3
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bugsieve.base.errors import InputError, UsageError
from bugsieve.campaigns.campaign import Campaign, summary_of
from bugsieve.campaigns.cost import whole
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.export import export_bugs
from bugsieve.campaigns.options import CostOptions, with_typed_walks
from bugsieve.campaigns.stop_rules import StopRules
from bugsieve.campaigns.store.certificate_blobs import packed
from bugsieve.campaigns.verdict import CampaignResult
from bugsieve.checkers.cost import check
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.brief import brief
from bugsieve.pipeline.objectives import make_objective
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.policies.registry import make_policy
from bugsieve.tasks.grounded.task import ActionArray, StateArray, Task
from bugsieve.tasks.search import TooLargeError, exact_costs
from tests.unit.campaigns.contents import contents
from tests.unit.fuzzing.tasks import star_task
from tests.unit.policies.generated import generated_task
from tests.unit.policies.line import line_task

NOTHING_TESTED = 5
ROOM = "(at-robby room1)"


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> Task:
    """256 states, none of them lost."""
    return generated_task(tmp_path_factory.mktemp("task"), "gripper", balls=4)


def options(**changes: Any) -> CostOptions:
    return CostOptions(**{"task": (), "policy": "random:1", **changes})


def run(folder: Path, task: Task, *, policy: object = None, **changes: Any) -> Any:
    """The summary of a campaign with these options."""
    return Campaign.create(folder, options(**changes), task, policy=policy).run()


def judges_exactly(folder: Path) -> bool:
    with CostRecords(folder) as records:
        return records.header.used_oracles == ("exact",)


def test_every_reachable_state_is_judged_exactly(task: Task, tmp_path: Path) -> None:
    summary = run(tmp_path / "campaign", task)
    exact = exact_costs(task)
    coverage = summary.coverage
    assert coverage.is_whole and coverage.is_counted
    assert (coverage.reachable, coverage.with_plan) == (256, 256)
    assert summary.judged == 256 and summary.walks == 0
    bench = Bench(task, make_policy("random:1", task), make_objective("quantitative", task))
    values = bench.suspects(exact.states).values
    gaps = values - exact.costs
    wrong = {row: gap for row, gap in enumerate(gaps.tolist()) if gap}
    with CostRecords(tmp_path / "campaign") as records:
        bugs = records.bugs()
        assert records.header.used_oracles == ("exact",)
        assert (records.pool().states == exact.states).all()
    assert {row.case: row.bug.gap for row in bugs} == wrong
    for row in bugs:
        check(task.to_sas(), row.bug.certificate)
        assert row.bug.exact and row.bug.certificate["value"] == exact.costs[row.case]
        assert row.bug.found_by is not None and row.bug.found_by.path == exact.path(row.case)


@pytest.mark.parametrize(
    "changes",
    [
        {"fuzz": FuzzOptions(pool_size=9)},
        {"fuzz": FuzzOptions(novelty=1)},
        {"fuzz": FuzzOptions(along_runs=True, pool_size=9)},
        {"oracles": ("lookahead",), "fuzz": FuzzOptions(pool_size=9)},
        {"mode": "separate", "fuzz": FuzzOptions(pool_size=9)},
        {"whole": "no", "fuzz": FuzzOptions(pool_size=9)},
    ],
)
def test_options_of_walks_turn_auto_off(
    task: Task, tmp_path: Path, changes: dict[str, Any]
) -> None:
    summary = run(tmp_path / "campaign", task, **{"stop": StopRules(max_bugs=1), **changes})
    assert not judges_exactly(tmp_path / "campaign")
    if "whole" in changes:
        assert summary.coverage is None
    else:  # they are counted all the same
        assert not summary.coverage.is_whole and summary.coverage.reachable == 256


def test_typed_options_turn_auto_off_though_they_are_as_usual() -> None:
    assert with_typed_walks(options()).whole == "no"
    assert with_typed_walks(options(whole="yes")).whole == "yes"
    assert with_typed_walks(options(fuzz=FuzzOptions(pool_size=3))).whole == "auto"


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"objective": f"avoid:{ROOM}"}, "exact costs say nothing of the objective"),
        ({"mode": "separate"}, "--separate and --stale-rounds are about walks"),
        ({"stop": StopRules(stale_rounds=2)}, "--separate and --stale-rounds are about walks"),
        ({"stop": StopRules(max_time=7.0)}, r"takes about 8 s, more than 7 \(--max-time\)"),
    ],
)
def test_why_a_task_cannot_be_tested_whole(
    task: Task,
    tmp_path: Path,
    changes: dict[str, Any],
    why: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(whole, "_seconds_to_ask", lambda *_: 8.0)
    with pytest.raises(UsageError, match=f"--whole yes: .*{why}"):
        run(tmp_path / "campaign", task, whole="yes", **changes)
    assert not (tmp_path / "campaign").exists()


def test_a_larger_task_is_counted_and_walked(
    task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def few(self: Bench, limits: object = None) -> None:
        raise TooLargeError("the task is too large", 100)

    monkeypatch.setattr(Bench, "exact_costs", few)
    summary = run(tmp_path / "campaign", task, stop=StopRules(max_bugs=1))
    assert not judges_exactly(tmp_path / "campaign")
    assert (summary.coverage.reachable, summary.coverage.is_counted) == (100, False)
    with pytest.raises(UsageError, match="--whole yes: the task is too large"):
        run(tmp_path / "other", task, whole="yes")


def test_a_choice_is_repeated_whatever_the_clock_says(
    task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(tmp_path / "uncut", task)
    cut = run(tmp_path / "cut", task, stop=StopRules(max_bugs=7))
    assert cut.bugs == 7 and not cut.coverage.is_whole
    monkeypatch.setattr(whole, "_seconds_to_ask", lambda *_: 1e9)
    with Campaign.open(tmp_path / "cut", stop=StopRules()) as campaign:
        campaign.run()
    assert contents(tmp_path / "cut") == contents(tmp_path / "uncut")
    assert summary_of(tmp_path / "cut").coverage.is_whole
    run(tmp_path / "slow", task, stop=StopRules(max_bugs=1))
    assert not judges_exactly(tmp_path / "slow")


def test_workers_find_the_same(task: Task, tmp_path: Path) -> None:
    for workers in (1, 2):
        run(tmp_path / str(workers), task, workers=workers)
    assert contents(tmp_path / "1") == contents(tmp_path / "2")


def test_states_are_selected(task: Task, tmp_path: Path) -> None:
    held = next(f for f in sorted(task.facts(task.initial_state)) if f.startswith("(free"))
    summary = run(tmp_path / "campaign", task, fuzz=FuzzOptions(test_states=held))
    exact = exact_costs(task)
    kept = [row for row, state in enumerate(exact.states) if held in task.facts(state)]
    assert summary.judged == len(kept) < 256
    assert summary.coverage.is_whole and summary.coverage.reachable == 256
    with CostRecords(tmp_path / "campaign") as records:
        assert (records.pool().states == exact.states[kept]).all()
        for row in records.bugs():
            assert row.bug.found_by is not None and row.bug.found_by.path is not None


def test_lost_states_pass(tmp_path: Path) -> None:
    class Wrong:
        """Goes where no way leads on."""

        def choose(self, states: StateArray) -> ActionArray:
            """The first of all."""
            return np.where(states[:, 0] == 0, 0, -1).astype(np.int32)

    summary = run(tmp_path / "campaign", star_task(3), policy=Wrong())
    assert (summary.bugs, summary.judged) == (1, 4)
    assert (summary.coverage.reachable, summary.coverage.with_plan) == (4, 2)


def test_where_no_plan_exists_nothing_is_tested(tmp_path: Path) -> None:
    task = line_task(3)
    hopeless = replace_goal(task)
    summary = run(tmp_path / "campaign", hopeless)
    assert (summary.judged, summary.bugs, summary.exit_code) == (0, 0, NOTHING_TESTED)
    assert summary.reason == "no plan exists"
    assert summary.outcome is CampaignResult.NOTHING
    assert str(summary.verdict) == "no plan exists: nothing was tested"
    assert summary.coverage.with_plan == 0


def replace_goal(task: Task) -> Task:
    """A line whose last step is missing."""
    from bugsieve.tasks.grounded.loading import native_task
    from tests.reference.sas import parse, render

    sas = parse(task.to_sas())
    cut = replace(sas, operators=tuple(o for o in sas.operators if "right p1" not in o.name))
    return Task(native_task(render(cut).encode(), "cut"), name="cut")


def test_most_bugs_are_kept_without_their_certificates(
    task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(tmp_path / "full", task)
    monkeypatch.setattr(whole, "BUGS_IN_FILES", 20)
    run(tmp_path / "cut", task, stop=StopRules(max_bugs=30))
    with Campaign.open(tmp_path / "cut", stop=StopRules()) as campaign:
        campaign.run()
    with CostRecords(tmp_path / "cut") as records, CostRecords(tmp_path / "full") as full:
        rows = records.bugs()
        certificates = [row.bug for row in full.bugs()]
    assert [row.bug for row in rows] == certificates
    kept = [row for row in rows if not row.is_brief]
    causes = Counter(row.cause for row in rows)
    assert rows[:20] == kept[:20] and 20 <= len(kept) < len(rows) / 2
    assert Counter(row.cause for row in kept) >= Counter({c: min(3, causes[c]) for c in causes})
    assert len(export_bugs(tmp_path / "cut", tmp_path / "some", every=False)) == len(kept)
    assert len(export_bugs(tmp_path / "cut", tmp_path / "all")) == len(rows)
    sizes = [size_of_bugs(tmp_path / name) for name in ("cut", "full")]
    assert sizes[0] < 0.7 * sizes[1]


def size_of_bugs(folder: Path) -> int:
    with sqlite3.connect(folder / "campaign.sqlite") as store:
        ((size,),) = store.execute("SELECT SUM(length(bug)) FROM bugs").fetchall()
    return int(size)


def test_a_brief_bug_that_was_forged_is_refused(
    task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(whole, "BUGS_IN_FILES", 0)
    monkeypatch.setattr(whole, "_OF_EACH_CAUSE", 0)
    run(tmp_path / "campaign", task, stop=StopRules(max_bugs=2))
    with CostRecords(tmp_path / "campaign") as records:
        short = brief(records.bugs()[0].bug.to_json())
    for part in ({"operators": [task.num_operators]}, {"operators": ["x"]}, {}, 7):
        forged = {**short, "brief": {**short["brief"], "plan": part}}
        with sqlite3.connect(tmp_path / "campaign" / "campaign.sqlite") as store:
            store.execute("UPDATE bugs SET bug = ? WHERE rowid = 1", (packed(forged),))
        with CostRecords(tmp_path / "campaign") as records, pytest.raises(InputError):
            records.bugs()
