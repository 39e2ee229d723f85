"""Campaigns of an experiment, of every kind: their stored settings, and opening them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bugsieve.base.errors import BugsieveError
from bugsieve.base.trust.trust import trusting
from bugsieve.campaigns.campaign import Campaign, read_campaign
from bugsieve.campaigns.kind import (
    KINDS,
    kind_in,
    require_trusted_oracles,
    require_trusted_policy,
)
from bugsieve.campaigns.option_tables import table_of
from bugsieve.campaigns.options import CampaignOptions
from bugsieve.campaigns.several.index import Index
from bugsieve.campaigns.several.several import campaigns_in
from bugsieve.campaigns.store.progress import CampaignHeader
from bugsieve.campaigns.store.schema import STORE_FILE
from bugsieve.pipeline.objectives import make_objective
from bugsieve.rooms.lab.experiments.grid import Cell


def undone(directory: Path, index: Index) -> list[str]:
    """The campaigns of an experiment that have not come to their end, by their folders."""
    # Search the folders: names in an index may be a stranger's.
    found = {path.relative_to(directory).as_posix(): path for path in campaigns_in(directory)}
    return [name for name in index.entries if name not in found or not is_finished(found[name])]


def is_finished(folder: Path) -> bool:
    """Return true if there is a campaign in the folder that has come to its end."""
    try:
        with kind_in(folder).records(folder) as records:
            return records.progress().finished is not None
    except BugsieveError:  # there is none yet, or it is damaged
        return False


def state_of(folder: Path, cell: Cell) -> tuple[bool, str | None]:
    """Return true if the campaign has ended, and its first difference from the cell, if any."""
    _, header, had = read_campaign(folder)
    finished = is_finished(folder)
    if not cell.instance.is_subject(header.subject):
        return finished, f"the {cell.instance.noun} {cell.instance.name} is another one"
    different = _difference(cell, had, header) or cell.instance.difference(had)
    return finished, different


def open_campaign(
    folder: Path, options: CampaignOptions, *, trust_policy: bool = False
) -> Campaign:
    """The campaign in the folder, or a new one with these options, whose policy is trusted."""
    if (folder / STORE_FILE).exists():
        return Campaign.open(folder, trust_policy=trust_policy)
    with trusting(True):
        return Campaign.create(folder, options)


def require_trusted_cell(cell: Cell, source: Path) -> None:
    """UsageError if the user has never typed the policy or an oracle of a cell."""
    kind = KINDS[cell.options.kind]
    if cell.training is None:
        require_trusted_policy(kind, cell.options, source)
    require_trusted_oracles(kind, cell.options, source)


def _difference(cell: Cell, options: CampaignOptions, header: CampaignHeader) -> str | None:
    """An option of the campaign that differs from the cell's, in half a sentence."""
    had = _flat(options)
    for name, value in _flat(cell.options).items():
        if had.get(name) != value and name not in _NAMES_OF_FILES:
            if name == "policy" and _is_same_policy(cell, str(value), str(had.get(name))):
                continue
            if name == "objective" and _is_same_objective(str(value), header):
                continue
            return f"{name} was {had.get(name)!r} and is {value!r}"
    return None


def _is_same_policy(cell: Cell, wanted: str, had: str) -> bool:
    """Return true if it was trained, so that its name is a file's, or was named without more."""
    return cell.training is not None or had.partition(":")[0] == wanted.strip()


def _is_same_objective(wanted: str, header: CampaignHeader) -> bool:
    """Return true if the campaign keeps the objective for its task, as of a file of rules."""
    try:
        return make_objective(wanted, header.subject.load()).spec == header.objective
    except BugsieveError:  # perhaps there is no such file any more, or it is not a file of rules
        return False


_NAMES_OF_FILES = (
    *("task", "model", "property_name", "constants", "policy_folder", "pool_from"),
    *("domain", "training", "validation", "start_from"),
)
"""The folder may have been moved meanwhile; the contents have been compared."""


def _flat(options: CampaignOptions) -> dict[str, Any]:
    """The options as they are written to a file, without the tables they are in."""
    flat: dict[str, Any] = {}
    for name, value in table_of(options).items():
        if isinstance(value, Mapping):
            flat.update({f"{name}.{inner}": part for inner, part in value.items()})
        else:
            flat[name] = value
    return flat
