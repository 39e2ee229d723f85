"""Finds the command that was called, runs it, and turns errors into one line and an exit code."""

from __future__ import annotations

import argparse
import io
import os
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NoReturn

from bugsieve.basis.errors import BudgetError, BugsieveError, UsageError
from bugsieve.basis.names import suggest

COMMANDS = {
    "doctor": "check the installation and say what is missing",
    "generate": "write a random task of a built-in domain",
    "rollout": "run a policy on a task and show how it ends",
}
"""Command (and module in this folder) to its line in `bugsieve --help`."""

INTERRUPTED = 2
OUR_FAULT = 3

_EPILOG = (
    "Exit codes: 0 fine, 1 bugs found, 2 interrupted, 3 an error in Bugsieve, "
    "4 bad input or usage, 5 nothing could be tested."
)


class Parser(argparse.ArgumentParser):
    """Raises UsageError instead of ending the process."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong with the arguments, and where help is."""
        raise UsageError(f"{message}; see '{self.prog} --help'")


class _ShowVersion(argparse.Action):
    """Looks the version up only when it is asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from importlib.metadata import version

        print(f"bugsieve {version('bugsieve')}")
        parser.exit()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    _open_closed_streams()
    _make_output_tolerant()
    try:
        code = _run(sys.argv[1:] if arguments is None else list(arguments))
        sys.stdout.flush()
        return code
    except SystemExit as request:  # argparse ends this way after --help
        return request.code if isinstance(request.code, int) else 0
    except KeyboardInterrupt:
        return _report("interrupted", INTERRUPTED)
    except BrokenPipeError:
        _silence_output()
        return INTERRUPTED
    except BugsieveError as error:
        return _report(f"error: {error}", error.exit_code)
    except MemoryError:
        return _report("error: the memory ran out, use a smaller task", BudgetError.exit_code)
    except Exception as error:  # the last line of defence
        return _report(
            f"error: this is a fault in Bugsieve ({type(error).__name__}: {error}); "
            "set BUGSIEVE_TRACEBACK=1 to see where",
            OUR_FAULT,
        )


def _run(arguments: list[str]) -> int:
    chosen = _chosen_command(arguments)
    parser, subparsers = _parser(chosen)
    options, unknown = parser.parse_known_args(arguments)
    if unknown:
        _refuse(unknown[0], subparsers.choices[chosen] if chosen else parser)
    if chosen is None:
        parser.print_help()
        raise UsageError("say which command to run")
    return int(options.run(options))


def _refuse(argument: str, parser: argparse.ArgumentParser) -> NoReturn:
    given = argument.partition("=")[0]
    flags = parser._option_string_actions
    parser.error(f"unknown argument {given!r}{suggest(given, flags)}")


def _chosen_command(arguments: Sequence[str]) -> str | None:
    """The first word that is no option; it must be a command."""
    chosen = next((word for word in arguments if not word.startswith("-")), None)
    if chosen is not None and chosen not in COMMANDS:
        known = ", ".join(COMMANDS)
        raise UsageError(
            f"there is no command {chosen!r}{suggest(chosen, COMMANDS)}, choose from {known}"
        )
    return chosen


def _parser(chosen: str | None) -> tuple[Parser, argparse._SubParsersAction[Any]]:
    """The parser, in full only for the chosen command: the others' modules stay unloaded."""
    parser = Parser(
        prog="bugsieve",
        description="Tests action policies for planning problems.",
        epilog=_EPILOG,
    )
    parser.add_argument(
        "--version", action=_ShowVersion, nargs=0, help="show the version and stop"
    )
    subparsers: argparse._SubParsersAction[Any] = parser.add_subparsers(
        title="commands", metavar="COMMAND"
    )
    for command, summary in COMMANDS.items():
        if command == chosen:
            import_module(f"bugsieve.cli.{command}").register(subparsers)
        else:
            subparsers.add_parser(command, help=summary)
    return parser, subparsers


def _report(sentence: str, code: int) -> int:
    """Print one line to stderr, after the traceback if the user asked for it."""
    if os.environ.get("BUGSIEVE_TRACEBACK"):
        traceback.print_exc()
    try:
        sys.stdout.flush()
        print(f"bugsieve: {' '.join(sentence.split())}", file=sys.stderr)
    except (BrokenPipeError, ValueError):
        _silence_output()
    return code


def _open_closed_streams() -> None:
    """Put the null device where a standard stream is closed, or a file would take its place."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, which is this one
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115 (open until we end)


def _make_output_tolerant() -> None:
    """A terminal that cannot show a character shows '?' instead of ending the program."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def _silence_output() -> None:
    """Nobody reads stdout any more; keep Python from complaining when it flushes at exit."""
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, sys.stdout.fileno())
