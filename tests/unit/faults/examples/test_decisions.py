"""Examples to learn from: what to do from the culprit on."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import bugsieve
from bugsieve.campaigns.cost.found_bug import FoundBug
from bugsieve.campaigns.python_calls.bugs import Bugs
from bugsieve.cli import main
from bugsieve.explanation.examples.decisions import Example, decided_by, examples_of
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.bug import make_bug
from bugsieve.pipeline.objectives import make_objective
from bugsieve.pipeline.oracles.registry import make_oracle
from bugsieve.rooms.zoo.domains import generate
from bugsieve.tasks.grounded.loading import load_task
from bugsieve.tasks.grounded.task import Task
from tests.unit.bugs.samples import line_bench, proven
from tests.unit.cli.commands import falsified
from tests.unit.faults.ferryman import choose
from tests.unit.policies.line import at, line_task


@pytest.fixture
def task(tmp_path: Path) -> Task:
    texts = generate("ferry", cars=3, locations=3, seed=2)
    (tmp_path / "domain.pddl").write_text(texts.domain)
    (tmp_path / "problem.pddl").write_text(texts.problem)
    return load_task(tmp_path)


@pytest.fixture
def bugs(task: Task, tmp_path: Path) -> Bugs[FoundBug]:
    ferryman = bugsieve.policy(choose)
    return bugsieve.find_bugs(task, ferryman, pool_size=10, folder=tmp_path / "results")


def test_a_plan_is_followed_from_the_culprit_on() -> None:
    task = line_task(5)
    bench = line_bench(task, {0: "right", 1: "left"})
    bug = make_bug(bench, at(0)[0], proven(bench, at(0)[0], (0, 1, 2, 3)), oracle="x")
    found = list(examples_of(bench, [bug]))
    left = "(left p1)"
    assert found[0] == Example(bug.id, 0, ("(at p1)",), ("(at p4)",), "(right p1)", left)
    assert [(example.facts, example.action) for example in found] == [
        ((f"(at p{place})",), f"(right p{place})") for place in (1, 2, 3)
    ]
    assert [(example.step, example.instead_of) for example in found[1:]] == [(1, None), (2, None)]


def test_who_does_what_they_say_reaches_the_goal(task: Task, bugs: Bugs[FoundBug]) -> None:
    examples = bugs.to_examples()
    told = {example.facts: example.action for example in examples}
    assert len(told) == len(examples), "each state once"
    for example in examples:
        state = task.state(example.facts)
        for _ in range(100):
            if task.is_goal(state)[0]:
                break
            action = task.operator_id(told[tuple(sorted(task.facts(state)))])
            assert task.is_applicable(state, [action])[0]
            state = task.successors(state, [action])[0]
        assert task.is_goal(state)[0] and example.goal == task.goal_facts
    assert {example.bug for example in examples} <= {bug.id for bug in bugs}
    wrong = [example for example in examples if example.step == 0]
    assert wrong and all(example.instead_of != example.action for example in wrong)


def test_files_have_the_same(task: Task, bugs: Bugs[FoundBug], tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    lines, table = tmp_path / "examples.jsonl", tmp_path / "examples.parquet"
    for file in (lines, table):
        assert main(["export", str(tmp_path / "results"), "--examples", str(file)]) == 0
    rows = [json.loads(line) for line in lines.read_text().splitlines()]
    assert rows == parquet.read_table(table).to_pylist()
    expected = [
        {**vars(example), "facts": list(example.facts), "goal": list(example.goal)}
        for example in bugs.to_examples()
    ]
    assert rows == expected and rows


def test_training_learns_from_the_same_states(task: Task) -> None:
    bench = Bench(task, bugsieve.policy(choose).bind(task), make_objective("quantitative", task))
    (verdict,) = make_oracle("perfect", bench).judge(bench.suspects(task.initial_state))
    assert verdict.plan is not None
    states, operators = decided_by(task, task.initial_state, verdict.plan)
    assert len(states) == len(operators) == len(verdict.plan)
    assert (states[0] == task.initial_state).all() and operators.dtype == np.int32
    assert task.is_applicable(states, operators).all()
    assert (task.successors(states, operators)[:-1] == states[1:]).all()


def test_what_cannot_be_exported(
    bugs: Bugs[FoundBug], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "examples.jsonl"
    assert main(["export", str(tmp_path / "results"), "--examples", "examples.csv"]) == 4
    assert "must end in .jsonl" in capsys.readouterr().err
    lying = falsified(tmp_path / "results", tmp_path / "copy", "plan.cost", 0)
    assert main(["export", str(lying), "--examples", str(file)]) == 4
    assert "does not hold" in capsys.readouterr().err and not file.exists()
    assert Bugs[FoundBug]([], bugs.summary).to_examples() == []
