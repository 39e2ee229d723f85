"""Differences between experiments on cost and on safety; all else is the same for both."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from bugsieve.base.errors import InputError
from bugsieve.campaigns.option_tables import options_of
from bugsieve.campaigns.options import CostOptions, usual_oracles
from bugsieve.pipeline.oracles.registry import check_oracle_spec
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.policies.registry import check_spec
from bugsieve.rooms.jani.policies.registry import check_model_spec
from bugsieve.rooms.lab.experiments.checked_values import checked_keys, placed
from bugsieve.rooms.lab.experiments.instances import Instance, read_instances
from bugsieve.rooms.lab.experiments.models import read_models
from bugsieve.rooms.safety.campaign.options import DEFAULT_SAFETY_ORACLES, SafetyOptions
from bugsieve.rooms.safety.oracles.registry import check_safety_spec
from bugsieve.rooms.safety.walks.options import SafetyFuzzOptions
from bugsieve.rooms.training.options import QOptions

AnyFuzzOptions = FuzzOptions | SafetyFuzzOptions

_OF_THE_GRID = (
    *("task", "model", "property_name", "constants", "policy", "policy_folder"),
    *("policy_seed", "oracles"),
    *("from_states", "pool_from", "workers", "seed"),
)
"""Options that the grid decides on, or that make no sense for a whole grid."""


@dataclass(frozen=True)
class ExperimentKind:
    """A kind of experiments."""

    table: str
    """Each of its tables stands for a block of the grid."""
    options: type[Any]
    fuzz: type[Any]
    blank: Mapping[str, Any]
    """Options that the grid fills in, and those with another default than single campaigns."""
    usual_oracles: Callable[[Mapping[str, Any]], Sequence[str]]
    """The usual judges under the settings of [campaign], where the file names none."""
    check_oracle: Callable[[str], None]
    check_policy: Callable[[str], None]
    read_instances: Callable[[Any, str, Path], list[Instance]]
    can_train: bool

    @property
    def campaign_keys(self) -> list[str]:
        """The keys that [campaign] may have."""
        return [field.name for field in fields(self.options) if field.name not in _OF_THE_GRID]

    @property
    def fuzz_keys(self) -> list[str]:
        """The keys that describe a fuzzer."""
        return [field.name for field in fields(self.fuzz) if field.name not in _OF_THE_GRID]


COST = ExperimentKind(
    "domains",
    CostOptions,
    FuzzOptions,
    {"task": [], "policy": "", "escalate_to": 0, "whole": "no"},
    lambda campaign: usual_oracles(str(campaign.get("objective", CostOptions.objective))),
    check_oracle_spec,
    check_spec,
    read_instances,
    can_train=False,
)
SAFETY = ExperimentKind(
    "models",
    SafetyOptions,
    SafetyFuzzOptions,
    {"model": [], "policy": "", "whole": "no"},
    lambda campaign: DEFAULT_SAFETY_ORACLES,
    check_safety_spec,
    check_model_spec,
    read_models,
    can_train=True,
)


def training_of(table: Any, place: str) -> QOptions:
    """The options of a training that stands in the place of a policy: `{ train = { … } }`."""
    if "train" not in checked_keys(table, ("train",), place):
        raise InputError(f"{place}: must be a text, or a table that says how to 'train' it")
    train = table["train"]
    here = f"{place}: train"
    known = [field.name for field in fields(QOptions)]
    with placed(here):
        return options_of(QOptions, checked_keys(train, known, here), place=here)
