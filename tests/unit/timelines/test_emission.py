"""Traps as NDDL beside the model."""

from __future__ import annotations

import pytest

from bugsieve.base.errors import UnsupportedError
from bugsieve.rooms.timelines.deciding import Decision, NoPlan, PlanFound, decide
from bugsieve.rooms.timelines.emission import cubes_of, emit_nddl, slots_beside
from bugsieve.rooms.timelines.models.loading import read_model
from bugsieve.rooms.timelines.models.model import Model
from tests.unit.timelines.rover import ATOMS, DOOR_ATOMS, GUARD, ROVER, door, ltl


def decided_beside(model: Model, formula: str, slots: int, text: str = "") -> Decision:
    trap = ltl(formula)
    text = emit_nddl(model, trap, ATOMS)
    both = read_model([*model.texts, ("trap.nddl", text)])
    return decide(both, slots=slots_beside(model, trap, ATOMS, slots=slots))


@pytest.mark.parametrize(
    ("formula", "slots", "is_found"),
    [
        ("(!moving & stowed) U (!moving & !stowed)", 12, True),
        ("(!moving & stowed) U (moving & stowed & G(moving -> stowed))", 8, True),
        ("(!moving | stowed) U (moving & !stowed)", 8, False),
    ],
)
def test_the_slides_tests_have_the_same_answers(formula: str, slots: int, is_found: bool) -> None:
    model = read_model([("rover.nddl", ROVER)])
    found = decided_beside(model, formula, slots)
    assert isinstance(found, PlanFound if is_found else NoPlan)


def test_the_planted_fault_is_caught_this_way_too() -> None:
    model = read_model([("rover.nddl", ROVER.replace(GUARD, GUARD.split("\n")[1]))])
    found = decided_beside(model, "(!moving | stowed) U (moving & !stowed)", 8)
    assert isinstance(found, PlanFound)


def test_parameters_and_several_objects() -> None:
    model = door("Door second = new Door();")
    trap = ltl("!open U (red & !closed)")
    text = emit_nddl(model, trap, DOOR_ATOMS)
    assert "if (object == door) { equals(" in text
    assert "if (object == second) { equals(" in text
    assert "contained_by(Door.Open in_Trap_" in text
    assert ".lamp, red);" in text
    assert "Trap_Rest" not in text
    assert "token(door.Closed)" in text


def test_names_of_the_model_are_left_alone() -> None:
    model = door("class Trap { }")
    assert "class Trap1_Right" in emit_nddl(model, ltl("F open"), DOOR_ATOMS)


@pytest.mark.parametrize(
    ("formula", "reason"),
    [
        ("G open", r"G open cannot be written in NDDL: it is neither A U B nor"),
        ("open U X closed", r"it has a nested X: X closed"),
        ("open U (closed & F open)", r"it has a nested F: F open"),
        ("(G open) U closed", r"it has a nested G: G open"),
        ("open U (closed & !closed)", r"it is never satisfied"),
        ("F charged", r"level of a reservoir in the atom 'charged'"),
    ],
)
def test_other_formulas_are_refused_by_name(formula: str, reason: str) -> None:
    with pytest.raises(UnsupportedError, match=reason):
        emit_nddl(door(), ltl(formula), {**DOOR_ATOMS, **ATOMS})


@pytest.mark.parametrize(
    ("formula", "cubes"),
    [
        ("true", [()]),
        ("false", []),
        ("a -> b", [(("a", False),), (("b", True),)]),
        ("!(a | b)", [(("a", False), ("b", False))]),
        ("a <-> b", [(("a", True), ("b", True)), (("a", False), ("b", False))]),
        ("(a | b) & a", [(("a", True),)]),
        ("a & !a", []),
    ],
)
def test_cubes(formula: str, cubes: list[object]) -> None:
    assert cubes_of(ltl(formula)) == cubes
