"""Transition systems that are given as graphs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bugsieve import _native
from bugsieve.base.errors import UsageError
from bugsieve.rooms.safety.oracles.decide import SafetyDecider


class Kind(IntEnum):
    """What a state is; a goal that is unsafe counts as unsafe."""

    ORDINARY = 0
    GOAL = 1
    UNSAFE = 2


def graph_system(
    kinds: Sequence[int],
    transitions: Sequence[Mapping[int, Sequence[int]]],
    distances: Sequence[float] | None = None,
) -> _native.ExplicitSystem:
    """The system with one state per kind; transitions[s] has the outcomes of each action in s.

    `distances` estimates how far each state is from danger, for fuzzing.
    """
    if len(kinds) != len(transitions):
        raise UsageError(f"{len(kinds)} kinds, but transitions of {len(transitions)} states")
    actions: list[int] = []
    outcomes: list[int] = []
    state_offsets, outcome_offsets = [0], [0]
    for choices in transitions:
        for action in sorted(choices):
            actions.append(action)
            outcomes.extend(dict.fromkeys(choices[action]))
            outcome_offsets.append(len(outcomes))
        state_offsets.append(len(actions))
    return graph_from_arrays(
        np.array(kinds, dtype=np.uint8),
        np.array(state_offsets, dtype=np.uint32),
        np.array(actions, dtype=np.int32),
        np.array(outcome_offsets, dtype=np.uint32),
        np.array(outcomes, dtype=np.uint32),
        None if distances is None else np.array(distances, dtype=np.float64),
    )


def graph_from_arrays(
    kinds: NDArray[np.uint8],
    state_offsets: NDArray[np.uint32],
    actions: NDArray[np.int32],
    outcome_offsets: NDArray[np.uint32],
    outcomes: NDArray[np.uint32],
    distances: NDArray[np.float64] | None = None,
) -> _native.ExplicitSystem:
    """The system in flat arrays, as `_native.ExplicitSystem.from_arrays` describes them."""
    try:
        return _native.ExplicitSystem.from_arrays(
            kinds,
            state_offsets,
            actions,
            outcome_offsets,
            outcomes,
            int(actions.max(initial=-1)) + 1,
            distances,
        )
    except ValueError as error:
        raise UsageError(f"this is no transition system: {error}") from None


def certificate_of(decider: SafetyDecider, state: Sequence[int]) -> dict[str, Any]:
    """The proof of a verdict on one state, for `checkers.safety_claims`; raises as `proof`."""
    proof = decider.proof(state)
    columns = (proof.states.tolist(), proof.first.tolist(), proof.second.tolist())
    return {
        "kind": "safe" if proof.is_safe else "unsafe",
        "radius": decider.radius,
        "state": [int(word) for word in state],
        "table" if proof.is_safe else "ranking": [list(row) for row in zip(*columns, strict=True)],
    }
