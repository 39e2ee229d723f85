"""A safety bug as campaigns keep it: its certificate, and who found it where.

`checkers.safety` says what must hold of the certificate, and checks it with nothing but
the model's document.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bugsieve.base.errors import InputError
from bugsieve.base.files_and_processes.foreign_json import FixedList, fitting
from bugsieve.policies.fingerprints import network_key
from bugsieve.rooms.jani.model.model import JaniModel, WordArray
from bugsieve.rooms.jani.model.types import Value
from bugsieve.rooms.jani.policies.policy import ActionArray, ModelPolicy
from bugsieve.rooms.jani.policies.runs import UnsafeRun
from bugsieve.rooms.safety.checker.safety import VERSION, bug_id, document_hash

FAULT, AVOIDABLE = "fault", "avoidable"

PlainState = list[Value]

_STATE_SHAPE = [(int, bool, float)]
_FAULT_SHAPE = {"outcome": _STATE_SHAPE, "unsafe": [FixedList(_STATE_SHAPE, int, int)]}
_HEAD_SHAPE = {
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
}
_TABLES_SHAPE = {
    "safe": [FixedList(_STATE_SHAPE, int, int)],
    "answers": [FixedList(_STATE_SHAPE, (int, None))],
}
_SHAPE = {
    "id": str,
    "kind": str,
    "oracle": str,
    "certificate": _HEAD_SHAPE,
    "found_in": ({"walk": (int, None), "position": int}, None),
}
"""The form of the JSON; the checker says if it proves anything."""


@dataclass(frozen=True)
class FoundInRun:
    """The walk that found the unsafe run, and the place of the bug's state in it, from 0."""

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
        """The decision and its state, as in "fault 9d029589939d: go in x=3, y=0 of drive"."""
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
    def safe_action(self) -> int:
        """What avoids the danger in the bug's state."""
        return safe_action_of(self.certificate)

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
        return self.to_json_with(dict(self.certificate))

    def to_json_with(self, certificate: Mapping[str, Any]) -> dict[str, Any]:
        """The same with another form of its certificate."""
        found = self.found_in
        return {
            "id": self.id,
            "kind": self.kind,
            "oracle": self.oracle,
            "found_in": found and {"walk": found.walk, "position": found.position},
            "certificate": certificate,
        }


def safety_bug_from_json(
    data: Mapping[str, Any],
    *,
    source: str,
    certificate_of: Callable[[Mapping[str, Any]], Mapping[str, Any]] | None = None,
) -> SafetyBug:
    """The inverse of `SafetyBug.to_json`; `source` names the file in errors.

    What the certificate claims is the checker's business. A store has certificates in a form of
    its own, of which `certificate_of` makes the usual one.
    """
    try:
        fitting(data, _SHAPE)
        found = data["found_in"]
        if found is not None:
            walk = None if found["walk"] is None else int(found["walk"])
            found = FoundInRun(int(found["position"]), walk)
        if data["certificate"]["kind"] == FAULT:
            fitting(data["certificate"], {"outcome": _STATE_SHAPE})
        certificate = (certificate_of or _whole_certificate)(data["certificate"])
        if certificate["kind"] != data["kind"] or not _has_whole_head(certificate):
            raise ValueError
        return SafetyBug(str(data["id"]), certificate, str(data["oracle"]), found)
    except (KeyError, TypeError, ValueError):
        raise InputError(f"{source}: is not a safety bug as Bugsieve writes it") from None


def _whole_certificate(data: Mapping[str, Any]) -> dict[str, Any]:
    """The certificate of JSON data; ValueError unless its tables are as they must be."""
    certificate = dict(fitting(data, _TABLES_SHAPE))
    states = [row[0] for row in certificate[SAFE]]
    if certificate["kind"] == FAULT:
        fitting(certificate, _FAULT_SHAPE)
        states += [row[0] for row in certificate[LOST]]
    width = len(certificate["variables"])
    if any(len(state) != width for state in states) or not any(
        row[0] == certificate["state"] for row in certificate[SAFE]
    ):
        raise ValueError
    return certificate


def _has_whole_head(certificate: Mapping[str, Any]) -> bool:
    """Return true if what a certificate says beside its tables is complete."""
    run = certificate["run"]
    states = [certificate["state"], *run["states"]]
    states += [certificate["outcome"]] if certificate["kind"] == FAULT else []
    lengths = (len(run["states"]), len(run["action_names"]) + 1)
    return (
        all(len(state) == len(certificate["variables"]) for state in states)
        and lengths == (len(run["actions"]) + 1,) * 2
    )


SAFE, ANSWERS, LOST = "safe", "answers", "unsafe"
NETWORK = "network"
"""The key of a policy's network; certificates of earlier versions lack it."""
_ORDER = (
    *("certificate", "kind", "model", "policy", NETWORK, "radius", "variables", "state", "action"),
    *("action_name", "run", SAFE, ANSWERS, "outcome", LOST),
)


def keys_of(head: Mapping[str, Any]) -> tuple[str, ...]:
    """The keys of a certificate with this head, in the order in which they are written."""
    keys = _ORDER if head["kind"] == FAULT else _ORDER[: _ORDER.index("outcome")]
    return tuple(key for key in keys if key != NETWORK or key in head)


Table: TypeAlias = NDArray[np.float64]
"""Rows of a proof as numbers: the values of a state, and two more."""


class LongCertificate(Mapping[str, Any]):
    """A certificate whose tables become lists when they are first asked for.

    They may have ten thousands of rows, which most who ask about a bug do not want.
    """

    def __init__(
        self,
        head: Mapping[str, Any],
        safe_action: int,
        tables: Callable[[], Mapping[str, Table]],
    ) -> None:
        self.head = head
        self.safe_action = safe_action
        self._tables = tables

    @cached_property
    def tables(self) -> Mapping[str, Table]:
        """The tables as numbers, by their names; those of lost states in faults alone."""
        return self._tables()

    @cached_property
    def _lists(self) -> dict[str, list[list[Any]]]:
        return {name: self.rows(name, table) for name, table in self.tables.items()}

    def rows(self, name: str, table: Table) -> list[list[Any]]:
        """Rows of the table of this name as the certificate has them."""
        kinds = [type(value) for value in self.head["state"]]
        columns = [table[:, k].astype(kind).tolist() for k, kind in enumerate(kinds)]
        states = [list(values) for values in zip(*columns, strict=True)]
        first, second = table[:, -2:].astype(np.int64).T.tolist()
        if name == ANSWERS:
            pairs = zip(states, first, strict=True)
            return [[state, None if action < 0 else action] for state, action in pairs]
        return [list(row) for row in zip(states, first, second, strict=True)]

    def with_rows(self, tables: Mapping[str, Table]) -> dict[str, Any]:
        """The certificate with these tables in place of its own."""
        lists = {name: self.rows(name, table) for name, table in tables.items()}
        return {key: lists[key] if key in lists else self.head[key] for key in self}

    def __getitem__(self, key: str) -> Any:
        return self.head[key] if key in self.head else self._lists[key]

    def __iter__(self) -> Iterator[str]:
        return iter(keys_of(self.head))

    def __len__(self) -> int:
        return len(keys_of(self.head))

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)  # where it goes, nothing can be read later


def safe_action_of(certificate: Mapping[str, Any]) -> int:
    """The action by which a certificate avoids the danger in its state."""
    if isinstance(certificate, LongCertificate):
        return certificate.safe_action
    state = certificate["state"]
    return int(next(action for row, action, _ in certificate[SAFE] if row == state))


def long_certificate(certificate: Mapping[str, Any]) -> LongCertificate:
    """The same certificate with its tables as numbers."""
    if isinstance(certificate, LongCertificate):
        return certificate
    names = [name for name in (SAFE, ANSWERS, LOST) if name in certificate]
    head = {key: certificate[key] for key in certificate if key not in names}
    width = len(head["state"]) + 2
    tables = {name: _numbers_of(certificate[name], width) for name in names}
    return LongCertificate(head, safe_action_of(certificate), lambda: tables)


def _numbers_of(rows: list[list[Any]], width: int) -> Table:
    flat = [[*row[0], *(-1 if part is None else part for part in row[1:])] for row in rows]
    full = [[*row, *[0] * (width - len(row))] for row in flat]  # an answer has one number
    return np.array(full, dtype=np.float64).reshape(-1, width)


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
    """A claim of an oracle on the first state of a run; `outcome` and `unsafe` make it a fault."""

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
    """Writes the certificates of claims about one policy on one model.

    With `by_spec`, ids name a network by its spec, as those of earlier versions do.
    """

    def __init__(self, policy: ModelPolicy, *, by_spec: bool = False) -> None:
        self.policy = policy
        self.model = policy.model
        self._sha256 = document_hash(self.model.document)
        key = None if by_spec else network_key(policy)
        self._network = {} if key is None else {NETWORK: key}

    def id(self, kind: str, state: WordArray, action: int, radius: int | None) -> str:
        """The same for every proof of the claim."""
        values = plain_states(self.model, state.reshape(1, -1))[0]
        policy = {"policy": self.policy.spec, **self._network}
        claim = {**policy, "kind": kind, "action": action, "radius": radius}
        return bug_id({"model": {"sha256": self._sha256}, "state": values, **claim})

    def certificate(self, claim: Claim) -> LongCertificate:
        """Everything that proves the claim, as plain JSON data."""
        run, model = claim.run, self.model
        states = plain_states(model, run.states)
        actions = run.actions.tolist()
        head = {
            "certificate": VERSION,
            "kind": claim.kind,
            "model": {"name": model.name, "sha256": self._sha256},
            "policy": self.policy.spec,
            **self._network,
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
        }
        tables = {SAFE: claim.safe, ANSWERS: self._answers(claim)}
        if claim.unsafe is not None and claim.outcome is not None:
            head["outcome"] = plain_states(model, claim.outcome.reshape(1, -1))[0]
            tables[LOST] = claim.unsafe
        # The first row of the table is about the claim's own state.
        return LongCertificate(head, int(claim.safe.first[0]), lambda: self._numbers(tables))

    def _numbers(self, tables: Mapping[str, ProofRows]) -> dict[str, Table]:
        return {
            name: np.column_stack([self.model.unpack(rows.states), rows.first, rows.second])
            for name, rows in tables.items()
        }

    def _answers(self, claim: Claim) -> ProofRows:
        """The policy's actions in the states of the proofs, where divergences count."""
        # The checker counts divergences, so it must know what the policy does in each state of a
        # proof. The run says so for its own states; of the others the policy is asked. Sorted and
        # without repetition, so that equal proofs give equal certificates.
        proofs = [claim.safe.states]
        proofs += [] if claim.unsafe is None else [claim.unsafe.states]
        words = np.unique(np.concatenate(proofs)[: 0 if claim.radius is None else None], axis=0)
        on_run = {row.tobytes() for row in claim.run.states[:-1]}
        words = words[np.array([row.tobytes() not in on_run for row in words], dtype=bool)]
        actions = self.policy.choose(self.model.unpack(words)) if len(words) else np.empty(0)
        return ProofRows(words, actions.astype(np.int32), np.zeros(len(words), dtype=np.int32))


def plain_states(model: JaniModel, words: WordArray) -> list[PlainState]:
    """Packed states as lists of integers, truth values and reals."""
    rows = model.unpack(words)
    types = {"real": np.float64, "int": np.int64, "bool": np.bool_}
    columns = [
        rows[:, k].astype(types[variable.type.kind]).tolist()
        for k, variable in enumerate(model.variables)
    ]
    return [list(values) for values in zip(*columns, strict=True)]
