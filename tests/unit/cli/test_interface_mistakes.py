"""A policy that never acts is said to be misbuilt, and one that crashes shows where."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import bugsieve
from bugsieve.base.errors import PolicyError, UsageError
from tests.unit.campaigns.safety.ledge import ledge
from tests.unit.cli.commands import Run
from tests.unit.policies.generated import generated_task, write_task
from tests.unit.policies.line import line_task

POLICIES = """
def raises(facts, applicable):
    print("asked in", len(facts), "facts")
    raise KeyError("x")

def answers_42(facts, applicable):
    return 42

def invents(facts, applicable):
    return f"(fly {sorted(facts)[0].split()[-1]}"

def sometimes(facts, applicable):
    print("so far", "so good")
    if "(at-ferry loc1)" in facts:
        raise KeyError("no way")
    return sorted(applicable)[0]

def one(facts): ...
def four(facts, applicable, task, more): ...
def named(facts, applicable, *, more): ...
async def later(facts, applicable): ...
class Policy: ...
"""
PRINTS = """
import json, sys
json.loads(sys.stdin.readline())
print(json.dumps({"ready": True}), flush=True)
for line in sys.stdin:
    print("I think about it", flush=True)
"""


@pytest.fixture
def task(tmp_path: Path) -> list[str]:
    return write_task(tmp_path, "ferry", seed=2)


@pytest.fixture
def module(tmp_path: Path) -> str:
    (tmp_path / "policies.py").write_text(POLICIES)
    (tmp_path / "prints.py").write_text(PRINTS)
    return f"{tmp_path}/policies.py"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("raises", "policy crash (10 runs): KeyError: 'x'"),
        ("answers_42", "policy crash (10 runs): returned 42, neither an action name nor None"),
        ("invents", "illegal action (10 runs"),
    ],
)
def test_a_policy_that_never_acts_is_said_first(
    task: list[str], module: str, tmp_path: Path, run: Run, name: str, reason: str
) -> None:
    folder = tmp_path / "campaign"
    given = ("--policy", f"python:{module}:{name}", "--pool-size", 10, "-o", folder)
    code, out, err = run("test", *task, *given)
    assert code == 5
    first = f"nothing could be tested: all 10 runs ended at their first decision, {reason}"
    assert out.startswith(first)
    assert "look closer" not in out
    assert "nothing could be tested" in err
    assert run("status", folder)[1].startswith(first)
    if name == "raises":
        lines = out.splitlines()
        assert lines[1:5] == [
            "  Traceback (most recent call last):",
            f'    File "{module}", line 4, in raises',
            '      raise KeyError("x")',
            "  KeyError: 'x'",
        ]
        assert lines[5] == "  it printed:" and lines[6].startswith("  asked in ")


def test_a_program_that_prints_to_its_standard_output(
    task: list[str], module: str, tmp_path: Path, run: Run
) -> None:
    program = f"cmd:{sys.executable} {tmp_path}/prints.py"
    given = ("--policy", program, "--pool-size", 5, "-o", tmp_path / "campaign")
    code, out, _ = run("test", *task, *given)
    assert code == 5
    assert out.splitlines()[0].endswith(
        'first decision, policy crash (5 runs): answered no JSON: "I think about it"'
    )


def test_a_crash_in_some_runs_stays_a_bug_and_shows_where(
    task: list[str], module: str, tmp_path: Path, run: Run
) -> None:
    folder = tmp_path / "campaign"
    given = ("--policy", f"python:{module}:sometimes", "--pool-size", 30, "-o", folder)
    code, out, _ = run("test", *task, *given)
    assert code == 1
    bugs = [json.loads(path.read_text()) for path in (folder / "bugs").iterdir()]
    crashes = [bug for bug in bugs if bug["certificate"]["run"]["ending"] == "policy crash"]
    others = [bug for bug in bugs if bug not in crashes]
    assert crashes and others
    _, out, _ = run("explain", folder, crashes[0]["id"])
    assert f'File "{module}", line 15, in sometimes' in out
    assert out.endswith("KeyError: 'no way'\nit printed:\nso far so good\n")
    told = json.loads(run("explain", folder, crashes[0]["id"], "--json")[1])
    assert told["trace"].startswith("Traceback")
    assert json.loads(run("explain", folder, others[0]["id"], "--json")[1])["trace"] is None


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("one", "one(facts) cannot be called with the state and its applicable actions"),
        ("four", "four(facts, applicable, task, more) cannot be called"),
        ("named", "named(facts, applicable, *, more) cannot be called"),
        ("later", "'later' is asynchronous or a generator"),
        ("Policy", "'Policy' is a class, not a function of a state"),
    ],
)
def test_what_can_be_seen_at_load_is_refused_at_load(
    task: list[str], module: str, tmp_path: Path, run: Run, name: str, sentence: str
) -> None:
    given = ("--policy", f"python:{module}:{name}", "-o", tmp_path / "campaign")
    code, _, err = run("test", *task, *given)
    assert (code, sentence in err) == (4, True)
    assert not (tmp_path / "campaign").exists()
    if name != "Policy":
        functions: dict[str, Any] = {}
        exec(POLICIES, functions)
        with pytest.raises(UsageError, match="the policy function"):
            bugsieve.policy(functions[name]).bind(generated_task(tmp_path, "ferry", seed=2))


def test_objects_must_take_a_batch_of_states() -> None:
    class Wrong:
        def choose(self) -> None:
            """Nothing to choose by."""

    with pytest.raises(UsageError, match=r"Wrong.choose\(\).* cannot be called with a batch"):
        bugsieve.find_bugs(line_task(4), Wrong())  # type: ignore[arg-type]


def test_rollout_shows_what_a_policy_prints(task: list[str], module: str, run: Run) -> None:
    code, out, err = run("rollout", *task, "--policy", f"python:{module}:raises")
    assert code == 0
    assert err.startswith("policy: asked in ")
    assert f'File "{module}", line 4, in raises' in out


def test_a_walk_that_never_begins_shows_the_traceback(tmp_path: Path, run: Run) -> None:
    (tmp_path / "model.jani").write_text(json.dumps(ledge()))
    (tmp_path / "bad.py").write_text("def choose(values, applicable):\n    return values['y']\n")
    given = ("--policy", f"python:{tmp_path}/bad.py:choose", "--walks", 5)
    code, out, _ = run("safety", tmp_path / "model.jani", *given, "-o", tmp_path / "campaign")
    assert code == 5
    lines = out.splitlines()
    assert lines[0].startswith("nothing could be tested: policy crash in 5 answers, first: KeyErr")
    assert f'    File "{tmp_path}/bad.py", line 2, in choose' in lines


def test_judge_says_where_answers_change(task: list[str], tmp_path: Path, run: Run) -> None:
    (tmp_path / "pids.py").write_text(
        "import os\n\ndef choose(facts, applicable):\n    return f'(pid {os.getpid()})'\n"
    )
    given = (
        *task,
        "--policy",
        f"python:{tmp_path}/pids.py:choose",
        "--oracle",
        "planner:gbfs-500",
    )
    code, out, _ = run("judge", *given)
    assert code == 6
    assert "unstable, hence no bug: the policy's answers change (illegal action: " in out
    assert "\n1 state, 0 bugs\n" in out
    (state,) = json.loads(run("judge", *given, "--json")[1])["states"]
    assert state["bug"] is None and state["unstable"][0]["position"] == 0


def test_two_runs_are_enough_where_it_fails_elsewhere_as_well() -> None:
    @bugsieve.policy
    def broken(facts: frozenset[str], applicable: list[str]) -> str:
        raise KeyError("x")

    for size in (2, 3):
        with pytest.raises(PolicyError, match=r"all \d runs ended at their first decision"):
            bugsieve.find_bugs(line_task(5), broken, pool_size=size)
