"""Runs that never come back to a state: endings, limits, certificates, and what looks at them."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bugsieve.base.errors import InternalError, UnsupportedError
from bugsieve.campaigns.cost.green import stored_green
from bugsieve.campaigns.cost.green_replay import replay_green
from bugsieve.campaigns.greens import GreenStatus
from bugsieve.campaigns.python_calls.find import find_bugs
from bugsieve.checkers.cost import CertificateError, check
from bugsieve.checkers.green import check_green
from bugsieve.explanation.blame.blame import blame
from bugsieve.explanation.examples.smallest import smallest_example
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.bug import make_bug
from bugsieve.pipeline.bugs.certificate import certificate_of
from bugsieve.pipeline.bugs.later_start import objection
from bugsieve.pipeline.bugs.replay import ReplayStatus, replay
from bugsieve.pipeline.objectives import make_objective
from bugsieve.pipeline.oracles.registry import make_oracle
from bugsieve.policies.avoiding_runs import AvoidingRuns
from bugsieve.policies.call_counter import CallsSpent
from bugsieve.policies.decisions import Ending
from bugsieve.policies.runs import run_policy, runs_of
from bugsieve.tasks.grounded.task import NO_ACTION, ActionArray, StateArray, Task
from bugsieve.tasks.search import exact_costs
from tests.property.strategies import SMALL, seeded_task
from tests.unit.policies.generated import generated_task
from tests.unit.policies.line import as_task, at, line_task

Score = Callable[[StateArray], "list[float]"]
"""Of all successors of a state together, the lower the better."""


class Avoiding:
    """Takes the successor of least score that its run has not visited."""

    spec = "avoiding"

    def __init__(self, task: Task, score: Score) -> None:
        self.task = task
        self.score = score
        self.asked: list[int] = []

    def choose(self, states: StateArray) -> ActionArray:
        return self.run_source(self.task).first_actions(states)

    def run_source(self, task: Task) -> AvoidingRuns:
        return AvoidingRuns(task, self._prefer)

    def _prefer(self, successors: StateArray, operators: ActionArray, offsets: Any) -> ActionArray:
        self.asked.append(len(offsets) - 1)
        chosen = []
        for low, high in pairwise(offsets.tolist()):
            scores = self.score(successors[low:high])
            pairs = zip(scores, operators[low:high].tolist(), strict=True)
            chosen.append(min(pairs, default=(0.0, NO_ACTION))[1])
        return np.array(chosen, dtype=np.int32)


def erratic(seed: int) -> Score:
    """Scores that depend on which other successors there are, as those of a network do."""

    def score(states: StateArray) -> list[float]:
        rows = [row.tobytes() for row in states]
        whole = b"".join(sorted(rows))
        return [float(sha256(b"%d" % seed + whole + row).digest()[0]) for row in rows]

    return score


def expected(task: Task, start: StateArray, score: Score, limit: int) -> tuple[Ending, list[int]]:
    """The run as anybody would write it down."""
    visited, state, actions = {start.tobytes()}, start, list[int]()
    while not task.is_goal(state[None])[0]:
        if len(actions) == limit:
            return Ending.STEP_LIMIT, actions
        successors, operators, _ = task.all_successors(state[None])
        new = [n for n, row in enumerate(successors) if row.tobytes() not in visited]
        if not new:
            return Ending.NO_ACTION, actions
        scores = score(successors[new])
        best = min(range(len(new)), key=lambda n: (scores[n], operators[new[n]]))
        actions.append(int(operators[new[best]]))
        state = successors[new[best]]
        visited.add(state.tobytes())
    return Ending.SOLVED, actions


@pytest.mark.parametrize("seed", range(25))
def test_runs_are_those_of_the_plain_loop(seed: int) -> None:
    task = as_task(seeded_task(seed, SMALL))
    score = erratic(seed)
    states = exact_costs(task).states[:60]
    source = Avoiding(task, score).run_source(task)
    for limit in (3, 1, 50, 3):  # lower limits first leave runs open, which go on later
        table = source.table(states, step_limit=limit)
        assert len(table.paths) == len(states)
        for state, run in zip(states, runs_of(table), strict=True):
            ending, actions = expected(task, state, score, limit)
            assert (run.ending, list(run.actions)) == (ending, actions)
            assert run.cost == task.operator_costs[actions].sum()
            assert run.loop_start is None
            rows = {row.tobytes() for row in run.states(task)}
            assert len(rows) == len(actions) + 1


def test_batches_change_nothing() -> None:
    task = as_task(seeded_task(3, SMALL))
    states = exact_costs(task).states
    whole = runs_of(Avoiding(task, erratic(1)).run_source(task).table(states, step_limit=99))
    for row in (0, len(states) // 2, len(states) - 1):
        policy = Avoiding(task, erratic(1))
        (alone,) = run_policy(task, policy, states[row], step_limit=99)
        assert (alone.ending, alone.actions) == (whole[row].ending, whole[row].actions)


def leftwards(states: StateArray) -> list[float]:
    return [float(row[0]) for row in states]


def test_a_run_ends_where_all_has_been_visited() -> None:
    """From p2 it goes to p0, where the only way leads back."""
    task = line_task(5)
    policy = Avoiding(task, leftwards)
    (run,) = run_policy(task, policy, at(2))
    assert (run.ending, len(run.actions)) == (Ending.NO_ACTION, 2)
    assert run.detail == "1 successor, all of them visited before"
    source = policy.run_source(task)
    table = source.table(at(2), step_limit=2)
    assert table.endings[0] == Ending.STEP_LIMIT, "the end is seen by asking once more"
    assert source.calls.made == 2
    assert source.table(at(2), step_limit=3).endings[0] == Ending.NO_ACTION
    assert source.calls.made == 3, "what is known is not asked again"
    assert source.table(at(4), step_limit=1).solved.all() and source.calls.made == 3
    with pytest.raises(InternalError):
        source.loop_start(0)


def test_a_budget_of_calls_is_kept() -> None:
    task = line_task(30)
    source = Avoiding(task, leftwards).run_source(task)
    source.calls.most = 4
    with pytest.raises(CallsSpent):
        source.table(at(9), step_limit=99)
    assert source.calls.made == 4
    source.calls.most = None
    assert source.table(at(9), step_limit=99).steps[0] == 9
    assert source.calls.made == 10


def test_what_it_does_first() -> None:
    task = line_task(4)
    policy = Avoiding(task, leftwards)
    names = [task.operator_names[n] for n in policy.choose(at(2, 0, 1))]
    assert names == ["(left p2)", "(right p0)", "(left p1)"]


def stuck_bench() -> Bench:
    task = line_task(5)
    return Bench(task, Avoiding(task, leftwards), make_objective("quantitative", task))


def stuck_certificate(bench: Bench) -> dict[str, Any]:
    suspects = bench.suspects(at(2))
    (verdict,) = make_oracle("planner:astar-lmcut", bench).judge(suspects)
    assert verdict.is_bug
    return certificate_of(bench, at(2)[0], verdict)


def test_its_bugs_are_proven_and_replayed() -> None:
    bench = stuck_bench()
    certificate, sas = stuck_certificate(bench), bench.task.to_sas()
    run = certificate["run"]
    assert run["avoids_visited"] is True and run["ending"] == "no action"
    check(sas, certificate)
    assert replay(bench, certificate).status is ReplayStatus.STILL_FAILS
    found = blame(bench, certificate)
    assert found.better_run and found.index == 0, "the first step away from the goal"
    assert objection(certificate) == "from there the policy would avoid fewer states"
    other = Bench(
        bench.task, Avoiding(bench.task, lambda states: [-float(s[0]) for s in states]),
        bench.objective,
    )  # fmt: skip
    assert replay(other, certificate).status is ReplayStatus.FIXED


def test_claims_that_the_checker_refuses() -> None:
    bench = stuck_bench()
    certificate, sas = stuck_certificate(bench), bench.task.to_sas()
    run = certificate["run"]
    cost = run["cost"]
    assert run["actions"] == ["(left p2)", "(left p1)"]
    short = {"operators": run["operators"][:1], "actions": run["actions"][:1], "cost": cost - 1}
    again = bench.task.operator_names.index("(right p0)")
    back = {
        "operators": [*run["operators"], again],
        "actions": [*run["actions"], "(right p0)"],
        "cost": cost + 1,
    }
    for change, sentence in (
        ({"avoids_visited": False}, "'avoids_visited' must be true or left out"),
        ({"follows_plan": True}, "a run that follows a plan avoids no state"),
        ({**back, "ending": "loop", "loop_start": 1}, "goes round in no loop"),
        (back, "ends where it was before"),
        (short, "leads to a state not visited before"),
        ({"ending": "solved"}, "must end in its first goal state"),
    ):
        with pytest.raises(CertificateError, match=sentence):
            check(sas, {**certificate, "run": {**run, **change}})


def test_the_start_of_a_bug_is_not_moved() -> None:
    """From a later state of the run the policy would go another way."""
    bench = stuck_bench()
    oracle = make_oracle("planner:astar-lmcut", bench)
    (verdict,) = oracle.judge(bench.suspects(at(2)))
    bug = make_bug(bench, at(2)[0], verdict, oracle="planner:astar-lmcut")
    assert bench.runs(at(0)).solved.all(), "where the run from p2 ends"
    smaller = smallest_example(bench, bug, "bound to its task")
    assert smaller.steps_later == 0
    check(bench.task.to_sas(), smaller.bug.certificate)


@pytest.mark.parametrize("whole", ["yes", "no"])
def test_campaigns(tmp_path: Path, whole: str) -> None:
    """Every bug holds before the checker, and those of all states are what brute force says."""
    task = generated_task(tmp_path, "gripper", balls=2)
    score = erratic(5)
    costs = exact_costs(task)
    options: dict[str, Any] = {"whole": whole} if whole == "yes" else {"pool_size": 25}
    bugs = find_bugs(task, Avoiding(task, score), folder=tmp_path / "c", **options)
    assert len(bugs) > 5
    for bug in bugs:
        check(task.to_sas(), bug.certificate)
        assert bug.certificate["run"]["avoids_visited"] is True
        start = np.array(bug.certificate["state"], dtype=np.uint16)
        ending, actions = expected(task, start, score, 10_000)
        run = bug.certificate["run"]
        assert (run["ending"], run["operators"]) == (ending.label, actions)
    if whole == "yes":
        wrong = 0
        for state, best in zip(costs.states, costs.to_go(costs.states), strict=True):
            ending, actions = expected(task, state, score, 10_000)
            spent = task.operator_costs[actions].sum()
            wrong += ending is not Ending.SOLVED or spent > best
        assert len(bugs) == wrong


def test_a_green_is_certified_with_whole_runs(tmp_path: Path) -> None:
    task = generated_task(tmp_path, "gripper", balls=2)
    costs = exact_costs(task)
    policy = Avoiding(task, lambda states: costs.to_go(states).tolist())
    bugs = find_bugs(task, policy, folder=tmp_path / "c", whole="yes")
    assert not len(bugs)
    green = stored_green(tmp_path / "c")
    assert green is not None and "operators" in green["columns"]
    assert check_green(task.to_sas(), green).states == len(costs)
    for other, status, changed in (
        (policy, GreenStatus.PROOF_HOLDS, False),
        (Avoiding(task, erratic(5)), GreenStatus.PROOF_LOST, True),
    ):
        bench = Bench(task, other, make_objective("quantitative", task))
        again = replay_green(bench, green)
        assert (again.status, again.changed > 0) == (status, changed)


def test_what_needs_the_state_alone_objects(tmp_path: Path) -> None:
    task = line_task(5)
    policy = Avoiding(task, leftwards)
    with pytest.raises(UnsupportedError, match="looks at the state alone"):
        Bench(task, policy, make_objective("probability", task))
    bench = Bench(task, policy, make_objective("quantitative", task))
    assert bench.objection_to_graph is not None
