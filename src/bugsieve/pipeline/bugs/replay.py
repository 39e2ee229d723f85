"""Asks the policy again whether a bug is still there."""

from __future__ import annotations

import enum
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bugsieve.base.wording import counted
from bugsieve.checkers.cost import CertificateError
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.certificate import from_json_number
from bugsieve.pipeline.bugs.checking import check_certificate
from bugsieve.pipeline.objectives import objective_class
from bugsieve.policies.decisions import Ending
from bugsieve.policies.runs import Run, runs_of
from bugsieve.tasks.grounded.task import StateArray

_EXPLAINED = (Ending.ILLEGAL_ACTION, Ending.POLICY_CRASH, Ending.POLICY_HANG)
"""Endings of which the reader wants to know why."""


class ReplayStatus(enum.Enum):
    """The possible results of a replay."""

    STILL_FAILS = "STILL FAILS"
    IMPROVED = "IMPROVED"
    """The run failed and reaches the goal now, but not as well as it could: still a bug."""
    FIXED = "FIXED"
    FLAKY = "FLAKY"
    """Two runs from the same state differ: the policy is not deterministic."""
    CANNOT_REPLAY = "CANNOT REPLAY"


@dataclass(frozen=True)
class ReplayResult:
    """The status, a sentence that explains it, and the new run where there is one."""

    status: ReplayStatus
    sentence: str
    run: Run | None = None
    differs_at: int | None = None
    """The first step at which the policy no longer does what the certificate says."""


@dataclass(frozen=True)
class _Attempt:
    run: Run
    value: float
    decided: int
    """Steps up to where the objective's verdict on the run is settled."""


def replay(bench: Bench, certificate: Mapping[str, Any]) -> ReplayResult:
    """Check the certificate, then run the policy twice from its state, asking everything anew."""
    try:
        check_certificate(bench.task.to_sas(), certificate)
    except CertificateError as error:
        return cannot_replay(f"the certificate does not hold: {error}")
    if certificate["objective"] != bench.objective.spec:
        other = objective_class(certificate["objective"]).shown(certificate["objective"])
        return cannot_replay(f"the bug is one of the objective {other}")
    state = np.array(certificate["state"], dtype=np.uint16)
    first, second = _attempt(bench, state), _attempt(bench, state)
    between = first_difference(_steps(first), _steps(second))
    if between is not None:
        sentence = f"two runs of the policy from the same state differ at step {between + 1}"
        return ReplayResult(ReplayStatus.FLAKY, sentence, second.run, between)
    if "chances" in certificate["run"]:
        return _judged_by_chance(bench, certificate, first, second)
    return _judged(bench, certificate, first)


def cannot_replay(sentence: str) -> ReplayResult:
    """The result where nothing can be found out."""
    return ReplayResult(ReplayStatus.CANNOT_REPLAY, sentence)


def _attempt(bench: Bench, state: StateArray) -> _Attempt:
    runs = bench.afresh().runs(state)
    (run,) = runs_of(runs)
    settled = bench.objective.settled_at(run.states(bench.task), run.actions)
    decided = len(run.actions) if settled is None else settled
    value = bench.objective.at_best(float(bench.values(runs)[0]), run.ending.label, run.cost)
    return _Attempt(run, value, decided)


def _steps(attempt: _Attempt) -> list[object]:
    """The data by which two runs are compared: their actions, then their ending."""
    run = attempt.run
    ends_early = attempt.decided < len(run.actions)
    return [*run.actions[: attempt.decided], None if ends_early else run.ending.label]


def first_difference(one: Sequence[object], other: Sequence[object]) -> int | None:
    """The first step at which two runs part; None if they are the same."""
    if one == other:
        return None
    pairs = enumerate(zip(one, other, strict=False))
    return next((step for step, (a, b) in pairs if a != b), min(len(one), len(other)))


def _judged(bench: Bench, certificate: Mapping[str, Any], attempt: _Attempt) -> ReplayResult:
    run, differs_at = attempt.run, _change(bench, certificate, attempt)
    steps = counted(attempt.decided, "step")
    detail = f" ({run.detail})" if run.ending in _EXPLAINED else ""
    is_bug = bench.objective.is_bug(attempt.value, float(certificate["value"]))
    is_open = run.ending is Ending.STEP_LIMIT and not is_bug  # it may become worse yet
    if np.isnan(attempt.value) or is_open:
        sentence = (
            f"the policy's run ended by {run.ending.label} after {steps}{detail}: "
            "that tells nothing"
        )
        return ReplayResult(ReplayStatus.CANNOT_REPLAY, sentence, run, differs_at)
    if differs_at is None:
        ending = certificate["run"]["ending"]
        same = detail if ending == run.ending.label else ""
        sentence = f"the policy does the same again: {ending} after {steps}{same}"
        return ReplayResult(ReplayStatus.STILL_FAILS, sentence, run)
    where = f"the policy acts differently from step {differs_at + 1} on"
    if is_bug and _reaches_now(bench, certificate, attempt):
        sentence = f"{where} and reaches the goal now, but not as well as the plan does"
        costs = f" (cost {run.cost}; the plan: {certificate['plan']['cost']})"
        sentence += costs if bench.objective.costs_count else ""
        return ReplayResult(ReplayStatus.IMPROVED, sentence, run, differs_at)
    if is_bug:
        sentence = (
            f"{where}, but its run ({run.ending.label}) is still worse than the plan{detail}"
        )
        return ReplayResult(ReplayStatus.STILL_FAILS, sentence, run, differs_at)
    sentence = f"{where}, and its run ({run.ending.label}) is now as good as the plan"
    return ReplayResult(ReplayStatus.FIXED, sentence, run, differs_at)


def _reaches_now(bench: Bench, certificate: Mapping[str, Any], attempt: _Attempt) -> bool:
    """Return true if a run that lost all there is to lose has become one that loses less."""
    lost_all = math.isinf(from_json_number(certificate["gap"]))
    gap = bench.objective.gap(attempt.value, float(certificate["value"]))
    return lost_all and attempt.run.ending is Ending.SOLVED and math.isfinite(gap)


def _judged_by_chance(
    bench: Bench, certificate: Mapping[str, Any], first: _Attempt, second: _Attempt
) -> ReplayResult:
    """The present value of a policy whose distributions count; one run of many shows why."""
    run, value = first.run, first.value
    if value != second.value and not (np.isnan(value) and np.isnan(second.value)):
        sentence = f"the policy is worth {value:.6g} and then {second.value:.6g} in the same state"
        return ReplayResult(ReplayStatus.FLAKY, sentence, second.run)
    if np.isnan(value):
        why = run.detail or run.ending.label
        return ReplayResult(ReplayStatus.CANNOT_REPLAY, f"that tells nothing: {why}", run)
    words = f"the policy reaches the goal with {bench.objective.in_words(value)}"
    if not bench.objective.is_bug(value, float(certificate["value"])):
        return ReplayResult(ReplayStatus.FIXED, f"{words} now", run)
    before = certificate["policy_value"]
    known = "as before" if value == before else f"before it was {before:.4g}"
    return ReplayResult(ReplayStatus.STILL_FAILS, f"{words}, {known}", run)


def _change(bench: Bench, certificate: Mapping[str, Any], attempt: _Attempt) -> int | None:
    """The first step at which the run is not the certificate's."""
    recorded = certificate["run"]
    settled = recorded["ending"] == bench.objective.settled_ending
    if settled and attempt.run.actions[: attempt.decided] == tuple(recorded["operators"]):
        return None if attempt.value == certificate["policy_value"] else attempt.decided
    return first_difference(
        [*recorded["operators"], None if settled else recorded["ending"]], _steps(attempt)
    )
