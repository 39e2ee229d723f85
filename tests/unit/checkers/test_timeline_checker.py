"""The checker of plans on timelines accepts what is right and nothing that was changed."""

from __future__ import annotations

import copy
from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from bugsieve.rooms.rules.ltl.formula import (
    Formula,
    atom,
    finally_,
    globally,
    next_,
    release,
    until,
)
from bugsieve.rooms.rules.ltl.printer import to_text
from bugsieve.rooms.rules.ltl.traces import holds as expected
from bugsieve.rooms.timelines.checker.timelines import PlanError, check_plan, holds
from bugsieve.rooms.timelines.deciding import PlanFound, atom_text, decide
from bugsieve.rooms.timelines.models.loading import read_model
from bugsieve.rooms.timelines.models.timeline_atoms import LevelAtom, TimelineAtom, TokenAtom
from tests.depth import examples
from tests.unit.timelines.rover import ltl

TEXT = """
enum Mode { slow, fast }
class Tank extends Reservoir { }
class Tap extends Timeline { predicate Drain { Mode mode; } predicate Rest { eq(duration, 1); } }
Tap::Drain {
  starts(Tank.consume used);
  bool twice;
  if (twice) { eq(used.quantity, 2); } else { eq(used.quantity, 1); any(object.Rest unused); }
  eq(used.quantity, [1 2]);
  meets(object.Rest after_it);
}
Tap::Rest { met_by(object.Drain before_it); eq(before_it.mode, fast); }
PlannerConfig world = new PlannerConfig(0, 6);
Tank tank = new Tank(3, 0, 3);
Tap tap = new Tap();
goal(Tap.Drain first); eq(first.start, 1);
"""
ATOMS: dict[str, TimelineAtom] = {
    "low": LevelAtom("Tank", "<=", Fraction(2)),
    "fast": TokenAtom("tap", "Drain", (("mode", "fast"),)),
}
MEANINGS = {name: atom_text(item) for name, item in ATOMS.items()}
FORMULA = "!low & F(low & fast)"


def make_plan() -> dict[str, Any]:
    found = decide(read_model([("tap.nddl", TEXT)]), ltl(FORMULA), ATOMS, slots=4)
    assert isinstance(found, PlanFound)
    return found.plan.to_json()


PLAN = make_plan()
DRAIN = next(place for place, token in enumerate(PLAN["tokens"]) if token["start"] == 1)
LATE = {"object": "tap", "start": 9, "end": 10, "parameters": {}}


def test_a_plan_is_accepted() -> None:
    check_plan([TEXT], PLAN, FORMULA, MEANINGS)
    with pytest.raises(PlanError, match="does not satisfy the formula"):
        check_plan([TEXT], PLAN, "G !low", MEANINGS)


def drain(plan: Any) -> Any:
    return plan["tokens"][DRAIN]


CHANGES: list[tuple[str, Callable[[Any], object]]] = [
    ("the goal is missed", lambda p: drain(p).update(start=2)),
    ("it ends before it begins", lambda p: drain(p).update(end=1)),
    ("it meets nothing", lambda p: drain(p).update(end=drain(p)["end"] + 1)),
    ("an unknown value", lambda p: drain(p)["parameters"].update(mode="medium")),
    ("a wrong value", lambda p: drain(p)["parameters"].update(mode="slow")),
    ("a parameter too many", lambda p: drain(p)["parameters"].update(more=1)),
    ("another predicate", lambda p: drain(p).update(predicate="Rest")),
    ("an unknown object", lambda p: drain(p).update(object="tank")),
    ("no rules", lambda p: drain(p).update(supports=[])),
    ("another rule", lambda p: drain(p)["supports"][0].update(rule=1)),
    (
        "the other branch",
        lambda p: drain(p)["supports"][0]["variables"].__setitem__(
            0, not drain(p)["supports"][0]["variables"][0]
        ),
    ),
    ("no variables", lambda p: drain(p)["supports"][0].update(variables=[])),
    ("too many variables", lambda p: drain(p)["supports"][0]["variables"].append(True)),
    (
        "another amount",
        lambda p: drain(p)["supports"][0]["tokens"][0]["parameters"].update(quantity=3),
    ),
    ("another time", lambda p: drain(p)["supports"][0]["tokens"][0].update(start=0)),
    ("a token that is not there", lambda p: drain(p)["supports"][0]["tokens"].__setitem__(-1, 99)),
    (
        "a token outside that does not fit",
        lambda p: drain(p)["supports"][0]["tokens"].__setitem__(-1, LATE),
    ),
    ("the token itself", lambda p: drain(p)["supports"][0]["tokens"].__setitem__(-1, DRAIN)),
    ("wrong levels", lambda p: p["levels"]["tank"].__setitem__(0, 2)),
    ("wrong letters", lambda p: p["letters"].__setitem__(0, ["low"])),
    ("another horizon", lambda p: p.update(horizon=[0, 5])),
    ("no goal", lambda p: p["root"].update(tokens=[])),
    (
        "a goal outside",
        lambda p: p["root"].update(tokens=[{**LATE, "parameters": {"mode": "fast"}}]),
    ),
    ("two tokens at once", lambda p: p["tokens"].append(copy.deepcopy(drain(p)))),
    ("no tokens", lambda p: p.update(tokens=[])),
    ("nonsense", lambda p: p.update(tokens=[7])),
]


@pytest.mark.parametrize(("change"), [pytest.param(c, id=name) for name, c in CHANGES])
def test_a_changed_plan_is_rejected(change: Callable[[Any], object]) -> None:
    plan = copy.deepcopy(PLAN)
    change(plan)
    assert plan != PLAN
    with pytest.raises(PlanError):
        check_plan([TEXT], plan, FORMULA, MEANINGS)


@pytest.mark.parametrize("config", ["(0, 7)", "(1, 6)", "(0, 5)"])
def test_the_horizon_is_that_of_the_model(config: str) -> None:
    """The plan itself is right; it is one for another stretch of time."""
    text = TEXT.replace("PlannerConfig(0, 6)", f"PlannerConfig{config}")
    with pytest.raises(PlanError, match="another horizon"):
        check_plan([text], PLAN, FORMULA, MEANINGS)
    check_plan([text], PLAN, FORMULA, MEANINGS, horizon=(0, 6))
    with pytest.raises(PlanError, match="another horizon"):
        check_plan([TEXT], PLAN, FORMULA, MEANINGS, horizon=(0, 7))


def test_a_level_below_its_bound_is_rejected() -> None:
    for change in ("new Tank(1, 0, 3)", "new Tank(3, 2, 3)"):
        text = TEXT.replace("new Tank(3, 0, 3)", change)
        with pytest.raises(PlanError):
            check_plan([text], PLAN, "true", {})


@pytest.mark.parametrize("formula", ["", "(low", "low low", "low U", "3", "low & )"])
def test_formulas_that_cannot_be_read(formula: str) -> None:
    with pytest.raises(PlanError):
        check_plan([TEXT], PLAN, formula, MEANINGS)


def random_formula(random: Random, depth: int) -> Formula:
    if depth == 0 or random.random() < 0.2:
        return atom(random.choice(["a", "b(x,y)", "Gc", "d-e"]))
    left, right = (random_formula(random, depth - 1) for _ in range(2))
    pairs = {
        0: left & right,
        1: left | right,
        2: until(left, right),
        3: release(left, right),
        4: ~left,
        5: next_(left),
        6: globally(left),
        7: finally_(left),
        8: Formula("implies", (left, right)),
        9: Formula("iff", (left, right)),
        10: Formula("weak-until", (left, right)),
        11: Formula("strong-release", (left, right)),
        12: Formula("weak-next", (left,)),
    }
    return pairs[random.randrange(len(pairs))]


def test_formulas_hold_as_everywhere() -> None:
    random = Random(7)
    answers = set()
    for _ in range(examples(3000, quick=500)):
        formula = random_formula(random, 3)
        word = [
            {name for name in ("a", "b(x,y)", "Gc", "d-e") if random.random() < 0.5}
            for _ in range(random.randint(1, 5))
        ]
        answers.add(holds(to_text(formula), word))
        assert holds(to_text(formula), word) == expected(formula, word), to_text(formula)
    assert answers == {True, False}
