"""Asks a policy again whether a safety bug is still there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bugsieve.base.errors import InputError, PolicyError
from bugsieve.base.wording import counted
from bugsieve.pipeline.bugs.replay import (
    ReplayResult,
    ReplayStatus,
    cannot_replay,
    first_difference,
)
from bugsieve.rooms.jani.policies.policy import ModelPolicy
from bugsieve.rooms.safety.bugs.bug import FAULT
from bugsieve.rooms.safety.checker import safety_claims
from bugsieve.rooms.safety.checker.jani_interpreter import (
    JaniInterpreter,
    ModelFaultError,
    RefusedModelError,
)
from bugsieve.rooms.safety.checker.safety import SafetyBugChecker
from bugsieve.rooms.safety.checker.safety_claims import CertificateError, State


def replay_safety(
    policy: ModelPolicy,
    certificate: Mapping[str, Any],
    *,
    checker: SafetyBugChecker | None = None,
) -> ReplayResult:
    """Check the certificate, then ask the policy twice in the states that matter.

    A fault is fixed if the policy now does something that cannot lead to a lost state. An
    avoidable bug is fixed if the recorded run into danger is no longer a run of the policy. One
    checker of the model may serve many bugs.
    """
    try:
        checker = SafetyBugChecker(policy.model.document) if checker is None else checker
        checker.check(certificate)
    except (CertificateError, RefusedModelError) as error:
        return cannot_replay(f"the certificate does not hold: {error}")
    before = policy.troubles.unanswered
    try:
        is_fault = certificate["kind"] == FAULT
        result = (_replay_fault if is_fault else _replay_run)(policy, checker.model, certificate)
    except (PolicyError, InputError, ModelFaultError) as error:
        return cannot_replay(str(error))
    if policy.troubles.unanswered > before:
        return cannot_replay(f"the policy gives no answer: {policy.troubles.sentences()[0]}")
    return result


def _flaky(position: int) -> ReplayResult:
    sentence = f"asked twice in the same state, the policy answers differently (step {position})"
    return ReplayResult(ReplayStatus.FLAKY, sentence, differs_at=position)


def _answers(policy: ModelPolicy, states: Sequence[Sequence[Any]]) -> list[int]:
    rows = np.array([policy.model.state(list(state)) for state in states])
    policy.forget()  # each answer must be the policy's own
    chosen: list[int] = policy.choose(rows).tolist()
    return chosen


def _replay_fault(
    policy: ModelPolicy, model: JaniInterpreter, certificate: Mapping[str, Any]
) -> ReplayResult:
    state = certificate["state"]
    first, second = _answers(policy, [state])[0], _answers(policy, [state])[0]
    if first != second:
        return _flaky(0)
    if first == certificate["action"]:
        return _same_decision(policy, model, certificate)
    shown = _name(policy, first)
    outcomes = model.transitions(tuple(state)).get(first)
    if not outcomes:
        sentence = f"the policy now chooses {shown}, which ends its run there, safely"
        return ReplayResult(ReplayStatus.FIXED, sentence, differs_at=0)
    if any(_is_lost(model, certificate, outcome) for outcome in outcomes):
        sentence = f"the policy now chooses {shown}, but that may lead to a lost state, too"
        return ReplayResult(ReplayStatus.STILL_FAILS, sentence, differs_at=0)
    sentence = f"the policy now chooses {shown}, which leads to no state that is known as lost"
    return ReplayResult(ReplayStatus.FIXED, sentence, differs_at=0)


def _is_lost(model: JaniInterpreter, certificate: Mapping[str, Any], state: State) -> bool:
    # Only states with a rank are known as lost, others may be. The decision is the policy's own,
    # hence no divergence, and leaves the whole budget.
    budget = certificate["radius"] or 0
    ranked = any(row[1] == budget and tuple(row[0]) == state for row in certificate["unsafe"])
    return ranked or model.kind(state) == safety_claims.UNSAFE


def _same_decision(
    policy: ModelPolicy, model: JaniInterpreter, certificate: Mapping[str, Any]
) -> ReplayResult:
    """A radius counts divergences from the policy as it was: the proof must hold of it now."""
    sentence = f"the policy still chooses {certificate['action_name']!r}"
    if certificate["radius"] is None:
        return ReplayResult(ReplayStatus.STILL_FAILS, sentence)
    states = [tuple(row[0]) for key in ("safe", "unsafe") for row in certificate[key]]
    states = list(dict.fromkeys([tuple(certificate["state"]), *states]))
    answers = dict(zip(states, _answers(policy, states), strict=True))
    claim = {key: certificate[key] for key in ("radius", "state", "action", "outcome")}
    parts = {"radius": claim["radius"], "state": claim["state"]}
    lost = {"radius": claim["radius"], "state": claim["outcome"]}
    safe = {"kind": "safe", **parts, "table": certificate["safe"]}
    unsafe = {"kind": "unsafe", **lost, "ranking": certificate["unsafe"]}
    proof = {"kind": "fault", **claim, "safe": safe, "unsafe": unsafe}
    try:
        safety_claims.check(_PolicyModel(model, answers), proof)
    except CertificateError:
        radius = counted(certificate["radius"], "divergence")
        return cannot_replay(f"{sentence}, but differs elsewhere: the proof for {radius} is void")
    return ReplayResult(ReplayStatus.STILL_FAILS, sentence)


class _PolicyModel:
    """The model with the policy as it is now."""

    def __init__(self, model: JaniInterpreter, answers: Mapping[State, int]) -> None:
        self.kind = model.kind
        self.transitions = model.transitions
        self.policy = answers.get


def _replay_run(
    policy: ModelPolicy, model: JaniInterpreter, certificate: Mapping[str, Any]
) -> ReplayResult:
    run = certificate["run"]
    states, recorded = run["states"], run["actions"]
    chosen, again = _answers(policy, states[:-1]), _answers(policy, states[:-1])
    between = first_difference(chosen, again)
    if between is not None:
        return _flaky(between)
    change = first_difference(chosen, recorded)
    steps = counted(len(recorded), "step")
    if change is None:
        sentence = f"the policy does the same again: danger after {steps}"
        return ReplayResult(ReplayStatus.STILL_FAILS, sentence)
    # Another action may have the same outcome: the run is gone only where the recorded next state
    # cannot follow any more.
    for position, action in enumerate(chosen):
        outcomes = model.transitions(tuple(states[position])).get(action, ())
        if tuple(states[position + 1]) not in outcomes:
            shown = _name(policy, action)
            sentence = f"at step {position} the policy now chooses {shown}, which leaves the run"
            return ReplayResult(ReplayStatus.FIXED, sentence, differs_at=position)
    sentence = f"the policy acts differently at step {change}, but the run into danger remains"
    return ReplayResult(ReplayStatus.STILL_FAILS, sentence, differs_at=change)


def _name(policy: ModelPolicy, action: int) -> str:
    names = policy.model.actions
    return repr(names[action]) if 0 <= action < len(names) else "no action"
