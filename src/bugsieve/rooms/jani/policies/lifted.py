"""Python functions and objects as policies of a model, asked in this process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from bugsieve.base.errors import UsageError
from bugsieve.policies.asking import check_policy, decide
from bugsieve.policies.decisions import Decisions
from bugsieve.policies.fingerprints import Fingerprinted, policy_fingerprint
from bugsieve.policies.foreign.function_policy import bound_function, call
from bugsieve.policies.limits import WorkerLimits
from bugsieve.policies.policy import Bindable, Policy, policy_name
from bugsieve.policies.task_view import StateFunction, required_parameters
from bugsieve.rooms.jani.model.model import JaniModel, Valuations
from bugsieve.rooms.jani.policies.fallible import (
    ApplicableActions,
    FallibleModelPolicy,
    StateReader,
)
from bugsieve.rooms.jani.policies.model_view import ModelView
from bugsieve.rooms.jani.policies.policy import ModelPolicy
from bugsieve.rooms.jani.policies.registry import make_model_policy


def as_model_policy(
    policy: object, model: JaniModel, *, seed: int = 0, limits: WorkerLimits | None = None
) -> ModelPolicy:
    """Bind an object that can serve as a policy to the model.

    - a spec like `"mlp:net.safetensors"`, or a policy that is bound to this model already;
    - a function `f(values, applicable)` or `f(values, applicable, model)` of one state, plain or
      under `@bugsieve.policy`, that returns an action name or None;
    - a function of one argument, or an object with a method `choose`, that maps an array of states
      (rows of float64) to an array of action numbers, -1 for none.
    """
    if isinstance(policy, str):
        return make_model_policy(policy, model, seed=seed, limits=limits)
    if isinstance(policy, ModelPolicy):
        return _bound(policy, model)
    if isinstance(policy, Bindable):
        return cast(ModelPolicy, policy.bind(model))
    if callable(policy) and not hasattr(policy, "choose") and not isinstance(policy, type):
        if required_parameters(policy) >= 2:
            return FunctionModelPolicy(model, policy)
        return BatchPolicy(model, _BatchFunction(policy))
    return BatchPolicy(model, policy)


class FunctionModelPolicy(FallibleModelPolicy):
    """Calls a function for each state; what it raises is a crash in that state."""

    subject_type = JaniModel

    def __init__(self, model: JaniModel, function: StateFunction) -> None:
        super().__init__(model, f"function:{_name(function)}")
        self._function = bound_function(function, ModelView.of(model))
        self._reader = StateReader(model)

    def decide(self, states: Valuations, applicable: ApplicableActions) -> Decisions:
        """One action per state, or the exception that the function raised there."""
        return Decisions.of(
            self._reader.decision(
                call(self._function, dict(question.values), list(question.applicable))
            )
            for question in self._reader.questions(states, applicable)
        )


class BatchPolicy(FallibleModelPolicy):
    """Asks an object with `choose(states)`; a batch that it cannot answer is asked in halves."""

    def __init__(self, model: JaniModel, policy: object) -> None:
        check_policy(policy)
        super().__init__(model, f"object:{policy_name(cast(Policy, policy))}")
        self._policy = cast(Policy, policy)

    def decide(self, states: Valuations, applicable: ApplicableActions) -> Decisions:
        """One action per state, or the exception that the object raised there."""
        return decide(self._policy, cast(Any, states))

    def fingerprint(self) -> str:
        """The object's own, or its class."""
        return policy_fingerprint(self._policy)


class _BatchFunction(Fingerprinted):
    """A function of a batch of states under the name `choose`."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.spec = _name(function)
        self.choose = function


def _name(function: Callable[..., Any]) -> str:
    return str(getattr(function, "__name__", type(function).__name__))


def _bound(policy: ModelPolicy, model: JaniModel) -> ModelPolicy:
    if policy.model is not model and policy.model.document != model.document:
        raise UsageError(
            f"policy {policy.spec} is bound to {policy.model.name}, not to {model.name}"
        )
    return policy
