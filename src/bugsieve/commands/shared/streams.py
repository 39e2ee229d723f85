"""Standard output and error, which may be closed, full, unread, or poor in characters.

All text for the terminal goes through here: names in other people's files may hold characters
that terminals obey (colours, cursor, title, the direction of writing).
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterator
from typing import TextIO

from bugsieve.base.errors import BugsieveError
from bugsieve.base.wording import printable_lines
from bugsieve.commands.shared.workflows import without_commands


class OutputError(BugsieveError):
    """What was to be shown cannot be written."""

    exit_code = 4


_is_workflow = False


def for_workflow(is_one: bool) -> None:
    """From now on, let a GitHub workflow read what is printed, and obey nothing but commands."""
    global _is_workflow
    _is_workflow = is_one


def show(text: str) -> None:
    """Print to standard output, at once; OutputError if it takes nothing more.

    A reader who leaves (`| head -2`) has seen enough: the rest goes nowhere.
    """
    _write(_shown(text))


def show_command(line: str) -> None:
    """Print a command that a workflow is to obey."""
    _write(printable_lines(line))


def _shown(text: str) -> str:
    """The text without what a terminal would obey, nor a workflow if one reads it."""
    shown = printable_lines(text)
    return without_commands(shown) if _is_workflow else shown


def show_data(text: str) -> None:
    """Print what other programs read: as it is, unless a terminal would read it."""
    _write(printable_lines(text) if sys.stdout.isatty() else text)


def _write(text: str) -> None:
    with _writing():
        print(text)
        sys.stdout.flush()


def flush_output() -> None:
    """Write out what was printed by others; OutputError if that fails."""
    with _writing():
        sys.stdout.flush()


@contextlib.contextmanager
def _writing() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        silence_output()
    except OSError as error:
        silence_output()
        reason = error.strerror or str(error)
        raise OutputError(f"cannot write to standard output: {reason}") from error


def complain(line: str) -> None:
    """Print to standard error, if anyone can read it."""
    try:
        print(_shown(line), file=sys.stderr, flush=True)
    except (OSError, ValueError):
        _silence(sys.stderr)


def open_closed_streams() -> None:
    """Put the null device where a standard stream is closed, or a file would take its place."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, which is this one
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115 (open until we end)


def make_output_tolerant() -> None:
    """A terminal that cannot show a character shows '?' instead of ending the program."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def silence_output() -> None:
    """Nobody takes stdout any more: let what is still to be written go nowhere."""
    _silence(sys.stdout)


def _silence(stream: TextIO) -> None:
    """Keep Python from complaining, and from another exit code, when it flushes at the end."""
    with contextlib.suppress(OSError, ValueError):
        devnull = os.open(os.devnull, os.O_WRONLY)
        os.dup2(devnull, stream.fileno())
        os.close(devnull)
