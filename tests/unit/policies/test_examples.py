"""The generalised policies solve every task of their domain, and the example program runs."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from bugsieve.policies.built_in.random import RandomPolicy
from bugsieve.policies.decisions import Ending
from bugsieve.policies.examples import blocksworld, gripper
from bugsieve.policies.foreign.command import CommandPolicy
from bugsieve.policies.foreign.function import policy
from bugsieve.policies.registry import make_policy
from bugsieve.policies.runs import run_policy
from bugsieve.tasks.grounded.loading import load_task
from bugsieve.tasks.grounded.task import StateArray, Task
from tests.unit.policies.generated import generated_task

ROOT = Path(__file__).parents[3]


def random_states(task: Task, count: int) -> StateArray:
    """States along random walks: hands full, towers half built."""
    states = [task.initial_state[None]]
    for seed in range(count):
        action = RandomPolicy(task, seed=seed).choose(states[-1])
        states.append(task.successors(states[-1], action))
    return np.concatenate(states)


def solves(task: Task, module: ModuleType) -> None:
    states = random_states(task, 40)
    runs = run_policy(task, policy(module.choose).bind(task), states)
    endings = {run.ending.label for run in runs}
    details = {run.detail for run in runs if not run.solved}
    assert endings == {"solved"}, details


@pytest.mark.parametrize("seed", range(12))
def test_blocksworld(seed: int, tmp_path: Path) -> None:
    solves(generated_task(tmp_path, "blocksworld", seed=seed, blocks=2 + seed), blocksworld)


@pytest.mark.parametrize("seed", range(8))
def test_gripper(seed: int, tmp_path: Path) -> None:
    task = generated_task(
        tmp_path,
        "gripper",
        seed=seed,
        balls=1 + seed,
        rooms=2 + seed % 3,
        grippers=1 + seed % 3,
        scattered=bool(seed % 2),
    )
    solves(task, gripper)


PARTIAL_GOALS = [
    "(holding b)",
    "(and (clear a) (on c b))",
    "(and (holding a) (on b c))",
    "(on a d)",
    "(and (ontable d) (ontable c) (on b c))",
    "(and (clear d) (clear c))",
    "(and (on d c) (on c b) (on b a))",
]


@pytest.mark.parametrize("goal", PARTIAL_GOALS)
def test_blocksworld_with_goals_of_any_kind(goal: str, tmp_path: Path) -> None:
    domain = generated_domain(tmp_path)
    problem = tmp_path / "problem.pddl"
    problem.write_text(f"""(define (problem four) (:domain blocksworld)
        (:objects a b c d - block)
        (:init (ontable a) (on b a) (on c b) (on d c) (clear d) (handempty))
        (:goal {goal}))""")
    solves(load_task(domain, problem, cache=False), blocksworld)


def generated_domain(folder: Path) -> Path:
    generated_task(folder, "blocksworld")
    return folder / "blocksworld-0-domain.pddl"


@pytest.mark.parametrize(("folder", "module"), [("blocks", blocksworld), ("gripper", gripper)])
def test_benchmarks_of_the_planning_competition(folder: str, module: ModuleType) -> None:
    place = ROOT.parent / "shared/benchmarks/pddl/ipc-classical" / folder
    if not place.is_dir():
        pytest.skip("the benchmarks beside the repository are not there")
    for problem in sorted(place.glob("prob*.pddl"))[:4]:
        solves(load_task(place / "domain.pddl", problem), module)


def test_the_worker_runs_them_as_well(tmp_path: Path) -> None:
    task = generated_task(tmp_path, "blocksworld", seed=1, blocks=6)
    spec = "python:bugsieve.policies.examples.blocksworld:choose"
    with make_policy(spec, task) as outside:
        (run,) = run_policy(task, outside, task.initial_state)
    (same,) = run_policy(task, policy(blocksworld.choose).bind(task), task.initial_state)
    assert run.ending is Ending.SOLVED
    assert run.actions == same.actions


def test_the_example_program_speaks_the_protocol(tmp_path: Path) -> None:
    task = generated_task(tmp_path, "gripper", balls=3)
    states = random_states(task, 30)
    arguments = [sys.executable, str(ROOT / "examples" / "cmd_policy.py")]
    with CommandPolicy(task, arguments) as program:
        runs = run_policy(task, program, states)
    assert {run.ending for run in runs} <= {Ending.LOOP, Ending.SOLVED}
