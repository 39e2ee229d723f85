"""Every interpreter is started by one function, and finds what we find."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import bugsieve
from bugsieve.base.files_and_processes.interpreters import (
    NEUTRAL_FOLDER,
    own_command,
    python_command,
)

SHOW = "import json; print(json.dumps([sys.path, sys.argv[1:], __import__('os').getcwd()]))"
SOURCE = Path(bugsieve.__file__).parent


def shown(command: list[str], folder: str) -> list[object]:
    import json

    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return list(json.loads(done.stdout))


def test_the_path_is_ours_whatever_it_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = [str(tmp_path / name) for name in ("it's: 'quoted'", "bö\\n", "a:b", "\udc80")]
    monkeypatch.setattr(sys, "path", ["", *sys.path, *odd])
    (tmp_path / "json.py").write_text("raise SystemExit('imported')")
    path, arguments, folder = shown(python_command(SHOW, "x", "y z"), str(tmp_path))
    assert path == [*sys.path[1:]] and arguments == ["x", "y z"] and folder == str(tmp_path)


def test_our_own_go_to_the_current_folder_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "it's here"
    here.mkdir()
    monkeypatch.chdir(here)
    _, _, folder = shown(own_command(SHOW), NEUTRAL_FOLDER)
    assert folder == str(here)
    here.rmdir()
    _, _, folder = shown(own_command(SHOW), NEUTRAL_FOLDER)
    assert folder == NEUTRAL_FOLDER


def test_nothing_else_starts_python() -> None:
    users = [
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if "sys.executable" in path.read_text("utf-8")
    ]
    shows_it = "commands/doctor.py"
    assert sorted(users) == ["base/files_and_processes/interpreters.py", shows_it]
