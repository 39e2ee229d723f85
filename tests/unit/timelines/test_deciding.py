"""Plans and their absence: the slides' tests on the rover, and small models of all features."""

from __future__ import annotations

import os
import signal
import threading
from fractions import Fraction

import pytest

from bugsieve.base.errors import InputError, UnsupportedError, UsageError
from bugsieve.base.stopping import Stopped, StopToken
from bugsieve.rooms.timelines.deciding import (
    Decision,
    Inconclusive,
    NoPlan,
    PlanFound,
    PlanLimits,
    decide,
)
from bugsieve.rooms.timelines.models.loading import read_model
from bugsieve.rooms.timelines.models.timeline_atoms import LevelAtom, TokenAtom
from bugsieve.rooms.timelines.plans.plan import Plan
from tests.unit.timelines.rover import ATOMS, DOOR_ATOMS, GUARD, ROVER, door, ltl

VIOLATION = "(!moving | stowed) U (moving & !stowed)"
MOVING_FIRST = "(!moving & stowed) U (moving & stowed & G(moving -> stowed))"
PLAIN = """
class A extends Timeline {{ predicate P {{ }} predicate Q {{ int n; }} }}
{rules}
PlannerConfig world = new PlannerConfig(0, 4);
A a = new A();
{goals}
"""


def rover(formula: str, *, text: str = ROVER, slots: int = 8) -> Decision:
    return decide(read_model([("rover.nddl", text)]), ltl(formula), ATOMS, slots=slots)


def plan(decision: Decision) -> Plan:
    assert isinstance(decision, PlanFound)
    return decision.plan


def small(rules: str, goals: str, *, slots: int = 4) -> Decision:
    text = PLAIN.format(rules=rules, goals=goals)
    return decide(read_model([("small.nddl", text)]), slots=slots)


def test_the_first_test_of_the_slides_has_a_plan() -> None:
    found = plan(rover("(!moving & stowed) U (!moving & !stowed)", slots=12))
    first = next(time for time, letter in enumerate(found.letters) if "stowed" not in letter)
    assert all("moving" not in letter for letter in found.letters[: first + 1])


def test_the_second_test_of_the_slides_has_a_plan() -> None:
    found = plan(rover(MOVING_FIRST))
    assert any("moving" in letter for letter in found.letters)
    assert all("stowed" in letter for letter in found.letters if "moving" in letter)


def test_the_negative_test_of_the_slides_has_none() -> None:
    found = rover(VIOLATION)
    assert found == NoPlan((0, 100), 8, is_complete=False)
    assert str(found) == "no plan with at most 8 tokens per timeline from 0 to 100"


def test_the_planted_fault_is_caught() -> None:
    assert GUARD in ROVER
    faulty = ROVER.replace(GUARD, GUARD.split("\n")[1])
    found = plan(rover(VIOLATION, text=faulty))
    assert any("moving" in letter and "stowed" not in letter for letter in found.letters)


def test_levels_follow_the_transactions() -> None:
    found = plan(rover("G charged"))
    levels = found.levels["battery"]
    assert levels[0] <= 1000
    assert min(levels) >= 60
    drives = [t for t in found.tokens if t.predicate == "Going"]
    assert drives
    for token in drives:
        before = levels[token.start - 1]
        assert before - levels[token.start] >= 100


def test_a_full_timeline_is_complete() -> None:
    found = decide(door(), ltl("F red"), DOOR_ATOMS, slots=6)
    assert found == NoPlan((0, 6), 6, is_complete=True)
    assert "complete" in str(found)
    found = decide(door(), ltl("F red"), DOOR_ATOMS, slots=5)
    assert found == NoPlan((0, 6), 5, is_complete=False)


@pytest.mark.parametrize(
    ("length", "duration"),
    [
        ("eq(n, 40); eq(duration, n * n);", 1600),
        ("eq(n, 40); mulEq(n, n, duration);", 1600),
        ("int b; int c; eq(n, 50); addEq(n, n, b); addEq(b, b, c); addEq(c, c, duration);", 400),
    ],
)
def test_computed_durations_reach_as_far_as_numbers_do(length: str, duration: int) -> None:
    text = PLAIN.format(rules="", goals="").replace("int n;", f"int n; {length}")
    model = read_model([("small.nddl", text)])
    found = plan(decide(model, ltl("F q"), {"q": TokenAtom("A", "Q")}, slots=4))
    (token,) = (token for token in found.tokens if token.predicate == "Q")
    assert token.end - token.start == duration


def test_gaps_are_allowed_but_the_rules_fill_them() -> None:
    assert isinstance(decide(door(), ltl("G(!open & !closed)"), DOOR_ATOMS), PlanFound)
    chained = "goal(Door.Closed c); eq(c.start, 0);"
    assert isinstance(decide(door(chained), ltl("F(!open & !closed)"), DOOR_ATOMS), NoPlan)
    assert isinstance(decide(door(chained), ltl("G(open | closed)"), DOOR_ATOMS), PlanFound)


def test_a_formula_without_words_is_said_to_be_so() -> None:
    found = decide(door(), ltl("open & !open"), DOOR_ATOMS)
    assert isinstance(found, NoPlan) and found.is_logical
    assert str(found) == "no trace at all satisfies the formula"


def test_a_spent_budget_is_no_answer() -> None:
    model = read_model([("rover.nddl", ROVER)])
    found = decide(model, ltl(VIOLATION), ATOMS, slots=8, limits=PlanLimits(0.0001))
    assert isinstance(found, Inconclusive)


def test_the_same_question_has_the_same_answer() -> None:
    chained = door("goal(Door.Open c);")
    assert decide(chained, ltl("F closed"), DOOR_ATOMS) == decide(
        chained, ltl("F closed"), DOOR_ATOMS
    )


def test_tokens_may_end_beyond_the_horizon() -> None:
    found = plan(small("A::P { eq(duration, 9); }", "goal(A.P g);"))
    (token,) = (token for token in found.tokens if token.predicate == "P")
    assert token.end - token.start == 9


def test_lengths_may_come_from_variables_and_members() -> None:
    rules = "class L { int n; L(int _n) { n = _n; } } L l = new L(700); L k = new L(800);"
    body = "A::P { L x; eq(duration, x.n); } A::Q { eq(duration, n); }"
    for goal in ("goal(A.P g);", "goal(A.Q g); eq(g.n, 900);"):
        assert isinstance(small(f"{rules} {body}", goal), PlanFound)


def test_goals_must_be_reached_in_the_horizon() -> None:
    assert isinstance(small("", "goal(A.P g); eq(g.start, 4);"), NoPlan)
    assert isinstance(small("", "fact(a.P g); g.end.specify(4);"), PlanFound)


def test_a_token_that_a_rule_asks_for_may_lie_outside() -> None:
    found = plan(small("A::P { after(object.Q q); eq(q.n, 3); }", "goal(A.P g); eq(g.start, 0);"))
    (support,) = next(token for token in found.tokens if token.start == 0).supports
    (outside,) = support.tokens
    assert outside is not None and not isinstance(outside, int)
    assert outside.end <= 0
    assert outside.parameters == {"n": 3}


@pytest.mark.parametrize(
    ("body", "is_possible"),
    [
        ("if (start == 0) { neq(start, 0); } else { eq(duration, 2); }", True),
        ("if (start == 0) { neq(start, 0); } else { neq(start, start); }", False),
        ("int x = [2 3]; mulEq(x, x, start);", False),
        ("int x = [1 3]; mulEq(x, x, start);", True),
        ("bool b; if (b) { eq(start, 3); } else { eq(start, 2); }", True),
        ("addEq(start, 2, end); addLeq(start, 3, 4);", True),
        ("start + 2 * 2 <= 3;", False),
        ("eq(start, {1, 3}); neq(start, [2 9]); lt(0, start);", True),
        ("temporalDistance(start, [5 7], end); geq(start, 3);", True),
        ("temporalDistance(start, 2, end); gt(start, 3);", False),
        ("A other; starts(other.Q q); eq(q.n, 1);", False),
        ("meets(object.Q q); q meets (object.P p); leq(4, p.end); eq(q.n, 2);", True),
        ("meets(object.Q q); this before q; any(A.Q r); r equals q; neq(r.n, q.n);", True),
        ("eq(end, 2); meets(object.Q q); any(A.Q r); r equals q; neq(r.n, q.n);", False),
        ("contains(object.P self); eq(self.start, start);", True),
    ],
)
def test_bodies_mean_what_they_say(body: str, is_possible: bool) -> None:
    found = small(f"A::P {{ {body} }}", "goal(A.P g);", slots=3)
    assert isinstance(found, PlanFound if is_possible else NoPlan)


RESERVOIR = """
class Tank extends Reservoir { }
class Tap extends Timeline { predicate Fill { eq(duration, 2); } predicate Drain { } }
Tap::Fill { ends(Tank.produce p); eq(p.quantity, 4); }
Tap::Drain { starts(tank.consume c); eq(c.quantity, {3, 5}); }
PlannerConfig world = new PlannerConfig(0, 8);
Tank tank = new Tank(2, 0, 6);
Tap tap = new Tap();
"""


@pytest.mark.parametrize(
    ("atom", "formula", "is_possible"),
    [
        (LevelAtom("Tank", "<", Fraction(0)), "F a", False),
        (LevelAtom("Tank", ">", Fraction(5)), "a", False),
        (LevelAtom("Tank", ">", Fraction(5)), "X X a", True),
        (LevelAtom("Tank", "=", Fraction(1)), "F a", True),
        (LevelAtom("tank", "<=", Fraction(3, 2)), "F a", True),
        (LevelAtom("tank", "!=", Fraction(2)), "a", False),
        (LevelAtom("tank", ">=", Fraction(13, 2)), "F a", False),
    ],
)
def test_reservoirs_keep_their_bounds(atom: LevelAtom, formula: str, is_possible: bool) -> None:
    model = read_model([("tank.nddl", RESERVOIR)])
    found = decide(model, ltl(formula), {"a": atom}, slots=4)
    assert isinstance(found, PlanFound if is_possible else NoPlan)
    if isinstance(found, PlanFound):
        assert all(0 <= level <= 6 for level in found.plan.levels["tank"])


@pytest.mark.parametrize(
    ("rules", "place"),
    [
        ("class B extends Timeline { predicate R { int n; float f; 0.0 < f; f < 1.0; } }", "3:55"),
        ("A::P { float f; 0 < f; f < 1; }", "3:14"),
        ("A::P { float f = [0.0 1.0]; }", "3:14"),
    ],
)
def test_no_plan_chooses_a_fraction(rules: str, place: str) -> None:
    """It was read as a whole number: none lies between 0 and 1, and that was called complete."""
    with pytest.raises(UnsupportedError, match=rf"small.nddl:{place}: plans .* the float 'f'"):
        small(rules, "goal(A.P g);")


def test_floats_that_are_there_already_are_whole_numbers() -> None:
    rules = "class C { float m; C(float _m) { m = _m; } }\nfloat half = 2.0;\n"
    rules += "C c = new C(3.0);\nA::P { float f = c.m; eq(duration, f); eq(start, half - 1); }"
    found = plan(small(rules, "goal(A.P g);"))
    assert [(token.start, token.end) for token in found.tokens] == [(1, 4)]


def test_amounts_must_be_known() -> None:
    text = RESERVOIR.replace("eq(c.quantity, {3, 5});", "leq(c.quantity, 5);")
    with pytest.raises(UnsupportedError, match=r"tank.nddl:5:\d+: the amount"):
        decide(read_model([("tank.nddl", text)]))


def test_questions_that_do_not_fit_the_model() -> None:
    with pytest.raises(UsageError, match="whose meaning is not given"):
        decide(door(), ltl("F unknown"), DOOR_ATOMS)
    with pytest.raises(InputError, match=r"no predicate 'Opne' \(did you mean 'Open'\?\)"):
        decide(door(), ltl("a"), {"a": TokenAtom("Door", "Opne")})
    with pytest.raises(InputError, match=r"no class or object 'Dor' \(did you mean"):
        decide(door(), ltl("a"), {"a": TokenAtom("Dor", "Open")})
    with pytest.raises(InputError, match=r"no value of type Colour 'gren'"):
        decide(door(), ltl("a"), {"a": TokenAtom("Door", "Open", (("lamp", "gren"),))})
    with pytest.raises(InputError, match="is not one reservoir"):
        decide(door(), ltl("a"), {"a": LevelAtom("Door", ">", Fraction(1))})
    with pytest.raises(UsageError, match="slots must be between"):
        decide(door(), slots=0)
    with pytest.raises(InputError, match="horizon from 3 to 3"):
        decide(door(), horizon=(3, 3))


def test_interrupts_stay_ours() -> None:
    """CP-SAT must not take over the handler of Ctrl-C, nor make it wait for the end."""
    before = signal.getsignal(signal.SIGINT)
    decide(door(), ltl("F open"), DOOR_ATOMS)
    assert signal.getsignal(signal.SIGINT) is before
    with pytest.raises(KeyboardInterrupt):
        _interrupt()


def _interrupt() -> None:
    os.kill(os.getpid(), signal.SIGINT)
    threading.Event().wait(5)


def test_a_search_stops_when_asked() -> None:
    token = StopToken()
    timer = threading.Timer(0.2, token.stop)
    timer.start()
    with token.active(), pytest.raises(Stopped):
        _ask_again_and_again()
    timer.join()


def _ask_again_and_again() -> None:
    while True:
        rover(VIOLATION)
