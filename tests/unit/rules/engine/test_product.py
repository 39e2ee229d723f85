"""The product of a task and an automaton: its size, its texts and the way back."""

from __future__ import annotations

from pathlib import Path

import pytest

from bugsieve import load_task
from bugsieve.base.errors import InputError
from bugsieve.rooms.rules.engine.conditions import Condition
from bugsieve.rooms.rules.engine.parts import plain_task_of
from bugsieve.rooms.rules.engine.pddl import plan_of_pddl, to_pddl
from bugsieve.rooms.rules.engine.product import ACCEPT, Product, compile_product
from bugsieve.rooms.rules.ltl.automaton import automaton_of
from bugsieve.rooms.rules.ltl.formula import (
    Formula,
    atom,
    finally_,
    globally,
    next_,
    until,
    weak_until,
)
from bugsieve.rooms.zoo.domains import generate
from bugsieve.tasks.grounded.task import Task
from bugsieve.tasks.search import astar
from tests.unit.rules.engine.lamps import ATOMS, SWITCH_ON_A, SWITCH_ON_B, lamps

A, B = atom("a"), atom("b")


def product_of(task: Task, formula: Formula, atoms: dict[str, Condition]) -> Product:
    return compile_product(task, automaton_of(formula), atoms)


def test_only_what_atoms_depend_on_is_kept() -> None:
    product = product_of(lamps(), finally_(A), ATOMS)
    assert product.variables == (0,)
    # The lamp is not switched off: it does not burn before the automaton accepts.
    assert product.sources == (SWITCH_ON_A, ACCEPT)
    assert product_of(lamps(), finally_(B), ATOMS).variables == (0, 1)
    assert product_of(lamps(), finally_(A & next_(A)), ATOMS).variables == (0, 1, 2, 3)


def test_parts_of_a_task_are_made_once() -> None:
    plain = plain_task_of(lamps())
    assert plain.cone([1]) is plain.cone([0, 1])
    assert plain.cone([0]) is not plain.cone([0, 1])


def test_a_plan_of_the_product_is_a_trace() -> None:
    product = product_of(lamps(), finally_(A & B), ATOMS)
    plan = astar(product.task, product.initial_state, "blind").plan
    assert plan is not None
    assert product.trace(plan) == (SWITCH_ON_B, SWITCH_ON_A)


def test_the_product_written_as_pddl_has_the_same_plans(tmp_path: Path) -> None:
    product = product_of(lamps(), finally_(~atom("left") & next_(A & ~B)), ATOMS)
    for name, text in zip(("domain", "problem"), to_pddl(product), strict=True):
        (tmp_path / f"{name}.pddl").write_text(text)
    task = load_task(tmp_path / "domain.pddl", tmp_path / "problem.pddl", cache=False)
    written = astar(task, task.initial_state, "blind")
    own = astar(product.task, product.initial_state, "blind")
    assert written.plan is not None
    assert written.cost == own.cost == 2
    names = task.native.operator_names
    text = "\n".join(f"({names[operator]})" for operator in written.plan) + "\n; cost = 2\n"
    assert len(product.trace(plan_of_pddl(product, text))) == 2


def test_a_plan_of_something_else_is_refused() -> None:
    product = product_of(lamps(), finally_(A), ATOMS)
    for line in ("(fly away)", "(o99-on-a)"):
        with pytest.raises(InputError, match="line 1 of the plan"):
            plan_of_pddl(product, line)


@pytest.fixture(scope="module")
def rovers(tmp_path_factory: pytest.TempPathFactory) -> Task:
    folder = tmp_path_factory.mktemp("rovers")
    drawn = generate("rovers", seed=0)
    (folder / "domain.pddl").write_text(drawn.domain)
    (folder / "problem.pddl").write_text(drawn.problem)
    return load_task(folder / "domain.pddl", folder / "problem.pddl")


def test_products_of_rovers_are_hardly_larger_than_the_task(rovers: Task) -> None:
    def any_of(*atoms: str) -> Condition:
        return ("or", *(("fact", *fact) for text in atoms for fact in rovers.places(text)))

    atoms = {
        "p": any_of("(at rover2 waypoint1)", "(at rover2 waypoint3)"),
        "q": any_of("(calibrated camera1 rover2)"),
    }
    p, q = atom("p"), atom("q")
    formulas = {
        "violation": finally_(p & ~q),
        "positive": until(~p | q, p & q & globally(~p | q)),
        "precedence": weak_until(~q, p),
        "response": globally(~p | finally_(q)),
    }
    for name, formula in formulas.items():
        whole = compile_product(rovers, automaton_of(formula), atoms, is_cut=False)
        copies = len([source for source in whole.sources if source != ACCEPT])
        assert copies <= 2 * rovers.num_operators, name
    with_next = compile_product(rovers, automaton_of(finally_(p & next_(q))), atoms)
    assert len(with_next.sources) <= 4 * rovers.num_operators
