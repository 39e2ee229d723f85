"""Runs in lockstep with the shared cache equal runs of one state at a time."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bugsieve.base.errors import PolicyError, UsageError
from bugsieve.policies.decisions import Decisions, Ending, Failure
from bugsieve.policies.graph import PolicyGraph
from bugsieve.policies.run_table import NOT_WITHIN
from bugsieve.policies.runs import run_policy
from bugsieve.tasks.grounded.task import NO_ACTION, ActionArray, StateArray, Task
from tests.depth import examples
from tests.property.strategies import ANY, Shape, seeded_task, seeds, some_states
from tests.reference.strips import Strips, strips_task
from tests.unit.policies.line import as_task, at, line_task
from tests.unit.policies.simulation import outcome, simulate


@dataclass
class Scripted:
    """Chooses by the place of the walker, and counts the questions."""

    actions: dict[int, int]
    asked: list[int] = field(default_factory=list)

    def choose(self, states: StateArray) -> ActionArray:
        places = [int(place) for place in states[:, 0]]
        self.asked += places
        return np.array([self.actions[place] for place in places], dtype=np.int32)


class Arbitrary:
    """A random function from states to decisions: mostly legal actions, some of each failure."""

    def __init__(self, task: Task, seed: int, *, trouble: float) -> None:
        self.task = task
        self.seed = seed
        self.trouble = trouble
        self.asked: set[bytes] = set()

    def decide(self, states: StateArray) -> Decisions:
        actions = np.full(len(states), NO_ACTION, dtype=np.int32)
        failures = {}
        for row, state in enumerate(states):
            assert state.tobytes() not in self.asked, "a decision was computed twice"
            self.asked.add(state.tobytes())
            answer = self._one(state)
            if isinstance(answer, Failure):
                failures[row] = answer
            else:
                actions[row] = answer
        return Decisions(actions, failures)

    def choose(self, states: StateArray) -> ActionArray:
        raise AssertionError("policies that can fail are asked through decide")

    def _one(self, state: StateArray) -> int | Failure:
        random = Random(f"{self.seed} {state.tolist()}")
        operators = self.task.applicable(state).operators.tolist()
        if not operators:
            return NO_ACTION
        if random.random() < self.trouble:
            troubles: list[int | Failure] = [
                NO_ACTION,
                random.randrange(self.task.num_operators),
                self.task.num_operators + 5,
                Failure(Ending.POLICY_CRASH, "crashed"),
                Failure(Ending.POLICY_HANG, "hung"),
                Failure(Ending.ILLEGAL_ACTION, "unknown"),
            ]
            return random.choice(troubles)
        return int(random.choice(operators))


def fresh(policy: Arbitrary) -> Arbitrary:
    return Arbitrary(policy.task, policy.seed, trouble=policy.trouble)


@settings(max_examples=examples(300), deadline=None, derandomize=True, database=None)
@given(
    task_seed=seeds(),
    policy_seed=seeds(),
    trouble=st.sampled_from([0.0, 0.05, 0.3]),
    limits=st.lists(st.integers(1, 40), min_size=1, max_size=4),
    count=st.integers(1, 30),
)
def test_equal_to_one_state_at_a_time(
    task_seed: int, policy_seed: int, trouble: float, limits: list[int], count: int
) -> None:
    reference = seeded_task(task_seed, ANY)
    task = as_task(reference)
    states = np.array(some_states(reference, policy_seed, count), dtype=np.uint16)
    policy = Arbitrary(task, policy_seed, trouble=trouble)
    graph = PolicyGraph(task, policy)
    for limit in limits:  # one cache for all limits and batches: it must not show
        runs = run_policy(task, policy, states, step_limit=limit, graph=graph)
        for state, run in zip(states, runs, strict=True):
            naive = simulate(task, fresh(policy), state, step_limit=limit)
            assert outcome(run) == naive
        states = np.concatenate([states[count // 2 :], states[: count // 2]])
    assert graph.decisions_taken == len(policy.asked)


@settings(max_examples=examples(100), deadline=None, derandomize=True, database=None)
@given(task_seed=seeds(), policy_seed=seeds(), limit=st.integers(1, 60))
def test_alone_or_together(task_seed: int, policy_seed: int, limit: int) -> None:
    reference = seeded_task(task_seed, ANY)
    task = as_task(reference)
    states = np.array(some_states(reference, policy_seed, 20), dtype=np.uint16)
    policy = Arbitrary(task, policy_seed, trouble=0.1)
    together = run_policy(task, policy, states, step_limit=limit)
    alone = [run_policy(task, fresh(policy), state, step_limit=limit)[0] for state in states]
    assert [(outcome(r), r.detail) for r in together] == [(outcome(r), r.detail) for r in alone]


@settings(max_examples=examples(300), deadline=None, derandomize=True, database=None)
@given(
    task_seed=seeds(),
    policy_seed=seeds(),
    trouble=st.sampled_from([0.0, 0.05, 0.3]),
    shape=st.sampled_from([ANY, replace(ANY, costs=(0, 0, 0, 1, 5))]),
    rounds=st.lists(st.tuples(st.integers(0, 2**32), st.integers(1, 40)), min_size=1, max_size=3),
)
def test_runs_within_costs_ask_no_further(
    task_seed: int,
    policy_seed: int,
    trouble: float,
    shape: Shape,
    rounds: list[tuple[int, int]],
) -> None:
    reference = seeded_task(task_seed, shape)
    task = as_task(reference)
    states = np.array(some_states(reference, policy_seed, 20), dtype=np.uint16)
    policy = Arbitrary(task, policy_seed, trouble=trouble)
    graph = PolicyGraph(task, policy)
    allowed: set[bytes] = set()
    for seed, step_limit in rounds:  # one cache for all limits: it must not show
        limits = np.random.default_rng(seed).integers(-2, 30, len(states))
        found = graph.costs_within(states, limits, step_limit=step_limit)
        for state, limit, cost in zip(states, limits.tolist(), found.tolist(), strict=True):
            run = run_policy(task, fresh(policy), state, step_limit=step_limit)[0]
            is_within = run.solved and run.cost < limit
            assert cost == (run.cost if is_within else NOT_WITHIN)
            spent = np.cumsum([0, *task.operator_costs[list(run.actions)]])
            allowed |= {s.tobytes() for s in run.states(task)[spent < limit]}
        assert policy.asked <= allowed
    together = run_policy(task, policy, states, graph=graph)
    alone = [run_policy(task, fresh(policy), state)[0] for state in states]
    assert [outcome(run) for run in together] == [outcome(run) for run in alone]


def test_a_long_walk_is_solved_with_its_cost() -> None:
    costs = [place % 3 for place in range(2999)]
    task = line_task(3000, right_costs=costs)
    policy = Scripted({place: place for place in range(2999)})
    runs = run_policy(task, policy, at(0, 2999, 1500))
    assert [run.ending for run in runs] == [Ending.SOLVED] * 3
    assert [run.cost for run in runs] == [sum(costs), 0, sum(costs[1500:])]
    assert [len(run.actions) for run in runs] == [2999, 0, 1499]
    assert sorted(policy.asked) == list(range(2999))


def test_zero_cost_runs() -> None:
    task = line_task(5, right_costs=[0, 0, 0, 0])
    (run,) = run_policy(task, Scripted({place: place for place in range(4)}), at(0))
    assert (run.ending, run.cost, len(run.actions)) == (Ending.SOLVED, 0, 4)


def test_goal_states_are_not_asked_about() -> None:
    policy = Scripted({})
    (run,) = run_policy(line_task(4), policy, at(3), step_limit=1)
    assert (run.ending, run.actions, policy.asked) == (Ending.SOLVED, (), [])


def test_loops_name_their_start() -> None:
    task = line_task(6)
    back = task.operator_id("(left p3)")
    policy = Scripted({0: 0, 1: 1, 2: 2, 3: back})
    first, second, inside = run_policy(task, policy, at(0, 1, 3))
    assert first.ending is second.ending is inside.ending is Ending.LOOP
    assert (first.loop_start, second.loop_start, inside.loop_start) == (2, 1, 0)
    visited = first.states(task)[:, 0].tolist()
    assert visited == [0, 1, 2, 3, 2]
    assert len(inside.actions) == 2


@pytest.mark.parametrize(("limit", "ending"), [(3, Ending.STEP_LIMIT), (4, Ending.SOLVED)])
def test_step_limit_whatever_the_cache_knows(limit: int, ending: Ending) -> None:
    task = line_task(5)
    policy = Scripted({place: place for place in range(4)})
    graph = PolicyGraph(task, policy)
    for warm_up in (1, 2, 3, 4, 100):
        run_policy(task, policy, at(0), step_limit=warm_up, graph=graph)
        (run,) = run_policy(task, policy, at(0), step_limit=limit, graph=graph)
        assert (run.ending, len(run.actions), run.cost) == (ending, limit, limit)


def test_a_failure_counts_only_within_the_limit() -> None:
    task = line_task(5)
    policy = Scripted({0: 0, 1: 1, 2: NO_ACTION})
    graph = PolicyGraph(task, policy)
    endings = [graph.endings(at(0), step_limit=limit)[0] for limit in (2, 3, 2)]
    assert endings == [Ending.STEP_LIMIT, Ending.NO_ACTION, Ending.STEP_LIMIT]


def test_details_say_what_went_wrong() -> None:
    task = line_task(5)
    left_4 = task.operator_id("(left p4)")
    policy = Scripted({0: left_4, 1: NO_ACTION, 2: 77, 3: 3})
    details = [run.detail for run in run_policy(task, policy, at(0, 1, 2, 3))]
    assert details == [
        '"(left p4)" is not applicable',
        "none of 2 applicable chosen",
        "there is no action with id 77",
        "",
    ]


def test_nothing_applicable() -> None:
    task = as_task(strips_task("a b", (Strips(1, needs="a", adds="b"),), goal="b"))
    (run,) = run_policy(task, Arbitrary(task, 0, trouble=0.0), task.initial_state)
    assert (run.ending, run.detail) == (Ending.NO_ACTION, "nothing is applicable")


def test_vectorised_queries() -> None:
    task = line_task(5, right_costs=[7, 1, 2, 3])
    graph = PolicyGraph(task, Scripted({place: place for place in range(4)}))
    states = at(4, 0, 2)
    assert graph.lengths(states).tolist() == [0, 4, 2]
    assert graph.costs(states).tolist() == [0, 13, 5]
    assert graph.costs(states, step_limit=3).tolist() == [0, 10, 5]
    assert graph.table(states).solved.tolist() == [True, True, True]
    assert graph.decide(states).actions.tolist() == [NO_ACTION, 0, 2]


def test_an_interrupted_exploration_leaves_a_usable_graph() -> None:
    class Interrupted(Scripted):
        def choose(self, states: StateArray) -> ActionArray:
            if len(self.asked) == 2:
                self.asked.append(-1)
                raise KeyboardInterrupt
            return super().choose(states)

    task = line_task(5)
    policy = Interrupted({place: place for place in range(4)})
    graph = PolicyGraph(task, policy)
    with pytest.raises(KeyboardInterrupt):
        graph.table(at(0))
    assert graph.lengths(at(0, 1)).tolist() == [4, 3]
    assert policy.asked == [0, 1, -1, 2, 3]


def test_answers_of_the_wrong_shape_are_refused() -> None:
    class Short:
        def choose(self, states: StateArray) -> ActionArray:
            return np.zeros(len(states) - 1, dtype=np.int32)

    class Floats:
        def choose(self, states: StateArray) -> ActionArray:
            return np.zeros(len(states))  # type: ignore[return-value]

    for policy in (Short(), Floats()):
        with pytest.raises(PolicyError, match=rf"{type(policy).__name__} must answer"):
            run_policy(line_task(3), policy, at(0, 1))


@pytest.mark.parametrize("limit", [0, -1])
def test_a_run_must_be_allowed_one_step(limit: int) -> None:
    with pytest.raises(UsageError, match=f"the step limit must be at least 1, but is {limit}"):
        run_policy(line_task(3), Scripted({}), at(0), step_limit=limit)
    with pytest.raises(UsageError, match="the step limit must be at least 1"):
        PolicyGraph(line_task(3), Scripted({})).lengths(at(0), step_limit=limit)


def test_a_step_limit_is_a_whole_number() -> None:
    with pytest.raises(UsageError, match=r"the step limit must be a whole number, got 2\.5"):
        run_policy(line_task(3), Scripted({}), at(0), step_limit=2.5)  # type: ignore[arg-type]
    (run,) = run_policy(line_task(3), Scripted({0: 0, 1: 1}), at(0), step_limit=10**40)
    assert run.solved


@pytest.mark.parametrize(
    ("states", "complaint"),
    [
        (at(9), "state 0 gives variable 0 the value 9, but it has only 3 values"),
        ([[0], [9]], "state 1 gives variable 0 the value 9"),
        ([[0], [0, 1]], "the states form no array: are all rows equally long"),
        ([[0, 1]], r"states of this task have 1 values, but the array has shape \(1, 2\)"),
        ([["p0"]], "states are whole numbers"),
    ],
)
def test_states_that_do_not_fit_are_refused(states: Any, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        run_policy(line_task(3), Scripted({}), states)
    with pytest.raises(UsageError, match=complaint):
        PolicyGraph(line_task(3), Scripted({})).decide(states)


def test_lists_are_states_too() -> None:
    policy = Scripted({0: 0, 1: 1})
    assert [run.cost for run in run_policy(line_task(3), policy, [[0], [1]])] == [2, 1]


def test_an_empty_batch_has_no_runs() -> None:
    assert run_policy(line_task(3), Scripted({}), at()) == []
