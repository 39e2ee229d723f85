"""The networks of KR 2022, whose values others have recorded; skipped where they are not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bugsieve.policies.registry import make_policy
from bugsieve.policies.runs import run_policy
from bugsieve.rooms.formats.gnn.policy import GnnPolicy
from bugsieve.tasks.grounded.loading import load_task
from bugsieve.tasks.grounded.task import Task

SHARED = Path(__file__).parents[5] / "shared" / "benchmarks" / "gnn"
DOMAINS = ["blocks", "gripper", "miconic", "visitall"]

pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason=f"{SHARED} is not there")


def policy_for(domain: str, problem: Path, *, together: bool = False) -> GnnPolicy:
    task = load_task(SHARED / domain / "domain.pddl", problem, cache=False)
    (file,) = (SHARED / domain).glob("*.ckpt")
    policy = make_policy(f"gnn:{file}" + ("" if together else ":alone"), task)
    assert isinstance(policy, GnnPolicy)
    return policy


def recorded(domain: str) -> list[dict[str, Any]]:
    document = json.loads((SHARED / domain / "reference.json").read_text())
    return list(document["states"])


def reference_states(task: Task, domain: str) -> np.ndarray[Any, Any]:
    states = [[f"({atom})" for atom in each["fluent_atoms"]] for each in recorded(domain)]
    return np.stack([task.state(atoms) for atoms in states])


@pytest.mark.parametrize("domain", DOMAINS)
def test_values(domain: str) -> None:
    policy = policy_for(domain, SHARED / domain / "reference-problem.pddl")
    states = reference_states(policy.task, domain)
    expected = [each["value_zero"] for each in recorded(domain)]
    assert np.allclose(policy.values(states), expected, rtol=1e-4)
    # One maximum for all of them, as where the authors' code has them in one batch.
    together = policy._values.of_groups(states, np.array([0, len(states)]))
    expected = [each["value_zero_batch20"] for each in recorded(domain)]
    assert np.allclose(together, expected, rtol=1e-4)


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize(
    ("domain", "problem"),
    [("blocks", "probBLOCKS-5-0"), ("gripper", "prob01"), ("miconic", "s2-0")],
)
def test_small_problems_are_solved(domain: str, problem: str, together: bool) -> None:
    place = SHARED / domain / "problems" / f"{problem}.pddl"
    policy = policy_for(domain, place, together=together)
    state, steps = policy.task.initial_state, 0
    while not policy.task.is_goal(state).all():
        steps += 1
        assert steps < 40
        state = policy.task.successors(state, policy.choose(state))[0]


def logged(domain: str, problem: str, variant: str) -> dict[str, Any]:
    """What the authors' own programme did: solved, actions, and states that were valued."""
    logs = json.loads((SHARED / "authors-runs.json").read_text())
    return dict(logs[domain][problem][variant])


@pytest.mark.parametrize(("way", "variant"), [("", "markovian"), (":avoid", "policy")])
@pytest.mark.parametrize(
    ("domain", "problem"),
    [
        ("blocks", "probBLOCKS-9-1"),
        ("gripper", "prob05"),
        ("miconic", "s7-0"),
        ("visitall", "problem06-half"),
    ],
)
def test_runs_are_those_in_the_logs(domain: str, problem: str, way: str, variant: str) -> None:
    """`benchmarks/authors_policies` compares all 84 problems, which takes minutes."""
    place = SHARED / domain / "problems" / f"{problem}.pddl"
    task = load_task(SHARED / domain / "domain.pddl", place, cache=False)
    (file,) = (SHARED / domain).glob("*.ckpt")
    (run,) = run_policy(task, f"gnn:{file}{way}", task.initial_state)
    visited: set[bytes] = set()
    valued = 1  # the initial state
    for state in run.states(task)[:-1]:
        visited.add(state.tobytes())
        successors, _, _ = task.all_successors(state[None])
        valued += sum(not way or row.tobytes() not in visited for row in successors)
    known = logged(domain, problem, variant)
    assert (run.solved, len(run.actions), valued) == (
        known["solved"],
        known["actions"],
        known["evaluations"],
    )


def test_whose_maximum_it_is_decides() -> None:
    """In this problem of gripper only the way of the authors succeeds."""
    place = SHARED / "gripper" / "problems" / "prob03.pddl"
    for together in (False, True):
        policy = policy_for("gripper", place, together=together)
        state, seen = policy.task.initial_state, set()
        while state.tobytes() not in seen and not policy.task.is_goal(state).all():
            seen.add(state.tobytes())
            state = policy.task.successors(state, policy.choose(state))[0]
        assert policy.task.is_goal(state).all() == together
