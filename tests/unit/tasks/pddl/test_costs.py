"""Missing cost values: refused where an action needs them, and only there."""

from __future__ import annotations

from pathlib import Path

import pytest

import bugsieve
from bugsieve.base.errors import InputError
from bugsieve.tasks.pddl import costs
from bugsieve.tasks.pddl.check import check_pddl
from bugsieve.tasks.pddl.costs import LARGEST_COST, missing_values
from tests.unit.tasks.pddl.texts import DOMAIN, PROBLEM, replaced, write

METRIC = " (:metric minimize (total-cost))\n"

LIFTS = """\
(define (domain lifts) (:requirements :typing :action-costs) (:types lift floor)
 (:predicates (at ?l - lift ?f - floor) (above ?f ?g - floor) (serves ?l - lift ?f - floor))
 (:functions (total-cost) - number (time ?f ?g - floor) - number (stop) - number)
 (:action up :parameters (?l - lift ?f ?g - floor)
  :precondition (and (at ?l ?f) (and (above ?f ?g)) (serves ?l ?g))
  :effect (and (not (at ?l ?f)) (at ?l ?g) (increase (total-cost) (time ?f ?g))))
)
"""

# Two lifts that share floor 2; no lift goes from 0 or 1 to 3, so those pairs need no time.
TALL = """\
(define (problem tall) (:domain lifts) (:objects low high - lift f0 f1 f2 f3 - floor)
 (:init (at low f0) (at high f2)
  (serves low f0) (serves low f1) (serves low f2) (serves high f2) (serves high f3)
  (above f0 f1) (above f0 f2) (above f0 f3) (above f1 f2) (above f1 f3) (above f2 f3)
  (= (time f0 f1) 4) (= (time f0 f2) 6) (= (time f1 f2) 4)
  (= (time f2 f3) 5))
 (:goal (and (at low f2) (at high f3)))
 (:metric minimize (total-cost)))
"""


def missing(folder: Path, *, domain: str = DOMAIN, problem: str = PROBLEM) -> list[str]:
    task = check_pddl(*write(folder, domain, problem))
    return missing_values(task.domain, task.problem)


def load(folder: Path, *, domain: str = DOMAIN, problem: str = PROBLEM) -> bugsieve.Task:
    return bugsieve.load_task(*write(folder, domain, problem), cache=False)


def test_nothing_is_missing_from_good_files(tmp_path: Path) -> None:
    assert missing(tmp_path) == []
    assert missing(tmp_path, domain=replaced(DOMAIN, "(weight ?x))))", "7)))")) == []


def test_a_missing_value_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        load(tmp_path, problem=replaced(PROBLEM, "(= (weight b) 2)", ""))
    assert "problem.pddl:4: ':init' gives no value to (weight b), the cost of (move b " in str(
        caught.value
    )
    assert "add (= (weight b) NUMBER)" in str(caught.value)


def test_a_goal_that_is_unreachable_without_the_value(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="gives no value to"):
        load(tmp_path, problem=replaced(PROBLEM, "(= (weight a) 3) (= (weight b) 2)", ""))


def test_without_a_metric_costs_need_no_values(tmp_path: Path) -> None:
    problem = replaced(PROBLEM, "(= (weight a) 3) (= (weight b) 2)", "")
    task = load(tmp_path, problem=replaced(problem, METRIC, ""))
    reference = load(tmp_path, problem=replaced(PROBLEM, METRIC, ""))
    assert task.to_sas() == reference.to_sas()
    assert set(task.operator_costs.tolist()) == {1}


def test_values_of_objects_that_do_not_fit_are_not_missing(tmp_path: Path) -> None:
    # `table` is an item but no block, so nobody moves it.
    assert "(weight table)" not in PROBLEM
    assert missing(tmp_path) == []
    wide = replaced(DOMAIN, "(?x - block ?from ?to - item)", "(?x ?from ?to - item)")
    assert missing(tmp_path, domain=wide) == ["(weight table)"]
    assert load(tmp_path, domain=wide).to_sas() == load(tmp_path).to_sas()  # it is on nothing


def test_values_of_instances_that_are_never_reached_may_be_missing(tmp_path: Path) -> None:
    assert missing(tmp_path, domain=LIFTS, problem=TALL) == ["(time f0 f3)", "(time f1 f3)"]
    task = load(tmp_path, domain=LIFTS, problem=TALL)
    assert sorted(task.operator_names) == [
        "(up high f2 f3)",
        "(up low f0 f1)",
        "(up low f0 f2)",
        "(up low f1 f2)",
    ]
    assert sorted(task.operator_costs.tolist()) == [4, 4, 5, 6]


def test_values_of_instances_that_are_reached_later_are_missed(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"no value to \(time f1 f2\), the cost of \(up low f1 f2"
    ):
        load(tmp_path, domain=LIFTS, problem=replaced(TALL, "(= (time f1 f2) 4)", ""))


@pytest.mark.parametrize("call", ["(stop)", "stop"])
def test_functions_without_arguments(call: str, tmp_path: Path) -> None:
    domain = replaced(LIFTS, "(time ?f ?g))))", f"{call})))")
    with pytest.raises(InputError, match=r"no value to \(stop\), the cost of \(up "):
        load(tmp_path, domain=domain, problem=TALL)
    task = load(tmp_path, domain=domain, problem=replaced(TALL, "(:init", "(:init (= (stop) 3)"))
    assert set(task.operator_costs.tolist()) == {3}


def test_constants_and_repeated_variables_in_a_cost(tmp_path: Path) -> None:
    domain = replaced(LIFTS, "(:predicates", "(:constants f0 - floor) (:predicates")
    problem = replaced(TALL, "f0 f1 f2 f3 - floor", "f1 f2 f3 - floor")
    constant = replaced(domain, "(time ?f ?g))))", "(time f0 ?g))))")
    assert missing(tmp_path, domain=constant, problem=problem) == ["(time f0 f3)"]
    repeated = replaced(domain, "(time ?f ?g))))", "(time ?f ?f))))")
    assert missing(tmp_path, domain=repeated, problem=problem) == [
        "(time f0 f0)",
        "(time f1 f1)",
        "(time f2 f2)",
    ]


def test_the_search_for_missing_values_is_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = replaced(PROBLEM, "(= (weight a) 3) (= (weight b) 2)", "")
    assert missing(tmp_path, problem=problem) == ["(weight a)", "(weight b)"]
    monkeypatch.setattr(costs, "MAX_MISSING", 1)
    assert missing(tmp_path, problem=problem) == ["(weight a)"]


def test_the_largest_cost_is_the_native_core_s(tmp_path: Path) -> None:
    value = f"(= (weight b) {LARGEST_COST})"
    task = load(tmp_path, problem=replaced(PROBLEM, "(= (weight b) 2)", value))
    assert task.operator_costs.max() == LARGEST_COST
    larger = tmp_path / "larger.sas"
    larger.write_text(task.to_sas().replace(f"\n{LARGEST_COST}\n", f"\n{LARGEST_COST + 1}\n"))
    with pytest.raises(InputError, match=r"larger\.sas:\d+: "):
        bugsieve.load_task(larger)
