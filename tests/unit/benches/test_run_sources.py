"""A policy that follows a plan to its end is no graph of states, and yet tested like others."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import numpy as np
import pytest

from bugsieve._native import StateRegistry
from bugsieve.base.errors import UnsupportedError
from bugsieve.campaigns.python_calls.find import find_bugs
from bugsieve.checkers.cost import check
from bugsieve.explanation.blame.blame import blame
from bugsieve.explanation.causes.cost import cause_of
from bugsieve.explanation.examples.smallest import smallest_example
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.biases.detour import Detour
from bugsieve.pipeline.biases.loopiness import Loopiness
from bugsieve.pipeline.biases.policy_quality import PolicyQuality
from bugsieve.pipeline.biases.surface import Surface
from bugsieve.pipeline.bugs.bug import make_bug
from bugsieve.pipeline.bugs.certificate import certificate_of
from bugsieve.pipeline.bugs.replay import ReplayStatus, replay
from bugsieve.pipeline.objectives import make_objective
from bugsieve.pipeline.oracles.registry import make_oracle
from bugsieve.policies.call_counter import CallCounter
from bugsieve.policies.decisions import Ending, Failure
from bugsieve.policies.graph import PolicyGraph
from bugsieve.policies.run_table import Ids, RunSource, RunTable
from bugsieve.tasks.grounded.task import NO_ACTION, ActionArray, StateArray, Task
from tests.unit.bugs.samples import LONG, Sample, make_sample
from tests.unit.policies.line import line_task

SEEDS = range(8)


class PlanFollower:
    """Makes a plan where it starts, a way at random that never comes back, and follows it."""

    spec = "plan-follower"

    def __init__(self, task: Task) -> None:
        self.task = task
        self._plans: dict[bytes, tuple[list[int], list[StateArray]]] = {}

    def plan(self, start: StateArray) -> tuple[list[int], list[StateArray]]:
        """The plan from a state, and the states on its way."""
        key = start.tobytes()
        if key not in self._plans:
            self._plans[key] = self._plan(start)
        return self._plans[key]

    def _plan(self, start: StateArray) -> tuple[list[int], list[StateArray]]:
        random = Random(str(start.tolist()))
        actions: list[int] = []
        states = [start]
        while not self.task.is_goal(states[-1]).all():
            after, operators, _ = self.task.all_successors(states[-1][None])
            seen = {state.tobytes() for state in states}
            ways = [row for row in range(len(after)) if after[row].tobytes() not in seen]
            if not ways:
                break
            row = random.choice(ways)
            actions.append(int(operators[row]))
            states.append(after[row])
        return actions, states

    def choose(self, states: StateArray) -> ActionArray:
        """What plans from the states begin with."""
        firsts = [(self.plan(state)[0] or [NO_ACTION])[0] for state in states]
        return np.array(firsts, dtype=np.int32)

    def run_source(self, task: Task) -> RunSource:
        """Its runs, for what it does depends on where it started."""
        return PlanRuns(self)


class PlanRuns:
    """The runs of a plan follower, numbered as they come."""

    def __init__(self, policy: PlanFollower) -> None:
        self.task = policy.task
        self.calls = CallCounter()
        self._policy = policy
        self._registry = StateRegistry(policy.task.native)
        self._runs: list[tuple[list[int], Ids]] = []

    def table(self, states: StateArray, *, step_limit: int) -> RunTable:
        batch = self.task.checked_states(states)
        first = len(self._runs)
        self._runs += [self._run(state, step_limit) for state in batch]
        ids = np.arange(first, len(self._runs))
        runs = [self._runs[number] for number in ids]
        costs = [int(self.task.operator_costs[actions].sum()) for actions, _ in runs]
        steps = np.array([len(actions) for actions, _ in runs], dtype=np.int64)
        goals = [bool(self.task.is_goal(self.states(path[-1:])).all()) for _, path in runs]
        endings = np.where(
            goals, Ending.SOLVED, np.where(steps == step_limit, Ending.STEP_LIMIT, 3)
        )
        return RunTable(ids, endings.astype(np.int8), steps, np.array(costs, np.int64), self)

    def _run(self, start: StateArray, step_limit: int) -> tuple[list[int], Ids]:
        actions, states = self._policy.plan(start)
        self.calls.add(1)
        path = np.array(self._registry.insert(np.stack(states)))
        return actions[:step_limit], path[: step_limit + 1]

    def paths(self, table: RunTable) -> list[Ids]:
        return [self._runs[number][1] for number in table.ids]

    def actions(self, table: RunTable) -> list[ActionArray]:
        return [np.array(self._runs[number][0], dtype=np.int32) for number in table.ids]

    def states(self, ids: Ids) -> StateArray:
        return self._registry.states(ids)

    def failure(self, run: int) -> Failure | None:
        return None

    def loop_start(self, run: int) -> int:
        raise AssertionError("plans never loop")


def sample_of(seed: int, objective: str) -> Sample:
    """A random task whose policy follows plans."""
    drawn = make_sample(seed, shape=LONG, objective=objective)
    task = drawn.bench.task
    goal = drawn.bench.objective
    return Sample(Bench(task, PlanFollower(task), goal), drawn.states, drawn.distances)


def samples(objective: str = "quantitative") -> Iterator[Sample]:
    return (sample_of(seed, objective) for seed in SEEDS)


def test_what_it_does_in_a_state_depends_on_where_it_started() -> None:
    differing = 0
    for sample in samples():
        runs = sample.bench.runs(sample.states)
        done: dict[int, set[int]] = {}
        for path, actions in zip(runs.paths, runs.actions(), strict=True):
            for state, action in zip(path.tolist(), actions.tolist(), strict=False):
                done.setdefault(state, set()).add(action)
        differing += sum(len(actions) > 1 for actions in done.values())
    assert differing > 50


@pytest.mark.parametrize("objective", ["quantitative", "qualitative", "avoid"])
@pytest.mark.parametrize("spec", ["lookahead", "planner:gbfs-20000", "perfect", "bounds"])
def test_bugs_are_proven_and_passes_right(objective: str, spec: str) -> None:
    found = passes = 0
    for sample in samples(objective):
        oracle = make_oracle(spec, sample.bench)
        verdicts = oracle.judge(sample.bench.suspects(sample.states))
        for state, verdict in zip(sample.states, verdicts, strict=True):
            truth = sample.verdict(state)
            if verdict.is_bug:
                certificate = certificate_of(sample.bench, state, verdict)
                check(sample.bench.task.to_sas(), certificate)
                assert truth is not None and verdict.gap <= truth.gap
                found += 1
            elif verdict.outcome.value == "pass":
                assert truth is None
                passes += 1
    assert found > 5 and (passes > 5 or spec == "lookahead")


def test_what_follows_a_bug_works_without_a_graph() -> None:
    bugs = 0
    for sample in samples():
        bench = sample.bench
        for state, verdict in sample.bugs():
            bug = make_bug(bench, state, verdict, oracle="told")
            assert replay(bench, bug.certificate).status is ReplayStatus.STILL_FAILS
            assert blame(bench, bug.certificate).better_run
            assert cause_of(bench, bug.certificate).ending
            smaller = smallest_example(bench, bug, "bound to its task").bug
            check(bench.task.to_sas(), smaller.certificate)
            bugs += 1
    assert bugs > 50


def test_biases_on_the_graph_object_and_the_others_do_not() -> None:
    task = line_task(4)
    bench = Bench(task, PlanFollower(task), make_objective("quantitative", task))
    usual = Bench(task, PlanFollower(task), bench.objective, source=PolicyGraph)
    for bias in (Loopiness, Detour, Surface):
        assert bias.objection(bench) == (
            "it needs the policy's graph, but here the policy looks at more than the state"
        )
        assert bias.objection(usual) is None
    assert PolicyQuality.objection(bench) is None
    with pytest.raises(UnsupportedError, match="looks at more than the state"):
        len(bench.graph)


def test_a_whole_campaign_takes_the_runs_that_the_policy_brings() -> None:
    sample = next(s for s in samples() if len(list(s.bugs())) > 5)
    task = sample.bench.task
    bugs = find_bugs(task, PlanFollower(task), pool_size=20, bias="uniform")
    assert bugs
    for bug in bugs:
        check(task.to_sas(), bug.certificate)
        state = np.array(bug.certificate["state"], dtype=np.uint16)
        actions, _ = PlanFollower(task).plan(state)
        assert bug.certificate["run"]["operators"] == actions
