"""Minimising bugs of a stranger's campaign: nothing is started, believed or written elsewhere."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from bugsieve.campaigns.store.certificate_blobs import packed, unpacked
from bugsieve.campaigns.store.schema import STORE_FILE
from bugsieve.cli import main
from tests.hostile.test_strangers_folders import bug_of, changed, touch
from tests.unit.cli.commands import falsified

Run = Callable[..., tuple[int, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """The command line: exit code, and all that it prints."""

    def call(*arguments: object) -> tuple[int, str]:
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return code, printed.out + printed.err

    return call


@pytest.fixture
def campaign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A campaign on PDDL with bugs; nothing was typed so far that starts programs."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder, task = tmp_path / "campaign", tmp_path / "ferry"
    assert main(["generate", "ferry", "--cars", "2", "--locations", "3", "-o", str(task)]) == 0
    stop = ["--max-bugs", "1", "--pool-size", "5", "--examples", "0"]
    assert main(["test", str(task), "--policy", "random:1", *stop, "-o", str(folder)]) == 1
    return folder


def test_a_stored_policy_is_not_started(campaign: Path, tmp_path: Path, run: Run) -> None:
    marker, bug = tmp_path / "marker", bug_of(campaign)
    changed(campaign, "policy", touch(marker))
    code, said = run("minimise", campaign, bug)
    assert code == 4 and touch(marker) in said and "--trust-policy" in said
    assert not marker.exists() and not (campaign / "smallest").exists()
    code, said = run("minimise", campaign, bug, "--trust-policy")
    assert code == 0 and marker.exists(), "it is started when the user says so"
    assert "the policy has no such bug" in said and "objects: 5 of 5" in said


def test_a_certificate_that_does_not_hold(campaign: Path, tmp_path: Path, run: Run) -> None:
    copy = falsified(campaign, tmp_path / "copy", "plan.cost", 0)
    code, said = run("minimise", copy, bug_of(copy))
    assert code == 4 and "does not hold" in said and not (copy / "smallest").exists()


@pytest.mark.parametrize(
    ("part", "value"),
    [("id", "../../evil"), ("found_by.path", [0, 0, 0]), ("found_by.path", [-1])],
)
def test_what_is_said_beside_the_certificate(
    campaign: Path, run: Run, part: str, value: object
) -> None:
    with closing(sqlite3.connect(campaign / STORE_FILE)) as store, store:
        store.create_function("opened", 1, lambda content: json.dumps(unpacked(content)))
        store.create_function("closed", 1, lambda text: packed(json.loads(text)))
        change = "UPDATE bugs SET bug = closed(json_set(opened(bug), ?, json(?)))"
        store.execute(change, (f"$.{part}", json.dumps(value)))
        if part == "id":
            store.execute("UPDATE bugs SET id = ?", (value,))
    before = set(campaign.parent.rglob("*"))
    code, said = run("minimise", campaign, value if part == "id" else bug_of(campaign))
    assert code == 4 and "fault in Bugsieve" not in said
    assert set(campaign.parent.rglob("*")) == before


@pytest.mark.parametrize("text", ["(define", "(define (problem p) (:domain other))", ""])
def test_files_of_another_task(campaign: Path, run: Run, text: str) -> None:
    """The texts are only read where objects are to be left out."""
    with closing(sqlite3.connect(campaign / STORE_FILE)) as store, store:
        change = "UPDATE meta SET value = ? WHERE name = 'problem'"
        assert store.execute(change, (text,)).rowcount == 1
    code, said = run("minimise", campaign, bug_of(campaign))
    assert code in (0, 4) and "fault in Bugsieve" not in said
    assert code == 4 or "may not be needed: " in said


@pytest.mark.parametrize("name", ["ü", "x) (:init (on car1))", "", "a b", "\x1b[31m"])
def test_names_that_are_none(campaign: Path, run: Run, name: str) -> None:
    with closing(sqlite3.connect(campaign / STORE_FILE)) as store, store:
        change = "UPDATE meta SET value = ? WHERE name = 'task name'"
        assert store.execute(change, (name,)).rowcount == 1
    code, said = run("minimise", campaign, bug_of(campaign))
    assert code in (0, 4) and "fault in Bugsieve" not in said and "\x1b" not in said


def test_links_are_not_followed(campaign: Path, tmp_path: Path, run: Run) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (campaign / "smallest").symlink_to(elsewhere)
    code, said = run("minimise", campaign, bug_of(campaign))
    assert code == 4 and "is a link" in said and not list(elsewhere.iterdir())


def test_other_files_are_not_replaced(campaign: Path, tmp_path: Path, run: Run) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "problem.pddl").write_text("mine")
    code, said = run("minimise", campaign, bug_of(campaign), "-o", out)
    assert code == 4 and "is not empty" in said
    assert [path.read_text() for path in out.iterdir()] == ["mine"]
    file = tmp_path / "file"
    file.write_text("mine")
    code, said = run("minimise", campaign, bug_of(campaign), "-o", file)
    assert code == 4 and file.read_text() == "mine"


def test_what_is_no_campaign_of_cost_testing(campaign: Path, tmp_path: Path, run: Run) -> None:
    assert run("minimise", tmp_path / "nowhere", "b")[0] == 4
    code, said = run("minimise", campaign, "nobug")
    assert code == 4 and "has no bug 'nobug'" in said
