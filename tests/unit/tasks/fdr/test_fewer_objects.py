"""Problems that begin in a state and leave objects out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bugsieve.base.errors import InputError, UnsupportedError
from bugsieve.rooms.zoo.domains import generate
from bugsieve.tasks.grounded.fewer_objects import FewerObjects, objects_of
from bugsieve.tasks.grounded.loading import load_task, with_unit_costs
from bugsieve.tasks.grounded.task import Task
from bugsieve.tasks.grounded.translator import WarmTranslator
from tests.unit.policies.line import line_task

SHELVES = """
(define (domain shelves)
  (:requirements :adl :action-costs)
  (:constants home)
  (:predicates (at ?b ?p) (near ?p ?q) (shelf ?p) (tidy ?p))
  (:functions (total-cost) (way ?p ?q))
  (:action carry :parameters (?b ?p ?q)
    :precondition (and (at ?b ?p) (near ?p ?q))
    :effect (and (not (at ?b ?p)) (at ?b ?q) (increase (total-cost) (way ?p ?q))))
  (:action clean :parameters (?p)
    :precondition (shelf ?p) :effect (tidy ?p)))
"""
BOOKS = """
(define (problem books) (:domain shelves)
  (:objects atlas bible p q)
  (:init (near home p) (near p q) (near q home) (shelf p) (shelf q)
    (= (way home p) 2) (= (way p q) 3) (= (way q home) 4) (= (total-cost) 0)
    (at atlas home) (at bible p))
  (:goal (and (at atlas q) (at bible home) (forall (?x) (imply (shelf ?x) (tidy ?x)))))
  (:metric minimize (total-cost)))
"""


def loaded(folder: Path, domain: str, problem: str) -> Task:
    (folder / "domain.pddl").write_text(domain)
    (folder / "problem.pddl").write_text(problem)
    return load_task(folder, cache=False)


def drawn(folder: Path, domain: str, seed: int = 1, **parameters: int) -> Task:
    texts = generate(domain, seed=seed, **parameters)
    return loaded(folder, texts.domain, texts.problem)


def gone(fewer: FewerObjects, *names: str) -> set[str] | None:
    closed = fewer.closed(names)
    return None if closed is None else set(closed)


@pytest.fixture(scope="module")
def warm() -> Iterator[WarmTranslator]:
    with WarmTranslator() as translator:
        yield translator


@pytest.fixture
def books(tmp_path: Path) -> Task:
    return loaded(tmp_path, SHELVES, BOOKS)


def test_nothing_left_out_of_the_initial_state_is_the_same_task(
    books: Task, warm: WarmTranslator
) -> None:
    fewer = FewerObjects(books, books.initial_state)
    assert fewer.task((), books.name, warm).sha256 == books.sha256


def test_facts_values_and_goals_go_with_their_objects(books: Task, warm: WarmTranslator) -> None:
    state = books.successors(books.initial_state, [books.operator_id("carry atlas home p")])[0]
    text = FewerObjects(books, state).problem(["bible"], "fewer")
    assert "bible" not in text and "(at atlas p)" in text and "(at atlas home)" not in text
    assert "(imply (shelf ?x) (tidy ?x))" in text, "a goal about all goes with none"
    assert "(define (problem fewer)" in text and "atlas p q" in text and "home -" not in text
    assert "(:metric minimize (total-cost))" in text and "(= (way p q) 3)" in text
    task = FewerObjects(books, state).task(["bible"], "fewer", warm)
    assert "(carry atlas p q)" in task.operator_names
    assert not [name for name in task.operator_names if "bible" in name]
    without = FewerObjects(books, state).problem(["q", "atlas"], "fewer")
    assert "(way p q)" not in without and "(= (way home p) 2)" in without


def test_constants_stay(books: Task) -> None:
    fewer = FewerObjects(books, books.initial_state)
    assert objects_of(books) == fewer.objects == ("atlas", "bible", "p", "q")
    assert not fewer.allows(["home"])
    assert "home" in books.objects


def test_who_would_be_nowhere_goes_along(books: Task) -> None:
    fewer = FewerObjects(books, books.initial_state)
    assert not fewer.allows(["p"]) and gone(fewer, "p") == {"p", "bible"}
    assert gone(fewer, "q") == {"q"}
    assert gone(fewer, "atlas") == {"atlas"}


def test_the_last_goal_stays(tmp_path: Path) -> None:
    task = drawn(tmp_path, "ferry", cars=2, locations=3)
    fewer = FewerObjects(task, task.initial_state)
    assert gone(fewer, "car1") == {"car1"} and gone(fewer, "car1", "car2") is None


def test_towers_go_as_a_whole_and_what_is_held_stays(tmp_path: Path) -> None:
    task = drawn(tmp_path, "blocksworld", blocks=4)
    tower = ["(on b2 b1)", "(ontable b1)", "(clear b2)", "(ontable b3)"]
    state = task.state([*tower, "(clear b3)", "(holding b4)"])
    fewer = FewerObjects(task, state)
    assert gone(fewer, "b1") == gone(fewer, "b2")
    assert gone(fewer, "b1") in ({"b1", "b2"}, None)
    assert not fewer.allows(["b2"]) and gone(fewer, "b4") is None
    placed = fewer.at(
        fewer.facts - {"(holding b4)"} | {"(ontable b4)", "(clear b4)", "(handempty)"}
    )
    assert placed.allows(["b4"]) and not fewer.allows(["b4"])


def test_a_gripper_goes_with_its_ball(tmp_path: Path) -> None:
    """The facts about a ball are spread over three variables."""
    task = drawn(tmp_path, "gripper", balls=3)
    balls = ["(at ball2 room2)", "(at ball3 room2)"]
    state = task.state(["(at-robby room1)", "(free gripper2)", "(carry ball1 gripper1)", *balls])
    fewer = FewerObjects(task, state)
    assert gone(fewer, "ball1") == {"ball1", "gripper1"}
    assert gone(fewer, "gripper1") == {"ball1", "gripper1"}
    assert gone(fewer, "ball2") == {"ball2"} and gone(fewer, "gripper2") == {"gripper2"}


def test_a_fact_that_may_be_lost_keeps_nothing_back(tmp_path: Path) -> None:
    """A spanner is used up, which leaves no fact behind: that is no exactly-one group."""
    task = drawn(tmp_path, "spanner", spanners=2, nuts=2, locations=2)
    fewer = FewerObjects(task, task.initial_state)
    assert gone(fewer, "spanner1") == {"spanner1"}
    assert gone(fewer, "nut1") == {"nut1"}


def test_unit_costs_stay(books: Task, warm: WarmTranslator) -> None:
    plain = with_unit_costs(books)
    fewer = FewerObjects(plain, plain.initial_state)
    assert fewer.task([], plain.name, warm).sha256 == plain.sha256
    assert fewer.task(["bible"], plain.name, warm).unit_cost


def test_a_goal_that_holds_makes_no_task(books: Task, warm: WarmTranslator) -> None:
    state = books.state(["(at atlas home)", "(at bible home)", "(tidy p)", "(tidy q)"])
    with pytest.raises(InputError, match="nothing to test"):
        FewerObjects(books, state).task(["atlas", "p", "q"], "trivial", warm)


def test_tasks_of_sas_files_have_no_objects() -> None:
    task = line_task(3)
    assert objects_of(task) == ()
    with pytest.raises(UnsupportedError, match="PDDL files alone"):
        FewerObjects(task, task.initial_state)
