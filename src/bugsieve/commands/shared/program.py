"""Finds the command that was called, runs it, and turns errors into one line and an exit code."""

from __future__ import annotations

import argparse
import contextlib
import errno
import os
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import NoReturn

from bugsieve.base.errors import BudgetError, BugsieveError, InputError, UsageError
from bugsieve.base.names import no_such
from bugsieve.base.registry import families
from bugsieve.base.registry.members import MemberTable
from bugsieve.base.trust.trust import asking
from bugsieve.commands.shared.consent import consent_of
from bugsieve.commands.shared.heartbeat import Heartbeat
from bugsieve.commands.shared.parser import Parser
from bugsieve.commands.shared.signals import ending_on_signals, stems_from_interruption
from bugsieve.commands.shared.streams import (
    OutputError,
    complain,
    flush_output,
    for_workflow,
    make_output_tolerant,
    open_closed_streams,
    show,
    silence_output,
)

COMMANDS = families.COMMANDS.summaries
"""Command to its line in `bugsieve --help`."""

_REGISTER: MemberTable[Callable[[Parser], None]] = MemberTable(families.COMMANDS)

INTERRUPTED = 2
OUR_FAULT = 3

_EPILOG = (
    "Exit codes: 0 fine, 1 bugs found, 2 interrupted, 3 an error in Bugsieve, "
    "4 bad input or usage, 5 nothing could be tested, "
    "6 no bugs found, but something was left undecided."
)


class _ShowVersion(argparse.Action):
    """Looks the version up only when it is asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from importlib.metadata import version

        show(f"bugsieve {version('bugsieve')}")
        parser.exit()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    open_closed_streams()
    make_output_tolerant()
    words = sys.argv[1:] if arguments is None else list(arguments)
    for_workflow("--github" in words)  # also what is said of words that cannot be parsed
    try:
        with ending_on_signals():
            code = _run(words)
            flush_output()
        return code
    except SystemExit as request:  # argparse ends this way after --help
        return request.code if isinstance(request.code, int) else 0
    except KeyboardInterrupt as interruption:
        return _report(str(interruption) or "interrupted", INTERRUPTED)
    except BugsieveError as error:
        return _report(f"error: {error}", error.exit_code)
    except MemoryError:
        return _report("error: the memory ran out, use a smaller task", BudgetError.exit_code)
    except Exception as error:  # the last line of defence
        if stems_from_interruption(error):
            return _report("interrupted", INTERRUPTED)
        if isinstance(error, OSError) and isinstance(error.filename, (str, bytes)):
            return _report(f"error: {_about_the_file(error)}", InputError.exit_code)
        return _report(
            f"error: this is a fault in Bugsieve ({type(error).__name__}: {error}); "
            "set BUGSIEVE_TRACEBACK=1 to see where",
            OUR_FAULT,
        )


def _about_the_file(error: OSError) -> InputError:
    """A file that the operating system refuses was named by the user."""
    name = os.fsdecode(error.filename)
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return InputError(f"{name}: cannot be written, the disk is full: make room")
    return InputError(f"{name}: cannot be used ({error.strerror})")


def _require_text(arguments: Sequence[str]) -> None:
    """UsageError if an argument is none: it could not be stored, nor compared with what is."""
    for argument in arguments:
        try:
            argument.encode()
        except UnicodeEncodeError:
            raise UsageError(
                f"{argument}: this argument is no valid UTF-8; if it is a file, rename it"
            ) from None


def _run(arguments: list[str]) -> int:
    _require_text(arguments)
    chosen = _chosen_command(arguments)
    parser, commands = _parser(chosen)
    parser.refuse_unknown_options(arguments)
    if chosen is not None:
        commands[chosen].refuse_unknown_options(arguments[arguments.index(chosen) + 1 :])
    options, unknown = parser.parse_known_args(arguments)
    if unknown:
        (commands[chosen] if chosen else parser).refuse(unknown[0])
    if chosen is None:
        parser.print_help()
        raise UsageError("say which command to run")
    with _signs_of_life(), asking(consent_of(options)):
        return int(options.run(options))


def _signs_of_life() -> contextlib.AbstractContextManager[object]:
    """On a terminal, what is shown there suffices."""
    return contextlib.nullcontext() if sys.stderr.isatty() else Heartbeat()


def _chosen_command(arguments: Sequence[str]) -> str | None:
    """The first word that is no option; it must be a command."""
    chosen = next((word for word in arguments if not word.startswith("-")), None)
    if chosen is not None and chosen not in COMMANDS:
        raise UsageError(no_such("command", chosen, COMMANDS))
    return chosen


def _parser(chosen: str | None) -> tuple[Parser, Mapping[str, Parser]]:
    """The parser and those of the commands; only the chosen command's module is loaded."""
    parser = Parser(
        prog="bugsieve",
        description="Tests action policies for planning problems.",
        epilog=_EPILOG,
    )
    parser.add_argument(
        "--version", action=_ShowVersion, nargs=0, help="show the version and stop"
    )
    subparsers: argparse._SubParsersAction[Parser] = parser.add_subparsers(
        title="commands", metavar="COMMAND"
    )
    for command, summary in COMMANDS.items():
        command_parser = subparsers.add_parser(command, help=summary)
        if command == chosen:
            _REGISTER[command](command_parser)
    return parser, subparsers.choices


def _report(sentence: str, code: int) -> int:
    """Print one line to stderr, after the traceback if the user asked for it."""
    if os.environ.get("BUGSIEVE_TRACEBACK"):
        complain(traceback.format_exc().rstrip("\n"))
    try:
        flush_output()
    except (OSError, ValueError, OutputError):
        silence_output()
    complain(f"bugsieve: {' '.join(sentence.split())}")
    return code
