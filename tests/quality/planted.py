"""Policies with one wrong decision planted into them, whose regret is known by optimal search."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from bugsieve import load_task, make_policy
from bugsieve.base.seeds import Stream
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.certificate import certificate_of
from bugsieve.pipeline.bugs.verdict import Outcome, Verdict
from bugsieve.pipeline.objectives import make_objective
from bugsieve.pipeline.objectives.objective import path_states, plan_cost
from bugsieve.policies.policy import Policy
from bugsieve.rooms.zoo.domains import generate
from bugsieve.tasks.grounded.task import NO_ACTION, ActionArray, StateArray, Task
from bugsieve.tasks.search import Limits, astar, greedy, improve_plan

_WALK = 30
_TRIES = 20
_MOST_WALKS = 1_000


@dataclass(frozen=True)
class Planted:
    """A bug whose run passes the planted decision as its step `index`."""

    bench: Bench
    certificate: Mapping[str, Any]
    index: int


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
    """Bugs of policies that are optimal but for one decision, which has a regret."""
    objective = make_objective("quantitative", task)
    for start, run in _starts(task, stream):
        states = path_states(task, start, run)
        place = stream.integer(0, len(run) - 1)
        wrong = _wrong_action(task, states[place], stream)
        if wrong is None:
            continue
        after = path_states(task, task.successors(states[place], [wrong.action])[0], wrong.rest)
        table = {state.tobytes(): step for state, step in zip(after, wrong.rest, strict=False)}
        table |= {state.tobytes(): step for state, step in zip(states, run, strict=False)}
        table[states[place].tobytes()] = wrong.action
        bench = Bench(task, ChangedPolicy(table), objective)
        yield Planted(bench, _certificate(bench, start), place)


def planted_into(spec: str, task: Task, stream: Stream) -> Iterator[Planted]:
    """The same with an imperfect policy, from states in which it does well but for the change.

    Elsewhere it may do badly: what it does after the planted decision is its own.
    """
    policy = make_policy(spec, task)
    objective = make_objective("quantitative", task)
    own = Bench(task, policy, objective)
    for start, best in _starts(task, stream):
        runs = own.runs(start)
        if not runs.solved[0] or runs.costs[0] > plan_cost(task, best):
            continue
        run = tuple(runs.actions()[0].tolist())
        place = stream.integer(0, len(run) - 1)
        state = path_states(task, start, run[:place])[-1]
        wrong = _wrong_action(task, state, stream)
        if wrong is not None:
            bench = Bench(task, ChangedPolicy({state.tobytes(): wrong.action}, policy), objective)
            yield Planted(bench, _certificate(bench, start), place)


def _starts(task: Task, stream: Stream) -> Iterator[tuple[StateArray, tuple[int, ...]]]:
    """States that random walks end in and that have a plan, with a best one, up to a number."""
    for _ in range(_MOST_WALKS):
        state = task.initial_state
        for _ in range(stream.integer(0, _WALK)):
            actions = task.applicable(state).operators.tolist()
            if not actions:
                break
            state = task.successors(state, [stream.choice(actions)])[0]
        best = astar(task, state).plan
        if best:
            yield state, best


@dataclass(frozen=True)
class _Wrong:
    """An action with a regret, and a best plan after it, empty without one."""

    action: int
    rest: tuple[int, ...]


def _wrong_action(task: Task, state: StateArray, stream: Stream) -> _Wrong | None:
    """A random one; None if none is found."""
    least = astar(task, state).cost
    assert least is not None
    actions = task.applicable(state).operators.tolist()
    for _ in range(_TRIES):
        action = stream.choice(actions)
        rest = astar(task, task.successors(state, [action])[0]).plan
        if rest is None or plan_cost(task, (action, *rest)) > least:
            return _Wrong(action, rest or ())
    return None


def _certificate(bench: Bench, start: StateArray) -> dict[str, Any]:
    """The bug's certificate with a plan as oracles find it, or where that is too dear a best."""
    task = bench.task
    (value,) = bench.values(bench.runs(start)).tolist()
    first = greedy(task, start).plan
    assert first is not None
    plan = improve_plan(task, start, first, limits=Limits(expansions=100)).plan
    if plan is None or plan_cost(task, plan) >= value:
        plan = astar(task, start).plan
    cost = float(plan_cost(task, plan or ()))
    return certificate_of(bench, start, Verdict(Outcome.BUG, "planted", plan, cost, value - cost))
