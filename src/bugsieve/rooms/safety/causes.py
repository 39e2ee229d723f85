"""The causes of safety bugs: pure functions of the model and of certificates.

A key holds what the policy does, the safe action of the lowest number, and where the automata are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bugsieve.pipeline.bugs.cause import Cause
from bugsieve.rooms.jani.model.model import JaniModel
from bugsieve.rooms.safety.bugs.bug import safe_action_of
from bugsieve.rooms.safety.oracles.decide import Safety, SafetyDecider
from bugsieve.tasks.search_limits import Limits

LIMITS = Limits(expansions=1_000, bytes=1 << 28)
"""Of deciding a state: the same everywhere, for the cause depends on it."""


def safety_cause_of(model: JaniModel, certificate: Mapping[str, Any]) -> Cause:
    """The cause of the bug of a certificate, which must hold."""
    state = certificate["state"]
    safe = _first_safe_action(model, state, before=safe_action_of(certificate))
    places = (
        f"{variable.name} = {variable.locations[value]}"
        for variable, value in zip(model.variables, state, strict=True)
        if variable.locations
    )
    actions = (certificate["action_name"], model.actions[safe])
    return Cause(certificate["kind"], details=(*actions, *places))


def _first_safe_action(model: JaniModel, state: list[Any], *, before: int) -> int:
    """The first action all whose outcomes are safe, as far as the limits allow to tell.

    The proof has one, but which depends on what its oracle knew.
    """
    expansion = model.expand([model.state(state)])
    # It knows nothing of earlier states, or the answer would depend on them.
    decider = SafetyDecider(model.system, limits=LIMITS)
    for place, action in enumerate(expansion.actions.tolist()):
        begin, end = expansion.outcome_offsets[place : place + 2]
        outcomes = model.pack(expansion.outcomes[begin:end])
        if action >= before or np.all(decider.decide(outcomes).safety == Safety.SAFE):
            return int(min(action, before))
    return before
