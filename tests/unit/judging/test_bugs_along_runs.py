"""States along the policy's runs: test states, and bugs that are carried back to those before."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bugsieve.base.errors import InputError
from bugsieve.campaigns.campaign import Campaign, summary_of
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.options import CostOptions
from bugsieve.campaigns.python_calls.find import find_bugs
from bugsieve.campaigns.salvage import salvage_campaign
from bugsieve.campaigns.stop_rules import StopRules
from bugsieve.campaigns.store.schema import STORE_FILE
from bugsieve.checkers.cost import check
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.replay import ReplayStatus, replay
from bugsieve.pipeline.objectives import make_objective
from bugsieve.pipeline.objectives.objective import path_states
from bugsieve.pipeline.oracles.lookahead import LookaheadOracle
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.policies.registry import make_policy
from bugsieve.tasks.grounded.task import NO_ACTION, Task
from bugsieve.tasks.search import Limits
from tests.unit.campaigns.contents import contents, verdicts
from tests.unit.campaigns.interrupting import interrupted
from tests.unit.fuzzing.tasks import PlacePolicy
from tests.unit.policies.generated import generated_task
from tests.unit.policies.line import line_task

FUZZ = FuzzOptions(pool_size=40, round_walks=8, novelty=0, bias="uniform", seed=5, along_runs=True)


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> Task:
    return generated_task(tmp_path_factory.mktemp("task"), "gripper", seed=1, balls=3)


def options(**changes: Any) -> CostOptions:
    """Oracles that find little at first, and a search that finds the rest later."""
    usual = {
        "task": (),
        "policy": "random:4",
        "oracles": ("lookahead:1", "planner:gbfs-6"),
        "limits": Limits(expansions=6),
        "escalate_to": 600,
        "fuzz": FUZZ,
    }
    return CostOptions(**{**usual, **changes})


def kept(folder: Path) -> dict[str, Any]:
    """All that a campaign with carried bugs keeps, without times."""
    with CostRecords(folder) as records:
        tables = ("visits", "sightings")
        rows = {name: list(records._rows(f"SELECT * FROM {name}")) for name in tables}
        search = [verdicts(records, "planner:gbfs", level) for level in (1, 2)]
    return {**contents(folder), **rows, "search": search}


@pytest.fixture(scope="module")
def whole(task: Task, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole") / "campaign"
    Campaign.create(folder, options(), task).run()
    return folder


@pytest.fixture(scope="module")
def reference(whole: Path) -> dict[str, Any]:
    return kept(whole)


class Stops(PlacePolicy):
    """Goes right along a line, and stops before the goal at the end."""

    spec = "stops"

    def __init__(self, task: Task) -> None:
        last = task.domain_sizes[0] - 2
        super().__init__(lambda place: NO_ACTION if place == last else place)


def on_line(folder: Path, places: int, **changes: Any) -> None:
    """Test the policy that stops from the left end; one step of lookahead sees the goal."""
    task = line_task(places)
    usual = {"policy": "stops", "oracles": ("lookahead:1",), "escalate_to": 0}
    made = options(**{**usual, "fuzz": replace(FUZZ, pool_size=places - 1), **changes})
    Campaign.create(folder, made, task, policy=Stops(task)).run()


def test_bugs_on_a_run_are_carried_back_without_an_oracle(tmp_path: Path) -> None:
    on_line(tmp_path / "campaign", 6)
    with CostRecords(tmp_path / "campaign") as records:
        pool, rows, said = records.pool(), records.bugs(), records.verdicts("lookahead:1")
        sightings = records._rows("SELECT visit, position, bug FROM sightings ORDER BY visit")
    assert pool.states[:, 0].tolist() == [0, 4, 3, 2, 1]  # the run is judged last first
    assert pool.parents.tolist() == [-1, 0, 0, 0, 0]
    # Place 0 was judged before anybody knew of the bug, the others after it.
    assert (said.numbers.tolist(), said.outcomes.tolist()) == ([0, 1], ["inconclusive", "bug"])
    assert [(row.case, row.found) for row in rows] == [(0, 1), (1, 1), (2, 2), (3, 3), (4, 4)]
    found = rows[1].id
    assert [tuple(row) for row in sightings] == [(2, 1, found), (3, 2, found), (4, 3, found)]
    for row in rows:
        assert row.finders == (row.bug.oracle,) == ("lookahead:1",)
        assert row.bug.certificate["plan"]["cost"] == 5 - pool.states[row.case, 0]
        assert row.bug.reason.startswith("carried back from test state 1") == (row.case != 1)
        check(line_task(6).to_sas(), row.bug.certificate)


@pytest.mark.parametrize("batch_size", [1, 2, 7, 256])
def test_judges_are_spared_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, batch_size: int
) -> None:
    asked: list[int] = []
    judge = LookaheadOracle.judge

    def counting(self: LookaheadOracle, suspects: Any) -> Any:
        asked.extend(suspects.states[:, 0].tolist())
        return judge(self, suspects)

    monkeypatch.setattr(LookaheadOracle, "judge", counting)
    on_line(tmp_path / "campaign", 9, batch_size=batch_size)
    assert asked == [0, 7]


def test_runs_of_unknown_value_are_left_alone(tmp_path: Path) -> None:
    on_line(tmp_path / "campaign", 9, step_limit=3, fuzz=replace(FUZZ, pool_size=100))
    with CostRecords(tmp_path / "campaign") as records:
        pool, runs = records.pool(), records.runs()
        numbers = {int(state[0]): number for number, state in enumerate(pool.states)}
        bugs = {int(pool.states[row.case, 0]) for row in records.bugs()}
    assert np.isnan(runs.values[[numbers[place] for place in (0, 1, 3)]]).all()
    assert bugs == {5, 6, 7}  # from 4 on, a run of three steps is known to fail


def test_states_along_runs_are_off_unless_asked_for() -> None:
    assert not FuzzOptions().along_runs
    task = line_task(6)
    carried = [
        sum("carried back" in bug.reason for bug in find_bugs(task, Stops(task), along_runs=along))
        for along in (False, True)
    ]
    assert carried[0] == 0 < carried[1]


@pytest.mark.parametrize(
    "changes",
    [
        {"batch_size": 1},
        {"batch_size": 7},
        {"workers": 2},
        {"workers": 2, "batch_size": 7},
        {"mode": "separate"},
    ],
    ids=str,
)
def test_batches_and_workers_do_not_matter(
    tmp_path: Path, task: Task, reference: dict[str, Any], changes: dict[str, Any]
) -> None:
    Campaign.create(tmp_path / "campaign", options(**changes), task).run()
    assert kept(tmp_path / "campaign") == reference


@pytest.mark.parametrize("cut", [0, 1, 3, 10, 30])
def test_an_interrupted_campaign_goes_on_as_if_it_had_not_been(
    tmp_path: Path, task: Task, reference: dict[str, Any], cut: int
) -> None:
    folder = tmp_path / "campaign"
    interrupted(Campaign.create(folder, options(batch_size=3), task), cut)
    Campaign.open(folder).run()
    assert kept(folder) == reference


@pytest.mark.parametrize("most", range(1, 36, 5))
def test_a_visit_that_is_cut_in_the_middle_of_its_bugs_is_made_again(
    tmp_path: Path, task: Task, reference: dict[str, Any], most: int
) -> None:
    folder = tmp_path / "campaign"
    Campaign.create(folder, options(stop=StopRules(max_bugs=most)), task).run()
    found = [(row.id, row.found) for row in contents(folder)["bugs"]]
    assert found == [(row.id, row.found) for row in reference["bugs"][:most]]
    Campaign.open(folder, stop=StopRules()).run()
    assert kept(folder) == reference


def test_bugs_are_carried_at_visits_of_every_kind(reference: dict[str, Any]) -> None:
    visits = {number: (case, effort) for number, case, effort in reference["visits"]}
    ways = {"at its visit": 0, "to one before": 0, "with more effort": 0}
    for row in reference["bugs"]:
        case, effort = visits[row.found]
        if "carried back" in row.bug.reason and not row.changed > row.found:
            way = "at its visit" if case == row.case else "to one before"
            ways["with more effort" if effort else way] += 1
    assert all(ways.values()), ways


def test_a_spared_case_has_no_verdict(reference: dict[str, Any]) -> None:
    spared = {visit for visit, _, _ in reference["sightings"]}
    cases = {case for number, case, _ in reference["visits"] if number in spared}
    assert cases and cases <= {row.case for row in reference["bugs"]}
    for said in reference["verdicts"]:
        assert cases.isdisjoint(said[1]) and len(cases) + len(said[1]) == FUZZ.pool_size


@pytest.mark.parametrize("objective", ["quantitative", "qualitative"])
@pytest.mark.parametrize("policy", ["random:4", "hill-climbing:hadd"])
def test_whoever_runs_into_a_bug_is_one_with_no_smaller_gap(
    tmp_path: Path, task: Task, policy: str, objective: str
) -> None:
    """By going over all pairs of cases, and asking the checker and the policy once more."""
    folder = tmp_path / "campaign"
    made = options(policy=policy, objective=objective, escalate_to=0)  # nobody finds the rest
    Campaign.create(folder, made, task).run()
    with CostRecords(folder) as records:
        states, runs = records.pool().states, records.whole_runs()
        bugs = {states[row.case].tobytes(): row.bug for row in records.bugs()}
    bench = Bench(task, make_policy(policy, task), make_objective(objective, task))
    met = 0
    for number, run in runs.items():
        assert run.whole is not None
        path = path_states(task, states[number], tuple(run.whole["operators"]))
        own = bugs.get(states[number].tobytes())
        for state in path[1:]:
            ahead = bugs.get(state.tobytes())
            if ahead is not None:
                assert own is not None and own.gap >= ahead.gap
                met += 1
    assert met > 10
    for bug in bugs.values():
        check(task.to_sas(), bug.certificate)
        assert replay(bench, bug.certificate).status is ReplayStatus.STILL_FAILS


def test_all_states_of_runs_that_can_be_bugs_are_test_states(tmp_path: Path, task: Task) -> None:
    fuzz = replace(FUZZ, pool_size=100_000, round_walks=4, patience=1, walk_length=2)
    folder = tmp_path / "campaign"
    stop = StopRules(max_bugs=1)
    Campaign.create(folder, options(fuzz=fuzz, stop=stop, mode="pool", oracles=()), task).run()
    with CostRecords(folder) as records:
        states, runs = records.pool().states, records.whole_runs()
    pool = {state.tobytes() for state in states}
    assert len(pool) == len(states) == len(runs)
    for number, run in runs.items():
        assert run.whole is not None
        path = path_states(task, states[number], tuple(run.whole["operators"]))
        worth = path[~task.is_goal(path)]
        assert {state.tobytes() for state in worth} <= pool


def test_salvaging_knows_who_was_spared(
    tmp_path: Path, whole: Path, reference: dict[str, Any]
) -> None:
    salvaged = salvage_campaign(whole, tmp_path / "salvaged")
    assert salvaged.damage is None and salvaged.visits == len(reference["visits"])
    assert kept(tmp_path / "salvaged") == reference


@pytest.mark.parametrize("operator", [-1, 10**6, 10**12])
def test_a_run_that_is_none_of_the_task_is_damage(
    tmp_path: Path, whole: Path, operator: int
) -> None:
    folder = tmp_path / "campaign"
    shutil.copytree(whole, folder)
    with closing(sqlite3.connect(folder / STORE_FILE)) as store, store:
        store.execute(f"UPDATE runs SET whole = json_set(whole, '$.operators[0]', {operator})")
    with pytest.raises(InputError, match="table runs: a run is none of the task"):
        Campaign.open(folder).run()


def test_a_pool_that_is_taken_over_stays_as_it_is(tmp_path: Path, task: Task) -> None:
    Campaign.create(tmp_path / "pool", options(mode="pool", oracles=()), task).run()
    taken = options(pool_from=str(tmp_path / "pool"), oracles=("planner:gbfs-20",), escalate_to=0)
    Campaign.create(tmp_path / "campaign", taken, task).run()
    pool, found = contents(tmp_path / "pool"), contents(tmp_path / "campaign")
    assert found["pool"] == pool["pool"]
    assert any("carried back" in row.bug.reason for row in found["bugs"])


def test_the_summary_tells_of_spared_cases(whole: Path, reference: dict[str, Any]) -> None:
    assert summary_of(whole).carried == len(reference["sightings"]) > 0
