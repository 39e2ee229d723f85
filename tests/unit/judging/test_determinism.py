"""Runs without a bug are asked about again: a policy that changes its answers is not green."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bugsieve.campaigns.campaign import Campaign, summary_of
from bugsieve.campaigns.cost.driver import CostDriver
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.options import CostOptions
from bugsieve.campaigns.python_calls.find import find_bugs
from bugsieve.campaigns.python_calls.measure import measure
from bugsieve.campaigns.stop_rules import StopRules
from bugsieve.campaigns.verdict import LEFT_OPEN, CampaignResult
from bugsieve.campaigns.wording import check_lines
from bugsieve.cli import main
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.judging import determinism
from bugsieve.pipeline.judging.determinism import CostDeterminism, JudgedRuns
from bugsieve.pipeline.judging.findings import DeterminismCheck, UnstableRow
from bugsieve.pipeline.objectives import make_objective
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.policies.decisions import Ending
from bugsieve.policies.distributions import Distributions
from bugsieve.tasks.grounded.task import NO_ACTION, ActionArray, StateArray, Task
from tests.unit.bugs.samples import TablePolicy
from tests.unit.campaigns.contents import contents
from tests.unit.campaigns.test_greens import BestPlans, best_policy
from tests.unit.policies.generated import generated_task

WALKS = FuzzOptions(pool_size=20, round_walks=8, novelty=0, bias="uniform", seed=5)


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> Task:
    """28 states."""
    return generated_task(tmp_path_factory.mktemp("task"), "gripper", balls=2)


def run(folder: Path, task: Task, policy: Any, **changes: Any) -> Any:
    options = CostOptions(**{"task": (), "policy": "table", **changes})
    return Campaign.create(folder, options, task, policy=policy).run()


class GivesUp(TablePolicy):
    """The best actions, but in one of a hundred answers, by chance, none."""

    def __init__(self, table: Any, seed: int) -> None:
        super().__init__(table)
        self._draws = random.Random(seed)

    def choose(self, states: StateArray) -> ActionArray:
        chosen = super().choose(states)
        tired = [self._draws.random() < 0.01 for _ in states]
        return np.where(tired, NO_ACTION, chosen).astype(np.int32)


class FailsLate(TablePolicy):
    """The best actions, until it has given 30 answers."""

    def choose(self, states: StateArray) -> ActionArray:
        before = self.asked
        chosen = super().choose(states)
        is_late = before + np.arange(len(states)) >= 30
        return np.where(is_late, NO_ACTION, chosen).astype(np.int32)


def test_a_policy_that_gives_up_now_and_then_is_found_out_with_every_seed(
    task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = best_policy(task).table
    codes = [run(tmp_path / f"{seed}", task, GivesUp(table, seed)).exit_code for seed in range(8)]
    assert 0 not in codes and LEFT_OPEN in codes
    monkeypatch.setattr(CostDriver, "ask_again", lambda driver, until: None)
    unchecked = [
        run(tmp_path / f"{seed}-unchecked", task, GivesUp(table, seed)).exit_code
        for seed in range(8)
    ]
    assert unchecked.count(0) >= 4


@pytest.mark.parametrize("whole", ["auto", "no"])
def test_a_policy_that_fails_late_is_found_out(task: Task, tmp_path: Path, whole: str) -> None:
    policy = FailsLate(best_policy(task).table)
    summary = run(tmp_path / "campaign", task, policy, whole=whole)
    assert (summary.bugs, summary.exit_code) == (0, LEFT_OPEN)
    check = summary.check
    assert check.differing > 0 and summary.changed == check.rows
    assert {row.second for row in check.rows} == {"no action"}
    assert summary.outcome is CampaignResult.UNSTABLE
    second, *_ = check_lines(summary)
    assert summary.verdict.sentence == (
        f"unstable: the policy gave different answers in {check.differing} of {check.states} "
        "states when asked again"
    )
    assert "then no action, in [" in second and "(at-robby" in second
    assert summary.coverage is None or not summary.coverage.is_proven


def test_what_was_found_out_is_stored(
    task: Task, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, policy = tmp_path / "campaign", FailsLate(best_policy(task).table)
    summary = run(folder, task, policy)
    again = summary_of(folder)
    assert (again.check, again.exit_code) == (summary.check, LEFT_OPEN)
    assert main(["status", str(folder)]) in (0, LEFT_OPEN)
    told = capsys.readouterr().out
    assert "when asked again" in told
    assert f"determinism check: {summary.asked_again} extra calls of the policy" in told
    asked = policy.asked
    resumed = Campaign.open(folder, policy=policy).run()
    assert (resumed.check, resumed.exit_code) == (summary.check, LEFT_OPEN)
    assert policy.asked == asked  # nothing is new


@pytest.mark.parametrize("options", [{}, {"whole": "no"}, {"fuzz": WALKS}], ids=str)
def test_a_steady_policy_stays_green_with_the_same_records(
    task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any]
) -> None:
    policy = best_policy(task)
    summary = run(tmp_path / "checked", task, policy, **options)
    check = summary.check
    assert (summary.outcome.is_fine, summary.exit_code, check.differing) == (True, 0, 0)
    assert check.is_complete and not check.cut
    assert policy.asked == summary.policy_calls + check.calls == summary.all_calls
    monkeypatch.setattr(CostDriver, "ask_again", lambda driver, until: None)
    before = run(tmp_path / "unchecked", task, best_policy(task), **options)
    assert before.check is None and before.exit_code == 0
    assert contents(tmp_path / "checked") == contents(tmp_path / "unchecked")


def test_a_green_is_asked_about_in_every_state(task: Task, tmp_path: Path) -> None:
    policy = best_policy(task)
    summary = run(tmp_path / "campaign", task, policy)
    assert summary.coverage.is_proven
    assert summary.check.states == summary.policy_calls == len(policy.table)


@pytest.mark.parametrize("policy", ["optimal", "optimal:plans"])
def test_members_of_ours_are_not_asked_again(task: Task, tmp_path: Path, policy: str) -> None:
    options = CostOptions(task=(), policy=policy)
    summary = Campaign.create(tmp_path / "campaign", options, task).run()
    assert summary.coverage is not None and summary.coverage.is_proven
    assert summary.check is None and not summary.asked_again


def test_a_session_that_was_killed_is_made_up_for(task: Task, tmp_path: Path) -> None:
    folder, table = tmp_path / "campaign", best_policy(task).table
    cut = pytest.MonkeyPatch()
    with cut.context() as patch:
        patch.setattr(CostDriver, "ask_again", lambda driver, until: None)
        assert run(folder, task, FailsLate(table)).exit_code == 0
    late = FailsLate(table)
    late.asked = 30
    summary = Campaign.open(folder, policy=late).run()
    assert summary.exit_code == LEFT_OPEN
    assert summary.check.differing and "solved after" in summary.check.rows[0].first


def test_new_cases_are_asked_about_when_a_campaign_goes_on(task: Task, tmp_path: Path) -> None:
    folder, policy = tmp_path / "campaign", best_policy(task)
    few = run(folder, task, policy, fuzz=WALKS, stop=StopRules(max_calls=20))
    assert few.exit_code == 0 and few.all_calls <= 20
    more = Campaign.open(folder, policy=policy, stop=StopRules()).run()
    assert more.check.cases > few.check.cases and more.check.is_complete


@pytest.mark.parametrize("most", [10, 40, 200])
def test_the_budget_of_calls_holds_for_both(task: Task, tmp_path: Path, most: int) -> None:
    policy = best_policy(task)
    summary = run(tmp_path / "campaign", task, policy, fuzz=WALKS, stop=StopRules(max_calls=most))
    assert policy.asked == summary.all_calls <= most
    assert summary.check.states and summary.exit_code == 0
    if summary.check.cut:
        (line,) = check_lines(summary)
        assert line.endswith(
            f"; {summary.check.states} of {summary.check.wanted} states wanted (--max-calls)"
        )


def test_a_green_that_could_not_be_checked_is_none(task: Task, tmp_path: Path) -> None:
    summary = run(
        tmp_path / "campaign",
        task,
        best_policy(task),
        fuzz=replace(WALKS, pool_size=1),
        stop=StopRules(max_calls=6),
    )
    assert summary.exit_code == LEFT_OPEN
    assert (
        summary.verdict.sentence == "undecided: the policy could not be asked again (--max-calls)"
    )


def test_a_task_is_not_tested_whole_if_each_state_cannot_be_asked_about_twice(
    task: Task, tmp_path: Path
) -> None:
    states = len(best_policy(task).table) + 2
    for most, is_whole in ((2 * states - 1, False), (2 * states, True)):
        options = CostOptions(task=(), policy="table", stop=StopRules(max_calls=most))
        campaign = Campaign.create(tmp_path / str(most), options, task, policy=best_policy(task))
        assert campaign.header.reachable is not None
        assert campaign.header.reachable.is_whole is is_whole
        summary = campaign.run()
        assert summary.all_calls <= most
        if is_whole:
            assert summary.coverage.is_proven and summary.check.is_complete


def test_no_time_left_is_said(task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bugsieve.campaigns.session.seconds_to_check", lambda *_: 0.0)
    summary = run(tmp_path / "campaign", task, best_policy(task), stop=StopRules(max_time=60.0))
    assert summary.check.cut == "--max-time"
    assert not summary.coverage.is_proven
    assert summary.exit_code == LEFT_OPEN
    assert summary.verdict.sentence.endswith("could not be asked again (--max-time)")


class ByOrder(TablePolicy):
    """Takes the last best action where sets have another order."""

    hash_seed = 0

    def __init__(self, table: Any, others: Any) -> None:
        super().__init__(table)
        self._others = TablePolicy(others)

    def decide_anew(self, states: StateArray, *, hash_seed: int | None = None) -> Any:
        from bugsieve.policies.decisions import Decisions

        chosen = self if hash_seed in (None, 0) else self._others
        return Decisions(chosen.choose(states))


def test_the_order_of_sets_is_told(task: Task, tmp_path: Path) -> None:
    table = dict(best_policy(task).table)
    state = tuple(task.initial_state.tolist())
    usual = table[state]
    others = [n for n in task.applicable(task.initial_state[None])[0].tolist() if n != usual]
    policy = ByOrder(table, {**table, state: others[0]})
    summary = run(tmp_path / "campaign", task, policy)
    (row,) = summary.check.rows
    assert (row.first, row.cause) == (task.operator_names[usual], "--hash-seed 0")
    assert summary.exit_code == LEFT_OPEN
    assert "  answers depend on set order: these are for --hash-seed 0" in check_lines(summary)


class TwoPlans(BestPlans):
    """Makes no plan for one state once it has been asked some times."""

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        self.made = 0

    def _plan(self, state: StateArray) -> tuple[str, ...]:
        self.made += 1
        return super()._plan(state) if self.made <= 30 else ()


def test_of_plans_whole_runs_are_made_again(task: Task, tmp_path: Path) -> None:
    assert run(tmp_path / "steady", task, BestPlans(task)).check.is_complete
    summary = run(tmp_path / "campaign", task, TwoPlans(task))
    assert summary.exit_code == LEFT_OPEN and summary.check.differing


class Draws(TablePolicy):
    """Gives all applicable actions some weight; after a while other weights."""

    gives_weights = True

    def __init__(self, task: Task, *, most: int) -> None:
        super().__init__(best_policy(task).table)
        self._task, self._most = task, most

    def distributions(self, states: StateArray) -> Distributions:
        chosen = self.choose(states).tolist()
        weight = 1.0 if self.asked <= self._most else 0.5
        rows = []
        for state, best in zip(states, chosen, strict=True):
            operators = self._task.applicable(state[None])[0].tolist()
            rows.append(tuple((n, 2.0 if n == best else weight) for n in operators))
        return Distributions.of(rows)


def test_of_policies_that_draw_distributions_are_compared(task: Task, tmp_path: Path) -> None:
    given = {"objective": "probability", "fuzz": WALKS}
    steady = run(tmp_path / "steady", task, Draws(task, most=10**9), **given)
    assert steady.bugs == 0 and steady.check.is_complete and steady.exit_code == 0
    summary = run(tmp_path / "campaign", task, Draws(task, most=60), **given)
    assert summary.exit_code == LEFT_OPEN
    row = summary.check.rows[0]
    assert row.first != row.second and "," in row.first


def test_other_ways_to_a_verdict(task: Task, tmp_path: Path) -> None:
    policy = FailsLate(best_policy(task).table)
    bugs = find_bugs(task, policy)
    assert bugs and not len(bugs) and bugs.unstable
    late = FailsLate(best_policy(task).table)
    measured = measure(task, late, tests=100).bugs.summary
    assert (measured.bugs, measured.exit_code) == (0, LEFT_OPEN)
    steady = measure(task, best_policy(task), tests=100).bugs.summary
    assert steady.exit_code == 0 and steady.check is not None and steady.check.is_complete


PROGRAM = """\
import json, os, sys
TABLE = json.load(open(os.path.join(os.path.dirname(__file__), "table.json")))
asked = 0

def steady(facts, applicable):
    return TABLE.get(" ".join(sorted(facts)))

def late(facts, applicable):
    global asked
    asked += 1
    return steady(facts, applicable) if asked <= 30 else None
"""


def write_program(folder: Path, task: Task) -> Path:
    import json

    table = {}
    for state, action in best_policy(task).table.items():
        facts = task.facts(np.array(state, dtype=np.uint16)) - task.static_facts
        table[" ".join(sorted(facts))] = task.operator_names[action]
    (folder / "table.json").write_text(json.dumps(table))
    path = folder / "policy.py"
    path.write_text(PROGRAM)
    return path


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(("name", "code"), [("steady", 0), ("late", LEFT_OPEN)])
def test_programs_are_asked_in_two_processes(
    task: Task, tmp_path: Path, workers: int, name: str, code: int
) -> None:
    spec = f"python:{write_program(tmp_path, task)}:{name}"
    options = CostOptions(task=(), policy=spec, workers=workers)
    summary = Campaign.create(tmp_path / "campaign", options, task).run()
    assert summary.exit_code == code
    assert summary.check is not None and summary.check.states == 26
    with CostRecords(tmp_path / "campaign") as records:
        assert records.check() == summary.check


def test_states_that_are_given_are_asked_about_again(
    task: Task, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, sas = write_program(tmp_path, task), tmp_path / "task.sas"
    sas.write_text(task.to_sas())
    for name, code in (("steady", 0), ("late", LEFT_OPEN)):
        command = ["judge", str(sas), "--policy", f"python:{path}:{name}"]
        assert main(command) == code
        told = capsys.readouterr().out
        assert ("when asked again" in told) is (code == LEFT_OPEN)
        assert "determinism check: 7" in told or code


def test_at_least_so_many_runs_and_a_tenth_of_the_calls(
    task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(determinism, "FEWEST_RUNS", 3)
    policy = best_policy(task)
    bench = Bench(task, policy, make_objective("quantitative", task))
    states = np.array(list(policy.table), dtype=np.uint16)
    runs = bench.runs(states)
    ends = list(zip(runs.endings.tolist(), runs.steps.tolist(), runs.costs.tolist(), strict=True))
    judged = JudgedRuns(range(len(states)), states, ends)

    def asked(calls: int, *, everywhere: bool = False) -> int:
        again = CostDeterminism(bench, 1)
        return again.check(judged, calls=calls, everywhere=everywhere).states

    few, many = asked(10), asked(200)
    assert 3 <= few <= 3 * int(runs.steps.max()) and 20 <= many < len(states)
    assert asked(10**6) == asked(0, everywhere=True) == len(states)


def test_runs_that_end_otherwise_are_told(task: Task) -> None:
    policy = best_policy(task)
    bench = Bench(task, policy, make_objective("quantitative", task))
    states = task.initial_state[None]
    judged = JudgedRuns([7], states, [(int(Ending.LOOP), 3, 3)])
    check = CostDeterminism(bench).check(judged, calls=6, everywhere=False)
    (row,) = check.rows
    assert check.differing == 1
    assert (row.case, row.first) == (7, "loop after 3 steps of cost 3")
    assert row.second == "solved after 6 steps of cost 6"


def test_differences_stay_when_sessions_are_joined() -> None:
    row = UnstableRow(0, 0, "[]", "a", "b")
    old = DeterminismCheck(3, 5, 5, 9, 1, (row,))
    new = DeterminismCheck(6, 8, 8, 8, 0)
    assert new.joined(None) == new.joined(new) == new
    joined = new.joined(old)
    assert (joined.differing, joined.rows, joined.states, joined.cases) == (1, (row,), 13, 6)
    assert old.settles(3) and new.settles(6) and not new.settles(7)
    assert not replace(new, states=7, cut="--max-time").settles(6)


def test_records_of_strangers_are_checked(task: Task, tmp_path: Path) -> None:
    import sqlite3
    from contextlib import closing

    from bugsieve.base.errors import InputError
    from bugsieve.campaigns.store.schema import STORE_FILE

    folder = tmp_path / "campaign"
    run(folder, task, best_policy(task))
    for forged in ("[]", '{"cases": 1}', "no JSON"):
        with closing(sqlite3.connect(folder / STORE_FILE)) as store, store:
            store.execute("UPDATE meta SET value = ? WHERE name = 'determinism check'", (forged,))
        with pytest.raises(InputError, match="damaged"):
            summary_of(folder)
