"""Smaller bugs: a later start and a shorter way to it."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from bugsieve.benches.bench import Bench, Suspects
from bugsieve.benches.objectives import make_objective
from bugsieve.benches.objectives.objective import path_states
from bugsieve.bugs.cost.bug import FoundBy, make_bug
from bugsieve.bugs.cost.minimise import minimise, shorter_path
from bugsieve.bugs.cost.verdict import Verdict, inconclusive
from bugsieve.checkers.cost import check
from bugsieve.search import Limits
from bugsieve.tasks.fdr.task import Task
from tests.unit.bugs.samples import (
    LONG,
    Sample,
    TablePolicy,
    fork_task,
    line_bench,
    make_sample,
    proven,
)
from tests.unit.policies.line import at, line_task


class TrueJudge:
    """Knows the truth about every state of a sample."""

    spec = "truth"

    def __init__(self, sample: Sample) -> None:
        self.sample = sample
        self.judged = 0

    def judge(self, suspects: Suspects) -> list[Verdict]:
        self.judged += len(suspects)
        return [self.sample.verdict(state) or inconclusive("fine") for state in suspects.states]


def sample_of(bench: Bench) -> Sample:
    return Sample(bench, at(0), {})


def test_the_start_moves_to_the_last_state_from_which_the_policy_fails_as_badly() -> None:
    task = line_task(60)
    steps = dict.fromkeys(range(50), "right")
    bench = line_bench(task, steps)
    bug = make_bug(bench, at(0)[0], proven(bench, at(0)[0], tuple(range(59))), oracle="x")
    judge = TrueJudge(sample_of(bench))
    result = minimise(bench, judge, bug)
    assert result.steps_later == 50
    assert result.bug.certificate["state"] == [50]
    assert result.bug.certificate["run"]["ending"] == "no action"
    assert (result.bug.oracle, result.bug.found_by, result.path_saved) == ("truth", None, 0)
    assert judge.judged <= 16, "the run is judged from its end"
    check(task.to_sas(), result.bug.certificate)


def test_a_loop_starts_where_it_is_entered() -> None:
    task = line_task(9)
    bench = line_bench(task, {0: "right", 1: "right", 2: "right", 3: "left"})
    bug = make_bug(bench, at(0)[0], proven(bench, at(0)[0], tuple(range(8))), oracle="x")
    result = minimise(bench, TrueJudge(sample_of(bench)), bug)
    assert (result.steps_later, result.bug.certificate["state"]) == (2, [2])
    assert result.bug.certificate["run"]["loop_start"] == 0


def test_a_start_with_a_smaller_gap_is_not_taken() -> None:
    task = fork_task()
    policy = TablePolicy({(0,): 1, (1,): 2})
    bench = Bench(task, policy, make_objective("quantitative", task))
    bug = make_bug(bench, at(0)[0], proven(bench, at(0)[0], (0,)), oracle="x")
    result = minimise(bench, TrueJudge(sample_of(bench)), bug)
    assert (result.bug, result.steps_later) == (bug, 0)


def test_the_path_grows_with_the_start_and_is_shortened_again() -> None:
    task = line_task(12)
    bench = line_bench(task, {3: "left", 2: "left", 1: "left"})
    detour = (0, 1, 2, 3, task.operator_id("left p4"))
    bug = make_bug(
        bench,
        at(3)[0],
        proven(bench, at(3)[0], tuple(range(3, 11))),
        oracle="x",
        found_by=FoundBy(4, 2, detour),
    )
    result = minimise(bench, TrueJudge(sample_of(bench)), bug)
    assert result.steps_later == 3, "it gives up in p0 only"
    assert result.bug.found_by == FoundBy(4, 2, ())
    assert result.path_saved == len(detour) + 3


def test_limits_never_make_a_path_longer() -> None:
    task = line_task(30)
    circles = (0, task.operator_id("left p1")) * 5
    straight = tuple(range(20))
    detour = (*straight[:10], 10, task.operator_id("left p11"), *straight[10:])
    for limits in (Limits(expansions=0), Limits(expansions=3), Limits()):
        assert shorter_path(task, circles, limits=limits) == ()
        assert shorter_path(task, circles + straight, limits=limits) == straight
        assert shorter_path(task, detour, limits=limits) == straight, "circles go without search"
    assert shorter_path(task, ()) == ()


def test_paths_in_random_tasks_lead_to_the_same_state_in_as_few_steps_as_possible() -> None:
    shortened = 0
    for seed in range(25):
        task = make_sample(seed, shape=LONG).bench.task
        random = Random(seed)
        state, path = task.initial_state, []
        for _ in range(15):
            operators = task.applicable(state).operators.tolist()
            if not operators:
                break
            path.append(random.choice(operators))
            state = task.successors(state, [path[-1]])[0]
        short = shorter_path(task, path)
        assert path_states(task, task.initial_state, short)[-1].tolist() == state.tolist()
        assert len(short) == steps_between(task.initial_state.tolist(), state.tolist(), task)
        shortened += len(short) < len(path)
    assert shortened >= 10


def steps_between(start: list[int], end: list[int], task: Task) -> int:
    """Breadth-first search without any cleverness."""
    layer, steps, seen = {tuple(start)}, 0, {tuple(start)}
    while tuple(end) not in layer:
        after, _, _ = task.all_successors(np.array(sorted(layer), dtype=np.uint16))
        layer = {tuple(row) for row in after.tolist()} - seen
        seen |= layer
        steps += 1
    return steps


@pytest.mark.parametrize("objective", ["quantitative", "qualitative", "avoid"])
def test_random_bugs_keep_their_gap_and_their_proof(objective: str) -> None:
    moved = 0
    for seed in range(40):
        sample = make_sample(seed, shape=LONG, objective=objective, count=6)
        judge = TrueJudge(sample)
        for state, verdict in sample.bugs():
            bug = make_bug(sample.bench, state, verdict, oracle="x")
            result = minimise(sample.bench, judge, bug)
            check(sample.bench.task.to_sas(), result.bug.certificate)
            assert result.bug.gap >= bug.gap
            run = bug.certificate["run"]
            states = path_states(sample.bench.task, state, tuple(run["operators"]))
            if run["ending"] == "loop":
                states = states[: run["loop_start"] + 1]
            assert states[result.steps_later].tolist() == result.bug.certificate["state"]
            for later in states[result.steps_later + 1 :]:
                other = sample.verdict(later)
                assert other is None or other.gap < bug.gap
            moved += result.steps_later > 0
    assert moved >= 2
