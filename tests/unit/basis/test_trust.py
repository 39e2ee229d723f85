"""The list of what the user has typed: whose it is, how long it gets, and what is on it."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from bugsieve.base.errors import UsageError
from bugsieve.base.registry.spec_folder import located, spec_folder, typed_in
from bugsieve.base.trust import trust
from bugsieve.base.trust.trust import (
    LIST_FILE,
    agree,
    asking,
    remember,
    require_trusted,
    require_trusted_below,
    state_folder,
    trusting,
)
from bugsieve.policies.registry import POLICIES
from bugsieve.rooms.jani.policies.registry import MODEL_POLICIES
from tests.unit.results.unprivileged import unprivileged

SPEC = "cmd:true"


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the list is, which is missing."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "bugsieve"


def is_trusted(spec: str) -> bool:
    try:
        require_trusted(POLICIES, spec, "a file")
    except UsageError:
        return False
    return True


def test_only_what_was_typed_is_trusted(tmp_path: Path) -> None:
    assert is_trusted("greedy:hff") and not is_trusted(SPEC)
    remember(POLICIES, SPEC)
    assert is_trusted(SPEC) and is_trusted(f" {SPEC}") and not is_trusted(f"{SPEC} more")
    with pytest.raises(UsageError, match="names the policy"):
        require_trusted(MODEL_POLICIES, SPEC, "a file")
    with typed_in(str(tmp_path)):
        assert not is_trusted(SPEC), "the program would start elsewhere"


def test_another_program_of_the_same_name_is_another_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remember(POLICIES, SPEC)
    (tmp_path / "true").write_text("#!/bin/sh\n")
    (tmp_path / "true").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert not is_trusted(SPEC)


def test_a_yes_is_remembered() -> None:
    asked: list[str] = []

    def answer(question: str) -> bool:
        asked.append(question)
        return True

    with asking(answer):
        require_trusted(POLICIES, "cmd:true \x1b[2J", "a \x9b file")
        require_trusted(POLICIES, "cmd:true \x1b[2J", "a \x9b file")
    (question,) = asked
    assert question.isprintable() and "x1b[2J" in question and "/true" in question
    with trusting(True):
        require_trusted(POLICIES, SPEC, "a file")
    assert is_trusted(SPEC)


def test_the_list_belongs_to_the_user(state: Path) -> None:
    remember(POLICIES, SPEC)
    assert stat.S_IMODE(state.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in state.iterdir()} == {0o600}
    (state / LIST_FILE).chmod(0o622)
    assert not is_trusted(SPEC), "somebody else may have written it"


def test_the_oldest_make_room(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trust, "MOST_TRUSTED", 3)
    specs = [f"cmd:true {number}" for number in range(5)]
    for spec in specs:
        remember(POLICIES, spec)
        remember(POLICIES, spec)
    assert [is_trusted(spec) for spec in specs] == [False, False, True, True, True]
    assert len((state / LIST_FILE).read_text().split()) == 3


def test_processes_share_the_list(state: Path) -> None:
    program = (
        "import sys; from bugsieve.base.trust.trust import remember\n"
        "from bugsieve.policies.registry import POLICIES\n"
        "for n in range(20): remember(POLICIES, f'cmd:true {sys.argv[1]} {n}')\n"
    )
    children = [subprocess.Popen([sys.executable, "-c", program, name]) for name in "abc"]
    assert [child.wait() for child in children] == [0, 0, 0]
    assert len(set((state / LIST_FILE).read_text().split())) == 60
    assert is_trusted("cmd:true a 0") and is_trusted("cmd:true c 19")


def test_without_a_place_nothing_is_remembered(state: Path) -> None:
    state.parent.write_text("a file")
    remember(POLICIES, SPEC)
    assert not is_trusted(SPEC)
    with asking(agree):
        assert is_trusted(SPEC)


def test_a_folder_that_cannot_be_written(state: Path) -> None:
    state.mkdir(parents=True)
    state.chmod(0o555)
    with unprivileged(state):
        remember(POLICIES, SPEC)
    assert not list(state.iterdir())


def test_the_folder_of_the_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for value in ("", "relative/folder"):
        monkeypatch.setenv("XDG_STATE_HOME", value)
        assert state_folder() == tmp_path / ".local" / "state" / "bugsieve"


def test_where_specs_are_meant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert located("a") == "a" and spec_folder() == str(tmp_path)
    (tmp_path / "b").mkdir()
    with typed_in(str(tmp_path / "b")):
        assert located("a") == str(tmp_path / "b" / "a") and located("/a") == "/a"
        with typed_in(str(tmp_path)):
            assert located("a") == "a"
        assert spec_folder() == str(tmp_path / "b")
    with pytest.raises(UsageError, match="which is gone"), typed_in(str(tmp_path / "c")):
        pass


def below(root: Path, spec: str) -> bool:
    """Whether a file in a folder may name the spec."""
    try:
        with typed_in(str(root / "tests")):
            require_trusted_below(str(root), POLICIES, spec, "a file")
    except UsageError:
        return False
    return True


def test_what_stays_below_a_folder_counts_as_typed(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "tests").mkdir(parents=True)
    for place in (root / "tests", root, tmp_path):
        (place / "policy.py").write_text("")
        (place / "run.sh").write_text("")
        (place / "run.sh").chmod(0o755)
    (root / "link.py").symlink_to(tmp_path / "policy.py")
    inside = ("policy.py", "../policy.py", str(root / "policy.py"))
    outside = ("../../policy.py", str(tmp_path / "policy.py"), "../link.py")
    assert [name for name in inside if not below(root, f"python:{name}:f")] == []
    assert [name for name in outside if below(root, f"python:{name}:f")] == []
    assert below(root, "python:json:loads") and below(root, "greedy:hff") and below(root, SPEC)
    assert below(root, "cmd:./run.sh") and below(root, "cmd:sh run.sh")
    for spec in (
        "cmd:../../run.sh",
        "cmd:sh ../../run.sh",
        f"cmd:{tmp_path}/run.sh",
        "cmd:/bin/sh",
    ):
        assert not below(root, spec), spec
    assert not below(root, "phrm:localhost:1") and not below(root, "greedy:cmd:../../run.sh")
    with typed_in(str(root / "tests")):
        remember(POLICIES, "cmd:../../run.sh")
    assert below(root, "cmd:../../run.sh"), "the user has typed it before"
