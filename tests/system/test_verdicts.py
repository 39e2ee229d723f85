"""Each row of the table of verdicts, for each command in which it can occur.

The first line of a command, that of `status` and `resume`, the headline of the report and the text
in Python are the same sentence, and the exit code is that of its row.
"""

from __future__ import annotations

import html
import json
import re
import shlex
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import bugsieve
from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.options import CostOptions
from bugsieve.campaigns.store.certificate_blobs import packed, unpacked
from bugsieve.campaigns.store.schema import STORE_FILE
from bugsieve.cli import main
from tests.unit.campaigns.interrupting import interrupted
from tests.unit.campaigns.safety.ledge import ledge
from tests.unit.tasks.jani.small import write

DOMAIN = """\
(define (domain walk) (:requirements :strips :typing) (:types place)
 (:predicates (at ?x - place) (edge ?x ?y - place) (seen ?x - place))
 (:action move :parameters (?x ?y - place) :precondition (and (at ?x) (edge ?x ?y))
  :effect (and (not (at ?x)) (at ?y) (seen ?y))))
"""
PROBLEMS = {
    "open": ("(edge a b) (edge b a) (edge b c) (edge c b) (edge c d) (edge d c)", "(at d)"),
    "trap": ("(edge a b) (edge b a) (edge b c) (edge b d)", "(at d)"),
    "hopeless": ("(edge a b) (edge a c)", "(seen b) (seen c)"),
}
POLICIES = """\
def first(facts, applicable):
    return applicable[0]
def crash(facts, applicable):
    raise KeyError("x")
asked = {}
def moody(facts, applicable):
    asked[facts] = asked.get(facts, 0) + 1
    return applicable[-1 if asked[facts] > 1 else 0]
"""
BLIND = "--oracle planner:astar-blind --expansions 1 --escalate-to 0"
NO_ANSWER = "nothing could be tested: all 14 runs ended at their first decision, policy crash"

FIRST_LINES = {
    "test open --policy python:pol.py:first": (1, "14 bugs with 1 cause in 16 test states"),
    "test open --policy python:pol.py:first --max-bugs 1": (
        *(1, "1 bug with 1 cause in 1 test state"),
    ),
    "test open --policy optimal": (
        *(0, "no bugs: the policy is optimal from all 16 reachable states (proven)"),
    ),
    "test trap --policy optimal": (
        0,
        "no bugs: the policy is optimal from the 6 of 8 reachable states that have a plan "
        "(proven)",
    ),
    "test trap --policy optimal --objective qualitative": (
        0,
        "no bugs: the policy solves the task from the 6 of 8 reachable states that have a plan "
        "(proven)",
    ),
    "test open --policy optimal --pool-size 3": (
        *(0, "no bugs found in 3 test states, of 16 reachable ones"),
    ),
    "test trap --policy optimal --test-states '(seen b)'": (
        *(0, "no bugs found in 7 test states, of 8 reachable ones"),
    ),
    "test open --policy optimal --whole no --pool-size 3": (
        *(0, "no bugs found in 3 test states"),
    ),
    f"test open --policy python:pol.py:first --pool-size 3 {BLIND}": (
        *(6, "undecided: 3 of 3 test states"),
    ),
    "test open --policy python:pol.py:moody": (
        *(6, "unstable: the policy gave different answers in 10 of 14 states when asked again"),
    ),
    "test hopeless --policy optimal": (5, "no plan exists: nothing was tested"),
    "test trap --policy optimal --test-states '(seen c)'": (
        *(5, "no test state has a plan: nothing was tested"),
    ),
    "test open --policy python:pol.py:crash": (5, f"{NO_ANSWER} (14 runs): KeyError: 'x'"),
    "test open trap --policy python:pol.py:first": (
        *(1, "18 bugs with 1 cause in 24 test states of 2 problems"),
    ),
    "test open trap --policy optimal": (
        0,
        "no bugs: the policy is optimal from the 22 of 24 reachable states of 2 problems that "
        "have a plan (proven)",
    ),
    "test open trap --policy optimal --pool-size 3": (
        *(0, "no bugs found in 6 test states of 2 problems, of 24 reachable ones"),
    ),
    f"test open trap --policy python:pol.py:first --pool-size 3 {BLIND}": (
        *(6, "undecided: 6 of 6 test states of 2 problems"),
    ),
    "test open hopeless --policy optimal": (
        *(6, "undecided: nothing was tested in 1 of 2 problems"),
    ),
    "measure open --policy python:pol.py:first --tests 100": (
        *(1, "11 bugs with 1 cause in 100 tests"),
    ),
    "measure open --policy optimal --oracle perfect --tests 100": (
        *(0, "no bugs found in 100 tests"),
    ),
    f"measure open --policy python:pol.py:first --tests 100 {BLIND}": (
        *(6, "undecided: 85 of 100 tests"),
    ),
    "measure open --policy python:pol.py:crash --tests 100": (
        *(5, f"{NO_ANSWER.replace('14', '85')} (85 runs): KeyError: 'x'"),
    ),
    "measure open trap --policy python:pol.py:first --tests 100": (
        *(1, "11 bugs with 1 cause in 100 tests of 2 problems"),
    ),
    "safety model.jani --policy table:left.json --walks 60": (
        *(1, "2 bugs with 1 cause in 60 walks"),
    ),
    "safety model.jani --policy table:left.json --walks 60 --proof-rows 1": (
        *(1, "2 bugs without a proof in 60 walks"),
    ),
    "safety model.jani --policy table:left.json --walks 60 --oracle vi --expansions 1": (
        *(5, "nothing could be tested: it would take more expansions per state (--expansions)"),
    ),
    "measure model.jani --policy table:left.json --tests 100": (
        *(1, "2 bugs with 1 cause in 100 tests"),
    ),
    "rules ru/rover.pddl ru/one-rover.pddl ru/rules.toml": (0, "all 4 rules hold (proven)"),
    "rules ru/rover-faulty.pddl ru/one-rover.pddl ru/rules.toml": (
        *(1, "1 of 4 rules violated: FR-2[rover1]"),
    ),
    "rules ru/rover.pddl ru/one-rover.pddl ru/rules.toml --expansions 1": (
        *(6, "undecided: 2 of 4 rules (2 undecided)"),
    ),
}
"""What commands say first, and their exit codes; `open` and the like are problems of DOMAIN."""

Say = Callable[..., tuple[int, list[str]]]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with everything that is tested, whose name a shell would take apart."""
    folder = tmp_path_factory.mktemp("it's a place")
    (folder / "domain.pddl").write_text(DOMAIN)
    for name, (edges, goal) in PROBLEMS.items():
        (folder / f"{name}.pddl").write_text(
            f"(define (problem {name}) (:domain walk) (:objects a b c d - place)\n"
            f" (:init (at a) {edges}) (:goal (and {goal})))\n"
        )
    (folder / "pol.py").write_text(POLICIES)
    write(folder, ledge())
    rows = [[[at], "left" if at < 4 else "right"] for at in range(1, 6)]
    (folder / "left.json").write_text(json.dumps({"rows": rows}))
    assert main(["rules", "example", "-o", str(folder / "ru")]) == 0
    return folder


@pytest.fixture
def say(place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Say:
    """Runs a command in that folder: its exit code, and the lines it prints."""
    monkeypatch.chdir(place)

    def call(*words: object) -> tuple[int, list[str]]:
        capsys.readouterr()
        code = main([*map(str, words)])
        return code, capsys.readouterr().out.splitlines()

    return call


def files_in(command: str) -> list[str]:
    """The words of a command, with the files of problems in place of their names."""
    words = [f"{word}.pddl" if word in PROBLEMS else word for word in shlex.split(command)]
    is_walk = any(word.removesuffix(".pddl") in PROBLEMS for word in words)
    return [words[0], "domain.pddl", *words[1:]] if is_walk else words


def headline(page: Path) -> str:
    (found,) = re.findall(r'<h1 class="verdict">([^<]*)', page.read_text(encoding="utf-8"))
    return html.unescape(found)


@pytest.mark.parametrize("command", FIRST_LINES)
def test_the_verdict_comes_first(command: str, say: Say, tmp_path: Path) -> None:
    code, verdict = FIRST_LINES[command]
    folder = tmp_path / "results"
    found, lines = say(*files_in(command), "-o", folder)
    assert (found, lines[0]) == (code, verdict)
    assert not any("no bugs proven" in line for line in lines)
    found, lines = say("status", folder)
    assert (found, lines[0]) == (0, verdict)
    _, lines = say("status", folder, "--json")
    told = json.loads("\n".join(lines))["verdict"]
    assert (told["sentence"], told["exit_code"]) == (verdict, code)
    if "moody" not in command:  # who is asked again may answer otherwise
        found, lines = say("resume", folder)
        assert (found, lines[0]) == (code, verdict)
    assert say("report", folder, "-o", tmp_path / "page.html")[0] == 0
    assert headline(tmp_path / "page.html") == verdict


def test_what_stands_in_the_second_line(say: Say, tmp_path: Path) -> None:
    first = "test open --policy python:pol.py:first"
    lines = say(*files_in(first), "-o", tmp_path / "whole")[1]
    assert lines[1] == "the policy fails from the initial state: loop instead of a plan of cost 3"
    lines = say(*files_in(first), "--max-bugs", 2, "-o", tmp_path / "few")[1]
    assert lines[1] == f"2 of 16 reachable states tested; {lines[1].partition('; ')[2]}"
    assert "; the policy fails from the initial state: " in lines[1]
    command = "measure open --policy python:pol.py:first --tests 100"
    lines = say(*files_in(command), "-o", tmp_path / "share")[1]
    assert lines[1].startswith("share of tests with a bug: 75.2 % to 92.1 % (proven in 85 of 100")
    assert lines[2].startswith("risk that one more test shows a cause not seen before: at most")
    # Twelve blocks have far more states than are counted.
    assert say("generate", "blocksworld", "--blocks", 12, "-o", tmp_path / "blocks")[0] == 0
    test = ("test", tmp_path / "blocks", "--policy", "random", "--pool-size", 4)
    lines = say(*test, "-o", tmp_path / "large")[1]
    assert re.match(r"[34] bugs with \d causes? in 4 test states$", lines[0])
    assert lines[1].startswith("4 of more than 200 000 reachable states tested; the policy fails")
    fine = ("--policy", "optimal", "--pool-size", 2, "--bias", "uniform", "--walk-length", 1)
    lines = say("test", tmp_path / "blocks", *fine, "-o", tmp_path / "fine")[1]
    assert lines[0] == "no bugs found in 2 test states, of more than 200 000 reachable ones"
    assert lines[1].startswith("from the initial state the policy finds a plan of cost ")


def test_a_whole_test_that_was_cut_is_not_called_proven(say: Say, tmp_path: Path) -> None:
    assert say("generate", "gripper", "--balls", 6, "-o", tmp_path / "balls")[0] == 0
    task = bugsieve.load_task(tmp_path / "balls" / "domain.pddl", tmp_path / "balls/problem.pddl")
    folder = tmp_path / "cut"
    interrupted(Campaign.create(folder, CostOptions(task=(), policy="optimal"), task), 2)
    first = say("status", folder)[1][0]
    (tested,) = re.findall(r"^no bugs found in (\d+) test states, of 1856 reachable ones$", first)
    assert 0 < int(tested) <= 1856  # the clock decides when results are stored
    assert say("report", folder, "-o", tmp_path / "page.html")[0] == 0
    assert headline(tmp_path / "page.html") == first
    code, lines = say("resume", folder)
    proven = "no bugs: the policy is optimal from all 1856 reachable states (proven)"
    assert (code, lines[0]) == (0, proven)
    assert str(bugsieve.load_bugs(folder)).startswith(f"{proven} (policy optimal, ")


def test_nothing_is_called_proven_by_what_a_stranger_stored(
    say: Say, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the seal of this user the checker runs, and what it refuses proves nothing."""
    folder = tmp_path / "theirs"
    proven = say(*files_in("test open --policy optimal"), "-o", folder)[1][0]
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "another-user"))
    assert say("status", folder)[1][0] == proven
    with sqlite3.connect(folder / STORE_FILE) as store:
        ((content,),) = store.execute("SELECT content FROM greens")
        forged = packed({**unpacked(content), "objective": "qualitative"})
        store.execute("UPDATE greens SET content = ?", (forged,))
    tested = "no bugs found in 16 test states, of 16 reachable ones"
    assert say("status", folder)[1][0] == tested
    with sqlite3.connect(folder / STORE_FILE) as store:
        store.execute("DELETE FROM greens")
    assert say("status", folder)[1][0] == tested


def test_python_says_the_same(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)
    files = ["domain.pddl", "open.pddl"]
    bugs = bugsieve.find_bugs(files, "python:pol.py:first")
    verdict = "14 bugs with 1 cause in 16 test states"
    about = f"{verdict} (policy python:pol.py:first, open)"
    assert str(bugs).splitlines()[0] == about and repr(bugs).startswith(f"<{about}; the worst: ")
    assert html.escape(about) in bugs._repr_html_()
    assert (str(bugs.verdict), bugs.verdict.exit_code) == (verdict, 1)
    found = bugsieve.measure(files, "python:pol.py:first", tests=100)
    first, share, _ = str(found).splitlines()
    assert first == "11 bugs with 1 cause in 100 tests" and share.startswith("share of tests ")


def test_build_servers_are_told_the_verdict(say: Say, tmp_path: Path) -> None:
    for command in ("test open --policy python:pol.py:first", "test hopeless --policy optimal"):
        folder, junit = tmp_path / command.split()[1], tmp_path / "junit.xml"
        say(*files_in(command), "-o", folder, "--junit", junit)
        assert f'message="{FIRST_LINES[command][1]}"' in junit.read_text()


def test_every_command_that_is_printed_can_be_copied(say: Say, tmp_path: Path) -> None:
    """Folders have spaces and quotes in their names."""
    folder = tmp_path / 'what\'s "found" here'
    printed: list[str] = []
    for command in (
        "test open trap --policy python:pol.py:first",
        "test open --policy python:pol.py:first",
        "safety model.jani --policy table:left.json --walks 60",
        "rules ru/rover-faulty.pddl ru/one-rover.pddl ru/rules.toml",
    ):
        place = folder / command.split()[0] / str(len(printed))
        printed += say(*files_in(command), "-o", place)[1] + say("status", place)[1]
    commands = [match for line in printed for match in re.findall(r"bugsieve [a-z]+ .*$", line)]
    assert len(commands) > 15
    for command in commands:
        _, name, *words = shlex.split(command)
        named = [word for word in words if str(tmp_path) in word]
        assert name == "measure" or (named and all(Path(word).exists() for word in named)), command
    (look, *_) = [command for command in commands if command.startswith("bugsieve explain ")]
    shown = subprocess.run(
        f'main() {{ "$1" -m bugsieve "${{@:2}}"; }}; main {shlex.quote(sys.executable)} '
        f"{look.removeprefix('bugsieve ')}",
        shell=True,
        executable="/bin/bash",
        capture_output=True,
        text=True,
        check=True,
    )
    assert "(move " in shown.stdout
