"""Projects of users with tests of their own, run by pytest in a process of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

PLUGIN = ("-p", "bugsieve.pytest_plugin", "-p", "no:hypothesispytest", "--assert=plain")
"""The same as the entry point, if there is one: it has the name of the module. The rest is to be
quick."""

DOMAIN = """\
(define (domain line)
  (:predicates (at ?p) (next ?p ?q) (place ?p))
  (:action right :parameters (?p ?q)
    :precondition (and (at ?p) (next ?p ?q)) :effect (and (at ?q) (not (at ?p))))
  (:action left :parameters (?p ?q)
    :precondition (and (at ?p) (next ?q ?p)) :effect (and (at ?q) (not (at ?p)))))
"""

POLICY = """\
def right(facts, applicable):
    return next((action for action in applicable if "right" in action), None)


def back(facts, applicable):
    return next((action for action in applicable if "left" in action), applicable[0])


def crash(facts, applicable):
    raise RuntimeError("no idea")


def hang(facts, applicable):
    while True:
        pass


def slow(facts, applicable):
    import pathlib, time

    pathlib.Path("asked").touch()
    time.sleep(0.05)
    return back(facts, applicable)
"""


def problem(places: int) -> str:
    names = [f"p{number}" for number in range(places)]
    pairs = " ".join(f"(next {a} {b})" for a, b in pairwise(names))
    return (
        f"(define (problem line-{places}) (:domain line) (:objects {' '.join(names)})\n"
        f"  (:init (at p0) {pairs}) (:goal (at {names[-1]})))\n"
    )


def write_project(folder: Path, **files: str) -> Path:
    """A project with two problems and a policy; `files` are further ones, `__` for a dot."""
    texts = {
        "pytest.ini": "[pytest]\n",
        "problems/domain.pddl": DOMAIN,
        "problems/p1.pddl": problem(4),
        "problems/p2.pddl": problem(6),
        "policy.py": POLICY,
        **files,
    }
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


@dataclass(frozen=True)
class Tests:
    """What pytest said."""

    __test__ = False

    code: int
    out: str
    outcomes: dict[str, str]
    """By the ids of tests."""


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "pytest", *PLUGIN, "-rA", "--color=no", *arguments]


def environment(folder: Path) -> dict[str, str]:
    """With a list of trusted policies of its own, which is empty at first."""
    return {**os.environ, "XDG_STATE_HOME": str(folder / ".state"), "COLUMNS": "200"}


def run_pytest(folder: Path, *arguments: str) -> Tests:
    done = subprocess.run(
        command(*arguments),
        cwd=folder,
        env=environment(folder),
        capture_output=True,
        text=True,
    )
    assert not done.stderr, done.stderr
    found = re.findall(r"^(PASSED|FAILED|ERROR|XFAIL|XPASS) (\S+)", done.stdout, re.MULTILINE)
    return Tests(done.returncode, done.stdout, {name: outcome for outcome, name in found})
