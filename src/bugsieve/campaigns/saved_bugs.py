"""Bugs that outlive their campaign, in files of a project: what a kind of campaigns does for them.

Whoever reads such files knows nothing of kinds, and believes nothing that the files say.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from bugsieve.base.errors import InputError
from bugsieve.base.registry.members import MemberTable
from bugsieve.pipeline.bugs.replay import ReplayResult
from bugsieve.pipeline.judging.findings import AnyBug


@dataclass(frozen=True, kw_only=True)
class ReplayOptions:
    """Which policy is asked about a saved bug, and how."""

    policy: str
    policy_folder: str
    """Where it was typed."""
    policy_seed: int
    step_limit: int
    seed: int
    """Of the campaign that found the bug."""


class SavedBugs(Protocol):
    """How the bugs of a kind are saved, read and asked again without their campaign."""

    @property
    def policies(self) -> MemberTable[Any]:
        """The family of policies that can be asked."""
        ...

    def subject_json(self, subject: Any) -> dict[str, Any]:
        """Return a saved task or model as JSON data."""
        ...

    def saved_subject(self, content: Any) -> Any:
        """Return the task or model of such data; ValueError for any other."""
        ...

    def saved_bug(self, data: Mapping[str, Any], *, source: str) -> AnyBug:
        """Return the bug of JSON data; InputError, with its source, if it is not one of ours."""
        ...

    def replay(
        self, subject: Any, bug: Any, options: ReplayOptions, *, source: str
    ) -> ReplayResult:
        """Check the certificate of a bug of the subject, then ask the policy anew."""
        ...


def require_id(bug: AnyBug, expected: str, source: str) -> None:
    """InputError unless a bug is named by its certificate, as it is expected."""
    if bug.id != expected:
        raise InputError(f"{source}: the id of the bug is not that of its certificate")
