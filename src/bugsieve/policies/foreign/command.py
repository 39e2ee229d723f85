"""`cmd:PROGRAM …`: a policy in any language, one JSON line per batch over stdin and stdout.

The lines are described in `bugsieve.policies.protocol`; `examples/cmd_policy.py` in the repository
is a complete program.
"""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Sequence
from shlex import quote

from bugsieve.base.errors import PolicyError, UsageError
from bugsieve.base.registry.outside_access import OutsideAccess
from bugsieve.base.registry.spec_folder import located, spec_folder
from bugsieve.policies.foreign.conversation import ForeignMember, Program
from bugsieve.policies.foreign.foreign import ForeignPolicy
from bugsieve.policies.limits import WorkerLimits


class CommandMember(ForeignMember[Sequence[str]]):
    """The argument of the specs of programs: a command line."""

    usage = "cmd:PROGRAM ARGUMENT…"
    examples = ()  # there is no program that everybody has

    @classmethod
    def check_argument(cls, argument: str | None) -> None:
        """The argument is a command line whose program can be run."""
        _place(cls.target(argument)[0])

    @classmethod
    def reach(cls, argument: str | None) -> OutsideAccess:
        """The program."""
        return OutsideAccess(programs=(cls.target(argument)[0],))

    @classmethod
    def starts(cls, argument: str | None) -> OutsideAccess:
        """The program, and the files among its words, which may be code."""
        program, *words = cls.target(argument)
        files = (os.path.abspath(located(word)) for word in words)
        return OutsideAccess(
            (_found(program) or program,), files=tuple(filter(os.path.isfile, files))
        )

    @staticmethod
    def target(argument: str | None) -> list[str]:
        """The words of a command line, split as a shell would; UsageError if there is none."""
        try:
            words = shlex.split(argument or "")
        except ValueError as error:
            raise UsageError(f"the command in 'cmd:{argument}' cannot be read: {error}") from None
        if not words:
            raise UsageError("'cmd:' must be followed by a program, as in 'cmd:./my-policy'")
        return words

    @classmethod
    def program(cls, target: Sequence[str], limits: WorkerLimits) -> Program:
        """The program of these words, wherever it is."""
        words = (_place(target[0]), *target[1:])
        places = (os.path.abspath(located(word)) for word in words)
        files = tuple(filter(os.path.isfile, places))
        spec = f"cmd:{shlex.join(target)}"
        return Program(spec, words, limits, files=files, folder=spec_folder())


class CommandPolicy(CommandMember, ForeignPolicy[Sequence[str]]):
    """A program that answers one JSON line of actions for each JSON line of states."""


def _place(name: str) -> str:
    """The path of the program."""
    path = _found(name)
    if path is None:
        raise PolicyError(_why_not_found(name))
    return path


def _found(name: str) -> str | None:
    """The absolute path of a program; without a slash, only PATH counts."""
    path = shutil.which(located(name) if os.path.dirname(name) else name)
    return None if path is None else os.path.abspath(path)


def _why_not_found(name: str) -> str:
    shown = name if os.path.dirname(name) else f"./{name}"
    here = located(shown)
    if os.path.isdir(here):
        return f"the policy program {name!r} is a folder: name the program inside it"
    if not os.path.isfile(here):
        return f"there is no policy program {name!r}: give its path or a name on PATH"
    dotted = "" if shown == name else f"write 'cmd:{quote(shown)}'"
    if os.access(here, os.X_OK):
        return f"there is no policy program {name!r} on PATH: {dotted} for the one in this folder"
    return (
        f"the policy program {name!r} lacks the executable bit: run 'chmod +x {quote(name)}'"
        f"{dotted and ' and '}{dotted}, or name its interpreter, as in 'cmd:python3 {quote(name)}'"
    )
