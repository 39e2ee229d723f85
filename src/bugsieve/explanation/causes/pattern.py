"""The pattern that the decisions to blame for several bugs have in common: a rule of the policy.

A cause is a function of one bug. A pattern is found from many, when all is judged, and groups
those bugs across their causes.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from bugsieve.base.files_and_processes.foreign_json import FixedList, fitting
from bugsieve.base.wording import printable
from bugsieve.pipeline.bugs.cause import ID_LENGTH

NOTE = "pattern"
"""The name under which a bug's pattern is kept beside it."""

_SHAPE = FixedList(str, [str], str, int)


@dataclass(frozen=True)
class Pattern:
    """A place where a policy decides wrongly, and its action there: a rule, or states without one.

    >>> print(Pattern("unstack", ("(solid b2)",)))
    unstack where (solid b2)
    """

    action: str
    """An action schema; of a decision in a single state, the whole action."""
    conditions: tuple[str, ...] = ()
    """Facts, facts about the parameters of the schema, and objects that these are: `?b = b2`."""
    state: str = ""
    """Of a single state, a digest of it."""
    states: int = 0
    """In how many states the decisions are that no rule explains; 0 for a rule."""

    @property
    def id(self) -> str:
        """The name of the pattern."""
        content = json.dumps(self.to_json(), separators=(",", ":"))
        return hashlib.sha256(content.encode("ascii")).hexdigest()[:ID_LENGTH]

    def to_json(self) -> list[Any]:
        """The pattern as it is kept, as JSON."""
        return [self.action, list(self.conditions), self.state, self.states]

    def __str__(self) -> str:
        """The pattern in words; a stranger may have written it."""
        if self.state:
            return printable(f"({self.action}) in one state")
        if self.states:
            return printable(f"{self.action} in {self.states} states that no rule explains")
        if not self.conditions:
            return printable(f"{self.action} wherever it applies")
        return printable(f"{self.action} where {' and '.join(self.conditions)}")


def pattern_from(data: Any) -> Pattern:
    """The pattern of `to_json`, which a stranger may have written; ValueError if it is not one."""
    action, conditions, state, states = fitting(data, _SHAPE)
    return Pattern(action, tuple(conditions), state, states)
