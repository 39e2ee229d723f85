"""Files of strangers are data: nothing in them starts a program or makes us write elsewhere."""

from __future__ import annotations

import json
import os
import select
import shlex
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from bugsieve.base.errors import InputError, UsageError
from bugsieve.base.files_and_processes.unlinked_folders import PROBLEMS_FILE
from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.store.lock import LOCK_FILE
from bugsieve.campaigns.store.schema import STORE_FILE
from bugsieve.campaigns.store.store import PART_FILE
from bugsieve.cli import main
from bugsieve.rooms.lab.experiments.experiment import Experiment
from bugsieve.rooms.lab.experiments.file import read_experiment
from tests.hostile.stores import other_bug
from tests.unit.campaigns.safety.ledge import ledge
from tests.unit.policies.line import line_task

Run = Callable[..., tuple[int, str]]

LEFTIST = """
import json, sys
json.loads(sys.stdin.readline())
print(json.dumps({"ready": True}), flush=True)
for line in sys.stdin:
    batch = json.loads(line)
    open("asked", "w").close()
    actions = [min(state["applicable"]) for state in batch["states"]]
    print(json.dumps({"id": batch["id"], "actions": actions}), flush=True)
"""


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
def marker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the stranger's command would make; nothing was typed so far."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "marker"


@pytest.fixture
def task(tmp_path: Path) -> Path:
    file = tmp_path / "line.sas"
    file.write_text(line_task(6).to_sas())
    return file


@pytest.fixture
def campaign(task: Path, tmp_path: Path) -> Path:
    """A campaign with bugs, that could go on."""
    folder = tmp_path / "campaign"
    stop = ["--max-bugs", "1", "--pool-size", "5"]
    assert main(["test", str(task), "--policy", "random:1", *stop, "-o", str(folder)]) == 1
    return folder


def renamed(folder: Path, spec: str, place: Path | None = None) -> None:
    """Put another policy into the store, as a stranger would."""
    changed(folder, "policy", spec)
    changed(folder, "policy_folder", None if place is None else str(place))


def changed(folder: Path, name: str, value: object) -> None:
    """Put another option into the store; None leaves it out."""
    with closing(sqlite3.connect(folder / STORE_FILE)) as store, store:
        (text,) = store.execute("SELECT value FROM meta WHERE name = 'options'").fetchone()
        lines = [line for line in text.splitlines() if not line.startswith(f"{name} ")]
        new = [] if value is None else [f"{name} = {json.dumps(value)}"]
        options = "\n".join([*new, *lines]) + "\n"
        store.execute("UPDATE meta SET value = ? WHERE name = 'options'", (options,))


def bug_of(folder: Path) -> str:
    return next((folder / "bugs").iterdir()).stem


def touch(marker: Path) -> str:
    return f"cmd:touch {shlex.quote(str(marker))}"


def test_a_stored_policy_is_not_started(campaign: Path, marker: Path, run: Run) -> None:
    spec = touch(marker)
    renamed(campaign, spec)
    for command in (["resume", campaign, "--max-bugs", 9], ["replay", campaign]):
        before = {path: path.stat().st_mtime_ns for path in campaign.rglob("*")}
        code, said = run(*command)
        assert code == 4 and spec in said and "--trust-policy" in said
        assert before == {path: path.stat().st_mtime_ns for path in campaign.rglob("*")}
    code, said = run("status", campaign)
    assert code == 0 and spec in said, "what is shown is what would be started"
    code, said = run("explain", campaign, bug_of(campaign))
    assert code == 0 and spec in said
    assert run("export", campaign, "--json", campaign.parent / "out.json")[0] == 0
    with pytest.raises(UsageError, match="--trust-policy"):
        Campaign.open(campaign)
    again = ["test", "--from", campaign, "-o", campaign.parent / "again"]
    code, said = run(*again)
    assert code == 4 and spec in said and "--trust-policy" in said
    assert run(*again, "--policy", "random:1", "--max-bugs", 1)[0] == 1, "that one is typed"
    assert not marker.exists()
    run("replay", campaign, "--trust-policy")
    assert marker.exists()
    marker.unlink()
    run("replay", campaign)
    assert marker.exists(), "a yes is remembered"


def test_what_judges_for_a_comparison_is_not_started(
    campaign: Path, task: Path, marker: Path, run: Run
) -> None:
    other = campaign.parent / "other"
    given = ["--policy", "random:1", "--pool-size", 3, "--seed", 7, "--bias", "uniform"]
    run("test", task, *given, "-o", other)
    assert run("compare", campaign, other)[0] == 0
    spec = touch(marker)
    renamed(campaign, spec)
    renamed(other, spec)
    for pair in ([campaign, other], [other, campaign]):
        code, said = run("compare", *pair, "--cross")
        assert code == 4 and spec in said and "--trust-policy" in said
    renamed(campaign, "random:1")
    renamed(other, "random:1")
    changed(other, "oracles", [f"planner:fd:{marker}"])
    changed(campaign, "oracles", [f"planner:fd:{marker}"])
    assert run("compare", campaign, other, "--cross")[0] == 4
    assert not marker.exists()


def test_the_policy_of_several_problems_is_not_started(
    task: Path, tmp_path: Path, marker: Path, run: Run
) -> None:
    """Neither by what the folder plans, nor by a campaign in it; nor is a link followed."""
    other = tmp_path / "other.sas"
    other.write_text(line_task(7).to_sas())
    folder, spec = tmp_path / "set", touch(marker)
    given = ["test", task, other, "--policy", "random:1", "--pool-size", 5, "-o", folder]
    assert run(*given)[0] == 1
    file = folder / PROBLEMS_FILE
    ours = file.read_text()
    planned = json.loads(ours)
    planned["options"] = planned["options"].replace("random:1", spec)
    file.write_text(json.dumps(planned))
    shutil.rmtree(folder / "other")
    for command in (["resume", folder], ["resume", folder, "--max-bugs", 9]):
        code, said = run(*command)
        assert code == 4 and spec in said and "--trust-policy" in said
    assert run("status", folder)[0] == 0
    file.write_text(ours)
    outside = tmp_path / "outside"
    outside.mkdir()
    (folder / "other").symlink_to(outside)
    code, said = run("resume", folder)
    assert "other: is a link" in said.replace("could not be tested: ", "")
    assert list(outside.iterdir()) == []
    renamed(folder / "line", spec)
    code, said = run("resume", folder, "--max-bugs", 10**6)
    assert spec in said and "--trust-policy" in said
    assert not marker.exists()


def test_python_says_yes_by_an_argument(campaign: Path, marker: Path) -> None:
    renamed(campaign, touch(marker))
    with pytest.raises(UsageError, match="as it was when the campaign began"):
        Campaign.open(campaign, trust_policy=True)
    assert marker.exists()


@pytest.mark.parametrize(("answer", "starts"), [("n", False), ("", False), ("y", True)])
def test_on_a_terminal_the_user_is_asked(
    campaign: Path, marker: Path, monkeypatch: pytest.MonkeyPatch, answer: str, starts: bool
) -> None:
    spec = touch(marker)
    renamed(campaign, spec)
    ours, theirs = os.openpty()
    with open(theirs, "r+b", buffering=0) as terminal:
        words = open(os.dup(terminal.fileno()), encoding="utf-8")  # noqa: SIM115
        errors = open(os.dup(terminal.fileno()), "w", encoding="utf-8")  # noqa: SIM115
        with words, errors:
            monkeypatch.setattr(sys, "stdin", words)
            monkeypatch.setattr(sys, "stderr", errors)
            os.write(ours, f"{answer}\n".encode())
            code = main(["replay", str(campaign)])
        shown = ""
        while select.select([ours], [], [], 0)[0]:  # a terminal gives line after line
            shown += os.read(ours, 1 << 16).decode()
    os.close(ours)
    assert spec in shown.replace("\r\n", "") and "[y/N]" in shown
    assert marker.exists() == starts
    assert (code == 4) == (not starts)


def test_a_typed_policy_is_started_from_anywhere(
    task: Path, marker: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the folder where it was typed; the same spec in another folder is another one."""
    home, away = marker.parent / "home", marker.parent / "away"
    for folder in (home, away):
        folder.mkdir()
        (folder / "policy.py").write_text(LEFTIST)
    monkeypatch.chdir(home)
    spec = f"cmd:{sys.executable} policy.py"
    code, _ = run("test", task, "--policy", spec, "--pool-size", 5, "-o", "results")
    assert code == 1 and (home / "asked").exists()
    ids = {path.name for path in Path("results/bugs").iterdir()}
    monkeypatch.chdir(away)
    (home / "asked").unlink()
    code, said = run("replay", home / "results")
    assert code == 1 and "STILL FAILS" in said
    assert (home / "asked").exists() and not (away / "asked").exists()
    assert run("resume", home / "results")[0] == 1
    assert {path.name for path in (home / "results/bugs").iterdir()} == ids
    renamed(home / "results", spec, away)
    code, said = run("replay", home / "results")
    assert code == 4 and str(away) in said and not (away / "asked").exists()
    shutil.rmtree(away)
    monkeypatch.chdir(home)
    code, said = run("replay", "results")
    assert code == 4 and "which is gone" in said


def test_a_python_module_is_that_of_its_folder(
    task: Path, marker: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = marker.parent / "home"
    home.mkdir()
    (home / "ours.py").write_text("def choose(facts, applicable):\n    return min(applicable)\n")
    monkeypatch.chdir(home)
    for spec, name in (("python:ours:choose", "module"), ("python:ours.py:choose", "file")):
        monkeypatch.chdir(home)
        assert run("test", task, "--policy", spec, "--pool-size", 5, "-o", name)[0] == 1
        monkeypatch.chdir("/")
        assert run("replay", home / name)[0] == 1
        assert run("resume", home / name, "--workers", 2)[0] == 1


def test_a_program_inside_a_campaign_is_never_taken_for_typed(
    campaign: Path, marker: Path, run: Run, monkeypatch: pytest.MonkeyPatch, task: Path
) -> None:
    """The user has typed it, but the folder may be another one by now."""
    folder = marker.parent / "given"
    folder.mkdir()
    program = folder / "program"
    program.write_text(f"#!/bin/sh\ntouch {shlex.quote(str(marker))}\n")
    program.chmod(0o755)
    run("rollout", task, "--policy", f"cmd:{program}")
    assert marker.exists()
    marker.unlink()
    renamed(campaign, f"cmd:{program}")
    run("replay", campaign)
    assert marker.exists()
    marker.unlink()
    shutil.copy(campaign / STORE_FILE, folder)
    code, said = run("replay", campaign)
    assert code == 4 and "in the folder of a campaign" in said and not marker.exists()


@pytest.fixture
def model(tmp_path: Path) -> Path:
    file = tmp_path / "model.jani"
    file.write_text(json.dumps(ledge()))
    return file


def test_the_default_of_a_table_is_not_started(model: Path, marker: Path, run: Run) -> None:
    inner, outer = marker.parent / "inner.json", marker.parent / "outer.json"
    inner.write_text(json.dumps({"default": touch(marker), "rows": []}))
    outer.write_text(json.dumps({"default": "table:{here}/inner.json", "rows": []}))
    for table in (inner, outer):
        for command in (["safety", model, "-o", marker.parent / "c"], ["decide", model]):
            code, said = run(*command, "--policy", f"table:{table}")
            assert code == 4 and "cmd:touch" in said and "--trust-policy" in said
    assert not marker.exists()
    run("decide", model, "--policy", f"table:{outer}", "--trust-policy")
    assert marker.exists()


def test_a_shield_starts_no_stored_policy(model: Path, marker: Path, run: Run) -> None:
    policy = marker.parent / "policy.py"
    policy.write_text("def choose(values, applicable):\n    return min(applicable)\n")
    folder = marker.parent / "campaign"
    spec = f"python:{policy}:choose"
    assert run("safety", model, "--policy", spec, "--walks", 20, "-o", folder)[0] == 1
    shield = marker.parent / "shield.json"
    assert run("shield", folder, "-o", shield)[0] == 0
    shield_spec = f"table:{shield}"
    assert run("replay", folder, "--policy", shield_spec)[0] == 0, "our own table is believed"
    renamed(folder, touch(marker))
    code, said = run("shield", folder)
    assert code == 4 and "cmd:touch" in said and not marker.exists()
    assert run("explain", folder, bug_of(folder))[0] == 0


def test_files_that_a_spec_names_are_found_from_anywhere(
    model: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [[[place], "left" if place < 4 else "right"] for place in range(1, 6)]
    (tmp_path / "left.json").write_text(json.dumps({"rows": rows}))
    monkeypatch.chdir(tmp_path)
    options = ["--policy", "table:left.json", "--walks", 20, "-o", "campaign"]
    assert run("safety", model, *options)[0] == 1
    monkeypatch.chdir("/")
    assert run("replay", tmp_path / "campaign")[0] == 1
    assert run("resume", tmp_path / "campaign")[0] == 1
    assert run("shield", tmp_path / "campaign", "-o", tmp_path / "shield.json")[0] == 0
    shield = json.loads((tmp_path / "shield.json").read_text())
    assert shield["default"] == "table:{here}/left.json"


def test_an_experiment_file_is_a_files_word(marker: Path, run: Run) -> None:
    file = marker.parent / "grid.toml"
    file.write_text(
        f"policies = [{json.dumps(touch(marker))}]\n"
        "[campaign.fuzz]\npool_size = 3\n"
        '[[domains]]\ngenerator = "gripper"\nparameters = { balls = 1 }\n'
    )
    folder = marker.parent / "grid"
    code, said = run("experiment", file, "-o", folder)
    assert code == 4 and "cmd:touch" in said and "--trust-policy" in said
    with pytest.raises(UsageError, match="--trust-policy"):
        Experiment(read_experiment(file), folder).run()
    assert not marker.exists() and not folder.exists()
    run("experiment", file, "-o", folder, "--trust-policy")
    assert marker.exists()


def test_what_our_own_code_does_needs_no_trust(campaign: Path, marker: Path, run: Run) -> None:
    for spec in ("greedy:hff", "python:bugsieve.policies.examples.first:choose"):
        renamed(campaign, spec)
        assert run("replay", campaign)[0] in (0, 1)
    renamed(campaign, "python:bugsieve.py:choose", marker.parent)
    (marker.parent / "bugsieve.py").write_text(f"open({str(marker)!r}, 'w')\n")
    assert run("replay", campaign)[0] == 4 and not marker.exists()


def test_a_stored_oracle_starts_no_program(
    campaign: Path, marker: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = marker.parent / "programs"
    programs.mkdir()
    downward = programs / "fast-downward"
    downward.write_text(f"#!/bin/sh\ntouch {shlex.quote(str(marker))}\n")
    downward.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    spec = "any:lookahead:1+planner:fd:astar(blind())"
    changed(campaign, "oracles", [spec])
    again = ["test", "--from", campaign, "-o", campaign.parent / "again", "--max-bugs", 1]
    for command in (["resume", campaign, "--max-bugs", 9], again):
        code, said = run(*command)
        assert code == 4 and f"names the oracle {spec!r}" in said and "--trust-policy" in said
    with pytest.raises(UsageError, match="--trust-policy"):
        Campaign.open(campaign)
    assert run(*again, "--oracle", "lookahead:1")[0] == 1, "that one is typed"
    assert run("status", campaign)[0] == 0 and not marker.exists()
    Campaign.open(campaign, trust_policy=True).close()
    monkeypatch.chdir(marker.parent)
    Campaign.open(campaign).close()  # a yes is remembered, in any folder


def test_a_typed_oracle_is_trusted(task: Path, marker: Path) -> None:
    folder = marker.parent / "typed"
    options = ["--oracle", "planner:fd:astar(blind())", "--pool-size", "2"]
    main(["test", str(task), "--policy", "random:1", *options, "-o", str(folder)])
    Campaign.open(folder).close()


def test_a_bug_id_is_no_path(campaign: Path, run: Run) -> None:
    bug = bug_of(campaign)
    other_bug(bug, lambda data: data.update(id="../../planted"))(campaign)
    code, said = run("resume", campaign, "--max-bugs", 9)
    assert code == 4 and STORE_FILE in said and "planted" in said
    assert not list(campaign.parent.parent.glob("planted*"))


@pytest.mark.parametrize("name", ["timeline.csv", "README.txt", "options.toml"])
@pytest.mark.parametrize("exists", [True, False])
def test_files_are_not_written_through_links(
    campaign: Path, tmp_path: Path, run: Run, name: str, exists: bool
) -> None:
    outside = tmp_path / "outside"
    if exists:
        outside.write_text("mine")
    (campaign / name).unlink()
    (campaign / name).symlink_to(outside)
    assert run("resume", campaign, "--max-bugs", 9)[0] == 1
    assert outside.exists() == exists
    assert not exists or outside.read_text() == "mine"


@pytest.mark.parametrize("name", ["bugs", LOCK_FILE, STORE_FILE, f"{STORE_FILE}-wal"])
def test_what_must_be_ours_is_no_link(campaign: Path, tmp_path: Path, run: Run, name: str) -> None:
    outside = tmp_path / "outside"
    if (campaign / name).exists():
        shutil.move(campaign / name, outside)
    else:
        outside.write_text("mine")
    kept = contents(outside)
    (campaign / name).symlink_to(outside)
    code, said = run("resume", campaign, "--max-bugs", 9)
    assert code == 4 and f"{campaign / name}: is a link" in said
    assert contents(outside) == kept


@pytest.mark.parametrize("suffix", ["-wal", "-shm", "-journal"])
def test_what_lies_beside_the_store_is_no_pipe(campaign: Path, run: Run, suffix: str) -> None:
    """SQLite would wait until somebody writes into it."""
    os.mkfifo(campaign / f"{STORE_FILE}{suffix}")
    for command in (["status"], ["resume"], ["export", "--json", campaign.parent / "out"]):
        code, said = run(command[0], campaign, *command[1:])
        assert code == 4 and f"{STORE_FILE}{suffix}: is not a file" in said


def test_a_journal_deletes_no_other_file(campaign: Path, tmp_path: Path, run: Run) -> None:
    """SQLite deletes the file that a journal names at its end, when it has played it back."""
    victim = tmp_path / "victim"
    victim.write_text("mine")
    with closing(sqlite3.connect(campaign / STORE_FILE)) as store:
        store.execute("PRAGMA journal_mode = DELETE")
    name, mark = os.fsencode(victim), bytes.fromhex("d9d505f920a163d7")
    header = mark + struct.pack(">5I", 0, 1, 0, 512, 4096)
    end = struct.pack(">I", 0) + name + struct.pack(">2I", len(name), sum(name)) + mark
    journal = campaign / f"{STORE_FILE}-journal"
    journal.write_bytes(header.ljust(512, b"\0") + end)
    for command in ("status", "resume", "replay"):
        code, said = run(command, campaign)
        assert code == 4 and f"{journal}: was not made by Bugsieve" in said
    assert victim.exists()
    assert run("salvage", campaign, "-o", tmp_path / "new")[0] == 0
    assert victim.exists()


def test_our_own_journal_is_played_back(campaign: Path, run: Run) -> None:
    """As where a file system has no shared memory, and a command was killed there."""
    with closing(sqlite3.connect(campaign / STORE_FILE, isolation_level=None)) as store:
        store.execute("PRAGMA journal_mode = DELETE")
        store.execute("PRAGMA cache_size = 1")
        store.execute("BEGIN")
        store.execute("UPDATE timeline SET detail = hex(zeroblob(100000))")
        shutil.copytree(campaign, campaign.parent / "killed")
    assert (campaign.parent / "killed" / f"{STORE_FILE}-journal").stat().st_size > 512
    assert run("status", campaign.parent / "killed")[0] == 0


def test_start_states_that_a_folder_names_are_no_pipe(campaign: Path, run: Run) -> None:
    pipe = campaign.parent / "pipe"
    os.mkfifo(pipe)
    changed(campaign, "from_states", str(pipe))
    again = ["test", "--from", campaign, "-o", campaign.parent / "again", "--policy", "random:1"]
    code, said = run(*again)
    assert code == 4 and f"{pipe}: is neither a file nor the folder of a campaign" in said


def contents(place: Path) -> dict[str, bytes]:
    files = [place, *place.rglob("*")]
    return {str(path): path.read_bytes() for path in files if path.is_file()}


def test_the_folder_itself_may_be_a_link(task: Path, tmp_path: Path, run: Run) -> None:
    (tmp_path / "large disk").mkdir()
    (tmp_path / "results").symlink_to(tmp_path / "large disk")
    options = ["--policy", "random:1", "--pool-size", 5, "--max-bugs", 1]
    assert run("test", task, *options, "-o", tmp_path / "results")[0] == 1
    assert run("resume", tmp_path / "results", "--max-bugs", 9)[0] == 1
    assert (tmp_path / "large disk" / "timeline.csv").exists()


def test_exports_into_the_folder_are_not_written_through_links(
    campaign: Path, tmp_path: Path, run: Run
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "mine.json").write_text("mine")
    (campaign / "tables").symlink_to(outside)
    (campaign / "out.json").symlink_to(outside / "mine.json")
    code, said = run("export", campaign, "--csv", campaign / "tables")
    assert code == 4 and "is a link" in said
    assert run("export", campaign, "--json", campaign / "out.json")[0] == 0
    assert contents(outside) == {str(outside / "mine.json"): b"mine"}
    (tmp_path / "chosen.json").symlink_to(outside / "mine.json")
    assert run("export", campaign, "--json", tmp_path / "chosen.json")[0] == 0
    assert (outside / "mine.json").read_text() != "mine", "the user's own links are followed"


def test_an_experiment_is_not_written_through_links(tmp_path: Path) -> None:
    file, folder, outside = (tmp_path / name for name in ("grid.toml", "grid", "outside"))
    file.write_text(
        'policies = ["random"]\n[campaign.fuzz]\npool_size = 3\n'
        '[[domains]]\ngenerator = "gripper"\nparameters = { balls = 1 }\n'
    )
    folder.mkdir()
    outside.mkdir()
    (folder / "experiment.json").write_text('{"experiment": 1, "name": "x", "campaigns": {}}')
    (folder / "tasks").symlink_to(outside)
    with pytest.raises(InputError, match="tasks: is a link"):
        Experiment(read_experiment(file), folder).run()
    assert not list(outside.iterdir())


def test_a_kill_while_the_store_is_made_blocks_nothing(task: Path, tmp_path: Path) -> None:
    folder = tmp_path / "campaign"
    given = ["test", str(task), "--policy", "random:1", "--pool-size", "5", "-o", str(folder)]
    killed = subprocess.run([sys.executable, "-m", "tests.hostile.killed_maker", *given])
    assert killed.returncode == -signal.SIGKILL
    assert (folder / f"{PART_FILE}-journal").exists() and not (folder / STORE_FILE).exists()
    assert main(given) == 1
    assert not list(folder.glob(f"{PART_FILE}*"))
