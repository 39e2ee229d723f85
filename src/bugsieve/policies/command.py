"""`cmd:PROGRAM …`: a policy in any language, one JSON line per batch over stdin and stdout.

The lines are described in `bugsieve.policies.protocol`; `examples/cmd_policy.py` in the repository
is a complete program.
"""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Sequence

from bugsieve.basis.errors import PolicyError, UsageError
from bugsieve.policies.foreign import ForeignPolicy
from bugsieve.policies.policy import PolicySettings
from bugsieve.policies.worker import Worker, WorkerLimits
from bugsieve.tasks.fdr.task import Task


class CommandPolicy(ForeignPolicy):
    """A program that answers one JSON line of actions for each JSON line of states."""

    family = "cmd"
    usage = "cmd:PROGRAM ARGUMENT…"

    def __init__(
        self, task: Task, command: Sequence[str], *, limits: WorkerLimits | None = None
    ) -> None:
        super().__init__(task, f"cmd:{shlex.join(command)}", limits or WorkerLimits())
        program = shutil.which(command[0])
        if program is None:
            raise PolicyError(_why_not_found(command[0]))
        self.command = (program, *command[1:])
        self.start()

    @classmethod
    def from_spec(
        cls, task: Task, argument: str | None, settings: PolicySettings
    ) -> CommandPolicy:
        """The program of a command line, split into words as a shell would."""
        try:
            command = shlex.split(argument or "")
        except ValueError as error:
            raise UsageError(f"the command in 'cmd:{argument}' cannot be read: {error}") from None
        if not command:
            raise UsageError("'cmd:' must be followed by a program, as in 'cmd:./my-policy'")
        return cls(task, command, limits=settings.limits)

    def spawn(self) -> Worker:
        """A new process of the program."""
        return Worker(self.command, memory_mb=self.limits.memory_mb)


def _why_not_found(program: str) -> str:
    from pathlib import Path

    if Path(program).is_file():
        return (
            f"the policy program {program!r} is not executable: "
            f"run 'chmod +x {program}' or name its interpreter, as in 'cmd:python3 {program}'"
        )
    return f"there is no policy program {program!r}: give its path or a name on PATH"
