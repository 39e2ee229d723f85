"""The command line's frame: commands, exit codes and one line for every error."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from bugsieve.base.errors import BudgetError, InputError, InternalError, PolicyError
from bugsieve.base.registry import families
from bugsieve.commands import doctor
from bugsieve.commands.shared import program
from bugsieve.commands.shared.program import COMMANDS, main


def fails_with(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> int:
    """The exit code of a command that raises `error`."""

    def run(options: argparse.Namespace) -> int:
        raise error

    monkeypatch.setattr(doctor, "run", run)
    return main(["doctor"])


def child(*arguments: str, **options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **options},
    )


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    for command, summary in COMMANDS.items():
        assert f" {command} {summary}" in text


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--help"]) == 0
    assert f"usage: bugsieve {command}" in capsys.readouterr().out


def test_help_imports_no_heavy_module() -> None:
    heavy = {"numpy", "bugsieve._native", "subprocess"} | {
        place.partition(":")[0] for place in families.COMMANDS.builtin.values()
    }
    code = (
        "import sys; from bugsieve.cli import main; main(['--help']);"
        f"sys.exit(' '.join({heavy!r} & set(sys.modules)))"
    )
    assert child("-c", code).stderr.strip() == ""


@pytest.mark.parametrize("command", ["measure", "export", "explain", "replay"])
def test_parsers_that_rooms_add_to_import_no_numpy(command: str) -> None:
    code = (
        f"import sys; from bugsieve.cli import main; main([{command!r}, '--help']);"
        "sys.exit('numpy' in sys.modules or 'importlib.metadata' in sys.modules)"
    )
    assert child("-c", code).returncode == 0


def test_no_parser_imports_numpy() -> None:
    code = (
        "import sys\n"
        "from bugsieve.commands.shared.program import COMMANDS, main\n"
        "for command in COMMANDS:\n"
        "    main([command, '--help'])\n"
        "    if 'numpy' in sys.modules: sys.exit(command)\n"
    )
    assert child("-c", code).returncode == 0


def test_options_of_campaigns_import_no_numpy() -> None:
    code = "import sys, bugsieve.campaigns.options; sys.exit('numpy' in sys.modules)"
    assert child("-c", code).returncode == 0


def test_importing_the_package_imports_no_numpy() -> None:
    code = "import sys, bugsieve; bugsieve.__version__; sys.exit('numpy' in sys.modules)"
    assert child("-c", code).returncode == 0


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"bugsieve {metadata.version('bugsieve')}\n"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["dokter"], "there is no command 'dokter' (did you mean 'doctor'?); there are "),
        (["doctor", "--fix"], "unknown argument '--fix'"),
        (["doctor", "--hel"], "unknown argument '--hel' (did you mean '--help'?)"),
        (["doctor", "--hel=1"], "see 'bugsieve doctor --help'"),
        (["--vers"], "unknown argument '--vers'"),
        (["--fix", "rollout"], "unknown argument '--fix'; see 'bugsieve --help'"),
        (["--verzion"], "unknown argument '--verzion' (did you mean '--version'?)"),
        (["rollout"], "see 'bugsieve rollout --help'"),
        (["explain", "results", "\udcff"], r"\xff: this argument is no valid UTF-8"),
        ([], "say which command to run"),
    ],
)
def test_wrong_usage_is_one_line_and_code_4(
    arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 4
    error = capsys.readouterr().err
    assert error.startswith("bugsieve: error: ")
    assert complaint in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (InputError("f:1: is\nodd"), 4, r"error: f:1: is\nodd"),
        (PolicyError("it died"), 4, "error: it died"),
        (BudgetError("too slow"), 5, "error: too slow"),
        (InternalError("broken"), 3, "error: broken"),
        (OSError(36, "too long", "f"), 4, "error: f: cannot be used (too long)"),
        (OSError(5, "I/O error", b"\xff"), 4, r"error: \xff: cannot be used (I/O error)"),
        (MemoryError(), 5, "error: the memory ran out, use a smaller task"),
        (KeyboardInterrupt(), 2, "interrupted"),
        (
            ZeroDivisionError("by 0"),
            3,
            (
                "error: this is a fault in Bugsieve (ZeroDivisionError: by 0); "
                "set BUGSIEVE_TRACEBACK=1 to see where"
            ),
        ),
    ],
)
def test_errors_become_codes(
    error: BaseException,
    code: int,
    line: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.delenv("BUGSIEVE_TRACEBACK", raising=False)
    assert fails_with(error, monkeypatch) == code
    assert capsys.readouterr().err == f"bugsieve: {line}\n"


_LONG = "a" * 300


@pytest.mark.parametrize(
    "arguments",
    [
        ["test", "lamp.sas", "--policy", "random", "-o", _LONG],
        ["test", "lamp.sas", "--policy", "random", "--from", _LONG],
        ["status", _LONG],
        ["rollout", _LONG, "--policy", "random"],
        ["table", "safety", _LONG],
        ["train-q", "m.jani", "-o", f"{_LONG}.safetensors"],
        ["safety", "m.jani", "--policy", f"table:{_LONG}"],
        ["safety", "m.jani", "--policy", f"mlp:{_LONG}.npz"],
    ],
)
def test_a_name_that_no_file_can_have_is_bad_input(
    arguments: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("lamp.sas").write_bytes(doctor._sas_text())
    assert main(arguments) == InputError.exit_code
    assert _LONG in capsys.readouterr().err


def test_ctrl_c_in_disguise(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Some versions of Python make a RuntimeError of it, some cleaning up fails after it."""
    disguised = RuntimeError("Error calling __set_name__")
    disguised.__cause__ = KeyError()
    disguised.__cause__.__context__ = KeyboardInterrupt()
    assert fails_with(disguised, monkeypatch) == program.INTERRUPTED
    assert capsys.readouterr().err.endswith("bugsieve: interrupted\n")


def test_traceback_on_request(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("BUGSIEVE_TRACEBACK", "1")
    assert fails_with(ZeroDivisionError(), monkeypatch) == program.OUR_FAULT
    assert "Traceback" in capsys.readouterr().err


def test_module_is_the_command_line() -> None:
    result = child("-m", "bugsieve", "--version")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith("bugsieve ")


def test_closed_output_ends_quietly(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as closed, (tmp_path / "err").open("w+") as errors:
        result = subprocess.run(
            [sys.executable, "-m", "bugsieve", "doctor"], stdout=closed, stderr=errors, check=False
        )
        errors.seek(0)
        assert errors.read() == ""
    assert result.returncode == 0


def test_characters_the_terminal_lacks_are_replaced() -> None:
    code = (
        "from bugsieve.commands.shared.program import main; main(['--version']); print('\\u03c0')"
    )
    result = child("-c", code, PYTHONIOENCODING="ascii")
    assert result.returncode == 0
    assert result.stdout.endswith("?\n")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_error(closed: str) -> None:
    command = f'"{sys.executable}" -m bugsieve generate --list {closed}'
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
