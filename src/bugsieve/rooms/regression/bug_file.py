"""Bugs of a project, `ID.bug.json`: what proves them, and whether they may still be there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bugsieve.base.errors import InputError, UsageError
from bugsieve.base.files_and_processes.foreign_json import fitting, parse_json
from bugsieve.base.names import no_such
from bugsieve.base.registry.members import MemberTable
from bugsieve.campaigns.options import CampaignOptions
from bugsieve.campaigns.store.folder import readable_json
from bugsieve.checkers import cost
from bugsieve.pipeline.bugs.bug import Bug, bug_from_json
from bugsieve.pipeline.objectives import OBJECTIVES
from bugsieve.policies.graph import DEFAULT_STEP_LIMIT
from bugsieve.policies.registry import POLICIES
from bugsieve.rooms.jani.model.saved import SavedModel
from bugsieve.rooms.jani.policies.registry import MODEL_POLICIES
from bugsieve.rooms.regression.subjects import Subject, read_subject, require_own_file
from bugsieve.rooms.safety.bugs.bug import SafetyBug, safety_bug_from_json
from bugsieve.rooms.safety.checker import safety
from bugsieve.tasks.grounded.saved import SavedTask
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
class _Kind:
    """What differs between the bugs of kinds of campaigns."""

    subject: type[Subject]
    policies: MemberTable[Any]
    read: Callable[..., Bug | SafetyBug]
    bug_id: Callable[[Mapping[str, Any]], str]


KINDS = {
    "cost": _Kind(SavedTask, POLICIES, bug_from_json, cost.bug_id),
    "safety": _Kind(SavedModel, MODEL_POLICIES, safety_bug_from_json, safety.bug_id),
}
"""The kinds of campaigns whose bugs can be asked again without their folder."""


@dataclass(frozen=True)
class BugFile:
    """A bug with its task, both as they were read: what they claim is for the checker to say."""

    path: Path
    kind: str
    bug: Bug | SafetyBug
    subject: Subject
    cause: str
    is_open: bool
    """Whether the bug is known, and expected to be there still."""
    step_limit: int
    policy_seed: int
    seed: int

    @property
    def policies(self) -> MemberTable[Any]:
        """The family of policies that can be asked."""
        return KINDS[self.kind].policies


def bug_text(
    kind: str, bug: Bug | SafetyBug, cause: str, task: str, options: CampaignOptions
) -> str:
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


def read_bug_file(path: Path) -> BugFile:
    """The bug in a file and its task, be they a stranger's; InputError if they are not ours."""
    require_own_file(path, path.parent)
    data = read_input(path, kind="JSON", max_bytes=_MAX_BYTES)
    try:
        content = fitting(parse_json(data.decode()), _SHAPE)
    except ValueError:
        raise InputError(
            f"{path}: is no bug as 'bugsieve export --regression' writes it"
        ) from None
    kind = _checked(path, content)
    bug = kind.read(content["bug"], source=str(path))
    if bug.id != kind.bug_id(bug.certificate):
        raise InputError(f"{path}: the id of the bug is not that of its certificate")
    if isinstance(bug, Bug):
        _require_objective(path, bug)
    return BugFile(
        path,
        content["kind"],
        bug,
        read_subject(path.parent, content["task"], kind.subject),
        content["cause"],
        content["expect"] == OPEN,
        *(content[name] for name in ("step_limit", "policy_seed", "seed")),
    )


def _checked(path: Path, content: Mapping[str, Any]) -> _Kind:
    if content["bugsieve"] != _VERSION:
        raise InputError(f"{path}: is of another version of Bugsieve: export the bug again")
    if content["kind"] not in KINDS:
        raise InputError(f"{path}: {no_such('kind of bugs', content['kind'], KINDS)}")
    if content["expect"] not in (FIXED, OPEN):
        wrong = no_such("expectation", content["expect"], (FIXED, OPEN))
        raise InputError(f"{path}: expect: {wrong}")
    if not 1 <= content["step_limit"] <= _MOST_STEPS:
        raise InputError(f"{path}: step_limit must be between 1 and {_MOST_STEPS}")
    if min(content["policy_seed"], content["seed"]) < 0:
        raise InputError(f"{path}: seeds must be at least 0")
    return KINDS[content["kind"]]


def _require_objective(path: Path, bug: Bug) -> None:
    """InputError unless the objective holds all that it is about, and has such bugs."""
    try:
        _, objective, argument = OBJECTIVES.parse(bug.certificate["objective"])
        objective.check_stored(argument)
    except UsageError as error:
        raise InputError(f"{path}: {error}") from None
    if bug.kind not in objective.kinds:
        raise InputError(f"{path}: {no_such('kind of bugs', bug.kind, objective.kinds)}")
