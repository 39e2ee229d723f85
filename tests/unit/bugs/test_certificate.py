"""What certificates say, kind by kind."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pytest

from bugsieve.base.errors import BugsieveError, InputError, InternalError
from bugsieve.checkers.cost import check
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.certificate import as_json_number, certificate_of, from_json_number
from bugsieve.pipeline.bugs.verdict import Outcome, Verdict, implied
from bugsieve.pipeline.objectives import make_objective
from bugsieve.policies.decisions import Decisions, Ending, Failure
from bugsieve.tasks.grounded.task import NO_ACTION, StateArray, Task
from tests.unit.bugs.samples import TablePolicy, fork_task, line_bench, proven
from tests.unit.policies.line import at, line_task

TASK = line_task(4, right_costs=[1, 2, 3])
PLAN = (0, 1, 2)
START = at(0)[0]


def test_a_loop_in_full() -> None:
    bench = line_bench(TASK, {0: "right", 1: "right", 2: "left"})
    certificate = certificate_of(bench, START, proven(bench, START, PLAN))
    assert certificate == {
        "certificate": 1,
        "kind": "unsolved",
        "task": {"name": "line", "sha256": TASK.sha256},
        "objective": "quantitative",
        "policy": "table",
        "state": [0],
        "facts": ["(at p0)"],
        "run": {
            "operators": [0, 1, 4],
            "actions": ["(right p0)", "(right p1)", "(left p2)"],
            "cost": 4,
            "ending": "loop",
            "loop_start": 1,
            "chosen": None,
            "detail": "",
        },
        "plan": {
            "operators": [0, 1, 2],
            "actions": ["(right p0)", "(right p1)", "(right p2)"],
            "cost": 6,
        },
        "policy_value": None,
        "value": 6,
        "gap": None,
    }
    check(TASK.to_sas(), json.loads(json.dumps(certificate)))


def test_a_costly_run() -> None:
    task = fork_task()
    bench = Bench(task, TablePolicy({(0,): 1, (1,): 2}), make_objective("quantitative", task))
    certificate = certificate_of(bench, START, proven(bench, START, (0,)))
    assert certificate["kind"] == "costly"
    assert certificate["run"]["ending"] == "solved"
    assert [certificate[key] for key in ("policy_value", "value", "gap")] == [5, 1, 4]
    check(task.to_sas(), certificate)
    with pytest.raises(InternalError, match="a plan worth 5.0 was called better than 5.0"):
        certificate_of(bench, START, Verdict(Outcome.BUG, "", (1, 2), 1.0, 4.0))


def test_the_qualitative_objective_counts_success_only() -> None:
    bench = line_bench(TASK, {0: "right"}, objective="qualitative")
    certificate = certificate_of(bench, START, proven(bench, START, PLAN))
    assert [certificate[key] for key in ("policy_value", "value", "gap")] == [0, 1, 1]
    assert certificate["kind"] == "unsolved"
    assert certificate["run"]["ending"] == "no action"
    assert certificate["run"]["detail"] == "none of 2 applicable chosen"
    check(TASK.to_sas(), certificate)


def test_a_run_that_should_avoid_a_condition_is_cut_where_it_holds() -> None:
    bench = line_bench(TASK, {0: "right", 1: "left", 2: "left"}, objective="avoid:(at p1)")
    with pytest.raises(InternalError, match="worth 0.0 was called better than 0.0"):
        certificate_of(bench, START, Verdict(Outcome.BUG, "", PLAN, 1.0, 1.0))
    certificate = certificate_of(bench, at(2)[0], proven(bench, at(2)[0], (2,)))
    assert certificate["kind"] == "avoidable"
    assert certificate["run"]["ending"] == "condition met"
    assert certificate["run"]["actions"] == ["(left p2)"]
    assert certificate["objective"] == "avoid:(at p1)"
    check(TASK.to_sas(), certificate)


def test_a_quantified_condition_is_proven_as_what_it_stands_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    places = {"p0": "town", "p1": "village", "p2": "town", "p3": "town"}
    declared = SimpleNamespace(
        types={"object": (), "place": ("object",), "town": ("place",), "village": ("place",)},
        constants={},
        predicates={"at": (("place",),), "far": (("place",),)},
    )
    monkeypatch.setattr(TASK, "objects", places)
    monkeypatch.setattr(TASK, "pddl", declared, raising=False)
    condition = "(exists (?p - place) (and (at ?p) (forall (?q - town) (not (= ?p ?q)))))"
    assert make_objective("avoid:(exists (?p - village) (at ?p))", TASK).spec == "avoid:(at p1)"
    with pytest.raises(InputError, match="never holds"):
        make_objective("avoid:(exists (?p - place) (far ?p))", TASK)
    steps = {0: "right", 1: "left", 2: "left"}
    bench = line_bench(TASK, steps, objective=f"avoid:{condition}")
    monkeypatch.undo()
    certificate = certificate_of(bench, at(2)[0], proven(bench, at(2)[0], (2,)))
    assert certificate["objective"] == "avoid:(at p1)"
    check(TASK.to_sas(), certificate)
    assert make_objective(certificate["objective"], TASK).spec == certificate["objective"]


@pytest.mark.parametrize("chosen", [2, 77, -7])
def test_an_illegal_action_is_named(chosen: int) -> None:
    bench = Bench(TASK, TablePolicy({(0,): chosen}), make_objective("quantitative", TASK))
    certificate = certificate_of(bench, START, proven(bench, START, PLAN))
    assert certificate["run"]["ending"] == "illegal action"
    assert certificate["run"]["chosen"] == chosen
    assert certificate["run"]["operators"] == []
    check(TASK.to_sas(), certificate)


class NamelessPolicy:
    """Names an action that the task does not have, as a foreign program may."""

    spec = "nameless"

    def choose(self, states: StateArray) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
        return self.decide(states).actions

    def decide(self, states: StateArray) -> Decisions:
        failure = Failure(Ending.ILLEGAL_ACTION, '"(fly)" is no action of the task')
        actions = np.full(len(states), NO_ACTION, dtype=np.int32)
        return Decisions(actions, dict.fromkeys(range(len(states)), failure))


def test_an_action_without_a_number_counts_as_unknown() -> None:
    bench = Bench(TASK, NamelessPolicy(), make_objective("quantitative", TASK))
    certificate = certificate_of(bench, START, proven(bench, START, PLAN))
    assert certificate["run"]["chosen"] == NO_ACTION
    assert certificate["run"]["detail"] == '"(fly)" is no action of the task'
    check(TASK.to_sas(), certificate)


def test_static_facts_are_left_out_because_the_task_text_has_none() -> None:
    task = Task(TASK.native, name="line", initial_atoms=frozenset({"(at p0)", "(road p0 p1)"}))
    assert "(road p0 p1)" in task.facts(START)
    bench = line_bench(task, {})
    certificate = certificate_of(bench, START, proven(bench, START, PLAN))
    assert certificate["facts"] == ["(at p0)"]
    check(task.to_sas(), certificate)


@pytest.mark.parametrize(
    "verdict",
    [
        implied("must exist", gap=1),
        Verdict(Outcome.BUG, "", (0, 1), 3.0, 1.0),
        Verdict(Outcome.BUG, "", (2,), 3.0, 1.0),
        Verdict(Outcome.BUG, "", (99,), 3.0, 1.0),
    ],
    ids=["no plan", "no goal", "not applicable", "no such operator"],
)
def test_a_verdict_without_a_proof_has_no_certificate(verdict: Verdict) -> None:
    bench = line_bench(TASK, {})
    with pytest.raises(BugsieveError):
        certificate_of(bench, START, verdict)


@pytest.mark.parametrize(("objective", "value"), [("quantitative", "1.0"), ("qualitative", "nan")])
def test_a_run_that_was_cut_has_no_certificate_before_it_costs_more(
    objective: str, value: str
) -> None:
    bench = line_bench(TASK, dict.fromkeys(range(3), "right"), objective=objective, step_limit=1)
    with pytest.raises(InternalError, match=f"better than {value}"):
        certificate_of(bench, START, Verdict(Outcome.BUG, "", PLAN, 6.0, 1.0))


def test_numbers_in_json() -> None:
    assert as_json_number(3.0) == 3
    assert as_json_number(float("inf")) is None
    assert from_json_number(None) == float("inf")
    assert from_json_number(3) == 3.0
