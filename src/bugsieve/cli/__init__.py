"""The command line: one file per command, imported only when that command is called.

Nothing is imported before `main` runs, so that Ctrl-C in the first moments ends it quietly, too.
"""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers take it for true; the module `typing` stays unloaded
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]

_INTERRUPTED = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line, by default with the process's arguments; returns its exit code."""
    try:
        from bugsieve.commands.shared import program, signals

        code = program.main(arguments)
        if arguments is None:
            signals.end_at_once_from_now_on()
    except KeyboardInterrupt:  # while importing, or once more while cleaning up
        _say_interrupted()
        code = _INTERRUPTED
    # Interrupted inside exec("…"), which dataclasses use, Python would later end itself by SIGINT
    # although the exception was caught. The next exec("…") makes it forget.
    exec("")
    return code


def _say_interrupted() -> None:
    import os

    try:
        os.write(2, b"bugsieve: interrupted\n")
    except OSError:  # nobody to tell
        return
