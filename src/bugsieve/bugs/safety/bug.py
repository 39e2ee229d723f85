"""A safety bug as campaigns keep it: its certificate, and who found it where.

`checkers.safety` says what must hold of the certificate, and checks it with nothing but
the model's document.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bugsieve.basis.errors import InputError
from bugsieve.basis.foreign_json import Row, fitting
from bugsieve.checkers.safety import VERSION, bug_id, document_hash
from bugsieve.policies.models.policy import ActionArray, ModelPolicy
from bugsieve.policies.models.runs import UnsafeRun
from bugsieve.tasks.jani.model import JaniModel, WordArray
from bugsieve.tasks.jani.types import Value

FAULT, AVOIDABLE = "fault", "avoidable"

PlainState = list[Value]

_STATE_SHAPE = [(int, bool, float)]
_FAULT_SHAPE = {"outcome": _STATE_SHAPE, "unsafe": [Row(_STATE_SHAPE, int, int)]}
_CERTIFICATE_SHAPE = {
    "certificate": int,
    "kind": str,
    "model": {"name": str, "sha256": str},
    "policy": str,
    "radius": (int, None),
    "variables": [str],
    "state": _STATE_SHAPE,
    "action": int,
    "action_name": str,
    "run": {"states": [_STATE_SHAPE], "actions": [int], "action_names": [str]},
    "safe": [Row(_STATE_SHAPE, int, int)],
    "answers": [Row(_STATE_SHAPE, (int, None))],
}
_SHAPE = {
    "id": str,
    "kind": str,
    "oracle": str,
    "certificate": _CERTIFICATE_SHAPE,
    "found_in": ({"walk": (int, None), "position": int}, None),
}
"""What the JSON looks like; whether it proves anything is the checker's matter."""


@dataclass(frozen=True)
class FoundInRun:
    """Which walk found the unsafe run, and where in the run the bug's state is, from 0."""

    position: int
    walk: int | None = None


@dataclass(frozen=True, repr=False)
class SafetyBug:
    """A proven bug: the policy meets danger that another policy avoids.

    A `fault` is a decision that leaves safety. An `avoidable` bug is a state from which the policy
    meets danger although that is not necessary; which decision is a fault was not proven.
    """

    id: str
    certificate: Mapping[str, Any]
    oracle: str
    """The spec of the oracle that found it."""
    found_in: FoundInRun | None = None

    def __str__(self) -> str:
        """What is wrong where, as in "fault 9d029589939d: go in x=3, y=0 of drive"."""
        pairs = zip(self.certificate["variables"], self.state, strict=True)
        values = ", ".join(f"{name}={value}" for name, value in pairs)
        model = self.certificate["model"]["name"]
        return f"{self.kind} {self.id}: {self.certificate['action_name']} in {values} of {model}"

    def __repr__(self) -> str:
        return f"<{self}>"

    @property
    def kind(self) -> str:
        """ "fault" or "avoidable"."""
        return str(self.certificate["kind"])

    @property
    def radius(self) -> int | None:
        """How often the alternative may differ from the policy; None: always."""
        radius: int | None = self.certificate["radius"]
        return radius

    @property
    def state(self) -> PlainState:
        """Values in the order of the model's variables."""
        return list(self.certificate["state"])

    @property
    def action(self) -> int:
        """What the policy does in the state."""
        return int(self.certificate["action"])

    @property
    def alternative(self) -> list[tuple[PlainState, int]]:
        """States with the actions by which the danger is avoided from the bug's state on."""
        return [(row[0], row[1]) for row in self.certificate["safe"]]

    @property
    def gap(self) -> float:
        """Infinite: the policy meets danger, and the alternative never does."""
        return math.inf

    @property
    def steps(self) -> int:
        """How far the danger is in the policy's run from the bug's state."""
        return len(self.certificate["run"]["actions"])

    def to_json(self) -> dict[str, Any]:
        """The bug as JSON data."""
        found = self.found_in
        return {
            "id": self.id,
            "kind": self.kind,
            "oracle": self.oracle,
            "found_in": found and {"walk": found.walk, "position": found.position},
            "certificate": dict(self.certificate),
        }


def safety_bug_from_json(data: Mapping[str, Any], *, source: str) -> SafetyBug:
    """The inverse of `SafetyBug.to_json`; `source` names the file in errors.

    What the certificate claims is the checker's business.
    """
    try:
        fitting(data, _SHAPE)
        found = data["found_in"]
        if found is not None:
            walk = None if found["walk"] is None else int(found["walk"])
            found = FoundInRun(int(found["position"]), walk)
        certificate = dict(data["certificate"])
        if certificate["kind"] != data["kind"] or not _is_whole(certificate):
            raise ValueError
        return SafetyBug(str(data["id"]), certificate, str(data["oracle"]), found)
    except (KeyError, TypeError, ValueError):
        raise InputError(f"{source}: is not a safety bug as Bugsieve writes it") from None


def _is_whole(certificate: Mapping[str, Any]) -> bool:
    """Whether the parts of a certificate are as long as they must be, and none is missing."""
    width, run = len(certificate["variables"]), certificate["run"]
    states = [certificate["state"], *run["states"], *(row[0] for row in certificate["safe"])]
    if certificate["kind"] == FAULT:
        fitting(certificate, _FAULT_SHAPE)
        states += [certificate["outcome"], *(row[0] for row in certificate["unsafe"])]
    lengths = (len(run["states"]), len(run["action_names"]) + 1)
    return (
        all(len(state) == width for state in states)
        and lengths == (len(run["actions"]) + 1,) * 2
        and any(row[0] == certificate["state"] for row in certificate["safe"])
    )


@dataclass(frozen=True, eq=False)
class ProofRows:
    """Rows of a proof: packed states with two numbers each.

    Actions and divergences in the table of a safe state, budgets and ranks in the ranking of a
    lost one.
    """

    states: WordArray
    first: ActionArray
    second: ActionArray

    def __len__(self) -> int:
        return len(self.states)


@dataclass(frozen=True, eq=False)
class Claim:
    """What an oracle says of the first state of a run; `outcome` and `unsafe` make it a fault."""

    run: UnsafeRun
    radius: int | None
    safe: ProofRows
    outcome: WordArray | None = None
    unsafe: ProofRows | None = None

    @property
    def kind(self) -> str:
        """ "fault" or "avoidable"."""
        return AVOIDABLE if self.unsafe is None else FAULT


class SafetyBugMaker:
    """Writes the certificates of claims about one policy on one model."""

    def __init__(self, policy: ModelPolicy) -> None:
        self.policy = policy
        self.model = policy.model
        self._sha256 = document_hash(self.model.document)

    def id(self, kind: str, state: WordArray, action: int, radius: int | None) -> str:
        """The same for every proof of the claim."""
        values = plain_states(self.model, state.reshape(1, -1))[0]
        claim = {"policy": self.policy.spec, "kind": kind, "action": action, "radius": radius}
        return bug_id({"model": {"sha256": self._sha256}, "state": values, **claim})

    def make(self, claim: Claim, *, oracle: str, found_in: FoundInRun | None = None) -> SafetyBug:
        """The bug with its certificate, which nobody has checked yet."""
        certificate = self.certificate(claim)
        return SafetyBug(bug_id(certificate), certificate, oracle, found_in)

    def certificate(self, claim: Claim) -> dict[str, Any]:
        """Everything that proves the claim, as plain JSON data."""
        run, model = claim.run, self.model
        states = plain_states(model, run.states)
        actions = run.actions.tolist()
        certificate = {
            "certificate": VERSION,
            "kind": claim.kind,
            "model": {"name": model.name, "sha256": self._sha256},
            "policy": self.policy.spec,
            "radius": claim.radius,
            "variables": [variable.name for variable in model.variables],
            "state": states[0],
            "action": actions[0],
            "action_name": model.actions[actions[0]],
            "run": {
                "states": states,
                "actions": actions,
                "action_names": [model.actions[action] for action in actions],
            },
            "safe": self._rows(claim.safe),
            "answers": self._answers(claim),
        }
        if claim.unsafe is not None and claim.outcome is not None:
            certificate["outcome"] = plain_states(model, claim.outcome.reshape(1, -1))[0]
            certificate["unsafe"] = self._rows(claim.unsafe)
        return certificate

    def _rows(self, rows: ProofRows) -> list[list[Any]]:
        states = plain_states(self.model, rows.states)
        columns = zip(states, rows.first.tolist(), rows.second.tolist(), strict=True)
        return [list(row) for row in columns]

    def _answers(self, claim: Claim) -> list[list[Any]]:
        """What the policy does in the states of the proofs, where divergences count."""
        if claim.radius is None:
            return []
        # The checker counts divergences, so it must know what the policy does in each state of a
        # proof. The run says so for its own states; of the others the policy is asked. Sorted and
        # without repetition, so that equal proofs give equal certificates.
        proofs = [claim.safe.states]
        proofs += [] if claim.unsafe is None else [claim.unsafe.states]
        words = np.unique(np.concatenate(proofs), axis=0)
        on_run = {row.tobytes() for row in claim.run.states[:-1]}
        words = words[[row.tobytes() not in on_run for row in words]]
        actions = self.policy.choose(self.model.unpack(words)).tolist() if len(words) else []
        states = plain_states(self.model, words)
        return [
            [state, action if action >= 0 else None]
            for state, action in zip(states, actions, strict=True)
        ]


def plain_states(model: JaniModel, words: WordArray) -> list[PlainState]:
    """Packed states as lists of integers, truth values and reals."""
    rows = model.unpack(words)
    types = {"real": np.float64, "int": np.int64, "bool": np.bool_}
    columns = [
        rows[:, k].astype(types[variable.type.kind]).tolist()
        for k, variable in enumerate(model.variables)
    ]
    return [list(values) for values in zip(*columns, strict=True)]
