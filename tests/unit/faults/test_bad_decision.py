"""The decision that dominance proves bad agrees with the one to blame."""

from __future__ import annotations

from math import inf
from re import match
from unittest.mock import patch

from bugsieve.explanation.blame.blame import EXACT, Blame, blame
from bugsieve.pipeline.bugs.certificate import certificate_of
from bugsieve.rooms.dominance.blame.bad_decision import bad_by_itself
from bugsieve.rooms.dominance.function import DominanceFunction
from bugsieve.rooms.dominance.options import DominanceOptions
from bugsieve.tasks.grounded.task import NO_ACTION, Task
from tests.depth import examples
from tests.unit.dominance.naive import State
from tests.unit.dominance.small_tasks import small_task
from tests.unit.oracles.dominance_cases import (
    DominanceCase,
    TablePolicy,
    batch,
    dominance_case,
)

WORDS = r"decision (\d+), .+, costs at least (\d+) more than .+, whatever comes after it: proven"

# From 0 the long way over 1 costs 3 + 2, the direct one 1; the switch b costs 1 at 0, 4 at 2, and
# what op5 does nobody needs.
FORK = small_task(
    "a=2,b=1",
    "a=0 -> a=1 (3)",
    "a=1 -> a=2 (2)",
    "a=0 -> a=2 (1)",
    "a=0 -> b=1",
    "a=2 -> b=1 (4)",
    "c=0 -> c=1",
)
WAYS = {(0, 0): 3, (0, 1): 2, (1, 0): 1, (1, 1): 1, (2, 0): 4, (2, 1): NO_ACTION}
BEST: dict[State, int] = {(*at, c): action for at, action in WAYS.items() for c in range(2)}
DETOUR: dict[State, int] = {(0, 1, 0): 0, (0, 1, 1): 0}


def blamed(case: DominanceCase, state: State) -> Blame | None:
    """Who is to blame for the bug of a state, if it is one."""
    suspects = case.bench.suspects(batch([state]))
    (verdict,) = case.oracle("planner:astar-blind").judge(suspects)
    if not verdict.is_bug:
        return None
    return blame(case.bench, certificate_of(case.bench, suspects.states[0], verdict))


def said_of(task: Task, table: dict[State, int], objective: str = "quantitative") -> str | None:
    """What is said of the bug of the initial state."""
    case = DominanceCase(task, TablePolicy(table), objective, DominanceOptions())
    found = blamed(case, (0, 0, 0))
    assert found is not None
    return bad_by_itself(case.bench, task.initial_state, found)


def test_the_blamed_decision_is_named_even_if_a_later_one_loses_more() -> None:
    detour = said_of(FORK, {**BEST, **DETOUR})
    assert detour == (
        "decision 2, (op0), costs at least 4 more than (op2), whatever comes after it: proven by "
        "dominance"
    )
    both = said_of(FORK, {**BEST, **DETOUR, (0, 0, 0): 5})
    assert both is not None and both.startswith("decision 1, (op5), costs at least 1 more than")


def test_nothing_is_said_of_runs_that_fail_and_where_costs_do_not_count() -> None:
    assert said_of(FORK, {**BEST, (0, 1, 0): NO_ACTION}) is None
    assert said_of(FORK, {**BEST, (0, 1, 0): NO_ACTION}, "qualitative") is None


def test_a_function_on_disk_is_used_as_it_is() -> None:
    with (
        patch.object(DominanceFunction, "seconds_on_disk", lambda task: 5.0),
        patch.object(DominanceFunction, "of", side_effect=DominanceFunction.compute) as of,
    ):
        said_of(FORK, {**BEST, **DETOUR})
    of.assert_called_once()


def test_it_is_never_before_the_decision_to_blame_and_loses_no_more_than_the_gap() -> None:
    named = 0
    for number in range(examples(300)):
        case = dominance_case(number)
        for state in case.states[:12]:
            found = blamed(case, state)
            if found is None or found.sure != EXACT:
                continue
            words = bad_by_itself(case.bench, batch([state])[0], found)
            if words is None:
                continue
            number_and_loss = match(WORDS, words)
            assert number_and_loss is not None
            step, loss = map(int, number_and_loss.groups())
            (cost,) = case.bench.runs(batch([state])).costs.tolist()
            assert found.index <= step - 1
            assert loss <= cost - case.h[state] < inf
            named += 1
    assert named >= examples(100)
