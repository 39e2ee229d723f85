"""`greedy:python:` and `greedy:cmd:`: the successor of least value, by functions of others."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from bugsieve.base.errors import PolicyError, UsageError
from bugsieve.base.registry.outside_access import NOTHING, OutsideAccess
from bugsieve.campaigns.python_calls.find import find_bugs
from bugsieve.checkers.cost import check
from bugsieve.policies.asking import decide_anew
from bugsieve.policies.decisions import Ending
from bugsieve.policies.limits import WorkerLimits
from bugsieve.policies.policy import BoundPolicy
from bugsieve.policies.protocol import VALUES, MiscountError, ProtocolError, parse_answers
from bugsieve.policies.registry import POLICIES, check_spec, make_policy
from bugsieve.policies.runs import run_policy
from bugsieve.tasks.grounded.task import Task
from tests.unit.policies.generated import generated_task

MISSING = "greedy:python:bugsieve.policies.examples.missing:value"
EXAMPLES = Path(__file__).parents[3] / "examples"

COUNTING = """
import sys
asked = []
def value(facts):
    key = tuple(sorted(facts))
    assert key not in asked, "asked twice"
    asked.append(key)
    return len(facts)
"""


@pytest.fixture
def task(tmp_path: Path) -> Task:
    return generated_task(tmp_path, "gripper", balls=2)


def written(folder: Path, text: str, *, name: str = "value") -> str:
    (folder / "values.py").write_text(text)
    return f"greedy:python:{folder}/values.py:{name}"


def made(spec: str, task: Task, deadline: float = 10.0) -> BoundPolicy:
    return make_policy(spec, task, limits=WorkerLimits(deadline=deadline))


def test_the_successor_of_least_value_is_taken(task: Task) -> None:
    states, _, _ = task.all_successors(task.initial_state)
    goal = [dict([pair]) for pair in task.goal]
    with made(MISSING, task) as policy:
        assert policy.spec == MISSING
        chosen = policy.choose(states)
        for state, action in zip(states, chosen, strict=True):
            after, operators, _ = task.all_successors(state)
            missing = [sum(any(s[v] != x for v, x in g.items()) for g in goal) for s in after]
            assert action == operators[int(np.argmin(missing))]  # argmin takes the lowest id
        singly = [int(policy.choose(state[None])[0]) for state in states]
    assert singly == chosen.tolist()


def test_no_state_is_asked_about_twice(tmp_path: Path, task: Task) -> None:
    with made(written(tmp_path, COUNTING), task) as policy:
        states, _, _ = task.all_successors(task.initial_state)
        for batch in (states, states[::-1], task.initial_state[None], states):
            policy.choose(batch)
        (run,) = run_policy(task, policy, task.initial_state)
        assert run.ending is not Ending.POLICY_CRASH


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        ("return float('nan')", "returned NaN, which ranks nothing"),
        ("return None", "returned None, which is no number"),
        ("return '3'", "returned '3', which is no number"),
        ("return True", "returned True, which is no number"),
        ("return 10 ** 400", "OverflowError: int too large to convert to float"),
        ("raise KeyError('ball')", "KeyError: 'ball'"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("import os; os._exit(7)", "ended with exit code 7"),
    ],
)
def test_what_is_no_value_is_a_crash_of_the_decision(
    tmp_path: Path, task: Task, body: str, detail: str
) -> None:
    with made(written(tmp_path, f"def value(facts):\n    {body}\n"), task) as policy:
        (run,) = run_policy(task, policy, task.initial_state)
    assert run.ending is Ending.POLICY_CRASH
    first = task.operator_names[int(task.applicable(task.initial_state).operators[0])]
    assert run.detail == f"{detail}, in the state after {first}"


def test_a_hang_is_one_of_the_decision(tmp_path: Path, task: Task) -> None:
    text = "import time\ndef value(facts):\n    time.sleep(60)\n"
    with made(written(tmp_path, text), task, deadline=0.3) as policy:
        (run,) = run_policy(task, policy, task.initial_state)
    assert run.ending is Ending.POLICY_HANG and "no answer within 0.3 s" in run.detail


def test_dead_ends_are_worse_than_every_number(tmp_path: Path, task: Task) -> None:
    text = (
        "def value(facts, task):\n    assert task.goal and task.objects\n"
        "    held = sum(fact.startswith('(carry') for fact in facts)\n"
        "    return 10 ** 300 if held else float('inf')\n"
    )
    with made(written(tmp_path, text), task) as policy:
        with_balls = next(
            state
            for state in task.all_successors(task.initial_state)[0]
            if any("pick" in task.operator_names[o] for o in task.applicable(state).operators)
        )
        (action,) = policy.choose(with_balls[None])
    assert task.operator_names[int(action)].startswith("(pick")


def test_a_value_that_changes_is_told(tmp_path: Path, task: Task) -> None:
    text = (
        "import os\nfrom bugsieve.policies.examples.missing import value as missing\n"
        "def value(facts, task):\n    return missing(facts, task) + os.getpid() % 1000 / 10\n"
    )
    spec = written(tmp_path, text)
    with made(spec, task) as policy:
        again = decide_anew(policy, task.initial_state[None])
        assert "its value was" in again.failures[0].detail
    bugs = find_bugs(task, spec, pool_size=10)
    assert not len(bugs) and bugs.unstable
    assert "policy crash: its value was" in bugs.unstable[0].second


def test_a_mistake_is_one_cause_whatever_objects_it_meets(tmp_path: Path, task: Task) -> None:
    text = (
        "def value(facts, task):\n    if any(fact.startswith('(carry') for fact in facts):\n"
        "        raise KeyError('ball')\n    return 1\n"
    )
    bugs = find_bugs(task, written(tmp_path, text), pool_size=10)
    crashes = {group.words for group in bugs.causes() if group.cause.ending == "policy crash"}
    assert crashes == {"policy crash: KeyError at values.py:3"}


def test_values_that_always_raise_test_nothing(tmp_path: Path, task: Task) -> None:
    spec = written(tmp_path, "def value(facts):\n    raise ValueError('no')\n")
    with pytest.raises(PolicyError, match="all 10 runs ended at their first decision"):
        find_bugs(task, spec, pool_size=10)


def test_values_that_differ_by_rounding_have_not_changed(tmp_path: Path, task: Task) -> None:
    text = (
        "import os\nfrom bugsieve.policies.examples.missing import value as missing\n"
        "def value(facts, task):\n    return missing(facts, task) + os.getpid() % 7 * 1e-7\n"
    )
    with made(written(tmp_path, text), task) as policy:
        states, _, _ = task.all_successors(task.initial_state)
        assert decide_anew(policy, states).actions.tolist() == policy.choose(states).tolist()


def test_a_program_values_states(tmp_path: Path, task: Task) -> None:
    program = tmp_path / "values"
    program.write_text(
        "import json, sys\n"
        "hello = json.loads(input())\n"
        "assert hello['asks'] == 'values'\n"
        "goal = set(hello['task']['goal'])\n"
        "print(json.dumps({'ready': True}), flush=True)\n"
        "for line in sys.stdin:\n"
        "    batch = json.loads(line)\n"
        "    assert set(batch['states'][0]) == {'facts'}\n"
        "    values = [len(goal - set(state['facts'])) for state in batch['states']]\n"
        "    print(json.dumps({'id': batch['id'], 'values': values}), flush=True)\n"
    )
    states, _, _ = task.all_successors(task.initial_state)
    with made(f"greedy:cmd:python3 {program}", task) as policy, made(MISSING, task) as other:
        assert policy.choose(states).tolist() == other.choose(states).tolist()


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1, 2.5, None, math.inf], [1.0, 2.5, math.inf, math.inf]),
        ([-3], [-3.0]),
    ],
)
def test_values_in_replies(values: list[float | None], expected: list[float]) -> None:
    line = json.dumps({"id": 1, "values": values}).encode()
    assert parse_answers(line, number=1, states=len(values), asked=VALUES) == expected


def test_wrong_values_in_replies() -> None:
    line = b'{"id": 1, "values": [NaN, "x", true, [1], {"error": "no"}, 1' + b"0" * 400 + b"]}"
    answers = parse_answers(line, number=1, states=6, asked=VALUES)
    assert [getattr(answer, "detail", None) for answer in answers] == [
        "answered NaN, which ranks nothing",
        "answered 'x', which is neither a number nor null",
        "answered True, which is neither a number nor null",
        "answered [1], which is neither a number nor null",
        "no",
        "answered a number that is too large",
    ]
    with pytest.raises(MiscountError, match="answered 1 value for 2 states"):
        parse_answers(b'{"id": 1, "values": [1]}', number=1, states=2, asked=VALUES)
    with pytest.raises(ProtocolError, match='"values" is no list'):
        parse_answers(b'{"id": 1, "actions": []}', number=1, states=0, asked=VALUES)


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("greedy:python", "must name a module or file and a function"),
        ("greedy:python:values.py:value", "there is no file 'values.py'"),
        ("greedy:cmd:", "must be followed by a program"),
        ("greedy:cmd:./nothing-here", "there is no policy program './nothing-here'"),
        ("greedy:pithon:x:y", "there is no heuristic 'pithon:x:y'"),
    ],
)
def test_wrong_specs(spec: str, sentence: str) -> None:
    with pytest.raises((UsageError, PolicyError), match=sentence):
        check_spec(spec)


def test_functions_that_cannot_be_asked(tmp_path: Path, task: Task) -> None:
    spec = written(tmp_path, "def value(a, b, c):\n    return 0\n")
    with pytest.raises(PolicyError, match=r"value\(a, b, c\) cannot be called with the facts"):
        made(spec, task)


def test_it_is_code_and_programs_of_others(tmp_path: Path) -> None:
    spec = written(tmp_path, "")
    file = str(tmp_path / "values.py")
    assert POLICIES.reach_of(spec) == OutsideAccess(files=(file,), runs_code=True)
    assert POLICIES.started_by(spec) == OutsideAccess(files=(file,), runs_code=True)
    assert POLICIES.reach_of("greedy:cmd:ls -l") == OutsideAccess(programs=("ls",))
    assert POLICIES.reach_of("greedy:hff") == POLICIES.started_by("greedy") == NOTHING


def test_the_planted_mistake_of_the_example_is_found(task: Task) -> None:
    bugs = find_bugs(task, f"greedy:python:{EXAMPLES}/gripper_value.py:value", pool_size=15)
    assert bugs and {bug.kind for bug in bugs} == {"costly"}
    for bug in bugs:
        check(task.to_sas(), bug.certificate)
