"""Naming a task and a policy: forms of the task, limits, and what is checked before grounding."""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bugsieve.cli import main
from bugsieve.commands.shared import campaign_arguments, task_arguments
from bugsieve.commands.shared.parser import Parser
from bugsieve.policies.limits import WorkerLimits
from bugsieve.tasks.grounded.translator import TranslationLimits
from tests.unit.policies.generated import write_task
from tests.unit.tasks.fdr.test_translator import LARGE_DOMAIN, large_problem


def error_of(arguments: list[str], capsys: pytest.CaptureFixture[str], *, code: int = 4) -> str:
    """The sentence with which a rollout is refused."""
    assert main(["rollout", *arguments]) == code
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err.count("\n") == 1
    return captured.err


def parsed(*arguments: str) -> argparse.Namespace:
    parser = Parser()
    task_arguments.add_task_arguments(parser)
    task_arguments.add_policy_arguments(parser, required=False)
    return parser.parse_args(arguments)


def test_defaults_are_those_of_python() -> None:
    args = parsed("x.sas")
    grounding, policy = TranslationLimits(), WorkerLimits()
    assert args.translation_time == grounding.seconds
    assert args.translation_memory << 20 == grounding.bytes
    assert (args.deadline, args.memory) == (policy.deadline, policy.memory_mb)
    assert policy.startup_deadline == 6 * policy.deadline  # as the help of --deadline says
    assert (args.seed, args.policy) == (0, None)


def test_a_folder_with_both_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    domain, problem = write_task(tmp_path, "gripper", balls=2)
    assert main(["rollout", domain, problem, "--policy", "optimal"]) == 0
    by_files = capsys.readouterr().out
    os.rename(domain, tmp_path / "domain.pddl")
    os.rename(problem, tmp_path / "problem.pddl")
    assert main(["rollout", str(tmp_path), "--policy", "optimal"]) == 0
    assert capsys.readouterr().out == by_files


@pytest.mark.parametrize(
    ("there", "missing"),
    [
        (["domain.pddl"], "holds no problem.pddl; "),
        (["problem.pddl"], "holds no domain.pddl; "),
        (["p01.pddl"], "holds no domain.pddl and no problem.pddl; "),
    ],
)
def test_other_folders(
    there: list[str], missing: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in there:
        (tmp_path / name).write_text("")
    error = error_of([str(tmp_path), "--policy", "greedy"], capsys)
    assert f"{tmp_path}: is a folder that {missing}give a domain and a problem file" in error


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--policy", "gredy"], "did you mean 'greedy'?"),
        (["--policy", "greedy:hf"], "did you mean 'hff'?"),
        (["--policy", "hill-climbing:x"], "there is no heuristic 'x'"),
        (["--policy", "lazy:x"], "there is no heuristic 'x'"),
        (["--policy", "optimal:x"], "'optimal:x' is unknown"),
        (["--policy", "random:x"], "the seed in 'random:x' is no whole number"),
        (["--policy", "python:x"], "must name a module or file and a function"),
        (["--policy", "cmd:"], "must be followed by a program"),
        (["--policy", "cmd:no-such-program"], "there is no policy program"),
        (["--policy", "greedy", "--states", "bad.json"], "bad.json: line 1, column 3: is not"),
        (["--policy", "greedy", "--states", "odd.json"], "odd.json, state 1"),
        (["--policy", "greedy", "--states", "none.json"], "none.json: there is no such file"),
    ],
)
def test_mistakes_that_need_no_task_come_first(
    arguments: list[str],
    sentence: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The task does not even exist, and nobody has noticed yet."""
    monkeypatch.chdir(tmp_path)
    Path("bad.json").write_text("[[")
    Path("odd.json").write_text('[["(at p1)"], "(at p2)"]')
    assert sentence in error_of(["no-domain.pddl", "no-problem.pddl", *arguments], capsys)


@pytest.mark.parametrize(
    ("option", "sentence"),
    [
        (["--translation-time", "0.001"], "grounding took longer than 0.001 s"),
        (["--translation-memory", "1"], "of memory"),
    ],
)
def test_spent_limits_name_the_options(
    option: list[str],
    sentence: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("BUGSIEVE_CACHE", str(tmp_path / "cache"))
    files = write_task(tmp_path, "gripper", balls=2)
    error = error_of([*files, "--policy", "greedy", *option], capsys, code=5)
    assert sentence in error and option[0] in error


@pytest.mark.parametrize(
    ("option", "sentence"),
    [
        (["--translation-time", "0"], "--translation-time must be greater than 0, got 0"),
        (["--translation-time", "inf"], "--translation-time must be at most 1000000, got inf"),
        (["--translation-memory", "0"], "--translation-memory must be at least 1, got 0"),
        (["--translation-memory", str(10**30)], "--translation-memory must be at most"),
    ],
)
def test_limits_out_of_range(
    option: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sentence in error_of(["x.sas", "--policy", "greedy", *option], capsys)


def test_the_largest_limits_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("BUGSIEVE_CACHE", str(tmp_path / "cache"))
    files = write_task(tmp_path, "gripper", balls=2)
    limits = ["--translation-time", "1000000", "--translation-memory", str(2**40)]
    assert main(["rollout", *files, "--policy", "greedy", *limits]) == 0
    assert "solved" in capsys.readouterr().out


def test_a_terminal_sees_that_a_task_is_being_grounded(tmp_path: Path) -> None:
    (tmp_path / "domain.pddl").write_bytes(LARGE_DOMAIN)
    (tmp_path / "problem.pddl").write_bytes(large_problem(30))
    ours, terminal = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "bugsieve", "rollout", str(tmp_path), "--policy", "random"],
        env={**os.environ, "TERM": "xterm", "COLUMNS": "300"},
        stdout=subprocess.PIPE,
        stderr=terminal,
    )
    os.close(terminal)
    seen = b""
    while b"problem.pddl, " not in seen:
        seen += os.read(ours, 1000)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate()
    assert (process.returncode, output) == (2, b"")
    assert b"grounding " in seen
    os.close(ours)


def test_a_long_name_is_cut_for_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        campaign_arguments.free_folder(None, "\N{GOTHIC LETTER AHSA}" * 300).mkdir()
    assert len(list(tmp_path.iterdir())) == 2
