"""How many tokens would fit at most, and searches that take more and more of them."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from bugsieve.rooms.timelines.models.timeline_atoms import LevelAtom, TokenAtom
from tests.depth import examples
from tests.unit.timelines.rover import ROVER, ltl

REASON = "the extra 'timeline' is not installed"
pytest.importorskip("lark", reason=REASON)
pytest.importorskip("ortools", reason=REASON)

from bugsieve.rooms.rules.ltl.automaton import automaton_of  # noqa: E402
from bugsieve.rooms.rules.ltl.formula import TRUE  # noqa: E402
from bugsieve.rooms.timelines.deciding import (  # noqa: E402
    NoPlan,
    PlanFound,
    PlanLimits,
    _Search,
    decide,
)
from bugsieve.rooms.timelines.encoding.slots import Times  # noqa: E402
from bugsieve.rooms.timelines.models.loading import read_model  # noqa: E402
from bugsieve.rooms.timelines.models.model import Model  # noqa: E402
from bugsieve.rooms.timelines.room import most_tokens  # noqa: E402

TAP = """
class Tank extends Reservoir {{ }}
class Tap extends Timeline {{ predicate Drop {{ {duration} }} }}
Tap::Drop {{ starts(Tank.consume c); eq(c.quantity, 1); }}
PlannerConfig world = new PlannerConfig(0, {horizon});
Tank tank = new Tank(40, 0, 40);
Tap tap = new Tap();
"""
LOW = {"low": LevelAtom("Tank", "<", Fraction(10))}


def tap(*, horizon: int, duration: str = "eq(duration, 1);") -> Model:
    return read_model([("tap.nddl", TAP.format(horizon=horizon, duration=duration))])


def test_what_needs_many_tokens_is_found_by_itself() -> None:
    """31 drops are needed: with 12 slots there is no such plan, which was all that was said."""
    model = tap(horizon=50)
    few = decide(model, ltl("F low"), LOW, slots=12)
    assert few == NoPlan((0, 50), 12, is_complete=False)
    found = decide(model, ltl("F low"), LOW)
    assert isinstance(found, PlanFound)
    assert len(found.plan.tokens) >= 31


def test_room_is_made_until_no_more_would_fit() -> None:
    told: list[NoPlan] = []
    found = decide(tap(horizon=30), ltl("F low"), LOW, on_none=told.append)
    assert [(none.slots, none.is_complete) for none in told] == [
        (12, False),
        (24, False),
        (48, True),
    ]
    assert found == told[-1]


def test_a_spent_budget_leaves_what_was_excluded() -> None:
    model = tap(horizon=300)
    found = decide(model, ltl("F (low & !low)"), LOW)
    assert isinstance(found, NoPlan) and found.is_logical
    never = {"low": LevelAtom("Tank", "<", Fraction(0))}
    found = decide(model, ltl("F low"), never, limits=PlanLimits(0.2))
    assert isinstance(found, NoPlan) and not found.is_complete and found.slots >= 12


def most(model: Model) -> dict[str, int | None]:
    assert model.horizon is not None
    times = Times(*model.horizon)
    return {
        thing.name.split(".")[-1]: most_tokens(model, thing, times)
        for thing in model.objects
        if model.kind(thing) == "timeline"
    }


def test_the_most_tokens_of_the_rover() -> None:
    """Standing lasts 1 and driving 4; the five states of the arm 1, 2, 3, 10 and 2; calls 20."""
    model = read_model([("rover.nddl", ROVER)])
    assert most(model) == {"navigator": 40, "instrument": 30, "commands": 5}


def test_durations_that_rules_state_count() -> None:
    assert most(tap(horizon=7)) == {"tap": 7}
    assert most(tap(horizon=7, duration="eq(duration, [2 3]);")) == {"tap": 4}
    text = TAP.format(horizon=7, duration="").replace("starts(", "leq(3, duration); starts(")
    assert most(read_model([("tap.nddl", text)])) == {"tap": 3}


def chain(random: Random) -> Model:
    """A timeline whose predicates last so long, and meet each other, as drawn."""
    names = "PQRS"[: random.randrange(1, 5)]
    body, rules = [], []
    for name in names:
        low = random.randrange(1, 4)
        inside = random.choice(["", f"eq(duration, [{low} {low + 1}]);"])
        body.append(f"predicate {name} {{ {inside} }}")
        items = [
            f"{relation}(object.{random.choice(names)} {label});"
            for relation, label in (("meets", "following"), ("met_by", "previous"))
            if random.random() < 0.5
        ]
        items += [f"leq({low}, duration);"] if random.random() < 0.3 else []
        rules.append(f"A::{name} {{ {' '.join(items)} }}")
    lines = [f"class A extends Timeline {{ {' '.join(body)} }}", *rules]
    lines += [f"PlannerConfig world = new PlannerConfig(0, {random.randrange(2, 7)});"]
    return read_model([("chain.nddl", "\n".join([*lines, "A a = new A();"]))])


def longest(model: Model) -> int:
    """The most tokens that some plan has, by asking for one more and more."""
    assert model.horizon is not None
    times = Times(*model.horizon)
    (thing,) = [thing for thing in model.objects if model.kind(thing) == "timeline"]
    for wanted in range(1, model.horizon[1] + 2):
        search = _Search(model, times, {thing.number: wanted}, automaton_of(TRUE), {})
        search.constraints.cp.add(search.slots[wanted - 1].active == 1)
        if search.solve(PlanLimits())[0] == "none":
            return wanted - 1
    raise AssertionError("tokens last at least 1")


def test_no_plan_has_more_tokens_than_would_fit() -> None:
    random = Random(4)
    exact = 0
    count = examples(300, quick=40)
    for _ in range(count):
        model = chain(random)
        (bound,) = most(model).values()
        assert bound is not None
        assert longest(model) <= bound
        exact += longest(model) == bound
        assert bound <= (model.horizon or (0, 0))[1]
    assert exact > count // 2


def test_tokens_that_overlap_are_not_limited() -> None:
    text = "class A extends Object { predicate P { } }\nPlannerConfig world = "
    text += "new PlannerConfig(0, 4);\nA a = new A();\n"
    model = read_model([("a.nddl", text)])
    things = [thing for thing in model.objects if model.kind(thing) == "object"]
    assert {most_tokens(model, thing, Times(0, 4)) for thing in things} == {None}
    found = decide(
        model,
        ltl("F (p & !p) | F q"),
        {"p": TokenAtom("A", "P"), "q": TokenAtom("A", "P")},
        slots=2,
    )
    assert isinstance(found, PlanFound)
