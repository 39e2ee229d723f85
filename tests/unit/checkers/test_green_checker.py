"""The checker of greens on its own: what it imports, refuses and says; see also tests/property."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bugsieve.checkers.green as checker_module
from bugsieve._native import DEAD_END
from bugsieve.checkers.cost import CertificateError
from bugsieve.checkers.green import Green, check_green, main, said_of
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.green import GreenAnswers, green_certificate
from bugsieve.pipeline.objectives import make_objective
from bugsieve.tasks.grounded.task import Task
from bugsieve.tasks.search import exact_goal_distances
from tests.reference.greens import Claim, Row, encoded, packed
from tests.reference.sas import SasEffect, SasOperator, SasTask, SasVariable, State, render
from tests.unit.bugs.samples import TablePolicy
from tests.unit.policies.line import line_task

SOURCE = Path(checker_module.__file__)
OURS = ("bugsieve.checkers.cost", "bugsieve.checkers.green_states")


def variable(size: int) -> SasVariable:
    return SasVariable("var", tuple(f"Atom at(p{place})" for place in range(size)))


def move(place: int, there: int, cost: int = 1, of: int = 0) -> SasOperator:
    return SasOperator(f"go p{place} p{there}", (), (SasEffect((), of, place, there),), cost)


CIRCLE = SasTask(
    metric=True,
    variables=(variable(3),),
    mutexes=(),
    initial=(0,),
    goal=((0, 2),),
    operators=(move(0, 1, 0), move(1, 0, 0), move(1, 2, 0)),
)
"""A to B, B to A, B to the goal, all for nothing."""


def circle_claim(action: int, *steps: int) -> Claim:
    """What is said of the policy that takes `action` in B."""
    rows: dict[State, Row | None]
    rows = {(0,): Row(0, 0, steps[0]), (1,): Row(0, action, steps[1]), (2,): None}
    return Claim("quantitative", 10, rows, frozenset())


def line_bench(places: int = 4, **options: Any) -> Bench:
    """A walker who goes to the right."""
    task = line_task(places)
    table: dict[State, int] = {(place,): place for place in range(places - 1)}
    return Bench(task, TablePolicy(table), make_objective("quantitative", task), **options)


def certificate(bench: Bench) -> dict[str, Any]:
    states, values = exact_goal_distances(bench.task)
    made = green_certificate(bench, states, values == DEAD_END, values.astype(np.int64))
    assert made is not None
    return made


def rejection(task: Task | SasTask, changed: Any) -> str:
    text = render(task) if isinstance(task, SasTask) else task.to_sas()
    with pytest.raises(CertificateError) as caught:
        check_green(text, changed)
    return str(caught.value)


@pytest.mark.parametrize("name", ["green", "green_states"])
def test_it_imports_the_standard_library_and_its_neighbours_only(name: str) -> None:
    tree = ast.parse(SOURCE.with_name(f"{name}.py").read_text(encoding="utf-8"))
    modules = {
        node.module or "" if isinstance(node, ast.ImportFrom) else alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    ours = {module for module in modules if module.startswith("bugsieve")}
    assert ours <= set(OURS)
    assert {module.split(".")[0] for module in modules - ours} <= set(sys.stdlib_module_names)


def test_going_round_in_a_circle_of_zero_cost_is_not_optimal() -> None:
    check_green(render(CIRCLE), encoded(CIRCLE, circle_claim(2, 2, 1)))
    for steps in ((1, 1), (2, 1), (1, 2), (2, 3), (0, 0)):
        found = rejection(CIRCLE, encoded(CIRCLE, circle_claim(1, *steps)))
        assert "the steps to go" in found or "longer than the step limit" in found


def test_a_run_may_be_as_long_as_the_step_limit_and_no_longer() -> None:
    bench = line_bench(4)
    made = certificate(bench)
    assert check_green(bench.task.to_sas(), {**made, "step_limit": 3}).states == 4
    assert "longer than the step limit" in rejection(bench.task, {**made, "step_limit": 2})
    cut = line_bench(4, step_limit=2)
    states, values = exact_goal_distances(cut.task)
    nothing = np.zeros(len(states), dtype=bool)
    assert green_certificate(cut, states, nothing, values.astype(np.int64)) is None


def test_variables_of_more_than_256_values_and_costs_of_more_than_32_bits() -> None:
    dear = 2**30 - 1
    task = line_task(700, right_costs=[dear] * 699)
    policy = TablePolicy({(place,): place for place in range(699)})
    bench = Bench(task, policy, make_objective("quantitative", task))
    states = np.arange(700, dtype=np.uint16)[::-1, None]
    costs = dear * (699 - states[:, 0].astype(np.int64))
    made = green_certificate(bench, states, costs < 0, costs)
    assert made is not None and costs.max() > 2**39
    assert check_green(task.to_sas(), made).with_plan == 700
    answers = GreenAnswers.of(task, made)
    assert answers.asked[:, 0].tolist() == answers.actions.tolist() == list(range(699))


def test_states_of_more_than_64_bits() -> None:
    count = 90
    task = SasTask(
        metric=False,
        variables=tuple(variable(2) for _ in range(count)),
        mutexes=(),
        initial=(0,) * count,
        goal=((count - 1, 1),),
        operators=tuple(
            SasOperator(f"go {v}", ((v - 1, 1),) if v else (), (SasEffect((), v, 0, 1),), 1)
            for v in range(count)
        ),
    )
    states = [(1,) * done + (0,) * (count - done) for done in range(count + 1)]
    rows: dict[State, Row | None]
    rows = {s: Row(count - i, i, count - i) if i < count else None for i, s in enumerate(states)}
    claim = Claim("quantitative", 100, rows, frozenset())
    assert check_green(render(task), encoded(task, claim)).states == count + 1
    wrong = replace(claim, rows={**rows, states[0]: Row(count, 1, count)})
    assert "not applicable in 1 states" in rejection(task, encoded(task, wrong))


def test_a_task_without_its_costs_is_another_task() -> None:
    task = line_task(3, right_costs=[2, 2])
    policy = TablePolicy({(0,): 0, (1,): 1})
    bench = Bench(task, policy, make_objective("quantitative", task))
    made = certificate(bench)
    changed = {**made, "task": {**made["task"], "unit_cost": True}}
    assert "every operator cost 1" in rejection(task, changed)
    assert "SHA-256" in rejection(line_task(3), made)


def changed_columns(made: dict[str, Any], **columns: Any) -> dict[str, Any]:
    return {**made, "columns": {**made["columns"], **columns}}


MADE = certificate(line_bench())
HUGE = packed(bytes(1 << 23))


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ([], "must be an object"),
        ({**MADE, "green": 2}, "only version"),
        ({**MADE, "green": True}, "only version"),
        ({key: MADE[key] for key in MADE if key != "policy"}, "lacks 'policy'"),
        ({**MADE, "more": 1}, "a key other than"),
        ({**MADE, "objective": "avoid:(at p1)"}, "quantitative or qualitative"),
        ({**MADE, "objective": "qualitative"}, "a key other than"),
        ({**MADE, "step_limit": 0}, "from 1 on"),
        ({**MADE, "step_limit": 2**63}, "64 bits"),
        ({**MADE, "states": 4.0}, "whole number"),
        ({**MADE, "states": 10**15}, "more than the checker takes"),
        ({**MADE, "states": 5}, "must have 5 states"),
        ({**MADE, "with_plan": 3}, "'with_plan' says another number"),
        (changed_columns(MADE, lost=HUGE), "longer than the states allow"),
        (changed_columns(MADE, costs=HUGE), "longer than the states allow"),
        (changed_columns(MADE, states=[]), "must be a text"),
        (changed_columns(MADE, states=packed(b"\0\1\2\2")), "ascending"),
        (changed_columns(MADE, lengths=HUGE), "lacks 'operators'"),
    ],
)
def test_what_is_malformed_is_refused_in_a_sentence(changed: Any, sentence: str) -> None:
    assert sentence in rejection(line_task(4), changed)


def test_work_is_limited() -> None:
    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        check_green(line_task(4).to_sas(), MADE, poll=stop)


@pytest.mark.parametrize(
    ("objective", "with_plan", "told"),
    [
        ("quantitative", 8, "is optimal from all 8 reachable states"),
        ("qualitative", 8, "solves the task from all 8 reachable states"),
        ("quantitative", 3, "is optimal from the 3 of 8 reachable states that have a plan"),
    ],
)
def test_what_was_proven_is_told(objective: str, with_plan: int, told: str) -> None:
    assert said_of(Green(8, with_plan, objective, "p")) == told


def test_it_runs_alone(tmp_path: Path) -> None:
    task, file = tmp_path / "task.sas", tmp_path / "green.json"
    task.write_bytes(line_task(4).to_sas().encode())
    file.write_text(json.dumps(MADE))
    command = [sys.executable, "-I", "-m", "bugsieve.checkers.green", str(task), str(file)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert result.stdout == "accepted: the policy is optimal from all 4 reachable states\n"


def test_it_refuses_a_file_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    task, file = tmp_path / "task.sas", tmp_path / "green.json"
    task.write_text(line_task(4).to_sas())
    file.write_text(json.dumps({**MADE, "with_plan": 2}))
    assert main([str(task), str(file)]) == 4
    assert capsys.readouterr().err.startswith("rejected: 4 states are not lost")
    assert main([str(task), str(tmp_path / "missing")]) == 4
    assert main([str(task)]) == 4
