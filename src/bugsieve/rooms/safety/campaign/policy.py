"""The equipment of a safety campaign: a policy bound to a model, and the walks it makes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from bugsieve.base.errors import UsageError
from bugsieve.base.registry.spec_folder import typed_in
from bugsieve.base.trust.trust import require_trusted
from bugsieve.campaigns.campaign import AnyPath, check_unchanged
from bugsieve.campaigns.kind import Beginning, kept_spec
from bugsieve.campaigns.store.progress import CampaignHeader
from bugsieve.pipeline.judging.findings import OracleRow
from bugsieve.rooms.jani.model.model import JaniModel, require_model
from bugsieve.rooms.jani.model.saved import SavedModel
from bugsieve.rooms.jani.policies.policy import ModelPolicy
from bugsieve.rooms.jani.policies.registry import (
    MODEL_POLICIES,
    check_model_spec,
    make_model_policy,
)
from bugsieve.rooms.safety.campaign.models import model_of
from bugsieve.rooms.safety.campaign.options import SafetyOptions
from bugsieve.rooms.safety.walks.unsafe_runs import UnsafeRunFuzzer

MODEL_FILE = "model.jani"


class SafetyEquipment:
    """The policy of a campaign and its walks."""

    def __init__(self, policy: ModelPolicy, options: SafetyOptions, *, owns_policy: bool) -> None:
        self.policy = policy
        self._owns_policy = owns_policy
        try:
            self.fuzzer = UnsafeRunFuzzer(
                policy.model, policy, options.fuzz, step_limit=options.step_limit
            )  # may refuse the model
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let go of the policy if it was made for the campaign."""
        if self._owns_policy:
            self.policy.close()


def check(options: SafetyOptions) -> None:
    """Refuse options that are wrong for every model."""
    check_model_spec(options.policy)


def begin(
    options: SafetyOptions, model: JaniModel | None, policy: ModelPolicy | None, states: None
) -> Beginning:
    """A new campaign."""
    if states is not None:
        raise UsageError("a safety campaign starts where its model says: states are not taken")
    if model is None and not options.model:
        raise UsageError("a safety campaign needs a model")
    loaded = require_model(model_of(options) if model is None else model)
    made = _made(options, loaded) if policy is None else policy
    equipment = SafetyEquipment(made, options, owns_policy=policy is None)
    try:
        spec = made.spec
        if policy is None:
            spec = kept_spec(MODEL_POLICIES, options.policy, spec)
        options = replace(options, policy=spec)
        header = CampaignHeader(
            options.to_toml(),
            SavedModel.of(loaded),
            options.policy,
            policy is not None,
            tuple(map(OracleRow, options.oracles)),
            made.fingerprint(),
        )
    except BaseException:
        equipment.close()
        raise
    return Beginning(header, equipment)


def equip(
    header: CampaignHeader, options: SafetyOptions, folder: Path, policy: ModelPolicy | None
) -> SafetyEquipment:
    """The equipment of a stored campaign; it goes on with the policy it began with."""
    if policy is not None and policy.spec != header.policy:
        raise UsageError(f"{folder}: tests {header.policy}, not {policy.spec}")
    made = _made(options, saved_model(folder, header)) if policy is None else policy
    equipment = SafetyEquipment(made, options, owns_policy=policy is None)
    try:
        check_unchanged(header, folder, made, command="safety")
    except BaseException:
        equipment.close()
        raise
    return equipment


def saved_model(directory: AnyPath, header: CampaignHeader) -> JaniModel:
    """The model of a campaign, as it was when the campaign was made."""
    saved: SavedModel = header.subject
    return saved.load(source=str(Path(directory, MODEL_FILE)))


@contextmanager
def policy_of(
    directory: AnyPath, header: CampaignHeader, *, policy: str | None = None
) -> Iterator[ModelPolicy]:
    """The policy of a campaign on its model, to look at its bugs; another one if it is named."""
    folder = Path(directory)
    options = SafetyOptions.from_toml(header.options, name=str(folder / "options.toml"))
    if policy is not None:
        check_model_spec(policy)
        options = replace(options, policy=policy, policy_folder="")
    elif header.policy_is_object:
        raise UsageError(f"{folder}: tests the Python object {header.policy}: name a policy")
    else:
        with typed_in(options.policy_folder):
            require_trusted(MODEL_POLICIES, options.policy, folder)
    with _made(options, saved_model(folder, header)) as made:
        yield made


def _made(options: SafetyOptions, model: JaniModel) -> ModelPolicy:
    seed, limits = options.policy_seed, options.policy_limits
    with typed_in(options.policy_folder):
        return make_model_policy(options.policy, model, seed=seed, limits=limits)
