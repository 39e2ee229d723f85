"""Asks a policy about states; what it does wrong becomes a failure of the state it concerns."""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import Any, cast

import numpy as np

from bugsieve.base.errors import PolicyError, UsageError
from bugsieve.base.stopping import check_stop
from bugsieve.policies.decisions import Decisions, Ending, Failure
from bugsieve.policies.distributions import Distributions, Weights
from bugsieve.policies.policy import FalliblePolicy, Policy, policy_name
from bugsieve.policies.traces import trace_text, traceback_of
from bugsieve.policies.worker import printable
from bugsieve.tasks.grounded.task import NO_ACTION, StateArray, Task

_IDS = np.iinfo(np.int32)


def check_policy(policy: object, task: Task | None = None) -> None:
    """Raise UsageError unless this is a policy, bound to its task: to this one, if it is given."""
    if isinstance(policy, type):
        raise UsageError(f"{policy.__name__} is a class, not a policy: create an object of it")
    is_array = isinstance(policy, (np.ndarray, np.generic))  # it has a `choose` of its own
    if is_array or not any(callable(getattr(policy, name, None)) for name in ("choose", "decide")):
        shown = printable(repr(policy), limit=80)
        raise UsageError(
            f"{shown} is no policy: pass an object with a method choose(states), a function under "
            "@bugsieve.policy, or bugsieve.make_policy(SPEC, task)"
        )
    name = next(name for name in ("decide", "choose") if getattr(policy, name, None) is not None)
    _check_takes_states(policy, name, getattr(policy, name))
    bound = getattr(policy, "task", None)
    if task is None or bound is task or not isinstance(bound, Task):
        return
    if bound.to_sas() != task.to_sas():
        raise UsageError(f"the policy is bound to {bound.name}, not to {task.name}")


def _check_takes_states(policy: object, name: str, method: Any) -> None:
    try:
        signature = inspect.signature(method)
    except (TypeError, ValueError):  # built in C without a signature
        return
    try:
        signature.bind(None)
    except TypeError:
        owner = type(policy).__name__
        raise UsageError(
            f"{owner}.{name}{signature} cannot be called with a batch of states alone"
        ) from None


def is_ours(policy: object) -> bool:
    """Return true if our code computes its answers, which our tests prove equal in every batch.

    A class says so itself: a class derived from it does not inherit the promise.
    """
    return "is_ours" in vars(type(policy)) and bool(policy.is_ours)  # type: ignore[attr-defined]


def decide_anew(policy: Policy, states: StateArray, *, hash_seed: int | None = None) -> Decisions:
    """Ask past every cache: a second process if the policy is a program.

    `hash_seed` is for policies that have one. What is raised is a crash in every state, but for
    a PolicyError, as `decide` has it.
    """
    ask = getattr(policy, "decide_anew", None)
    try:
        if ask is None:
            return decide(policy, states)
        return cast(Decisions, ask(states, hash_seed=hash_seed))
    except PolicyError:
        raise
    except Exception as error:
        return Decisions.of([crash(error)] * len(states))


def decide(policy: Policy, states: StateArray) -> Decisions:
    """Ask any policy; all that it raises, SystemExit too, is a crash in the state it concerns.

    A batch that fails is asked again in halves, so that the blame does not depend on its size. An
    answer of the wrong shape is a PolicyError, and so is one that `decide` of the policy raises.
    """
    states = states.view()
    states.setflags(write=False)  # the caller's array is not the policy's to change
    whole = _answer(policy, states)
    if isinstance(whole, Decisions):
        return whole
    actions = np.full(len(states), NO_ACTION, dtype=np.int32)
    failures: dict[int, Failure] = {}
    # Halves, not single states: one failing state among n costs about 2 log n questions. A state
    # is blamed only when it fails alone, so the blame does not depend on the batch it came in.
    pending = [(0, len(states), whole)]
    while pending:
        start, stop, failure = pending.pop()
        if stop - start == 1:
            failures[start] = failure
            continue
        middle = (start + stop) // 2
        for low, high in ((start, middle), (middle, stop)):
            answer = _answer(policy, states[low:high])
            if isinstance(answer, Failure):
                pending.append((low, high, answer))
            else:
                actions[low:high] = answer.actions
                failures.update((low + row, why) for row, why in answer.failures.items())
    return Decisions(actions, failures)


def weigh(policy: Policy, states: StateArray) -> Distributions:
    """Ask any policy for distributions; one that only decides gives its action all the weight.

    What it raises is a crash in the state it concerns, and an answer of the wrong shape is a
    PolicyError, both as for `decide`.
    """
    ask = getattr(policy, "distributions", None)
    if ask is None:
        return Distributions.certain(decide(policy, states))
    states = states.view()
    states.setflags(write=False)
    check_stop()
    try:
        answer = ask(states)
    except PolicyError:
        raise
    except (Exception, SystemExit) as error:
        if len(states) < 2:
            return Distributions.of([crash(error)] * len(states))
        middle = len(states) // 2  # the blame must not depend on the batch, as above
        return Distributions.joined(weigh(policy, states[:middle]), weigh(policy, states[middle:]))
    return _checked_distributions(policy, answer, len(states))


def weigh_anew(
    policy: Policy, states: StateArray, *, hash_seed: int | None = None
) -> Distributions:
    """The same past every cache, as `decide_anew` does."""
    if not hasattr(policy, "distributions"):
        return Distributions.certain(decide_anew(policy, states, hash_seed=hash_seed))
    ask = getattr(policy, "distributions_anew", None)
    try:
        if ask is None:
            return weigh(policy, states)
        return cast(Distributions, ask(states, hash_seed=hash_seed))
    except PolicyError:
        raise
    except Exception as error:
        return Distributions.of([crash(error)] * len(states))


def legal_rows(task: Task, states: StateArray, answers: Distributions) -> list[Weights | Failure]:
    """The distribution of each state; a failure for a malformed one or an illegal action."""
    rows = [answers.row(row) for row in range(len(states))]
    pairs = [
        (row, action)
        for row, weights in enumerate(rows)
        if not isinstance(weights, Failure)
        for action, _ in weights
    ]
    known = [(row, action) for row, action in pairs if 0 <= action < task.num_operators]
    places, actions = [row for row, _ in known], [action for _, action in known]
    able = task.is_applicable(states[places], np.array(actions, dtype=np.int32))
    legal = {pair for pair, is_able in zip(known, able.tolist(), strict=True) if is_able}
    for row, action in reversed(pairs):
        if (row, action) not in legal:
            rows[row] = _illegal_action(task, action)
    return rows


def _illegal_action(task: Task, action: int) -> Failure:
    if not 0 <= action < task.num_operators:
        return replace(no_such_action(action), action=action)
    name = task.operator_names[action]
    return Failure(Ending.ILLEGAL_ACTION, f'"{name}" is not applicable', action=action)


def _checked_distributions(policy: Policy, answer: object, expected: int) -> Distributions:
    if not isinstance(answer, Distributions):
        got = type(answer).__name__
        name = policy_name(policy)
        raise PolicyError(f"policy {name} must give Distributions, not {got}")
    try:
        actions, offsets = np.asarray(answer.actions), np.asarray(answer.offsets)
        weights = np.asarray(answer.weights, dtype=np.float64)
        fits = offsets.shape == (expected + 1,) and actions.shape == weights.shape == (
            offsets[-1],
        )
        fits = fits and actions.dtype.kind in "iu" and offsets.dtype.kind in "iu"
        fits = fits and offsets[0] == 0 and bool((np.diff(offsets.astype(np.int64)) >= 0).all())
        fits = fits and all(row in range(expected) for row in answer.failures)
    except (ValueError, TypeError, OverflowError):
        fits = False
    if not fits:
        raise PolicyError(
            f"policy {policy_name(policy)} must give flat actions and weights of one length, and "
            f"{expected + 1} ascending offsets from 0 to that length"
        )
    return Distributions(actions, weights, offsets, answer.failures)


def crash(error: BaseException) -> Failure:
    """The failure of a policy that raised this."""
    name = type(error).__name__
    try:
        text = str(error)
    except Exception:  # the exception is the policy's own, and so are its mistakes
        text = ""
    detail = printable(f"{name}: {text}" if text else name)
    return Failure(Ending.POLICY_CRASH, detail, trace=trace_text(traceback_of(error), ""))


def no_such_action(action: int) -> Failure:
    """The failure of a policy that chose a number which does not belong to an operator."""
    return Failure(Ending.ILLEGAL_ACTION, f"there is no action with id {action}")


def _answer(policy: Policy, states: StateArray) -> Decisions | Failure:
    check_stop()
    # As isinstance(policy, FalliblePolicy), which takes longer than many a decision.
    if not hasattr(policy, "decide"):
        try:
            actions = policy.choose(states)
        except (Exception, SystemExit) as error:
            return crash(error)
        return _checked(policy, Decisions(actions), len(states))
    try:
        decisions = cast(FalliblePolicy, policy).decide(states)
    except PolicyError:
        raise
    except (Exception, SystemExit) as error:
        return crash(error)
    if not isinstance(decisions, Decisions):
        got = type(decisions).__name__
        raise PolicyError(f"policy {policy_name(policy)} must decide by Decisions, not by {got}")
    return _checked(policy, decisions, len(states))


def _checked(policy: Policy, decisions: Decisions, expected: int) -> Decisions:
    array = _as_array(policy, decisions.actions)
    if array.shape != (expected,) or array.dtype.kind not in "iu":
        raise PolicyError(
            f"policy {policy_name(policy)} must answer an integer array of shape ({expected},), "
            f"not {array.dtype} of shape {array.shape}"
        )
    if any(row not in range(expected) for row in decisions.failures):
        raise PolicyError(
            f"policy {policy_name(policy)} reports a failure in a row beyond {expected - 1}"
        )
    if array.dtype == np.int32:
        return Decisions(array, decisions.failures)
    large = (array < _IDS.min) | (array > _IDS.max)
    unknown = {int(row): no_such_action(int(array[row])) for row in np.flatnonzero(large)}
    actions = np.where(large, NO_ACTION, array).astype(np.int32)
    return Decisions(actions, {**unknown, **decisions.failures})


def _as_array(policy: Policy, actions: Any) -> np.ndarray[Any, np.dtype[Any]]:
    try:
        return np.asarray(actions)
    except (ValueError, TypeError, OverflowError):
        shown = printable(repr(actions), limit=80)
        raise PolicyError(
            f"policy {policy_name(policy)} must answer an integer array, not {shown}"
        ) from None
