"""Shields: a policy whose proven faults are replaced by the safe alternatives of their proofs.

Each proof brings a table of states and actions that never leads to danger and never leaves the
table. The states of all tables together are the proven region. A shield lets the policy act as it
likes as long as it cannot leave the region; where it could, an action of the tables is taken. Of
two tables with the same state either may decide: its action leads back into that table.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bugsieve.base.errors import InputError, UsageError
from bugsieve.base.registry.spec_folder import typed_in
from bugsieve.base.trust.trust import trusting
from bugsieve.campaigns.campaign import AnyPath
from bugsieve.campaigns.store.checked_certificates import proof_of
from bugsieve.campaigns.store.progress import CampaignHeader
from bugsieve.rooms.jani.model.model import JaniModel, Valuations
from bugsieve.rooms.jani.policies.policy import ModelPolicy
from bugsieve.rooms.jani.policies.rows import row_keys
from bugsieve.rooms.jani.policies.table import write_table
from bugsieve.rooms.safety.campaign.options import SafetyOptions
from bugsieve.rooms.safety.campaign.policy import policy_of
from bugsieve.rooms.safety.checker.safety import COMPLAINTS, SafetyBugChecker
from bugsieve.rooms.safety.store.records import SafetyRecords
from bugsieve.rooms.safety.walks.run_examiner import SafetyBugRow

Choices = dict[bytes, tuple[Valuations, int]]

_BATCH = 10_000


@dataclass(frozen=True)
class Shield:
    """A shield as written."""

    path: Path
    bugs: int
    """The number of bugs whose decisions are replaced."""
    states: int
    """In which the shield decides instead of the policy."""
    policy: str
    """The spec under which it can be tested."""


def make_shield(directory: AnyPath, target: AnyPath, *, trust_policy: bool = False) -> Shield:
    """Write the policy of a campaign without its proven bugs, as a table policy.

    A policy that the user has never typed is started with `trust_policy` only.
    """
    with SafetyRecords(directory) as records:
        header, rows = records.header, records.bugs()
    if not rows:
        raise UsageError(f"{directory}: has no bugs, so there is nothing to shield")
    path = Path(target)
    with trusting(trust_policy), policy_of(directory, header) as policy:
        checker = SafetyBugChecker(policy.model.document)
        for row in rows:
            with proof_of(row.id, Path(directory), *COMPLAINTS):
                checker.check(row.bug.certificate)
        choices = _needed(policy, _alternatives(policy, rows))
        try:
            with typed_in(_typed_folder(header)):
                write_table(path, policy.model, list(choices.values()), default=header.policy)
        except OSError as error:
            raise InputError(f"{path}: cannot be written ({error.strerror})") from None
    return Shield(path, len(rows), len(choices), f"table:{path}")


def _typed_folder(header: CampaignHeader) -> str:
    return SafetyOptions.from_toml(header.options, name="options.toml").policy_folder


def _alternatives(policy: ModelPolicy, rows: list[SafetyBugRow]) -> Choices:
    """The actions of the proofs in each of their states; the first bug's proof counts."""
    choices: Choices = {}
    for row in rows:
        for values, action in row.bug.alternative:
            state = policy.model.state(values)
            choices.setdefault(row_keys(state[np.newaxis])[0], (state, action))
    return choices


def _needed(policy: ModelPolicy, choices: Choices) -> Choices:
    """The choices where the policy, left alone, might leave the region."""
    needed: Choices = {}
    items = list(choices.items())
    for start in range(0, len(items), _BATCH):
        batch = items[start : start + _BATCH]
        states = np.array([state for _, (state, _) in batch])
        stays = _stays(policy, states, choices)
        needed.update(item for item, keep in zip(batch, stays, strict=True) if not keep)
    return needed


def _stays(policy: ModelPolicy, states: Valuations, region: Choices) -> list[bool]:
    """Return true per state in which the policy's action leads to safe states for certain."""
    expansion = policy.model.expand(states)
    ends = _ends_safely(policy.model, expansion.outcomes)
    inside = [
        safe or key in region for key, safe in zip(row_keys(expansion.outcomes), ends, strict=True)
    ]
    stays = []
    chosen = policy.choose(states).tolist()
    for row, action in enumerate(chosen):
        first, last = expansion.action_offsets[row : row + 2]
        places = np.flatnonzero(expansion.actions[first:last] == action)
        if not len(places):
            stays.append(False)
            continue
        begin, end = expansion.outcome_offsets[first + places[0] :][:2]
        stays.append(all(inside[begin:end]))
    return stays


def _ends_safely(model: JaniModel, states: Valuations) -> NDArray[np.bool_]:
    """Return true per state in which a run ends without danger."""
    _, offsets = model.applicable(states)
    ends: NDArray[np.bool_] = model.is_goal(states) | (np.diff(offsets) == 0)
    return ends & ~model.is_unsafe(states)
