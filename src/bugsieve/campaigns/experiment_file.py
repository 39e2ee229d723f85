"""Experiment files: a grid of campaigns in TOML, read with a sentence for each mistake.

The grid is domains x policies x fuzzers x oracles x seeds; `docs/experiments.md` describes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from itertools import product, zip_longest
from pathlib import Path
from typing import Any, TypeVar

from bugsieve.basis.errors import InputError
from bugsieve.basis.toml import parse_toml
from bugsieve.campaigns.checked_values import (
    checked_integers,
    checked_keys,
    checked_text,
    checked_texts,
    placed,
)
from bugsieve.campaigns.experiment_instances import Instance, read_instances
from bugsieve.campaigns.option_tables import options_of
from bugsieve.campaigns.options import DEFAULT_ORACLES, CampaignOptions
from bugsieve.fuzzing.fuzzer import FuzzOptions
from bugsieve.oracles.registry import check_oracle_spec
from bugsieve.policies.registry import check_spec
from bugsieve.tasks.sources import MEBIBYTE, read_input

MAX_CAMPAIGNS = 100_000

_MAX_BYTES = 16 * MEBIBYTE
_KEYS = ("name", "seeds", "policies", "oracles", "fuzzers", "campaign", "domains")
_OF_THE_GRID = ("task", "policy", "policy_seed", "oracles", "from_states", "workers", "seed")
"""Options that the grid decides on, or that make no sense for a whole grid."""
_CAMPAIGN_KEYS = [f.name for f in fields(CampaignOptions) if f.name not in _OF_THE_GRID]
_FUZZ_KEYS = [f.name for f in fields(FuzzOptions) if f.name not in _OF_THE_GRID]
_ONLY_FUZZER = "default"
_LONGEST_NAME = 100

Options = TypeVar("Options")


@dataclass(frozen=True)
class Cell:
    """One campaign of the grid, with the labels of its place in it."""

    instance: Instance
    policy: str
    fuzzer: str
    oracles: str
    """Empty where the file has one list of oracles for all."""
    seed: int
    options: CampaignOptions
    """All but the task, whose files may still have to be written."""
    folder: str
    """Below the experiment's folder."""


@dataclass(frozen=True)
class Grid:
    """What an experiment file asks for."""

    name: str
    source: Path
    cells: tuple[Cell, ...]
    """A campaign of each domain in turn, so that an early end leaves a bit of everything."""


@dataclass(frozen=True)
class _Axes:
    """What all domains share; labels to what they stand for."""

    policies: Mapping[str, str]
    fuzzers: Mapping[str, FuzzOptions]
    oracles: Mapping[str, tuple[str, ...]]
    seeds: list[int]
    base: CampaignOptions


def read_experiment(path: Path) -> Grid:
    """The grid of the file; InputError with file, place and nearest name where it is wrong."""
    table = checked_keys(parse_toml(_text(path), str(path)), _KEYS, str(path))
    domains = table.get("domains")
    if not isinstance(domains, list) or not domains:
        raise InputError(f"{path}: needs at least one [[domains]] table")
    name = checked_text(table.get("name", path.stem), f"{path}: name")
    axes = _axes(table, path)
    blocks = [
        _block(entry, f"{path}: domains, no. {number}", path.parent, axes)
        for number, entry in enumerate(domains, 1)
    ]
    if sum(map(len, blocks)) > MAX_CAMPAIGNS:
        raise InputError(f"{path}: asks for more than {MAX_CAMPAIGNS} campaigns")
    cells = [cell for turn in zip_longest(*blocks) for cell in turn if cell is not None]
    return Grid(name, path, tuple(_with_own_folders(cells, path)))


def _text(path: Path) -> str:
    data = read_input(path, kind="TOML", max_bytes=_MAX_BYTES)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is no UTF-8 text (byte {error.start})") from None


def _axes(table: Mapping[str, Any], path: Path) -> _Axes:
    campaign = checked_keys(table.get("campaign", {}), _CAMPAIGN_KEYS, f"{path}: campaign")
    fuzz = checked_keys(campaign.get("fuzz", {}), _FUZZ_KEYS, f"{path}: campaign.fuzz")
    blank = {"task": [], "policy": "", **campaign}
    return _Axes(
        _policies(table.get("policies", {}), f"{path}: policies"),
        _fuzzers(table.get("fuzzers", {}), fuzz, f"{path}: fuzzers"),
        _oracles(table.get("oracles", list(DEFAULT_ORACLES)), f"{path}: oracles"),
        checked_integers(table.get("seeds", [0]), f"{path}: seeds"),
        _options(CampaignOptions, blank, f"{path}: campaign"),
    )


def _options(kind: type[Options], table: Mapping[str, Any], place: str) -> Options:
    with placed(place):
        return options_of(kind, table, place=place)


def _policies(value: Any, place: str) -> dict[str, str]:
    """Label to spec; in a list, specs are their own labels."""
    if isinstance(value, list):
        value = {spec: spec for spec in checked_texts(value, place)}
    if not isinstance(value, Mapping):
        raise InputError(f"{place} must be a list of policies or a table, got {value!r}")
    for spec in value.values():
        with placed(place):
            check_spec(checked_text(spec, place))
    return dict(value)


def _fuzzers(value: Any, base: Mapping[str, Any], place: str) -> dict[str, FuzzOptions]:
    """Label to options, which complete those of the campaign."""
    if not isinstance(value, Mapping):
        raise InputError(f"{place} must be a table of named fuzzers, got {value!r}")
    fuzzers = {}
    for label, table in (value or {_ONLY_FUZZER: {}}).items():
        here = f"{place}.{label}"
        own = checked_keys(table, _FUZZ_KEYS, here)
        fuzzers[label] = _options(FuzzOptions, {**base, **own}, here)
    return fuzzers


def _oracles(value: Any, place: str) -> dict[str, tuple[str, ...]]:
    """Label to the oracles that judge together; one list for all has no label."""
    sets = value if isinstance(value, Mapping) else {"": value}
    if not sets:
        raise InputError(f"{place}: name at least one list of oracles")
    checked = {}
    for label, specs in sets.items():
        here = f"{place}.{label}" if label else place
        checked[label] = tuple(checked_texts(specs, here))
        for spec in checked[label]:
            with placed(here):
                check_oracle_spec(spec)
    return checked


def _block(entry: Any, place: str, base: Path, axes: _Axes) -> list[Cell]:
    """All campaigns of one [[domains]] table."""
    instances = read_instances(entry, place, base)
    policies = axes.policies
    if "policies" in entry:
        policies = _policies(entry["policies"], f"{place}: policies")
    if not policies:
        raise InputError(
            f"{place}: there is no policy to test: name some with 'policies', "
            "here or for all domains"
        )
    with placed(place):
        return [cell for instance in instances for cell in _cells(instance, policies, axes)]


def _cells(instance: Instance, policies: Mapping[str, str], axes: _Axes) -> Iterator[Cell]:
    grid = product(axes.seeds, policies.items(), axes.oracles.items(), axes.fuzzers.items())
    for seed, (policy, spec), (oracles, specs), (fuzzer, fuzz) in grid:
        options = replace(
            axes.base,
            policy=spec,
            policy_seed=seed,
            oracles=specs,
            fuzz=replace(fuzz, seed=seed),
        )
        names = [policy, fuzzer, *([oracles] if oracles else []), f"seed-{seed}"]
        parts = [instance.domain, instance.name, "_".join(names)]
        folder = "/".join(map(folder_name, parts))
        yield Cell(instance, policy, fuzzer, oracles, seed, options, folder)


def folder_name(text: str) -> str:
    """The text as the name of a folder on any system."""
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "-_.") else "-" for c in text)
    return plain.lstrip(".")[:_LONGEST_NAME] or "-"


def _with_own_folders(cells: list[Cell], path: Path) -> Iterator[Cell]:
    """The cells with folders of their own: labels may differ in what a folder cannot show."""
    instances: dict[str, tuple[str, str]] = {}
    taken: set[str] = set()
    seen: set[tuple[object, ...]] = set()
    for cell in cells:
        instance = cell.instance
        task = (instance.domain, instance.name)
        labels = (*task, cell.policy, cell.fuzzer, cell.oracles, cell.seed)
        if labels in seen:
            raise InputError(f"{path}: {instance.domain} has {instance.name} twice")
        seen.add(labels)
        place = cell.folder.casefold().rpartition("/")[0]  # some systems do not tell a from A
        if instances.setdefault(place, task) != task:
            other = " ".join(instances[place])
            raise InputError(
                f"{path}: {' '.join(task)} and {other} look too much alike: use labels"
            )
        folder, number = cell.folder, 1
        while folder.casefold() in taken:
            number += 1
            folder = f"{cell.folder}-{number}"
        taken.add(folder.casefold())
        yield replace(cell, folder=folder)
