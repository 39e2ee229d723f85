"""What the translator would stumble over is rewritten; the rest is handed on byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from bugsieve.tasks.pddl.check import check_pddl
from tests.unit.tasks.pddl.texts import DOMAIN, PROBLEM, replaced, write


def texts(folder: Path, *, domain: str = DOMAIN, problem: str = PROBLEM) -> tuple[str, str]:
    canonical = check_pddl(*write(folder, domain, problem)).texts
    return canonical[0].decode(), canonical[1].decode()


def test_good_files_stay_as_they_are(tmp_path: Path) -> None:
    assert texts(tmp_path) == (DOMAIN, PROBLEM)


@pytest.mark.parametrize(
    ("effect", "rewritten"),
    [
        (":effect ()", ":effect (and)"),
        ("", ":effect (and)"),
        (":effect (increase (total-cost) 2)", ":effect (and (increase (total-cost) 2))"),
    ],
)
def test_actions_that_change_nothing(effect: str, rewritten: str, tmp_path: Path) -> None:
    domain = replaced(DOMAIN, "(:action move", f"(:action wait {effect})\n (:action move")
    assert f"(:action wait {rewritten})" in texts(tmp_path, domain=domain)[0]


def test_fields_and_sections_come_in_order(tmp_path: Path) -> None:
    action = "(:action wait :effect (and) :precondition (clear table))"
    domain = replaced(DOMAIN, "(:types block - item item)\n", "")
    domain = replaced(domain, "(:action move", f"{action} (:types block - item item)(:action move")
    rewritten = texts(tmp_path, domain=domain)[0]
    assert "(:action wait :precondition (clear table) :effect (and))" in rewritten
    assert rewritten.index(":types") < rewritten.index(":constants")


def test_problem_sections_come_in_order_and_lengths_are_dropped(tmp_path: Path) -> None:
    goal = " (:goal (and (on a b) (on b table)))\n"
    problem = replaced(PROBLEM, goal, "")
    problem = replaced(problem, " (:objects", f"(:length (:serial 3)) {goal} (:objects")
    rewritten = texts(tmp_path, problem=problem)[1]
    assert rewritten.index(":objects") < rewritten.index(":goal") < rewritten.index(":metric")
    assert ":length" not in rewritten


def test_labels_that_say_nothing_are_dropped(tmp_path: Path) -> None:
    domain = replaced(DOMAIN, ":typing", ":typing :numeric-fluents")
    assert "(:requirements :strips :typing :action-costs)" in texts(tmp_path, domain=domain)[0]


def test_types_that_are_only_mentioned_are_declared(tmp_path: Path) -> None:
    domain = replaced(DOMAIN, "block - item item", "block - item")
    assert "(:types item - object block - item)" in texts(tmp_path, domain=domain)[0]


def test_metric_without_parentheses(tmp_path: Path) -> None:
    problem = replaced(PROBLEM, "minimize (total-cost)", "minimize total-cost")
    assert "(:metric minimize (total-cost))" in texts(tmp_path, problem=problem)[1]
