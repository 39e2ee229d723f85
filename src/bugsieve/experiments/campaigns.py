"""Campaigns of an experiment, of whatever kind: what they were begun with, and opening them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.option_tables import table_of
from bugsieve.campaigns.options import CampaignOptions
from bugsieve.campaigns.safety.campaign import SafetyCampaign
from bugsieve.campaigns.safety.options import SafetyOptions
from bugsieve.experiments.file import Cell
from bugsieve.experiments.kinds import AnyOptions
from bugsieve.experiments.models import ModelInstance, load_files
from bugsieve.results.folder import OPTIONS_FILE
from bugsieve.results.records import Records
from bugsieve.results.safety.records import SafetyRecords
from bugsieve.results.schema import STORE_FILE
from bugsieve.tasks.jani.model import JaniModel


def state_of(folder: Path, cell: Cell) -> tuple[bool, str | None]:
    """Whether the campaign in the folder is finished, and what it has that the cell has not."""
    if isinstance(cell.options, CampaignOptions):
        with Records(folder) as records:
            task, text = records.header.task, records.header.options
            is_finished = records.progress().finished is not None
        is_same = (task.domain, task.problem) == cell.instance.texts
        return is_finished, _difference(cell, text, is_same, folder, "task")
    assert isinstance(cell.instance, ModelInstance)
    with SafetyRecords(folder) as safety_records:
        header = safety_records.header
        is_finished = safety_records.progress().finished is not None
    is_same = header.document_json() == json.loads(cell.instance.document)
    return is_finished, _difference(cell, header.options, is_same, folder, "model")


def open_campaign(folder: Path, options: AnyOptions) -> Campaign | SafetyCampaign:
    """The campaign in the folder, or a new one with these options."""
    exists = (folder / STORE_FILE).exists()
    if isinstance(options, CampaignOptions):
        return Campaign.open(folder) if exists else Campaign.create(folder, options)
    if exists:
        return SafetyCampaign.open(folder)
    return SafetyCampaign.create(folder, options, model_of(options))


def model_of(options: SafetyOptions) -> JaniModel:
    """The model that the options name."""
    return load_files([*options.model], options.constants, options.property_name)


def _difference(cell: Cell, text: str, is_same: bool, folder: Path, what: str) -> str | None:
    """What the campaign has that the cell has not, in half a sentence."""
    if not is_same:
        return f"the {what} {cell.instance.name} is another one"
    had = _flat(type(cell.options).from_toml(text, name=str(folder / OPTIONS_FILE)))
    for name, value in _flat(cell.options).items():
        if had.get(name) != value and name not in _NAMES_OF_FILES:
            if name == "policy" and cell.training is not None:
                continue  # the name of a file, too
            return f"{name} was {had.get(name)!r} and is {value!r}"
    return None


_NAMES_OF_FILES = ("task", "model", "property_name", "constants")
"""The folder may have been moved meanwhile; the contents have been compared."""


def _flat(options: AnyOptions) -> dict[str, Any]:
    """The options as they are written to a file, without the tables they are in."""
    flat: dict[str, Any] = {}
    for name, value in table_of(options).items():
        if isinstance(value, Mapping):
            flat.update({f"{name}.{inner}": part for inner, part in value.items()})
        else:
            flat[name] = value
    return flat
