"""Output that cannot be written is one sentence and exit code 4, however it is buffered."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bugsieve.commands.shared.streams import OutputError, flush_output, show

FULL = Path("/dev/full")
NO_SPACE = "bugsieve: error: cannot write to standard output: No space left on device\n"

needs_full_device = pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")


def run(arguments: list[str], *, unbuffered: str = "", **streams: int) -> tuple[int, str]:
    """Exit code and what was written to standard error."""
    done = subprocess.run(
        [sys.executable, "-m", "bugsieve", *arguments],
        env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
        **{"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, **streams},  # type: ignore[call-overload]
    )
    return done.returncode, (done.stderr or b"").decode()


@needs_full_device
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    "arguments",
    ["--help", "rollout --help", "generate ferry --help", "generate --list"],
)
def test_a_full_disk(arguments: str, unbuffered: str) -> None:
    with FULL.open("w") as full:
        result = run(arguments.split(), unbuffered=unbuffered, stdout=full.fileno())
    assert result == (4, NO_SPACE)


@needs_full_device
def test_a_report_longer_than_any_buffer(tmp_path: Path) -> None:
    from tests.unit.policies.line import line_task

    line_task(3000).write_sas(tmp_path / "line.sas")
    arguments = ["rollout", str(tmp_path / "line.sas"), "--policy", "greedy:hmax"]
    with FULL.open("w") as full:
        assert run(arguments, stdout=full.fileno()) == (4, NO_SPACE)


@needs_full_device
def test_a_sentence_that_cannot_be_written_leaves_the_exit_code() -> None:
    with FULL.open("w") as full:
        assert run(["dokter"], stderr=full.fileno()) == (4, "")
        assert run([], stdout=full.fileno(), stderr=full.fileno()) == (4, "")


def test_what_is_shown_is_written_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    disk = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(disk, write_through=False))
    show("π")
    assert disk.getvalue().decode() == "π\n"
    print("later")
    flush_output()
    assert disk.getvalue().decode() == "π\nlater\n"


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    ("command", "code"), [("test", 1), ("status", 0), ("rollout", 0), ("--help", 0), ("list", 0)]
)
def test_a_reader_who_has_seen_enough(
    command: str, code: int, unbuffered: str, tmp_path: Path
) -> None:
    """No message, and the exit code is that of the run."""
    task, folder = str(tmp_path / "task"), str(tmp_path / "results")
    assert run(["generate", "blocksworld", "--blocks", "4", "-o", task]) == (0, "")
    more = {
        "test": [task, "--policy", "random", "--pool-size", "10", "-o", folder],
        "status": [folder],
        "rollout": [task, "--policy", "greedy"],
    }
    if command == "status":
        assert run(["test", *more["test"]]) == (1, "")
    reader, writer = os.pipe()
    os.close(reader)
    try:
        result = run([command, *more.get(command, [])], unbuffered=unbuffered, stdout=writer)
    finally:
        os.close(writer)
    assert result == (code, "")


class Refusing(io.StringIO):
    def __init__(self, error: OSError) -> None:
        super().__init__()
        self.error = error

    def write(self, text: str) -> int:
        raise self.error


def test_readers_that_leave_are_no_error_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", Refusing(BrokenPipeError()))
    show("text")
    flush_output()
    monkeypatch.setattr(sys, "stdout", Refusing(OSError(5, "Input/output error")))
    with pytest.raises(OutputError, match="cannot write to standard output: Input/output error"):
        show("text")
