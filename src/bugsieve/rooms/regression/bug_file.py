"""Bugs of a project, `ID.bug.json`: what proves them, and whether they may still be there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bugsieve.base.errors import InputError
from bugsieve.base.files_and_processes.foreign_json import fitting, parse_json
from bugsieve.base.names import no_such
from bugsieve.base.registry.members import MemberTable
from bugsieve.campaigns.kind import KINDS
from bugsieve.campaigns.options import CampaignOptions
from bugsieve.campaigns.saved_bugs import SavedBugs
from bugsieve.campaigns.store.folder import readable_json
from bugsieve.pipeline.judging.findings import AnyBug
from bugsieve.policies.limits import DEFAULT_STEP_LIMIT
from bugsieve.rooms.regression.subjects import read_subject, require_own_file
from bugsieve.tasks.sources import MEBIBYTE, read_input

SUFFIX = ".bug.json"
FIXED, OPEN = "fixed", "open"

_VERSION = 1
_MAX_BYTES = 64 * MEBIBYTE
_MOST_STEPS = max(10**6, DEFAULT_STEP_LIMIT)
_SHAPE = {
    "bugsieve": int,
    "kind": str,
    "expect": str,
    "cause": str,
    "task": str,
    "step_limit": int,
    "policy_seed": int,
    "seed": int,
    "bug": dict,
}


@dataclass(frozen=True)
class RegressionBug:
    """A bug with its task, both as they were read: what they claim is for the checker to say."""

    path: Path
    saved_bugs: SavedBugs
    bug: AnyBug
    subject: Any
    cause: str
    is_open: bool
    """True if the bug is known, and expected to be there still."""
    step_limit: int
    policy_seed: int
    seed: int

    @property
    def policies(self) -> MemberTable[Any]:
        """The family of policies that can be asked."""
        return self.saved_bugs.policies


def bug_text(kind: str, bug: AnyBug, cause: str, task: str, options: CampaignOptions) -> str:
    """The content of a file; `task` is the hash of its task."""
    content = {
        "bugsieve": _VERSION,
        "kind": kind,
        "expect": FIXED,
        "cause": cause,
        "task": task,
        "step_limit": min(options.step_limit, _MOST_STEPS),
        "policy_seed": options.policy_seed,
        "seed": options.fuzz.seed,
        "bug": bug.to_json(),
    }
    return f"{readable_json(content)}\n"


def read_bug_file(path: Path) -> RegressionBug:
    """The bug in a file and its task, be they a stranger's; InputError if they are not ours."""
    require_own_file(path, path.parent)
    data = read_input(path, kind="JSON", max_bytes=_MAX_BYTES)
    try:
        content = fitting(parse_json(data.decode()), _SHAPE)
    except ValueError:
        raise InputError(
            f"{path}: is no bug as 'bugsieve export --regression' writes it"
        ) from None
    saved_bugs = _checked(path, content)
    bug = saved_bugs.saved_bug(content["bug"], source=str(path))
    return RegressionBug(
        path,
        saved_bugs,
        bug,
        read_subject(path.parent, content["task"], saved_bugs),
        content["cause"],
        content["expect"] == OPEN,
        *(content[name] for name in ("step_limit", "policy_seed", "seed")),
    )


def _checked(path: Path, content: Mapping[str, Any]) -> SavedBugs:
    if content["bugsieve"] != _VERSION:
        raise InputError(f"{path}: is of another version of Bugsieve: export the bug again")
    saved_bugs = _saved_bugs(path, content["kind"])
    if content["expect"] not in (FIXED, OPEN):
        wrong = no_such("expectation", content["expect"], (FIXED, OPEN))
        raise InputError(f"{path}: expect: {wrong}")
    if not 1 <= content["step_limit"] <= _MOST_STEPS:
        raise InputError(f"{path}: step_limit must be between 1 and {_MOST_STEPS}")
    if min(content["policy_seed"], content["seed"]) < 0:
        raise InputError(f"{path}: seeds must be at least 0")
    return saved_bugs


def _saved_bugs(path: Path, kind: str) -> SavedBugs:
    found = KINDS[kind].saved_bugs if kind in KINDS else None
    if found is None:
        known = [name for name, other in KINDS.items() if other.saved_bugs is not None]
        raise InputError(f"{path}: {no_such('kind of bugs', kind, known)}")
    return found
