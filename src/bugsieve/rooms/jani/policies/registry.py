"""Policies for models by their specs; the names are in `bugsieve.base.registry.families`."""

from __future__ import annotations

from typing import Protocol

from bugsieve.base.errors import PolicyError
from bugsieve.base.registry.families import FAMILIES
from bugsieve.base.registry.members import MemberInfo, MemberTable
from bugsieve.base.trust.trust import remember, trusting
from bugsieve.policies.limits import WorkerLimits
from bugsieve.policies.policy import PolicySettings
from bugsieve.rooms.jani.model.model import JaniModel, require_model
from bugsieve.rooms.jani.policies.policy import ModelPolicy


class Member(Protocol):
    """The method that a class must offer to be created from a spec."""

    def from_spec(
        self, model: JaniModel, argument: str | None, settings: PolicySettings
    ) -> ModelPolicy:
        """The policy for the spec `name:argument`."""
        ...


MODEL_POLICIES: MemberTable[Member] = MemberTable(FAMILIES["model-policies"], error=PolicyError)


def make_model_policy(
    spec: str,
    model: JaniModel,
    *,
    seed: int = 0,
    limits: WorkerLimits | None = None,
    trust_policy: bool = False,
) -> ModelPolicy:
    """The policy that a spec like `mlp:net.safetensors` names, bound to the model.

    It counts as typed by the user: whoever takes it from a file calls `require_trusted` first.
    `trust_policy` says yes to what the files say that it names.
    """
    _, member, argument = MODEL_POLICIES.parse(spec)
    settings = PolicySettings.of(seed, limits)
    require_model(model)
    remember(MODEL_POLICIES, spec)
    with trusting(trust_policy):
        return member.from_spec(model, argument, settings)


def check_model_spec(spec: str) -> None:
    """Raise the error of a spec that is wrong for every model, before there is a model."""
    MODEL_POLICIES.check(spec)


def list_model_policies() -> list[MemberInfo]:
    """All members that can be named in a spec, built-in ones first."""
    return MODEL_POLICIES.infos()
