"""Bug files and their tasks may come from anybody: whatever they hold, a sentence or a verdict."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bugsieve.base.errors import BugsieveError, InputError
from bugsieve.cli import main
from bugsieve.rooms.regression.bug_file import read_bug_file
from bugsieve.rooms.regression.replaying import replay_bug_file
from tests.depth import examples
from tests.unit.campaigns.safety.ledge import ledge
from tests.unit.pytest_plugin.projects import write_project
from tests.unit.tasks.jani.small import write

LEFT = json.dumps({"rows": [[[place], "left"] for place in range(1, 6)]})
POLICIES = {"cost": "random:1", "safety": "table:left.json"}
WRONG: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    7,
    10**30,
    1.5,
    "",
    "..",
    "\ud800",
    [],
    {},
    [[]],
    {"a": 1},
)


@pytest.fixture(scope="module")
def bugs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One bug of each kind, with its task."""
    project = write_project(tmp_path_factory.mktemp("project"))
    write(project, ledge())
    (project / "left.json").write_text(LEFT)
    policy = f"table:{project / 'left.json'}"
    safety = ["safety", str(project / "model.jani"), "--policy", policy, "--walks", "60"]
    files = [str(project / "problems" / name) for name in ("domain.pddl", "p1.pddl")]
    cost = ["test", *files, "--policy", "random:1", "--pool-size", "3"]
    for name, command in (("cost", cost), ("safety", safety)):
        assert main([*command, "-o", str(project / name)]) == 1
        target = str(project / "bugs")
        assert main(["export", "--regression", str(project / name), "-o", target]) == 0
    return project / "bugs"


@pytest.fixture
def own(bugs: Path, tmp_path: Path) -> Path:
    """A copy to spoil."""
    shutil.copytree(bugs, tmp_path / "bugs")
    return tmp_path / "bugs"


def files_of(folder: Path) -> dict[str, Path]:
    return {json.loads(path.read_text())["kind"]: path for path in folder.glob("*.bug.json")}


def places(data: Any, here: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where a value could be put, in all parts of the data."""
    yield here
    items = data.items() if isinstance(data, dict) else enumerate(data)
    for key, part in items if isinstance(data, (dict, list)) else ():
        yield from places(part, (*here, key)) if isinstance(part, (dict, list)) else [(*here, key)]


def changed(data: Any, place: tuple[Any, ...], value: Any) -> Any:
    if not place:
        return value
    copy = data.copy()
    copy[place[0]] = changed(data[place[0]], place[1:], value)
    return copy


@pytest.mark.parametrize("kind", ["cost", "safety"])
@settings(
    max_examples=examples(1500, quick=60),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_any_value_anywhere(bugs: Path, kind: str, data: st.DataObject) -> None:
    path = files_of(bugs)[kind]
    content = json.loads(path.read_text())
    place = data.draw(st.sampled_from(list(places(content))))
    value = data.draw(st.sampled_from(WRONG))
    spoilt = path.with_name(f"spoilt{os.getpid()}.bug.json")
    spoilt.write_text(json.dumps(changed(content, place, value)))
    said = verdict(spoilt, POLICIES[kind], path.parent.parent)
    spoilt.unlink()
    assert not said.startswith("FIXED") and len(said.partition("\n")[0]) < 1000


def verdict(path: Path, policy: str, folder: Path) -> str:
    """What is said of a file; nothing but errors of ours may come out."""
    try:
        return replay_bug_file(read_bug_file(path), policy, folder=str(folder)).text
    except BugsieveError as error:
        return f"{path.name}: {error}"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("../../outside", "is no SHA-256"),
        ("/etc/passwd", "is no SHA-256"),
        ("..", "is no SHA-256"),
        ("A" * 64, "is no SHA-256"),
        ("a" * 64 + "\n", "is no SHA-256"),
        ("a" * 64, "there is no such file"),
        ("x" * 10**6, "is no SHA-256"),
    ],
)
def test_tasks_are_named_by_their_hash_alone(own: Path, name: str, words: str) -> None:
    path = files_of(own)["cost"]
    path.write_text(json.dumps({**json.loads(path.read_text()), "task": name}))
    with pytest.raises(InputError, match=words) as raised:
        read_bug_file(path)
    assert len(str(raised.value)) < 1000


def test_a_task_that_was_changed(own: Path) -> None:
    path = files_of(own)["cost"]
    task = own / "tasks" / f"{json.loads(path.read_text())['task']}.json"
    task.write_text(task.read_text().replace("line-4", "line-5"))
    with pytest.raises(InputError, match="is no longer the hash of its content"):
        read_bug_file(path)


def test_no_link_is_followed(own: Path, tmp_path: Path) -> None:
    path = files_of(own)["cost"]
    task = own / "tasks" / f"{json.loads(path.read_text())['task']}.json"
    link = own / "link.bug.json"
    link.symlink_to(path.rename(tmp_path / "elsewhere.json"))
    with pytest.raises(InputError, match=r"link.bug.json: is a link"):
        read_bug_file(link)
    link.unlink()
    (tmp_path / "elsewhere.json").rename(path)
    task.rename(tmp_path / "task.json")
    task.symlink_to(tmp_path / "task.json")
    with pytest.raises(InputError, match="is a link, or in a folder that is one"):
        read_bug_file(path)
    task.unlink()
    (tmp_path / "task.json").rename(task)
    (own / "tasks").rename(tmp_path / "tasks")
    (own / "tasks").symlink_to(tmp_path / "tasks")
    with pytest.raises(InputError, match="is a link, or in a folder that is one"):
        read_bug_file(path)


def test_a_pipe_does_not_hang(own: Path) -> None:
    path = files_of(own)["cost"]
    task = own / "tasks" / f"{json.loads(path.read_text())['task']}.json"
    task.unlink()
    os.mkfifo(task)
    with pytest.raises(InputError, match="is no file"):
        read_bug_file(path)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"\xff\xfe", "is no bug as"),
        (b"[" * 100_000, "is no bug as"),
        (b"NaN", "is no bug as"),
        (b'{"bugsieve": 1}', "is no bug as"),
        (b"1" * 5000, "is no bug as"),
    ],
)
def test_nonsense(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "x.bug.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=words):
        read_bug_file(path)


def test_a_file_without_end(tmp_path: Path) -> None:
    path = tmp_path / "x.bug.json"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(InputError, match="is empty|is larger than 64 MiB"):
        read_bug_file(path)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"kind": "rules"}, "there is no kind of bugs 'rules'; there are cost, safety"),
        ({"kind": "bugsieve.cli:main"}, "there is no kind of bugs"),
        ({"expect": "opne"}, r"there is no expectation 'opne' \(did you mean 'open'\?\)"),
        ({"bugsieve": 2}, "another version"),
        ({"step_limit": 10**15}, "step_limit must be between 1 and"),
        ({"step_limit": 0}, "step_limit must be between 1 and"),
        ({"seed": -1}, "seeds must be at least 0"),
        ({"policy_seed": 10**40}, "is no bug as"),
    ],
)
def test_wrong_fields(own: Path, change: dict[str, Any], words: str) -> None:
    path = files_of(own)["cost"]
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(InputError, match=words):
        read_bug_file(path)


def test_a_false_proof_does_not_pass(own: Path) -> None:
    path = files_of(own)["cost"]
    content = json.loads(path.read_text())
    content["bug"]["certificate"]["plan"]["cost"] += 1
    path.write_text(json.dumps(content))
    said = verdict(path, "optimal", own)
    assert "certificate" in said and not said.startswith("FIXED")
