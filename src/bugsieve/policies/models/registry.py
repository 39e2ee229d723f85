"""Policies for models by their specs; the names are in `bugsieve.policies.members`."""

from __future__ import annotations

from typing import Protocol

from bugsieve.policies.members import (
    MODEL_FAMILY,
    TASK_FAMILY,
    Described,
    MemberTable,
    PolicyInfo,
)
from bugsieve.policies.models.policy import ModelPolicy
from bugsieve.policies.policy import PolicySettings
from bugsieve.policies.worker import WorkerLimits
from bugsieve.tasks.jani.model import JaniModel, require_model


class Member(Described, Protocol):
    """What a class must offer to be created from a spec."""

    def from_spec(
        self, model: JaniModel, argument: str | None, settings: PolicySettings
    ) -> ModelPolicy:
        """The policy for the spec `name:argument`."""
        ...


_MEMBERS: MemberTable[Member] = MemberTable(MODEL_FAMILY, other=TASK_FAMILY)


def make_model_policy(
    spec: str, model: JaniModel, *, seed: int = 0, limits: WorkerLimits | None = None
) -> ModelPolicy:
    """The policy that a spec like `mlp:net.safetensors` names, bound to the model."""
    _, member, argument = _MEMBERS.parse(spec)
    settings = PolicySettings.of(seed, limits)
    return member.from_spec(require_model(model), argument, settings)


def check_model_spec(spec: str) -> None:
    """Raise the error of a spec that is wrong for every model, before there is a model."""
    _MEMBERS.check(spec)


def list_model_policies() -> list[PolicyInfo]:
    """All members that can be named in a spec, built-in ones first."""
    return _MEMBERS.infos()
