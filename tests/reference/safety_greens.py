"""What a certificate of safety says, its truth by brute force, and how it is written."""

from __future__ import annotations

import base64
import zlib
from dataclasses import dataclass
from typing import Any

from tests.reference.safety import UNSAFE, System

ACTIONS = 3


@dataclass(frozen=True)
class Claim:
    """What is claimed of a system whose states are numbers."""

    actions: dict[int, int]
    """For each listed state 0, or the number of the policy's action and one more."""
    starts: int
    ends: int


def is_end(system: System, state: int, action: int) -> bool:
    return not system.is_final(state) and action - 1 not in system.transitions[state]


def claim_of(system: System, starts: set[int]) -> Claim:
    """The claim about what the policy of the system does, true or not."""
    actions: dict[int, int] = {}
    waiting = sorted(starts)
    while waiting:
        state = waiting.pop()
        if state in actions:
            continue
        actions[state] = 0 if system.is_final(state) else system.policy[state] + 1
        if not system.is_final(state):
            waiting += system.transitions[state].get(system.policy[state], ())
    ends = sum(is_end(system, state, action) for state, action in actions.items())
    return Claim(actions, len(starts), ends)


def is_true(system: System, starts: set[int], claim: Claim) -> bool:
    """Whether all of it is so, what the policy is said to do taken as claimed."""
    for state, action in claim.actions.items():
        if state not in system.states or not 0 <= action <= ACTIONS:
            return False
        if system.kinds[state] == UNSAFE or (system.is_final(state) and action):
            return False
    reached, waiting = set[int](), sorted(starts)
    while waiting:
        state = waiting.pop()
        if state in reached:
            continue
        if state not in claim.actions:
            return False
        reached.add(state)
        if not system.is_final(state):
            waiting += system.transitions[state].get(claim.actions[state] - 1, ())
    ends = sum(is_end(system, state, action) for state, action in claim.actions.items())
    return (reached, len(starts), ends) == (set(claim.actions), claim.starts, claim.ends)


def encoded(claim: Claim, model: dict[str, str], policy: str = "listed") -> dict[str, Any]:
    """The claim as a certificate."""
    states = sorted(claim.actions)
    return {
        "safe": 1,
        "model": model,
        "policy": policy,
        "variables": ["s"],
        "starts": claim.starts,
        "states": len(states),
        "ends": claim.ends,
        "columns": {
            "states": [packed(column(states))],
            "actions": packed(column([claim.actions[state] for state in states])),
        },
    }


def decoded(certificate: dict[str, Any]) -> Claim | None:
    """The inverse; None for what is written in another way."""
    columns, count = certificate["columns"], certificate["states"]
    (states,), actions = columns["states"], columns["actions"]
    numbers = [values(unpacked(text), count) for text in (states, actions)]
    if None in numbers:
        return None
    listed, answers = numbers
    if listed is None or answers is None or sorted(set(listed)) != listed:
        return None
    actions = dict(zip(listed, answers, strict=True))
    return Claim(actions, certificate["starts"], certificate["ends"])


def column(numbers: list[int]) -> bytes:
    rows = [(number + 2**63).to_bytes(8, "big") for number in numbers]
    return bytes(row[place] for place in range(8) for row in rows)


def values(content: bytes, count: int) -> list[int] | None:
    if len(content) != 8 * count:
        return None
    rows = (content[row::count] for row in range(count))
    return [int.from_bytes(row, "big") - 2**63 for row in rows]


def packed(content: bytes) -> str:
    return base64.b64encode(zlib.compress(content)).decode()


def unpacked(text: str) -> bytes:
    return zlib.decompress(base64.b64decode(text))
