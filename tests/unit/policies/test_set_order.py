"""Policies that iterate sets: facts come in the task's order, and hash seeds are recorded."""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path
from typing import Any

import pytest

import bugsieve
from bugsieve.base.errors import UsageError
from bugsieve.base.ordered_sets import OrderedSet
from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.options import CostOptions
from bugsieve.cli import main
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.policies.foreign.python import PythonPolicy
from bugsieve.policies.limits import WorkerLimits
from bugsieve.tasks.grounded.task import Task
from tests.unit.policies.generated import generated_task, write_task

SETS = """
def choose(facts, applicable):
    first = next(iter(set(facts)))
    return applicable[sum(map(ord, first)) % len(applicable)]

def ordered(facts, applicable):
    raise ValueError("|".join(facts))

def static(facts, applicable, task):
    raise ValueError("|".join(task.static))
"""
SEEDS = """
import os

def choose(facts, applicable):
    return sorted(applicable)[0 if os.environ["PYTHONHASHSEED"] == "0" else -1]
"""


@pytest.fixture
def task(tmp_path: Path) -> Task:
    return generated_task(tmp_path, "ferry", seed=2)


def test_an_ordered_set_is_a_frozenset() -> None:
    made = OrderedSet(["c", "a", "b", "a"])
    assert (
        list(made) == ["c", "a", "b"]
        and made == frozenset("abc")
        and hash(made) == hash(frozenset("abc"))
    )
    assert isinstance(made, frozenset) and "a" in made and len(made) == 3
    assert (made - {"a"}, made | {"d"}) == (frozenset("bc"), frozenset("abcd"))
    for other in (pickle.loads(pickle.dumps(made)), copy.copy(made), copy.deepcopy(made)):
        assert list(other) == ["c", "a", "b"]


@pytest.mark.parametrize("name", ["ordered", "static"])
def test_facts_iterate_in_the_order_of_the_task(tmp_path: Path, name: str) -> None:
    task = generated_task(tmp_path, "transport", seed=2)
    (tmp_path / "sets.py").write_text(SETS)
    state = task.initial_state
    said: dict[str, str] = {}
    functions: dict[str, Any] = {}
    exec(SETS, functions)
    for seed in (0, 1):
        limits = WorkerLimits(hash_seed=seed)
        with PythonPolicy(task, f"{tmp_path}/sets.py:{name}", limits=limits) as policy:
            said[f"seed {seed}"] = policy.decide(state[None]).failures[0].detail
    here = bugsieve.policy(functions[name]).bind(task)
    said["here"] = here.decide(state[None]).failures[0].detail
    assert len(set(said.values())) == 1
    facts = task.facts(state) if name == "ordered" else task.static_facts
    assert said["here"].startswith("ValueError: " + "|".join(facts)[:100])
    fluent = [fact for fact in task.facts(state) if fact not in task.static_facts]
    assert list(task.facts(state)) == [*fluent, *sorted(task.static_facts)]


def files(folder: Path) -> dict[str, Any]:
    found = {path.name: json.loads(path.read_text()) for path in (folder / "bugs").iterdir()}
    assert found
    return found


def test_equal_commands_give_equal_bugs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    task = write_task(tmp_path, "ferry", seed=2)
    (tmp_path / "sets.py").write_text(SETS)
    command = ["test", *task, "--policy", f"python:{tmp_path}/sets.py:choose", "--pool-size", "20"]
    for name in ("one", "two"):
        assert main([*command, "-o", str(tmp_path / name)]) == 1
        said = "answers depend on set order; the bugs hold for --hash-seed 0"
        assert capsys.readouterr().out.count(said) == 1
    assert files(tmp_path / "one") == files(tmp_path / "two")
    assert main([*command, "--hash-seed", "3", "-o", str(tmp_path / "other")]) == 1
    assert "the bugs hold for --hash-seed 3" in capsys.readouterr().out
    assert files(tmp_path / "other") != files(tmp_path / "one")
    assert "hash_seed = 3" in (tmp_path / "other" / "options.toml").read_text()


@pytest.mark.parametrize("changes", [{}, {"batch_size": 1}, {"workers": 2}], ids=str)
def test_the_order_of_sets_is_one_finding(
    task: Task, tmp_path: Path, changes: dict[str, Any]
) -> None:
    (tmp_path / "seeds.py").write_text(SEEDS)
    given = CostOptions(
        task=(),
        policy=f"python:{tmp_path}/seeds.py:choose",
        oracles=("planner:gbfs-2000",),
        fuzz=FuzzOptions(pool_size=25, seed=1),
        **changes,
    )
    summary = Campaign.create(tmp_path / "campaign", given, task).run()
    with CostRecords(tmp_path / "campaign") as records:
        (row,) = records.unstable()
        first = records.bugs()[0]
    assert (row.claim, row.case, row.cause) == (first.id, first.case, "--hash-seed 0")
    assert summary.bugs > 1  # they stay
    Campaign.open(tmp_path / "campaign").run()


@pytest.mark.parametrize("seed", [-1, 1 << 32])
def test_seeds_that_python_does_not_take(seed: int) -> None:
    with pytest.raises(UsageError, match="hash_seed"):
        WorkerLimits(hash_seed=seed)
