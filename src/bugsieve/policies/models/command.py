"""`cmd:PROGRAM …`: a policy for models in any language, one JSON line per batch.

The lines are described in `bugsieve.policies.protocol`.
"""

from __future__ import annotations

from collections.abc import Sequence

from bugsieve.policies.command import CommandArgument, command_program, command_words
from bugsieve.policies.models.foreign import ForeignModelPolicy
from bugsieve.policies.policy import PolicySettings
from bugsieve.policies.worker import WorkerLimits
from bugsieve.tasks.jani.model import JaniModel


class CommandPolicy(CommandArgument, ForeignModelPolicy):
    """A program that answers one JSON line of actions for each JSON line of states."""

    def __init__(
        self, model: JaniModel, command: Sequence[str], *, limits: WorkerLimits | None = None
    ) -> None:
        super().__init__(model, command_program(command, limits or WorkerLimits()))

    @classmethod
    def from_spec(
        cls, model: JaniModel, argument: str | None, settings: PolicySettings
    ) -> CommandPolicy:
        """The program of a command line, split into words as a shell would."""
        return cls(model, command_words(argument), limits=settings.limits)
