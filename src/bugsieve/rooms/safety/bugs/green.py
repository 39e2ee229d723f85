"""Certificates that a policy is safe from all start states, as JSON.

`checkers.safety_green` says what such a certificate holds, and checks it with the document of the
model alone. A campaign that has explored all that its policy can come to makes one here.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bugsieve.rooms.jani.model.model import JaniModel, Valuations
from bugsieve.rooms.jani.policies.policy import ActionArray, ModelPolicy
from bugsieve.rooms.jani.policies.reach import Reach
from bugsieve.rooms.safety.checker.safety import document_hash
from bugsieve.rooms.safety.checker.safety_green import VERSION

SHAPE = {
    "safe": int,
    "model": {"name": str, "sha256": str},
    "policy": str,
    "variables": [str],
    "starts": int,
    "states": int,
    "ends": int,
    "columns": {"states": [str], "actions": str},
}
"""The form of the JSON; the checker says what it proves."""


def safe_green(policy: ModelPolicy, starts: int, reach: Reach) -> dict[str, Any]:
    """Return the certificate of what a policy comes to from so many start states."""
    model = policy.model
    states = model.unpack(reach.words) + 0.0  # 0.0 in place of -0.0
    order = np.lexsort(states.T[::-1])
    actions = np.where(_is_known(model, reach.actions), reach.actions, -1)
    actions = np.where(reach.is_asked, actions, -1).astype(np.int64) + 1
    return {
        "safe": VERSION,
        "model": {"name": model.name, "sha256": document_hash(model.document)},
        "policy": policy.spec,
        "variables": [variable.name for variable in model.variables],
        "starts": starts,
        "states": len(states),
        "ends": reach.ends,
        "columns": {
            "states": [
                _column(states[order, k], variable.type.kind)
                for k, variable in enumerate(model.variables)
            ],
            "actions": _column(actions[order], "int"),
        },
    }


@dataclass(frozen=True, eq=False)
class SafeAnswers:
    """The answers of a certificate that the checker has accepted."""

    states: Valuations
    """All that the policy can come to."""
    actions: ActionArray
    """The policy's action there; -1 where it is not asked or gives no action."""

    @classmethod
    def of(cls, model: JaniModel, certificate: Mapping[str, Any]) -> SafeAnswers:
        """Read them from a certificate that the checker has accepted."""
        columns, count = certificate["columns"], certificate["states"]
        states = np.empty((count, model.num_variables))
        for k, (text, variable) in enumerate(zip(columns["states"], model.variables, strict=True)):
            states[:, k] = _numbers(text, variable.type.kind, count)
        actions = _numbers(columns["actions"], "int", count).astype(np.int32) - 1
        return cls(states, actions)


def _is_known(model: JaniModel, actions: ActionArray) -> NDArray[np.bool_]:
    return (actions >= 0) & (actions < len(model.actions))


_OFFSET = np.uint64(2**63)


def _column(values: NDArray[Any], kind: str) -> str:
    """Return a column as the checker reads it: the most significant bytes of all values first."""
    if kind == "bool":
        content = values.astype(np.uint8).tobytes()
    elif kind == "int":
        content = _planes((values.astype(np.int64).view(np.uint64) ^ _OFFSET).astype(">u8"))
    else:
        content = _planes(values.astype(">f8"))
    return base64.b64encode(zlib.compress(content)).decode("ascii")


def _planes(numbers: NDArray[Any]) -> bytes:
    planes: bytes = numbers.view(np.uint8).reshape(-1, 8).T.tobytes()
    return planes


def _numbers(text: str, kind: str, count: int) -> NDArray[np.float64]:
    content = np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype=np.uint8)
    if kind == "bool":
        return content.astype(np.float64)
    block = np.ascontiguousarray(content.reshape(8, count).T)
    if kind == "int":
        words = np.asarray(block.view(">u8").reshape(-1), dtype=np.uint64) ^ _OFFSET
        return np.asarray(words.view(np.int64), dtype=np.float64)
    return np.asarray(block.view(">f8").reshape(-1), dtype=np.float64)
