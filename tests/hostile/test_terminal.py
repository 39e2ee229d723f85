"""Names that terminals would obey: they reach the terminal as escapes, and files as they are."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from bugsieve.base.wording import csv_cell, printable_lines
from bugsieve.cli import main
from bugsieve.commands.shared.live_display import LiveDisplay
from tests.hostile.sas_texts import LAMP
from tests.unit.campaigns.safety.ledge import ledge
from tests.unit.reports.safety.samples import FULL
from tests.unit.reports.samples import Sample
from tests.unit.tasks.jani.small import write

EVIL = "\x1b]0;mine\x07\x1b[31m\x9b2J\u202e\u2066\u200b\x7f\x85\u2028\U000e0041"
"""The title of the window, colours, clearing by ESC and by one C1 character, other directions of
writing, nothing at all, line ends of others, an invisible letter."""
ESCAPED = r"\u001b]0;mine\u0007\u001b[31m\u009b2J\u202e\u2066\u200b\u007f\u0085\u2028\udb40\udc41"

Run = Callable[..., tuple[int, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Calls the command line; what it prints must be harmless."""

    def call(*arguments: object) -> tuple[int, str]:
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        assert code != 3, printed.err
        text = printed.out + printed.err
        assert all(c.isprintable() or c in "\n\t" for c in text), repr(text)
        return code, text

    return call


def renamed(document: Any, names: dict[str, str]) -> Any:
    """The document with other names wherever these are used."""
    if isinstance(document, dict):
        return {key: renamed(value, names) for key, value in document.items()}
    if isinstance(document, list):
        return [renamed(value, names) for value in document]
    return names.get(document, document) if isinstance(document, str) else document


def test_what_becomes_an_escape() -> None:
    assert printable_lines("a\nb\tπ") == "a\nb\tπ"
    assert printable_lines(EVIL) == ESCAPED
    assert printable_lines("\udcff") == r"\udcff"
    for text in (EVIL, f'\\"{EVIL}\\', "\x7f"):
        assert json.loads(printable_lines(json.dumps([text], ensure_ascii=False))) == [text]


def test_names_of_a_model(tmp_path: Path, run: Run) -> None:
    names = {"x": f"x{EVIL}", "left": f"left{EVIL}", "ledge": f"ledge{EVIL}"}
    model = write(tmp_path, renamed(ledge(), names))
    rows = [[[place], names["left"] if place < 4 else "right"] for place in range(1, 6)]
    (tmp_path / "left.json").write_text(json.dumps({"rows": rows}))
    policy = f"table:{tmp_path / 'left.json'}"
    results = tmp_path / "results"
    code, text = run("safety", model, "--policy", policy, "--walks", 60, "-o", results)
    assert code == 1 and f"left{ESCAPED}" in text
    bug = next((results / "bugs").iterdir())
    assert json.loads(bug.read_text("utf-8"))["certificate"]["action_name"] == names["left"]
    assert f"left{ESCAPED}" in run("explain", results, bug.stem)[1]
    for command in ("explain", "replay"):
        run(command, results, bug.stem)
        run(command, results, bug.stem, "--json")
    run("status", results)
    run("shield", results, "-o", tmp_path / "shield.json")
    run("decide", model, "--policy", policy, "--json")


def test_names_of_a_sas_task(tmp_path: Path, run: Run) -> None:
    task, results = tmp_path / "lamp.sas", tmp_path / "results"
    task.write_text(LAMP.replace("lamp", "lamp\x9b2J\u202e\u200b"), encoding="utf-8")
    assert r"lamp\u009b2j\u202e\u200b" in run("rollout", task, "--policy", "optimal")[1]
    run("test", task, "--policy", "random", "--pool-size", 10, "-o", results)
    run("status", results)


def test_names_of_a_store(tmp_path: Path, run: Run) -> None:
    for number in "12":
        policy = f"random:{number}{EVIL}"
        Sample("slsl", {"lookahead": "bb??"}, policy=policy).write(tmp_path / number)
    assert ESCAPED in run("table", "icaps22", tmp_path)[1]


def test_data_for_programs_are_as_they_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = f"greedy:hff{EVIL}"
    folder = Sample("slsl", {"lookahead": "bb??"}, policy=policy).write(tmp_path / "a")
    assert main(["table", "icaps22", str(folder), "--csv"]) == 0
    rows = list(csv.reader(io.StringIO(capsys.readouterr().out, newline="")))
    assert any(csv_cell(policy) in row for row in rows), "escapes, not the characters"
    assert main(["table", "icaps22", str(folder), "--json"]) == 0
    plain = capsys.readouterr().out
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert main(["table", "icaps22", str(folder), "--json"]) == 0
    shown = capsys.readouterr().out
    assert "\x9b2J\u202e" in plain and r"\u009b2J\u202e" in shown
    assert json.loads(plain) == json.loads(shown)


def test_pictures(tmp_path: Path, run: Run) -> None:
    """Also: what is between two dollars is no formula, and SVG takes no control characters."""
    for number, name in enumerate((EVIL, "$x_{$ \\$x$", "a $ b")):
        folder = tmp_path / str(number)
        Sample("slsl", {"lookahead": "bb??"}, policy=f"one {name}").write(folder / "a")
        Sample("slsl", {"lookahead": "bb??"}, policy=f"two {name}").write(folder / "b")
        for more in ([], ["--kind", "recall"]):
            picture = folder / "b.svg"
            assert run("plot", folder, "-o", picture, *more)[0] == 0
            ElementTree.parse(picture)


def test_pictures_of_safety(tmp_path: Path, run: Run) -> None:
    replace(FULL, name=f"$x_{{$ {EVIL}").write(tmp_path / "a")
    for kind in ("fuzzing", "bugs"):
        assert run("plot", tmp_path, "--kind", kind, "-o", tmp_path / "a.svg")[0] == 0


class _Display(LiveDisplay):
    def lines(self) -> list[str]:
        return [f"testing {EVIL}", "more"]


def test_live_displays() -> None:
    assert _Display()._text().plain == f"testing {ESCAPED}\n  more"
