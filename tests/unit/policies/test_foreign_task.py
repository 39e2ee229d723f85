"""A policy, and a graph of its decisions, serve the task they were made for and no other."""

from __future__ import annotations

import pytest

from bugsieve.base.errors import UsageError
from bugsieve.policies.graph import PolicyGraph
from bugsieve.policies.registry import make_policy
from bugsieve.policies.runs import run_policy
from bugsieve.tasks.grounded.task import Task
from tests.unit.native.chains import chain, native


def climb(length: int) -> Task:
    return Task(native(chain(length)), name=f"chain-{length}")


def test_a_policy_of_another_task_is_refused() -> None:
    task, other = climb(3), climb(4)
    with pytest.raises(UsageError, match="bound to chain-4, not to chain-3"):
        run_policy(task, make_policy("greedy:hff", other), task.initial_state)
    (run,) = run_policy(task, make_policy("greedy:hff", climb(3)), task.initial_state)
    assert run.solved


def test_a_graph_of_another_policy_is_refused() -> None:
    task = climb(3)
    graph = PolicyGraph(task, make_policy("greedy:hff", task))
    with pytest.raises(UsageError, match="the graph belongs to another policy"):
        run_policy(task, make_policy("random", task), task.initial_state, graph=graph)
