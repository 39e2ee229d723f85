"""Whatever a policy does when it is asked, its runs say so and the call goes on."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import bugsieve
from bugsieve.base.errors import PolicyError, UsageError
from bugsieve.policies.asking import decide
from bugsieve.policies.decisions import Decisions, Ending, Failure
from bugsieve.policies.graph import PolicyGraph
from bugsieve.policies.runs import run_policy
from bugsieve.tasks.grounded.task import NO_ACTION, ActionArray, StateArray
from tests.unit.policies.line import at, line_task


class Rightwards:
    """Walks to the right, but does what it was given where it stands on a mine."""

    def __init__(self, *mines: int, explode: Callable[[], Any]) -> None:
        self.mines = mines
        self.explode = explode
        self.batches: list[int] = []

    def choose(self, states: StateArray) -> ActionArray:
        self.batches.append(len(states))
        places = states[:, 0].astype(np.int32)
        if np.isin(places, self.mines).any():
            self.explode()
        return places


class BadlyPrintedError(Exception):
    def __str__(self) -> str:
        raise ValueError("no text")


def raising(error: BaseException) -> Callable[[], None]:
    def explode() -> None:
        raise error

    return explode


EXPLOSIONS = [
    (raising(LookupError("lost")), "LookupError: lost"),
    (raising(LookupError()), "LookupError"),
    (raising(UsageError("wrong call")), "UsageError: wrong call"),
    (raising(PolicyError("wrong policy")), "PolicyError: wrong policy"),
    (raising(MemoryError()), "MemoryError"),
    (raising(BadlyPrintedError()), "BadlyPrintedError"),
    (lambda: sys.exit("enough"), "SystemExit: enough"),
    (lambda: sys.exit(0), "SystemExit: 0"),
    (raising(ValueError("two\nlines")), "ValueError: two\N{REPLACEMENT CHARACTER}lines"),
]


@pytest.mark.parametrize(("explode", "detail"), EXPLOSIONS)
def test_what_a_class_raises_ends_the_runs_it_concerns(
    explode: Callable[[], None], detail: str
) -> None:
    task = line_task(10)
    policy = Rightwards(3, 6, explode=explode)
    runs = run_policy(task, policy, at(0, 4, 7, 8, 3))
    crash = Ending.POLICY_CRASH
    assert [run.ending for run in runs] == [crash, crash, Ending.SOLVED, Ending.SOLVED, crash]
    assert [run.detail for run in runs] == [detail, detail, "", "", detail]
    assert [len(run.actions) for run in runs] == [3, 2, 2, 1, 0]


@pytest.mark.parametrize(("explode", "detail"), EXPLOSIONS)
def test_what_a_function_raises_ends_the_runs_it_concerns(
    explode: Callable[[], None], detail: str
) -> None:
    @bugsieve.policy
    def first(facts: frozenset[str], applicable: list[str]) -> str | None:
        if "(at p1)" in facts:
            explode()
        return next(name for name in applicable if name.startswith("(right"))

    runs = run_policy(line_task(4), first, at(0, 2))
    assert [run.ending for run in runs] == [Ending.POLICY_CRASH, Ending.SOLVED]
    assert [run.detail for run in runs] == [detail, ""]


def test_an_answer_of_a_function_that_cannot_be_shown() -> None:
    class Secret:
        def __repr__(self) -> str:
            raise RuntimeError("do not look")

    @bugsieve.policy
    def secretive(facts: frozenset[str], applicable: list[str]) -> str | None:
        return Secret()  # type: ignore[return-value]

    (run,) = run_policy(line_task(4), secretive, at(0))
    assert (run.ending, run.detail) == (Ending.POLICY_CRASH, "RuntimeError: do not look")


def test_ctrl_c_passes_through() -> None:
    task = line_task(4)
    with pytest.raises(KeyboardInterrupt):
        run_policy(task, Rightwards(1, explode=raising(KeyboardInterrupt())), at(0))

    @bugsieve.policy
    def interrupted(facts: frozenset[str], applicable: list[str]) -> str | None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_policy(task, interrupted, at(0))


def test_the_blame_is_found_by_halving() -> None:
    policy = Rightwards(700, explode=raising(LookupError("lost")))
    decisions = decide(policy, at(*range(1000)))
    assert decisions.failures == {700: Failure(Ending.POLICY_CRASH, "LookupError: lost")}
    expected = [NO_ACTION if place == 700 else place for place in range(1000)]
    assert decisions.actions.tolist() == expected
    assert len(policy.batches) == 1 + 2 * 10


def test_states_cannot_be_changed() -> None:
    task = line_task(4)

    class Meddler:
        def choose(self, states: StateArray) -> ActionArray:
            chosen = states[:, 0].astype(np.int32)
            states[:] = 3
            return chosen

    (run,) = run_policy(task, Meddler(), at(0))
    assert run.ending is Ending.POLICY_CRASH
    assert "read-only" in run.detail
    mine = at(0, 1)
    decide(Meddler(), mine)
    assert mine.tolist() == [[0], [1]]
    mine[0] = 2  # the caller's own array stays writable


class Fallible:
    """Answers with whatever it was given."""

    def __init__(self, answer: Callable[[], Any]) -> None:
        self.answer = answer

    def decide(self, states: StateArray) -> Decisions:
        return self.answer()  # type: ignore[no-any-return]

    def choose(self, states: StateArray) -> ActionArray:
        raise AssertionError("policies that can fail are asked through decide")


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (lambda: None, "policy Fallible must decide by Decisions, not by NoneType"),
        (
            lambda: Decisions(np.zeros(1, np.int32), {5: Failure(Ending.POLICY_HANG, "")}),
            "policy Fallible reports a failure in a row beyond 0",
        ),
        (lambda: Decisions([[1], [1, 2]]), "must answer an integer array"),  # type: ignore[arg-type]
        (raising(PolicyError("not for this task")), "not for this task"),
    ],
)
def test_answers_that_break_the_protocol(answer: Callable[[], Any], complaint: str) -> None:
    with pytest.raises(PolicyError, match=complaint):
        run_policy(line_task(3), Fallible(answer), at(0))


def test_what_decide_raises_is_a_crash_too() -> None:
    (run,) = run_policy(line_task(3), Fallible(raising(LookupError("lost"))), at(0))
    assert (run.ending, run.detail) == (Ending.POLICY_CRASH, "LookupError: lost")


@pytest.mark.parametrize("action", [2**32, -(2**32), 2**63 - 1])
def test_numbers_that_32_bits_would_wrap_to_an_action(action: int) -> None:
    class Huge:
        def choose(self, states: StateArray) -> Any:
            return np.full(len(states), action, dtype=np.int64)

    (run,) = run_policy(line_task(3), Huge(), at(0))
    assert run.ending is Ending.ILLEGAL_ACTION
    assert run.detail == f"there is no action with id {action}"


@bugsieve.policy
def rightwards(facts: frozenset[str], applicable: list[str]) -> str | None:
    """The applicable step to the right."""
    return next(name for name in applicable if name.startswith("(right"))


def test_functions_and_specs_are_bound_to_the_task() -> None:
    task = line_task(4)
    for policy in (rightwards, "optimal", "greedy:hff"):
        (run,) = run_policy(task, policy, task.initial_state)
        assert (run.solved, run.cost) == (True, 3)
    with pytest.raises(UsageError, match="no policy 'gredy'"):
        run_policy(task, "gredy", task.initial_state)


def test_a_policy_made_for_one_call_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    from bugsieve.policies.built_in.greedy import GreedyPolicy

    closed: list[str] = []
    monkeypatch.setattr(GreedyPolicy, "close", lambda self: closed.append(self.spec))
    task = line_task(4)
    run_policy(task, "greedy:hmax", task.initial_state)
    with pytest.raises(UsageError):
        run_policy(task, "greedy:hadd", task.initial_state, step_limit=0)
    assert closed == ["greedy:hmax", "greedy:hadd"]


def test_a_graph_goes_with_a_bound_policy() -> None:
    task = line_task(4)
    graph = PolicyGraph(task, rightwards.bind(task))
    with pytest.raises(UsageError, match="the graph belongs to another policy"):
        run_policy(task, rightwards, task.initial_state, graph=graph)


@pytest.mark.parametrize(
    ("policy", "complaint"),
    [
        (
            lambda facts, applicable: None,
            "<function .* is no policy: pass an object with a method",
        ),
        (Rightwards, "Rightwards is a class, not a policy: create an object of it"),
        (None, "None is no policy"),
        (rightwards, "is no policy"),
        ("optimal", "'optimal' is no policy"),
    ],
)
def test_what_is_no_policy_is_refused(policy: Any, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        PolicyGraph(line_task(3), policy)


def test_an_attribute_called_task_may_be_anything() -> None:
    class Named(Rightwards):
        task = "the line"

    (run,) = run_policy(line_task(3), Named(explode=raising(LookupError())), at(0))
    assert run.solved
