"""A program that gives one action for a whole batch: one note, and the bugs of a right one."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bugsieve.cli import main

PROGRAM = """
import json, sys
input()
print(json.dumps({{"ready": True}}), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    actions = [next(iter(state["applicable"]), None) for state in asked["states"]]
    print(json.dumps({{"id": asked["id"], "actions": actions[:{most}]}}), flush=True)
"""
CAMPAIGNS = {
    "test": (["blocksworld", "--blocks", "4"], ["--pool-size", "30"]),
    "safety": (["one-way-line", "--length", "6", "--packages", "2"], ["--walks", "40"]),
}


def bugs_of(command: str, subject: Path, program: Path, folder: Path) -> set[str]:
    options = ["--policy", f"cmd:{sys.executable} {program}", *CAMPAIGNS[command][1]]
    assert main([command, str(subject), *options, "-o", str(folder)]) == 1
    return {path.name for path in (folder / "bugs").iterdir()}


@pytest.mark.parametrize("command", CAMPAIGNS)
def test_one_note_and_the_same_bugs(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    subject = tmp_path / "task"
    assert main(["generate", *CAMPAIGNS[command][0], "-o", str(subject)]) == 0
    subject = subject / "model.jani" if command == "safety" else subject
    found = {}
    for name, most in (("right", None), ("wrong", 1)):
        program = tmp_path / "policy.py"
        program.write_text(PROGRAM.format(most=most))
        capsys.readouterr()
        found[name] = bugs_of(command, subject, program, tmp_path / name)
        complaints = capsys.readouterr().err
        assert complaints.count("\n") == complaints.count("note on the policy") == bool(most)
        assert ("it answered 1 action for " in complaints) == bool(most)
        assert ("it is asked about single states from now on" in complaints) == bool(most)
    assert found["right"] == found["wrong"] != set()
