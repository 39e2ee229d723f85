"""`cmd:PROGRAM …`: a policy for models in any language, one JSON line per batch.

The lines are described in `bugsieve.policies.protocol`.
"""

from __future__ import annotations

from collections.abc import Sequence

from bugsieve.policies.foreign.command import CommandMember
from bugsieve.rooms.jani.policies.foreign import ForeignModelPolicy


class CommandModelPolicy(CommandMember, ForeignModelPolicy[Sequence[str]]):
    """A program that answers one JSON line of actions for each JSON line of states."""
