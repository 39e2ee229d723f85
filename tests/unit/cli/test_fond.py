"""`bugsieve decide` and `bugsieve safety` on PDDL with oneof effects."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bugsieve.cli import main
from tests.unit.cli.commands import Run

DOMAIN = """
(define (domain bridges)
  (:requirements :strips :typing :non-deterministic)
  (:types place)
  (:predicates (at ?p - place) (road ?a ?b - place) (rotten ?a ?b - place) (fallen))
  (:action walk
    :parameters (?a ?b - place)
    :precondition (and (at ?a) (road ?a ?b) (not (fallen)))
    :effect (and (not (at ?a)) (at ?b)))
  (:action dare
    :parameters (?a ?b - place)
    :precondition (and (at ?a) (rotten ?a ?b) (not (fallen)))
    :effect (oneof (and (not (at ?a)) (at ?b)) (fallen))))
"""
PROBLEM = """
(define (problem crossing)
  (:domain bridges)
  (:objects west ford east island - place)
  (:init (at west) (road west ford) (road ford east) (road west island)
         (rotten west east) (rotten island east))
  (:goal (at east)))
"""
DARING = """
def choose(values, applicable):
    return min(applicable, default=None)
"""
UNSAFE = ("--unsafe", "(fallen)")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a task, and a policy that takes the rotten bridge."""
    folder = tmp_path_factory.mktemp("bridges")
    (folder / "domain.pddl").write_text(DOMAIN)
    (folder / "problem.pddl").write_text(PROBLEM)
    (folder / "daring.py").write_text(DARING)
    return folder


def task(place: Path) -> list[str]:
    return [str(place / "domain.pddl"), str(place / "problem.pddl")]


def policy(place: Path) -> tuple[str, str]:
    return "--policy", f"python:{place / 'daring.py'}:choose"


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (0, "domain.pddl: a PDDL domain needs a problem file beside it"),
        (1, "problem.pddl: is a PDDL problem; give its domain file before it"),
    ],
)
def test_half_of_a_task(place: Path, run: Run, given: int, sentence: str) -> None:
    code, _, err = run("safety", task(place)[given], *UNSAFE, *policy(place))
    assert code == 4 and sentence in err


@pytest.mark.parametrize("algorithm", ["tarjan", "lrtdp", "lao", "vi"])
@pytest.mark.parametrize(("radius", "safe"), [("inf", True), ("1", True), ("0", False)])
def test_the_start_is_decided(
    place: Path, run: Run, algorithm: str, radius: str, safe: bool
) -> None:
    options = [*UNSAFE, *policy(place), "--algorithm", algorithm, "--radius", radius]
    code, out, err = run("decide", *task(place), *options, "--json")
    assert (code, err) == (0, "")
    report = json.loads(out)
    (state,) = report["states"]
    assert [n for n, v in zip(report["variables"], state["state"], strict=True) if v] == [
        "(at west)"
    ]
    assert len(state["successors"]["(dare west east)"]) == 2
    assert (state["choice"], state["safe"], state["fault"]) == ("(dare west east)", safe, safe)


def test_quantifiers_say_what_is_unsafe(place: Path, run: Run) -> None:
    """The start is at a rotten bridge."""
    condition = "(or (fallen) (exists (?p - place) (and (at ?p) (rotten ?p east))))"
    code, out, _ = run("decide", *task(place), "--unsafe", condition)
    assert code == 0 and "1 state: 0 safe, 1 lost" in out


def test_the_fault_is_found_proven_and_repaired(place: Path, tmp_path: Path, run: Run) -> None:
    folder, shield = tmp_path / "results", tmp_path / "shield.json"
    options = [*UNSAFE, "--walks", 10]
    code, out, _ = run("safety", *task(place), *options, *policy(place), "-o", folder)
    assert (code, "1 bug: 1 fault" in out) == (1, True)
    assert "does (dare west east) ((fallen) false → true: unsafe); danger 1 step later" in out
    assert run("shield", folder, "-o", shield)[0] == 0
    again = ["--policy", f"table:{shield}", "-o", tmp_path / "again"]
    code, out, _ = run("safety", *task(place), *options, *again)
    assert (code, out.splitlines()[0]) == (0, "safe from the only start state (proven)")


@pytest.mark.parametrize("text", ["", "fallen"])
def test_what_is_unsafe_is_no_condition(
    place: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["decide", *task(place), "--unsafe", text]) == 4
    error = capsys.readouterr().err
    assert f"--unsafe {text!r} is neither a file nor a condition in parentheses" in error


def test_the_condition_in_a_file(place: Path, tmp_path: Path, run: Run) -> None:
    file = tmp_path / "unsafe.pddl"
    file.write_text("(fallen)\n")
    code, out, _ = run("decide", *task(place), "--unsafe", file)
    assert code == 0 and "1 state: 1 safe" in out
