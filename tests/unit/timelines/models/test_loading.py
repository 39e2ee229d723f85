"""NDDL files: what is read, and what is refused with its place and the nearest name."""

from __future__ import annotations

from pathlib import Path

import pytest

from bugsieve.base.errors import InputError, UnsupportedError
from bugsieve.rooms.timelines.models.loading import duration_bounds, load_timelines, read_model
from bugsieve.rooms.timelines.models.model import Branch, Link, Subgoal, subgoals
from tests.unit.timelines.rover import DOOR, FOLDER, door


def test_the_rover_is_read() -> None:
    model = load_timelines(FOLDER / "rover.nddl")
    assert model.horizon == (0, 100)
    names = [thing.name for thing in model.objects]
    assert "spirit.navigator" in names and "spirit.instrument" in names
    predicates = model.classes["Instrument"].predicates
    assert duration_bounds(predicates["Unstow"]) == (2, 6)
    assert duration_bounds(predicates["TakeSample"]) == (10, None)
    assert duration_bounds(predicates["Stowed"]) == (1, None)
    (battery,) = model.instances("Battery")
    assert model.reservoir(battery).high == 1000


def test_members_and_constructors() -> None:
    model = read_model(
        [
            (
                "m.nddl",
                """class Base { int x = 3; Base(int _x) { x = _x + 2 * 2; } }
                class Part extends Base { Base other; Part() { super(1); other = new Base(x0); } }
                int x0 = 10;
                Part p = new Part();
                new Base(7);
                int y = p.other.x;
                int z = y - 1;""",
            )
        ]
    )
    assert {thing.name: thing.members["x"] for thing in model.objects} == {
        "p": 5,
        "p.other": 14,
        "Base_2": 11,
    }


def test_rules_of_a_class_hold_for_those_that_extend_it() -> None:
    more = "class Gate extends Door { predicate Stuck { } }\nGate gate = new Gate();\n"
    model = door(more)
    (gate,) = model.instances("Gate")
    assert list(model.classes["Gate"].predicates) == ["Open", "Closed", "Stuck"]
    assert model.rules_of(gate, "Open") == (0,)
    assert [thing.name for thing in model.instances("Door")] == ["door", "gate"]


def test_bodies_keep_the_order_of_the_text() -> None:
    more = """Door::Open {
      if (lamp == red) { starts(object.Open a); } else { any(door.Closed b); b before this; }
      ends(Door.Closed c, object.Closed);
    }"""
    body = door(more).rules[-1].body
    assert isinstance(body[0], Branch)
    assert [item.predicate for item in subgoals(body)] == ["Open", "Closed", "Closed", "Closed"]
    assert [item.number for item in subgoals(body)] == [0, 1, 2, 3]
    assert isinstance(body[0].otherwise[1], Link)
    assert (body[0].otherwise[1].this, body[0].otherwise[1].that) == (1, -1)
    assert isinstance(body[1], Subgoal)


def test_includes_name_files_that_are_given(tmp_path: Path) -> None:
    model, problem = tmp_path / "model.nddl", tmp_path / "problem.nddl"
    model.write_text('#include "Plasma.nddl"\n' + DOOR)
    problem.write_text('#include "model.nddl"\ngoal(Door.Open g);\n')
    assert len(load_timelines(model, problem).root) == 1
    problem.write_text('\n  #include "other.nddl"\ngoal(Door.Open g);\n')
    with pytest.raises(InputError, match=r"problem.nddl:2:13: the file 'other.nddl'"):
        load_timelines(model, problem)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("goal(Door.Opne g);", r"d:1:6: .*no predicate 'Opne' \(did you mean 'Open'\?\)"),
        (
            "Door::Open { meet(object.Open c); }",
            r"'c' is not expected here; .*no relation 'meet' \(did you mean 'meets'\?\)",
        ),
        ("Door::Open { eq(object.Open c); }", r"'c' is not expected here$"),
        ("goal(Dor.Open g);", r"d:1:6: there is no name 'Dor'"),
        ("goal(Door.Open g); eq(g.lmap, red);", r"no parameter 'lmap' \(did you mean 'lamp'\?\)"),
        ("goal(Door.Open g); eq(g.lamp, rde);", r"d:1:31: there is no name 'rde'"),
        ("goal(Door.Open g); eq(g.lamp, 3);", r"type Colour cannot be compared with one of int"),
        ("goal(Door.Open g); eq(g.lamp);", r"'eq' takes 2 arguments, not 1"),
        ("goal(Door.Open g); leq(g.lamp, red);", r"have no order"),
        ("goal(Door.Open g, Door.Open g);", r"the label 'g' is given twice"),
        ("goal(Door.Open g); g meets h;", r"there is no token 'h'"),
        ("goal(Door.Open g); eq(g, 3);", r"'g' is a token, name one of its fields"),
        ("meets(Door.Open g);", r"the token that 'meets' is about is missing"),
        ("eq(1, [5 2]);", r"the range \[5 2\] is empty"),
        ("Door::Opne { }", r"there is no predicate 'Opne' \(did you mean 'Open'\?\)"),
        ("Dor::Open { }", r"there is no class 'Dor' \(did you mean 'Door'\?\)"),
        ("class Door { }", r"the name 'Door' is already taken"),
        ("class A extends B { } class B extends A { }", r"the class '\w' extends itself"),
        ("class A extends Dor { }", r"there is no class 'Dor' \(did you mean 'Door'\?\)"),
        ("enum Hue { red }", r"the value 'red' is declared twice"),
        ("Door d2 = new Door(4);", r"Timeline is made of 1 arguments"),
        ("Door d2 = new Dor();", r"d:1:15: there is no class 'Dor'"),
        ("Door door = new Door();", r"the name 'door' is declared twice"),
        ("int x = red;", r"a value of type int is expected, not of Colour"),
        ("class R extends Reservoir { } R r = new R(9, 0, 5);", r"the level 9 is not between"),
        ("class A { int x; } A a = new A(); goal(Door.Open g); eq(g.start, a.x);", r"is not set"),
        ("class A { A a; A() { a = new A(); } } A a = new A();", r"constructors call each other"),
        ("PlannerConfig w2 = new PlannerConfig(0);", r"PlannerConfig is made of 1 arguments"),
        ("goal(Door.Open g", r"d:1:17: the file ends in the middle"),
        ("goal(Door.Open g)) ;", r"d:1:18: '\)' is not expected here"),
        ("int x = 3 ~ 4;", r"d:1:11: the character '~' is no part of NDDL"),
    ],
)
def test_mistakes_are_named_with_their_place(text: str, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        read_model([("door.nddl", DOOR), ("d", text)])


@pytest.mark.parametrize(
    ("text", "feature"),
    [
        ("foreach(a in b) { }", "d:1:1: the file uses 'foreach'"),
        ("typedef int [1 3] small;", "d:1:1: the file uses 'typedef'"),
        ("rejectable(Door.Open g);", "d:1:1: the file uses 'rejectable'"),
        ("class A { action Go { } }", "d:1:11: the file uses 'action'"),
        ("int x = 1.5;", "d:1:9: 1.5 is not a whole number"),
        ("int x;", "the global variable 'x' has no value"),
        ("goal(Door.Open g); sqrt(g.start, 3);", "d:1:20: the constraint 'sqrt'"),
        ("goal(Door.Open g); eq(g.state, 3);", "the state of a token"),
        ("goal(Door.Open g); g.reset();", "d:1:22: the file uses 'reset'"),
        ("class R extends Reservoir { predicate P { } }", "a predicate of its own"),
        ("class R extends Reservoir { } R::consume { }", "a rule about the transactions"),
    ],
)
def test_what_is_not_supported_is_named(text: str, feature: str) -> None:
    with pytest.raises(UnsupportedError, match=feature):
        read_model([("door.nddl", DOOR), ("d", text)])
