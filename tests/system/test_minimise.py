"""`bugsieve minimise` from end to end: the example stands for itself, the campaign stays."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from bugsieve import find_bugs, load_task, policy
from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.events import Noted
from bugsieve.campaigns.options import CostOptions
from bugsieve.campaigns.python_calls.problems import ProblemCampaigns
from bugsieve.campaigns.several.several import joint_causes
from bugsieve.cli import main
from bugsieve.explanation.causes.cost import cause_of
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.checking import checking_module
from bugsieve.pipeline.objectives import make_objective
from bugsieve.pipeline.pool.options import FuzzOptions
from tests.unit.faults import ferryman
from tests.unit.policies.line import line_task

SLEEPER = """
import os, pathlib, time
from ferryman import choose as chosen

def choose(facts, applicable, task):
    if task.name.endswith("-smallest") and os.path.exists("armed"):
        pathlib.Path("asked").touch()
        time.sleep(600)
    return chosen(facts, applicable, task)
"""


PLANNER = """
def get_plan(objects, init, goal):
    at = {atom[1]: atom[2] for atom in init if atom[0] == "at"}
    (here,) = (atom[1] for atom in init if atom[0] == "at-ferry")
    carried = [atom[1] for atom in init if atom[0] == "on"]
    goals = {atom[1]: atom[2] for atom in goal}
    places = sorted({*at.values(), *goals.values(), here})
    plan = []

    def sail(to):
        nonlocal here
        if to != here:
            plan.append(("sail", here, to))
        here = to

    for car in carried:
        sail(goals.get(car, here))
        plan.append(("debark", car, here))
    waiting = [car for car in sorted(goals) if at.get(car, goals[car]) != goals[car]]
    for car in waiting:
        if car == waiting[-1]:  # a detour for the last one
            before = here
            sail(next(place for place in places if place != here))
            sail(before)
        sail(at[car])
        plan.append(("board", car, here))
        sail(goals[car])
        plan.append(("debark", car, here))
    return plan
"""

CHANCES = """
from ferryman import choose as chosen

def choose(facts, applicable, task):
    likely = chosen(facts, applicable, task)
    others = [action for action in applicable if action.startswith("(board")]
    return {likely: 1, **{others[0]: 1}} if others else {likely: 1}
"""

RULES = """
format = 1
[[atom]]
name = "debarks(?c - car)"
is = "(did debark ?c *)"
[[atom]]
name = "sails"
is = "(did sail * *)"
[[rule]]
id = "wait"
kind = "desired"
forall = "?c - car"
ltl = "G(debarks(?c) -> N !sails)"
"""

FERRYMAN, SLEEPY = "python:./ferryman.py:choose", "python:./sleeper.py:choose"


@pytest.fixture
def ferry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A campaign of the ferryman, who is a function in a file."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(ferryman.__file__, tmp_path / "ferryman.py")
    (tmp_path / "sleeper.py").write_text(SLEEPER)
    made = ["generate", "ferry", "--cars", "3", "--locations", "3", "--seed", "2", "-o", "ferry"]
    assert main(made) == 0
    return campaign("ferry", FERRYMAN, "--examples", "0")


def campaign(task: str, spec: str, *more: str, folder: str = "results") -> Path:
    words = ["--policy", spec, "--pool-size", "20", "-o", folder]
    assert main(["test", task, *words, *more]) == 1
    return Path(folder)


def bug_of(folder: Path, ending: str) -> str:
    """The first bug whose run ends so."""
    for path in sorted((folder / "bugs").iterdir()):
        if json.loads(path.read_text())["certificate"]["run"]["ending"] == ending:
            return path.stem
    raise AssertionError(f"no {ending}")


def digest(folder: Path) -> dict[str, str]:
    """What the campaign consists of, without the examples in it."""
    return {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file() and "smallest" not in path.parts
    }


def check_example(folder: Path, spec: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The checker accepts it alone, its files are of one task, and the policy does it again."""
    assert {path.name for path in folder.iterdir()} == {
        *("domain.pddl", "problem.pddl", "output.sas", "bug.json")
    }
    command = [sys.executable, "-m", "bugsieve.checkers.cost", "output.sas", "bug.json"]
    said = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout
    assert said == "accepted: the certificate proves a bug\n"
    bug = json.loads((folder / "bug.json").read_text())
    task = load_task(folder)
    assert bug["certificate"]["task"] == {"name": task.name, "sha256": task.sha256}
    assert bug["certificate"]["state"] == task.initial_state.tolist()
    assert task.to_sas() == (folder / "output.sas").read_text()
    capsys.readouterr()
    assert main(["judge", str(folder), "--policy", spec]) == 1
    steps = len(bug["certificate"]["run"]["operators"])
    ending = f"{bug['certificate']['run']['ending']} after {steps} step"
    assert ending in capsys.readouterr().out


def test_a_function_in_a_file(ferry: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bug, before = bug_of(ferry, "loop"), digest(ferry)
    capsys.readouterr()
    assert main(["minimise", str(ferry), bug[:6]]) == 0
    out = capsys.readouterr().out
    assert "  objects: 4 of 6\n" in out and "  steps of the policy: 2 of " in out
    assert re.search(r"\n  \d+ problems tried, \d+ questions to the policy\n", out)
    assert "may not be needed" not in out
    assert digest(ferry) == before
    check_example(ferry / "smallest" / bug, FERRYMAN, capsys)
    assert main(["minimise", str(ferry), bug, "-o", "again", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["objects"], report["objects_before"], report["kept"]) == (4, 6, None)
    first, second = (ferry / "smallest" / bug, Path("again"))
    assert digest_of(first) == digest_of(second), "the same every time"
    assert main(["minimise", "--help"]) == 0
    text = capsys.readouterr().out.partition("--json prints one object")[2]
    assert not [name for name in report if not re.search(rf"\b{name}\b", text)]


def digest_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["generate", "blocksworld", "--blocks", "10", "--seed", "1", "-o", "blocks"]) == 0
    folder = campaign("blocks", "asnets:blocksworld", "--examples", "0")
    bug = bug_of(folder, "solved")
    assert main(["minimise", str(folder), bug, "-o", "out", "--json"]) == 0
    report = json.loads(capsys.readouterr().out.partition("{\n")[2].join(["{", ""]))
    assert report["new"] and report["objects"] <= report["objects_before"] == 10
    assert report["run"] <= report["run_before"]
    check_example(Path("out"), "asnets:blocksworld", capsys)


@pytest.mark.usefixtures("ferry")
def test_each_cause_gets_an_example_by_itself(capsys: pytest.CaptureFixture[str]) -> None:
    ferry = campaign("ferry", FERRYMAN, folder="by-itself")
    with CostRecords(ferry) as records:
        causes = {row.id: row.cause for row in records.bugs()}
        listed = {one.example for group in records.causes() for one in group}
    made = ferry / "smallest"
    assert {path.name for path in made.iterdir()} == listed and len(listed) > 1
    for name in listed:
        task = load_task(made / name)
        bench = Bench(
            task, policy(ferryman.choose).bind(task), make_objective("quantitative", task)
        )
        bug = json.loads((made / name / "bug.json").read_text())
        assert cause_of(bench, bug["certificate"]) == causes[name]
        check_example(made / name, FERRYMAN, capsys)
    before, kept = digest(ferry), {path: path.read_bytes() for path in made.glob("*/*")}
    shutil.rmtree(made / min(listed))
    assert main(["resume", str(ferry)]) == 1
    assert {path: path.read_bytes() for path in made.glob("*/*")} == kept, "what was missing"
    out = capsys.readouterr().out
    assert f"smallest:    {made}/" in out and "likewise:    " in out
    changed = {name for name, value in digest(ferry).items() if value != before[name]}
    assert changed <= {f"{ferry}/{name}" for name in ("campaign.sqlite", "timeline.csv")}
    assert main(["test", "--from", str(ferry), "--examples", "0", "-o", "without"]) == 1
    assert not Path("without/smallest").exists()


@pytest.mark.usefixtures("ferry")
def test_ctrl_c_among_the_examples_loses_nothing() -> None:
    sleeping = campaign("ferry", SLEEPY, "--examples", "0", folder="plain")
    Path("armed").touch()
    words = ["ferry", "--policy", SLEEPY, "--pool-size", "20", "-o", "cut"]
    process = subprocess.Popen(
        [sys.executable, "-m", "bugsieve", "test", *words], stdout=subprocess.PIPE, text=True
    )
    while not Path("asked").exists():
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate()
    assert process.returncode == 2 and "causes:" in said
    assert not list(Path("cut").glob("smallest/*/*"))
    with CostRecords("cut") as cut, CostRecords(sleeping) as whole:
        assert cut.bugs_by_kind() == whole.bugs_by_kind()
    Path("armed").unlink()
    assert main(["resume", "cut"]) == 1
    assert list(Path("cut").glob("smallest/*/bug.json"))


@pytest.mark.usefixtures("ferry")
def test_a_bound_policy_keeps_all_objects_and_says_so() -> None:
    task, notes = load_task("ferry"), list[str]()
    options = CostOptions(
        task=(), policy="me", examples=3, fuzz=FuzzOptions(pool_size=20), step_limit=50
    )
    with Campaign.create("bound", options, task, policy=policy(ferryman.choose)) as made:
        made.run(lambda event: notes.append(event.note) if isinstance(event, Noted) else None)
    assert len(notes) == 1 and "all objects are kept, the policy " in notes[0]
    folders = list(Path("bound/smallest").iterdir())
    assert folders and all(load_task(path).sha256 == task.sha256 for path in folders)


@pytest.mark.usefixtures("ferry")
def test_problems_share_their_examples() -> None:
    words = ["ferry", "--cars", "3", "--locations", "3", "--seed", "3", "-o", "other"]
    assert main(["generate", *words]) == 0
    files = ["ferry/domain.pddl", "ferry/problem.pddl", "other/problem.pddl"]
    words = ["--policy", FERRYMAN, "--pool-size", "20", "-o", "both"]
    assert main(["test", *files, *words, "--examples", "2"]) == 1
    summary = ProblemCampaigns.open(Path("both")).summary()
    groups = joint_causes(Path("both"), summary)
    listed = {one.example.replace("/", "/smallest/") for group in groups for one in group}
    made = {str(path.relative_to("both")) for path in Path("both").glob("*/smallest/*")}
    assert made == listed


def test_a_python_object_gets_way_and_start(
    ferry: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    task = load_task("ferry")
    function = policy(ferryman.choose)
    assert find_bugs(task, function, pool_size=20, folder="object")
    bug = bug_of(Path("object"), "loop")
    capsys.readouterr()
    assert main(["minimise", "object", bug, "-o", "out"]) == 0
    out = capsys.readouterr().out
    assert "is a Python object, bound to its task" in out and "objects: 6 of 6" in out
    assert "bugsieve judge" not in out
    found = json.loads(Path("out/bug.json").read_text())
    assert found["certificate"]["task"]["sha256"] == task.sha256 == load_task("out").sha256
    assert found["certificate"]["run"]["actions"][0].startswith("(debark"), "the culprit"
    command = [sys.executable, "-m", "bugsieve.checkers.cost", "out/output.sas", "out/bug.json"]
    subprocess.run(command, check=True)


def test_a_task_from_a_sas_file_gets_way_and_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("line.sas").write_text(line_task(6).to_sas())
    folder = campaign("line.sas", "random:1")
    bug = next((folder / "bugs").iterdir()).stem
    assert main(["minimise", str(folder), bug, "-o", "out"]) == 0
    assert "comes from a SAS file, which has no objects" in capsys.readouterr().out
    assert {path.name for path in Path("out").iterdir()} == {"output.sas", "bug.json"}


@pytest.mark.usefixtures("ferry")
def test_a_plan_is_made_anew_where_the_culprit_is(capsys: pytest.CaptureFixture[str]) -> None:
    Path("planner.py").write_text(PLANNER)
    spec = "plans:python:./planner.py:get_plan"
    folder = campaign("ferry", spec, "--examples", "0", "--max-bugs", "1", folder="plans")
    bug = bug_of(folder, "solved")
    capsys.readouterr()
    assert main(["minimise", str(folder), bug, "-o", "out", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["new"] and report["steps_further"] > 0 and report["unmoved"] is None
    actions = json.loads(Path("out/bug.json").read_text())["certificate"]["run"]["actions"]
    assert [action.split()[0] for action in actions[:2]] == ["(sail", "(sail"], "the detour"
    bound = campaign(str(folder / "task.sas"), spec, "--max-bugs", "1", folder="sas")
    capsys.readouterr()
    assert main(["minimise", str(bound), bug_of(bound, "solved"), "-o", "kept"]) == 0
    out = capsys.readouterr().out
    assert "  it begins where the bug does: the policy would make another plan there\n" in out


@pytest.mark.usefixtures("ferry")
def test_a_loop_among_chances(capsys: pytest.CaptureFixture[str]) -> None:
    Path("chances.py").write_text(CHANCES)
    words = ["--objective", "probability", "--examples", "0"]
    folder = campaign("ferry", "python:./chances.py:choose", *words, folder="chances")
    report = minimised(folder, bug_of(folder, "loop"), capsys)
    assert report["objects"] == 4 and report["objects_before"] == 6


@pytest.mark.usefixtures("ferry")
def test_rules_are_about_the_objects_that_are_left(capsys: pytest.CaptureFixture[str]) -> None:
    Path("rules.toml").write_text(RULES)
    words = ["--rules", "rules.toml", "--examples", "0"]
    folder = campaign("ferry", FERRYMAN, *words, folder="ruled")
    report = minimised(folder, bug_of(folder, "rule violated"), capsys)
    assert report["objects"] < report["objects_before"] == 6
    objective = json.loads(Path("out/bug.json").read_text())["certificate"]["objective"]
    left = set(load_task("out").objects)
    for car in ("car1", "car2", "car3"):
        assert (car in objective) == (f"wait[{car}]" in objective) == (car in left)


def minimised(folder: Path, bug: str, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """What is said of the example in `out`, which the checker accepts."""
    capsys.readouterr()
    assert main(["minimise", str(folder), bug, "-o", "out", "--json"]) == 0
    report: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert report["new"] and report["run"] <= report["run_before"]
    objective = json.loads(Path("out/bug.json").read_text())["certificate"]["objective"]
    command = [sys.executable, "-m", checking_module(objective), "out/output.sas", "out/bug.json"]
    subprocess.run(command, check=True)
    return report


def test_ctrl_c_leaves_nothing(ferry: Path) -> None:
    shutil.rmtree(ferry)
    sleeping = campaign("ferry", SLEEPY, "--examples", "0")
    bug = bug_of(sleeping, "loop")
    Path("armed").touch()
    words = ["minimise", str(sleeping), bug, "-o", "out", "--trust-policy"]
    process = subprocess.Popen(
        [sys.executable, "-m", "bugsieve", *words], stderr=subprocess.PIPE, text=True
    )
    while not Path("asked").exists():
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate()
    assert (process.returncode, said) == (2, "bugsieve: interrupted\n")
    assert not Path("out").exists()
