"""Decisions about a task that can be checked by eye."""

from __future__ import annotations

import pytest

from bugsieve.base.errors import UsageError
from bugsieve.base.stopping import Stopped, StopToken
from bugsieve.rooms.rules.engine.deciding import Empty, Inconclusive, NoTrace, Trace, decide
from bugsieve.rooms.rules.engine.lassos import Lasso, NoLasso, find_lasso
from bugsieve.rooms.rules.ltl.formula import Formula, atom, finally_, globally, next_
from bugsieve.tasks.search import Limits
from tests.unit.rules.engine.lamps import (
    ATOMS,
    SWITCH_OFF_A,
    SWITCH_ON_A,
    SWITCH_ON_B,
    TURN_KEY,
    lamps,
)

A, B, LEFT, WHITE, SWITCHED = map(atom, ("a", "b", "left", "white", "switched"))


@pytest.mark.parametrize(
    ("formula", "operators"),
    [
        (~A, ()),
        (finally_(A), (SWITCH_ON_A,)),
        (finally_(A & B), (SWITCH_ON_B, SWITCH_ON_A)),
        (finally_(~LEFT), (TURN_KEY,)),
        (finally_(A & next_(~A)), (SWITCH_ON_A, SWITCH_OFF_A)),
        (next_(SWITCHED), (SWITCH_ON_A,)),
        (finally_(SWITCHED & finally_(~SWITCHED & A & ~LEFT)), (SWITCH_ON_A, TURN_KEY)),
    ],
)
def test_a_trace_is_found(formula: Formula, operators: tuple[int, ...]) -> None:
    found = decide(lamps(), formula, ATOMS)
    assert isinstance(found, Trace)
    assert found.operators == operators


def test_what_no_operator_does_has_no_trace() -> None:
    # The second lamp cannot be switched on while the first one burns.
    assert isinstance(decide(lamps(), finally_(~B & A & next_(B)), ATOMS), NoTrace)
    assert decide(lamps(), A, ATOMS) == NoTrace("start")


def test_what_never_changes_counts_as_what_it_is() -> None:
    assert decide(lamps(), finally_(~WHITE), ATOMS) == NoTrace("start")
    assert isinstance(decide(lamps(), finally_(~WHITE), ATOMS, state=[0, 0, 0, 1]), Trace)


def test_contradictions_are_infeasible_in_every_task() -> None:
    assert decide(lamps(), finally_(A) & globally(~A), ATOMS) == Empty()


def test_a_trace_with_goal_ends_there() -> None:
    found = decide(lamps(), finally_(A) & finally_(~LEFT), ATOMS, with_goal=True)
    assert isinstance(found, Trace)
    assert SWITCH_ON_B in found.operators
    assert isinstance(decide(lamps(), globally(~B), ATOMS, with_goal=True), NoTrace)
    assert decide(lamps(), globally(~B), ATOMS) == Trace(())


def test_a_spent_budget_decides_nothing() -> None:
    for limits in (Limits(expansions=0), Limits(seconds=0.0)):
        found = decide(lamps(), finally_(A & B), ATOMS, limits=limits)
        assert isinstance(found, Inconclusive)
        assert "spent" in found.reason


def test_whoever_stops_the_thread_stops_a_decision() -> None:
    token = StopToken()
    token.stop()
    with token.active(), pytest.raises(Stopped):
        decide(lamps(), finally_(A & B), ATOMS, limits=Limits(seconds=60))


def test_too_large_an_automaton_is_inconclusive_with_its_size() -> None:
    names = [f"x{number}" for number in range(15)]
    formula = Formula("and", tuple(finally_(atom(name)) for name in names))
    found = decide(lamps(), formula, dict.fromkeys(names, ("fact", 0, 1)))
    assert isinstance(found, Inconclusive)
    assert "more than" in found.reason


def test_an_atom_without_a_meaning_is_refused() -> None:
    with pytest.raises(UsageError, match="'unknown'"):
        decide(lamps(), finally_(atom("unknown")), ATOMS)


def test_a_lamp_may_be_switched_for_ever() -> None:
    found = find_lasso(lamps(), globally(finally_(A)) & globally(finally_(~A)), ATOMS)
    assert isinstance(found, Lasso)
    assert sorted(found.operators[found.loop_start :]) == [SWITCH_ON_A, SWITCH_OFF_A]


def test_there_is_no_lasso_without_a_light() -> None:
    # Turning the key goes on for ever, but only to the right end.
    assert isinstance(find_lasso(lamps(), globally(LEFT & ~SWITCHED), ATOMS), NoLasso)
    limits = Limits(expansions=1)
    assert isinstance(find_lasso(lamps(), globally(LEFT), ATOMS, limits=limits), Inconclusive)
