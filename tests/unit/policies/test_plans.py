"""`plans:python:` and `plans:cmd:`: plans of others, followed to their end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bugsieve.base.errors import PolicyError, UsageError
from bugsieve.base.registry.outside_access import OutsideAccess
from bugsieve.campaigns.python_calls.find import find_bugs
from bugsieve.checkers.cost import CertificateError, check
from bugsieve.explanation.blame.blame import blame
from bugsieve.explanation.examples.smallest import smallest_example
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.bug import make_bug
from bugsieve.pipeline.bugs.certificate import certificate_of
from bugsieve.pipeline.bugs.replay import ReplayStatus, replay
from bugsieve.pipeline.objectives import make_objective
from bugsieve.pipeline.oracles.registry import make_oracle
from bugsieve.policies.decisions import Ending
from bugsieve.policies.foreign.plan_runs import PlanRuns
from bugsieve.policies.limits import WorkerLimits
from bugsieve.policies.policy import BoundPolicy
from bugsieve.policies.protocol import PLANS, parse_answers
from bugsieve.policies.registry import POLICIES, check_spec, make_policy
from bugsieve.policies.runs import Run, run_policy
from bugsieve.tasks.grounded.loading import load_task
from bugsieve.tasks.grounded.task import Task
from tests.unit.policies.generated import generated_task
from tests.unit.policies.line import at, line_task

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.fixture
def task(tmp_path: Path) -> Task:
    return generated_task(tmp_path, "ferry", cars=2, locations=3, seed=1)


def written(folder: Path, text: str) -> str:
    (folder / "planner.py").write_text(text)
    return f"plans:python:{folder}/planner.py:get_plan"


def made(spec: str, task: Task, deadline: float = 10.0) -> BoundPolicy:
    return make_policy(spec, task, limits=WorkerLimits(deadline=deadline))


def run_of(folder: Path, task: Task, text: str, deadline: float = 10.0) -> Run:
    with made(written(folder, text), task, deadline) as policy:
        (run,) = run_policy(task, policy, task.initial_state)
    return run


def returning(plan: object) -> str:
    return f"def get_plan(objects, init, goal):\n    return {plan!r}\n"


def test_what_a_planner_is_given(tmp_path: Path, task: Task) -> None:
    seen = tmp_path / "seen"
    text = (
        "def get_plan(objects, init, goal):\n"
        f"    open({str(seen)!r}, 'w').write(repr([objects, init, goal]))\n"
        "    objects.clear(); init.clear(); goal.clear()\n    return []\n"
    )
    run = run_of(tmp_path, task, text)
    assert (run.ending, run.detail) == (
        Ending.NO_ACTION,
        "the plan of 0 actions ends before the goal",
    )
    objects, init, goal = eval(seen.read_text())
    assert objects == set(task.objects.items()) and ("car1", "car") in objects
    assert {f"({' '.join(atom)})" for atom in init} == task.facts(task.initial_state)
    assert {f"({' '.join(atom)})" for atom in goal} == set(task.goal_facts)


def test_untyped_objects_are_names_and_negated_goals_are_nested(tmp_path: Path) -> None:
    domain = (
        "(define (domain d) (:requirements :strips :negative-preconditions)\n"
        "  (:predicates (p ?x) (q ?x))\n"
        "  (:action go :parameters (?x) :precondition (p ?x)\n"
        "    :effect (and (not (p ?x)) (q ?x))))\n"
    )
    problem = (
        "(define (problem e) (:domain d) (:objects a b) (:init (p a) (p b))\n"
        "  (:goal (and (not (p a)) (q b))))\n"
    )
    (tmp_path / "domain.pddl").write_text(domain)
    (tmp_path / "problem.pddl").write_text(problem)
    task = load_task(tmp_path, cache=False)
    seen = tmp_path / "seen"
    text = (
        "def get_plan(objects, init, goal):\n"
        f"    open({str(seen)!r}, 'w').write(repr([objects, goal]))\n"
        "    return [('go', 'a'), ['go', 'b']]\n"
    )
    assert run_of(tmp_path, task, text).ending is Ending.SOLVED
    objects, goal = eval(seen.read_text())
    assert objects == {"a", "b"}
    assert goal in ({("not", ("p", "a")), ("q", "b")}, {("q", "a"), ("q", "b")})


def test_endings(tmp_path: Path) -> None:
    task = line_task(4)  # its first three operators lead from 0 to 3
    solving = [task.operator_names[number] for number in range(3)]
    run = run_of(tmp_path, task, returning(solving))
    assert (run.ending, run.actions, run.detail) == (Ending.SOLVED, (0, 1, 2), "")
    run = run_of(tmp_path, task, returning([*solving, "(nonsense)", solving[0]]))
    assert (run.ending, run.actions) == (Ending.SOLVED, (0, 1, 2))  # the goal ends it
    run = run_of(tmp_path, task, returning(solving[:2]))
    assert (run.ending, run.actions) == (Ending.NO_ACTION, (0, 1))
    assert run.detail == "the plan of 2 actions ends before the goal"
    run = run_of(tmp_path, task, returning([solving[0], solving[2]]))
    assert (run.ending, run.actions) == (Ending.ILLEGAL_ACTION, (0,))
    assert run.detail == f'"{solving[2]}" is not applicable (action 2 of 2 of the plan)'
    run = run_of(tmp_path, task, returning(["(jump)"]))
    assert run.detail == '"(jump)" is no action of the task (action 1 of 1 of the plan)'
    run = run_of(tmp_path, task, returning(None))
    assert (run.ending, run.detail) == (Ending.NO_ACTION, "there is no plan")


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        ("return '(sail a b)'", "returned '(sail a b)', neither a list of actions nor None"),
        ("return 3", "returned 3, neither a list of actions nor None"),
        ("return [('sail', 3)]", "returned a plan whose action 1 is ('sail', 3), which is none"),
        ("return [None]", "returned a plan whose action 1 is None, which is none"),
        ("raise KeyError('car')", "KeyError: 'car'"),
        ("import os; os._exit(7)", "ended with exit code 7"),
    ],
)
def test_what_is_no_plan_is_a_crash(tmp_path: Path, task: Task, body: str, detail: str) -> None:
    run = run_of(tmp_path, task, f"def get_plan(objects, init, goal):\n    {body}\n")
    assert (run.ending, run.detail) == (Ending.POLICY_CRASH, detail)


def test_a_planner_that_hangs(tmp_path: Path, task: Task) -> None:
    text = "def get_plan(objects, init, goal):\n    while True: pass\n"
    run = run_of(tmp_path, task, text, 0.3)
    assert (run.ending, run.detail) == (Ending.POLICY_HANG, "no answer within 0.3 s")


def test_steps_are_limited(tmp_path: Path) -> None:
    task = line_task(4)
    plan = [task.operator_names[number] for number in range(3)]
    with made(written(tmp_path, returning(plan)), task) as policy:
        source = policy.run_source(task)  # type: ignore[attr-defined]
        for limit, ending, steps in ((2, Ending.STEP_LIMIT, 2), (3, Ending.SOLVED, 3)):
            table = source.table(task.initial_state, step_limit=limit)
            assert (int(table.endings[0]), int(table.steps[0])) == (ending, steps)
            assert len(table.paths[0]) == steps + 1 and table.costs[0] == sum(
                task.operator_costs[:steps]
            )
        assert source.calls.made == 1
        goal = source.table(at(3), step_limit=5)
        assert (goal.solved.all(), source.calls.made) == (True, 1)
        decisions = policy.decide(np.concatenate([at(0), at(1)]))  # type: ignore[attr-defined]
    assert decisions.actions[0] == 0
    assert list(decisions.failures) == [1] and "not applicable" in decisions.failures[1].detail


def detour_bench(task: Task, detours: int) -> Bench:
    """A policy whose plan goes to and fro some times before it goes to the goal."""
    there, back = task.operator_names[0], task.operator_names[3]
    plan = (*[there, back] * detours, *task.operator_names[:3])

    class Follower:
        spec = "follower"

        def choose(self, states: Any) -> Any:
            raise AssertionError("its runs are asked for")

        def run_source(self, given: Task) -> PlanRuns:
            return PlanRuns(given, lambda states: [plan for _ in states])

    return Bench(task, Follower(), make_objective("quantitative", task))


def test_a_plan_that_passes_a_state_twice_is_no_loop() -> None:
    task = line_task(4)
    bench = detour_bench(task, 2)
    suspects = bench.suspects(task.initial_state)
    assert suspects.runs.solved.all() and suspects.values[0] == suspects.runs.costs[0]
    assert suspects.runs.steps[0] == 7
    (verdict,) = make_oracle("planner:astar-lmcut", bench).judge(suspects)
    assert verdict.is_bug
    certificate = certificate_of(bench, task.initial_state, verdict)
    assert certificate["run"]["follows_plan"] is True
    assert certificate["kind"] == "costly"
    check(task.to_sas(), certificate)
    assert replay(bench, certificate).status is ReplayStatus.STILL_FAILS
    assert blame(bench, certificate).better_run
    for run, sentence in (
        ({"follows_plan": False}, "'follows_plan' must be true or left out"),
        ({"follows_plan": True, "loop_start": 0}, "goes round in no loop"),
        ({"follows_plan": True, "ending": "loop"}, "goes round in no loop"),
        ({"follows_plan": True, "ending": "no action"}, "reaches the goal"),
    ):
        with pytest.raises(CertificateError, match=sentence):
            check(task.to_sas(), {**certificate, "run": {**certificate["run"], **run}})
    without = {key: v for key, v in certificate["run"].items() if key != "follows_plan"}
    with pytest.raises(CertificateError, match="where it was before, but goes on"):
        check(task.to_sas(), {**certificate, "run": without})


def test_bugs_of_such_plans_can_be_minimised() -> None:
    task = line_task(4)
    bench = detour_bench(task, 1)
    oracle = make_oracle("planner:astar-lmcut", bench)
    (verdict,) = oracle.judge(bench.suspects(task.initial_state))
    bug = make_bug(bench, task.initial_state, verdict, oracle="planner:astar-lmcut")
    smaller = smallest_example(bench, bug, "bound to its task")
    assert smaller.steps_later == 0, "from another state it would make another plan"
    check(task.to_sas(), smaller.bug.certificate)


def test_a_planner_that_changes_its_mind_has_no_bugs(tmp_path: Path, task: Task) -> None:
    text = (
        "import random\ndef get_plan(objects, init, goal):\n"
        "    places = sorted(o for o, kind in objects if kind == 'location')\n"
        "    here = next(atom[1] for atom in init if atom[0] == 'at-ferry')\n"
        "    return [('sail', here, random.choice([p for p in places if p != here]))]\n"
    )
    bugs = find_bugs(task, written(tmp_path, text), pool_size=12)
    assert not len(bugs) and len(bugs.unstable) > 5


def test_the_order_of_sets_is_a_finding(tmp_path: Path, task: Task) -> None:
    text = (
        "def get_plan(objects, init, goal):\n"
        "    here = next(atom[1] for atom in init if atom[0] == 'at-ferry')\n"
        "    there = [o for o, kind in objects if kind == 'location' and o != here]\n"
        "    return [('sail', here, there[0])] * (len(there) > 0)\n"
    )
    folder = tmp_path / "c"
    bugs = find_bugs(task, written(tmp_path, text), pool_size=12, folder=folder)
    assert len(bugs) > 5  # for this hash seed they are bugs
    (row,) = bugs.summary.unstable
    assert row.first != row.second and "(sail" in row.first + row.second
    assert "--hash-seed 0" in str(row)


def test_a_program_makes_plans(tmp_path: Path) -> None:
    task = line_task(4)
    plan = [task.operator_names[number] for number in range(3)]
    program = tmp_path / "planner"
    program.write_text(
        "import json, sys\n"
        "hello = json.loads(input())\n"
        "assert hello['asks'] == 'plans'\n"
        "print(json.dumps({'ready': True}), flush=True)\n"
        "for line in sys.stdin:\n"
        "    batch = json.loads(line)\n"
        f"    plans = [{plan!r} for state in batch['states']]\n"
        "    print(json.dumps({'id': batch['id'], 'plans': plans}), flush=True)\n"
    )
    with made(f"plans:cmd:python3 {program}", task) as policy:
        (run,) = run_policy(task, policy, task.initial_state)
    assert run.ending is Ending.SOLVED


def test_plans_in_replies() -> None:
    plans = [["(a)", "(b)"], [], None, "x", [1], {"error": "no"}]
    line = json.dumps({"id": 1, "plans": plans}).encode()
    *good, text, number, error = parse_answers(line, number=1, states=6, asked=PLANS)
    assert good == [("(a)", "(b)"), (), None]
    wrong = "which is neither a list of actions nor null"
    assert text.detail == f"answered 'x', {wrong}"  # type: ignore[union-attr]
    assert number.detail == f"answered [1], {wrong}"  # type: ignore[union-attr]
    assert error.detail == "no"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("plans", "'plans:' must name who makes plans"),
        ("plans:hff", "'plans:hff' must name who makes plans"),
        ("plans:python:get_plan", "must name a module or file and a function"),
        ("plans:cmd:", "must be followed by a program"),
    ],
)
def test_wrong_specs(spec: str, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        check_spec(spec)


def test_functions_that_cannot_be_asked(tmp_path: Path, task: Task) -> None:
    spec = written(tmp_path, "def get_plan(state):\n    return []\n")
    with pytest.raises(PolicyError, match="cannot be called with objects, init and goal"):
        made(spec, task)


def test_it_is_code_and_programs_of_others(tmp_path: Path) -> None:
    spec = written(tmp_path, "")
    assert POLICIES.reach_of(spec) == OutsideAccess(
        files=(f"{tmp_path}/planner.py",), runs_code=True
    )
    assert POLICIES.started_by("plans:cmd:/bin/ls") == OutsideAccess(programs=("/bin/ls",))


def test_the_planted_mistakes_of_the_examples_are_found(tmp_path: Path, task: Task) -> None:
    bugs = find_bugs(task, f"plans:python:{EXAMPLES}/ferry_planner.py:get_plan", pool_size=30)
    details = " ".join(bug.certificate["run"]["detail"] for bug in bugs)
    assert "is no action of the task" in details and "KeyError: 'car" in details
    balls = generated_task(tmp_path, "gripper", balls=3)
    found = find_bugs(balls, f"plans:python:{EXAMPLES}/gripper_planner.py:get_plan", pool_size=30)
    assert {bug.kind for bug in found} == {"costly", "unsolved"}
    assert any("ends before the goal" in bug.certificate["run"]["detail"] for bug in found)
    for text, bug in [(task, bug) for bug in bugs] + [(balls, bug) for bug in found]:
        check(text.to_sas(), bug.certificate)
        assert bug.certificate["run"]["follows_plan"] is True
