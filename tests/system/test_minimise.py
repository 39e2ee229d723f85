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

import pytest

from bugsieve import find_bugs, load_task, policy
from bugsieve.campaigns.cost.smallest import small_examples
from bugsieve.checkers.cost import check_bug
from bugsieve.cli import main
from bugsieve.results.cost.records import CostRecords
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


@pytest.fixture
def ferry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A campaign of the ferryman, who is a function in a file."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(ferryman.__file__, tmp_path / "ferryman.py")
    (tmp_path / "sleeper.py").write_text(SLEEPER)
    made = ["generate", "ferry", "--cars", "3", "--locations", "3", "--seed", "2", "-o", "ferry"]
    assert main(made) == 0
    return campaign("ferry", "python:./ferryman.py:choose")


def campaign(task: str, spec: str) -> Path:
    folder = Path("results")
    words = ["--policy", spec, "--pool-size", "20", "-o", str(folder)]
    assert main(["test", task, *words]) == 1
    return folder


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
    check_example(ferry / "smallest" / bug, "python:./ferryman.py:choose", capsys)
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
    folder = campaign("blocks", "asnets:blocksworld")
    bug = bug_of(folder, "solved")
    assert main(["minimise", str(folder), bug, "-o", "out", "--json"]) == 0
    report = json.loads(capsys.readouterr().out.partition("{\n")[2].join(["{", ""]))
    assert report["new"] and report["objects"] <= report["objects_before"] == 10
    assert report["run"] <= report["run_before"]
    check_example(Path("out"), "asnets:blocksworld", capsys)


def test_several_with_a_small_budget(ferry: Path) -> None:
    with CostRecords(ferry) as records:
        header, rows = records.header, records.bugs()[:2]
    made = small_examples(ferry, header, [row.bug for row in rows], candidates=3)
    assert list(made) == [row.id for row in rows]
    for row in rows:
        assert made[row.id].candidates == 3 and made[row.id].objects <= 6
        found = json.loads((ferry / "smallest" / row.id / "bug.json").read_text())
        check_bug((ferry / "smallest" / row.id / "output.sas").read_text(), found)
    assert small_examples(ferry, header, [row.bug for row in rows]) == {}, "they are there"


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


def test_ctrl_c_leaves_nothing(ferry: Path) -> None:
    shutil.rmtree(ferry)
    sleeping = campaign("ferry", "python:./sleeper.py:choose")
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
