"""Policies with one wrong decision planted into them, whose regret is known by optimal search."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from bugsieve import load_task, make_policy
from bugsieve.basis.seeds import Stream
from bugsieve.benches.bench import Bench
from bugsieve.benches.objectives import make_objective
from bugsieve.benches.objectives.objective import path_states, plan_cost
from bugsieve.bugs.cost.certificate import certificate_of
from bugsieve.bugs.cost.verdict import Outcome, Verdict
from bugsieve.domains import generate
from bugsieve.policies.policy import Policy
from bugsieve.search import Limits, astar, greedy, improve_plan
from bugsieve.tasks.fdr.task import NO_ACTION, ActionArray, StateArray, Task

_WALK = 30
_TRIES = 20


@dataclass(frozen=True)
class Planted:
    """A bug whose run passes the planted decision as its step `index`."""

    bench: Bench
    certificate: Mapping[str, Any]
    index: int
    regret: float


class ChangedPolicy:
    """Another policy with the decisions of a table in place of its own; none without another."""

    def __init__(self, table: Mapping[bytes, int], other: Policy | None = None) -> None:
        self.table = table
        self.other = other
        self.spec = "planted"

    def choose(self, states: StateArray) -> ActionArray:
        """The action of the table, or else the other policy's."""
        actions = np.full(len(states), NO_ACTION, dtype=np.int32)
        if self.other is not None:
            actions = self.other.choose(states).copy()
        for row, state in enumerate(states):
            actions[row] = self.table.get(state.tobytes(), actions[row])
        return actions


@cache
def task_of(domain: str, seed: int, **sizes: int) -> Task:
    """The generated task of a domain."""
    made = generate(domain, seed=seed, **sizes)
    with TemporaryDirectory() as folder:
        files = Path(folder, "domain.pddl"), Path(folder, "problem.pddl")
        for file, text in zip(files, (made.domain, made.problem), strict=True):
            file.write_text(text)
        return load_task(*files)


def planted_into_optimal(task: Task, stream: Stream) -> Iterator[Planted]:
    """Bugs of policies that are optimal but for one decision."""
    while True:
        start = _walked(task, stream)
        run = _best(task, start)
        if not run:
            continue
        states = path_states(task, start, run)
        place = stream.integer(0, len(run) - 1)
        wrong = _wrong_action(task, states[place], stream)
        if wrong is None:
            continue
        action, regret, rest = wrong
        after = path_states(task, task.successors(states[place], [action])[0], rest)
        table = {state.tobytes(): step for state, step in zip(after, rest, strict=False)}
        table |= {state.tobytes(): step for state, step in zip(states, run, strict=False)}
        table[states[place].tobytes()] = action
        bench = Bench(task, ChangedPolicy(table), make_objective("quantitative", task))
        yield Planted(bench, _certificate(bench, start), place, regret)


def planted_into(spec: str, task: Task, stream: Stream) -> Iterator[Planted]:
    """Bugs of an imperfect policy that reaches the goal, but for one decision put in its place."""
    policy = make_policy(spec, task)
    objective = make_objective("quantitative", task)
    own = Bench(task, policy, objective)
    for _ in range(100):
        start = _walked(task, stream)
        runs = own.runs(start)
        (run,) = runs.actions()
        if not runs.solved[0] or not len(run):
            continue
        import os

        if os.environ.get("OPT") and runs.costs[0] > plan_cost(task, _best(task, start)):
            continue
        states = path_states(task, start, tuple(run.tolist()))
        place = stream.integer(0, len(run) - 1)
        wrong = _wrong_action(task, states[place], stream)
        if wrong is None or wrong[0] == run[place]:
            continue
        table = {states[place].tobytes(): wrong[0]}
        bench = Bench(task, ChangedPolicy(table, policy), objective)
        yield Planted(bench, _certificate(bench, start), place, wrong[1])


def _walked(task: Task, stream: Stream) -> StateArray:
    """A state that a random walk from the initial state ends in and that has a plan."""
    while True:
        state = task.initial_state
        for _ in range(stream.integer(0, _WALK)):
            actions = task.applicable(state).operators.tolist()
            if not actions:
                break
            state = task.successors(state, [stream.choice(actions)])[0]
        if _best(task, state) is not None:
            return state


def _best(task: Task, state: StateArray) -> tuple[int, ...] | None:
    return astar(task, state).plan


def _wrong_action(
    task: Task, state: StateArray, stream: Stream
) -> tuple[int, float, tuple[int, ...]] | None:
    """An action with a regret, the regret and a best plan after it; None if there is none."""
    best = _best(task, state)
    assert best is not None
    actions = task.applicable(state).operators.tolist()
    for _ in range(_TRIES):
        action = stream.choice(actions)
        rest = _best(task, task.successors(state, [action])[0])
        after = inf if rest is None else plan_cost(task, (action, *rest))
        if after > plan_cost(task, best):
            return action, after - plan_cost(task, best), rest or ()
    return None


def _certificate(bench: Bench, start: StateArray) -> dict[str, Any]:
    """The bug's certificate with a plan as oracles find it, or where that is too dear a best."""
    task = bench.task
    (value,) = bench.values(bench.runs(start)).tolist()
    first = greedy(task, start).plan
    assert first is not None
    plan = improve_plan(task, start, first, limits=Limits(expansions=100)).plan
    if plan is None or plan_cost(task, plan) >= value:
        plan = _best(task, start)
    cost = float(plan_cost(task, plan or ()))
    return certificate_of(bench, start, Verdict(Outcome.BUG, "planted", plan, cost, value - cost))
