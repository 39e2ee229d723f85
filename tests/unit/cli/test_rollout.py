"""`bugsieve rollout`: what it prints, what it refuses, and its exit codes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bugsieve.cli import main
from tests.unit.policies.generated import write_task
from tests.unit.policies.line import line_task

OWN_ENVIRONMENT = dict(os.environ)

pytestmark = pytest.mark.usefixtures("no_preloaded_sanitizer")


@pytest.fixture
def line(tmp_path: Path) -> str:
    """A file with a line of five places; the steps to the right cost 1, 2, 3, 4."""
    path = tmp_path / "line.sas"
    line_task(5, right_costs=[1, 2, 3, 4]).write_sas(path)
    return str(path)


def states_file(folder: Path, content: Any) -> str:
    path = folder / "states.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return str(path)


def test_the_run_is_printed_step_by_step(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rollout", line, "--policy", "greedy:hff"]) == 0
    assert capsys.readouterr().out == (
        "task line, policy greedy:hff, seed 0\n"
        "\n"
        "  1. (right p0)  cost 1\n"
        "  2. (right p1)  cost 2\n"
        "  3. (right p2)  cost 3\n"
        "  4. (right p3)  cost 4\n"
        "solved in 4 steps, cost 10\n"
    )


def test_pddl_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    domain, problem = write_task(tmp_path, "gripper", balls=2)
    policy = "python:bugsieve.policies.examples.gripper:choose"
    assert main(["rollout", domain, problem, "--policy", policy]) == 0
    assert "solved in" in capsys.readouterr().out


def test_several_states(line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    states = states_file(tmp_path, [["(at p3)"], ["(at p4)"], ["(at p2)"]])
    arguments = ["rollout", line, "--policy", "greedy", "--states", states, "--step-limit", "1"]
    assert main(arguments) == 0
    out = capsys.readouterr().out
    assert "state 0\n  1. (right p3)  cost 4\nsolved in 1 step, cost 4\n" in out
    assert "state 1\nsolved in 0 steps, cost 0\n" in out
    assert "state 2\n  1. (right p2)  cost 3\nstep limit after 1 step, cost 3\n" in out
    assert out.endswith("3 runs: 2 solved, 1 step limit; mean cost of the solved 2.00\n")


LOOPER = """
def choose(facts, applicable):
    table = {"(at p0)": "(right p0)", "(at p1)": "(right p1)", "(at p2)": "(left p2)"}
    return table[min(facts)]

def stay(facts, applicable):
    return None
"""


@pytest.mark.parametrize(
    ("function", "ending"),
    [
        ("choose", "loops: steps 2 to 3 repeat"),
        ("stay", "no action after 0 steps, cost 0: none of 1 applicable chosen"),
    ],
)
def test_endings_in_words(
    function: str, ending: str, line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    module = tmp_path / "looper.py"
    module.write_text(LOOPER)
    assert main(["rollout", line, "--policy", f"python:{module}:{function}"]) == 0
    assert capsys.readouterr().out.endswith(f"\n{ending}\n")


def test_a_crash_is_a_result(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rollout", line, "--policy", "cmd:false"]) == 0
    out = capsys.readouterr().out
    assert "policy crash after 0 steps, cost 0: at its start: ended with exit code 1\n" in out


def test_a_program_that_never_answers(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rollout", line, "--policy", "cmd:sleep 1000", "--deadline", "0.1"]) == 0
    out = capsys.readouterr().out
    assert out.endswith(
        "policy hang after 0 steps, cost 0: at its start: no answer within 0.6 s\n"
    )


def test_json(line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    module = tmp_path / "looper.py"
    module.write_text(LOOPER)
    spec = f"python:{module}:choose"
    states = states_file(tmp_path, {"states": [["(at p1)"], ["(AT P3)"], ["(at p4)"]]})
    arguments = ["rollout", line, "--policy", spec, "--states", states, "--json", "--seed", "5"]
    assert main(arguments) == 0
    report = json.loads(capsys.readouterr().out)
    nothing: dict[str, Any] = {"steps": 0, "cost": 0, "actions": [], "loop_start": None}
    assert report == {
        "task": "line",
        "policy": spec,
        "seed": 5,
        "step_limit": 10_000,
        "tie_epsilon": 1e-5,
        "runs": [
            {
                "state": 0,
                "ending": "loop",
                "steps": 2,
                "cost": 3,
                "actions": ["(right p1)", "(left p2)"],
                "detail": None,
                "loop_start": 0,
            },
            {"state": 1, "ending": "policy crash", "detail": "KeyError: '(at p3)'", **nothing},
            {"state": 2, "ending": "solved", "detail": None, **nothing},
        ],
        "summary": {"solved": 1, "loop": 1, "policy crash": 1},
    }


@pytest.mark.parametrize(
    ("policy", "head"),
    [
        ("random:7", "task line, policy random:7, seed 7"),
        ("random", "task line, policy random:5, seed 5"),
        ("greedy", "task line, policy greedy:hff, seed 5"),
    ],
)
def test_the_seed_in_force_is_shown(
    policy: str, head: str, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["rollout", line, "--policy", policy, "--seed", "5"]
    assert main(arguments) == 0
    assert capsys.readouterr().out.startswith(f"{head}\n")
    assert main([*arguments, "--json"]) == 0
    assert head.endswith(f"seed {json.loads(capsys.readouterr().out)['seed']}")


def test_large_limits_are_limits(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    limits = ["--step-limit", str(10**12), "--memory", str(2**40), "--deadline", "1e300"]
    for policy in ("greedy", "optimal", "cmd:false"):
        assert main(["rollout", line, "--policy", policy, *limits]) == 0
    assert capsys.readouterr().out.count("solved in 4 steps") == 2


def test_the_seed_decides(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    def actions(seed: str) -> Any:
        main(["rollout", line, "--policy", "random", "--seed", seed, "--json"])
        return json.loads(capsys.readouterr().out)["runs"]

    assert actions("3") == actions("3")
    assert len({json.dumps(actions(str(seed))) for seed in range(10)}) > 1


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("[[", "states.json: line 1, column 3: is not valid JSON"),
        ("[" * 100_000, "states.json: line 1: is nested more than 10000 levels deep"),
        ("7", "must hold a list of states"),
        ("[]", "must hold a list of states, at least one"),
        ('{"state": []}', "must hold a list of states"),
        ("", "states.json: is empty, a states file was expected"),
        ('[["(at p1)"], "x"]', "states.json, state 1 (counted from 0): a state is a list"),
        ('[["(at p1)"], [3]]', "states.json, state 1 (counted from 0): a state is a list"),
        ('[["(at p99)"]]', "states.json, state 0 (counted from 0): "),
        ('[["(at p1)", "(at p2)"]]', "states.json, state 0 (counted from 0): "),
    ],
)
def test_bad_states_files(
    content: str, sentence: str, line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    states = states_file(tmp_path, content)
    assert main(["rollout", line, "--policy", "greedy", "--states", states]) == 4
    captured = capsys.readouterr()
    assert sentence in captured.err and captured.err.count("\n") == 1
    assert captured.out == ""


HUGE = str(10**30)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--policy", "gredy:hff"], "did you mean 'greedy'"),
        (["--policy", "greedy:hfff"], "did you mean 'hff'"),
        (["--policy", "cmd:no-such-program"], "there is no policy program 'no-such-program'"),
        (["--policy", "python:no_such_module:f"], "no_such_module cannot be imported"),
        (["--policy", "greedy", "--step-limit", "0"], "--step-limit must be at least 1, got 0"),
        (["--policy", "greedy", "--step-limit", HUGE], "--step-limit must be at most"),
        (["--policy", "greedy", "--deadline", "nan"], "--deadline must be greater than 0"),
        (["--policy", "greedy", "--deadline", "soon"], "--deadline must be a number of seconds"),
        (["--policy", "greedy", "--memory", "-1"], "--memory must be at least 1, got -1"),
        (["--policy", "optimal", "--memory", HUGE], "--memory must be at most"),
        (["--policy", "random", "--seed", HUGE], "--seed must be at most"),
        (["--policy", "random", "--seed", "-1"], "--seed must be at least 0, got -1"),
        (["--policy", "random", "--seed", "x"], "--seed must be a whole number, got 'x'"),
        (["--policy", "greedy", "--json=3"], "--json takes no value, got '3'"),
        (["--policy"], "--policy must be followed by a value"),
        (["--polcy", "greedy"], "unknown argument '--polcy' (did you mean '--policy'?)"),
        (["--polcy=cmd:a b"], "unknown argument '--polcy' (did you mean '--policy'?)"),
        (["--pol", "greedy"], "unknown argument '--pol'"),
        (["--policy", "greedy", "--states", "no-such-file"], "no-such-file"),
        (["more", "more", "--policy", "greedy"], "not more"),
        ([], "--policy"),
    ],
)
def test_bad_calls(
    arguments: list[str], sentence: str, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["rollout", line, *arguments]) == 4
    captured = capsys.readouterr()
    assert sentence in captured.err and captured.err.count("\n") == 1


def test_ctrl_c_ends_it_with_exit_code_2(line: str, tmp_path: Path) -> None:
    started = tmp_path / "started"
    script = f"echo '{{\"ready\": true}}'; read hello; read batch; echo > {started}; sleep 1000"
    policy = f'cmd:sh -c "{escaped(script)}"'
    options = ["--policy", policy, "--deadline", "900", "--memory", str(1 << 32)]
    process = subprocess.Popen(
        [sys.executable, "-m", "bugsieve", "rollout", line, *options],
        env={**OWN_ENVIRONMENT, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    while not started.exists():
        assert process.poll() is None, process.communicate()
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate()
    assert (process.returncode, out, errors) == (2, b"", b"bugsieve: interrupted\n")


def escaped(script: str) -> str:
    return script.replace("\\", "\\\\").replace('"', '\\"')
