"""Experiment files: a grid of campaigns in TOML, read with a sentence for each mistake.

The grid is domains or models x policies x fuzzers x oracles x seeds; `docs/experiments.md`
describes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product, zip_longest
from pathlib import Path
from typing import Any

from bugsieve.base.errors import InputError
from bugsieve.base.files_and_processes.toml import parse_toml
from bugsieve.base.registry.spec_folder import typed_in
from bugsieve.campaigns.kind import KINDS, as_typed
from bugsieve.campaigns.option_tables import NONE, options_of
from bugsieve.campaigns.options import POOL, CampaignOptions, CostOptions
from bugsieve.campaigns.stop_rules import StopRules
from bugsieve.pipeline.objectives import placed_objective
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.rooms.lab.experiments.adjustments import DATA, Adjustments, chosen
from bugsieve.rooms.lab.experiments.checked_values import (
    checked_integers,
    checked_keys,
    checked_text,
    checked_texts,
    placed,
)
from bugsieve.rooms.lab.experiments.files import FILES, files_beside
from bugsieve.rooms.lab.experiments.grid import Cell, Grid, Training, folder_name
from bugsieve.rooms.lab.experiments.instances import MAX_INSTANCES, Instance
from bugsieve.rooms.lab.experiments.kinds import (
    COST,
    SAFETY,
    AnyFuzzOptions,
    ExperimentKind,
    training_of,
)
from bugsieve.rooms.lab.experiments.trainings import TRAININGS, read_trainings
from bugsieve.rooms.training.options import QOptions
from bugsieve.tasks.sources import MEBIBYTE, read_input

MAX_CAMPAIGNS = 100_000
NETWORKS_FOLDER = "networks"

_MAX_BYTES = 4 * MEBIBYTE
SHARED_POOLS = "shared_pools"
POOL_LABEL = "pool"
"""In the place of oracles: the campaign that makes a pool for others."""

_KEYS = ("name", DATA, FILES, "seeds", "policies", "oracles", "fuzzers", "campaign")
_ONLY_FUZZER = "default"
_INFINITE = ("inf", "∞")

OracleSets = Mapping[str, tuple[str, ...]]
"""Label to the oracles that judge together."""


@dataclass(frozen=True)
class _Fuzzer:
    """The search for test cases, and its judges if they are not the usual oracles."""

    options: AnyFuzzOptions
    oracles: OracleSets | None


@dataclass(frozen=True)
class _Axes:
    """The axes that all domains share; labels to what they stand for."""

    policies: Mapping[str, str | QOptions]
    fuzzers: Mapping[str, _Fuzzer]
    oracles: OracleSets
    seeds: list[int]
    base: CampaignOptions
    shares_pools: bool


def read_experiment(path: Path, adjustments: Adjustments | None = None) -> Grid:
    """The grid of the file; InputError with file, place and nearest name where it is wrong."""
    adjustments = adjustments or Adjustments()
    table = adjustments.applied_to(parse_toml(_text(path), str(path)))
    data = adjustments.data_folder(table, path)
    name = checked_text(table.get("name", path.stem), f"{path}: name")
    base = path.parent if data is None else data
    grid = Grid(name, path, (), files=files_beside(table, path, base))
    with typed_in("" if data is None else str(data)), adjustments.named():
        if TRAININGS in table:
            trainings = read_trainings(table, path, base)
            blocks = trainings.blocks
            made, test = trainings.configurations, trainings.test
            grid = replace(grid, configurations=made, final=test)
        else:
            blocks = _blocks(table, path, base)
    _refuse_more(sum(map(len, blocks)), str(path))
    if data is not None:
        blocks = [[_with_policy_in(cell, str(data)) for cell in block] for block in blocks]
    cells = [cell for turn in zip_longest(*blocks) for cell in turn if cell is not None]
    placed_cells = list(_with_own_networks(_with_own_folders(cells, path)))
    wanted = chosen(list(_with_pools(placed_cells)), adjustments.only)
    return replace(grid, cells=tuple(wanted))


def _blocks(table: Mapping[str, Any], path: Path, base: Path) -> list[list[Cell]]:
    """The campaigns of each domain or model; paths in the file are relative to `base`."""
    kind = _kind(table, path)
    own = () if kind is SAFETY else (SHARED_POOLS,)
    checked_keys(table, (*_KEYS, *own, kind.table), str(path))
    entries = table.get(kind.table)
    if not isinstance(entries, list) or not entries:
        raise InputError(
            f"{path}: needs at least one [[{COST.table}]] table, or [[{SAFETY.table}]] for tests "
            f"of safety, or [[{TRAININGS}]]"
        )
    axes = _axes(table, path, base, kind)
    blocks: list[list[Cell]] = []
    count, made = 0, 0
    for number, entry in enumerate(entries, 1):
        place = f"{path}: {kind.table}, no. {number}"
        instances = kind.read_instances(entry, place, base)
        made += len(instances)
        if made > MAX_INSTANCES:
            raise InputError(f"{path}: stands for more than {MAX_INSTANCES} instances")
        blocks.append(_block(entry, instances, place, axes, kind))
        count += len(blocks[-1])
        _refuse_more(count, str(path))
    return blocks


def _refuse_more(campaigns: int, place: str) -> None:
    if campaigns > MAX_CAMPAIGNS:
        raise InputError(f"{place}: asks for more than {MAX_CAMPAIGNS} campaigns")


def _with_policy_in(cell: Cell, folder: str) -> Cell:
    """The cell with a policy that is typed in this folder, where that matters."""
    if cell.training is not None:
        return cell
    with typed_in(folder):
        return replace(cell, options=as_typed(KINDS[cell.options.kind], cell.options))


def _kind(table: Mapping[str, Any], path: Path) -> ExperimentKind:
    """An experiment tests policies on domains for cost, or on models for safety."""
    if COST.table in table and SAFETY.table in table:
        raise InputError(
            f"{path}: has [[{COST.table}]] and [[{SAFETY.table}]]: "
            "tests of cost and of safety need a file each"
        )
    return SAFETY if SAFETY.table in table else COST


def _text(path: Path) -> str:
    data = read_input(path, kind="TOML", max_bytes=_MAX_BYTES)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is no UTF-8 text (byte {error.start})") from None


def _axes(table: Mapping[str, Any], path: Path, base: Path, kind: ExperimentKind) -> _Axes:
    campaign = checked_keys(table.get("campaign", {}), kind.campaign_keys, f"{path}: campaign")
    fuzz = _fuzz_table(campaign.get("fuzz", {}), kind, f"{path}: campaign.fuzz")
    oracles = table["oracles"] if "oracles" in table else _usual_oracles(campaign, kind, path)
    shares_pools = table.get(SHARED_POOLS, False)
    if not isinstance(shares_pools, bool):
        raise InputError(f"{path}: {SHARED_POOLS} must be true or false, got {shares_pools!r}")
    given = {**kind.blank, **_without_fuzz(campaign)}
    return _Axes(
        _policies(table.get("policies", {}), f"{path}: policies", kind),
        _fuzzers(table.get("fuzzers", {}), fuzz, str(path), kind),
        _oracles(oracles, f"{path}: oracles", kind),
        checked_integers(table.get("seeds", [0]), f"{path}: seeds"),
        _placed(_options(kind.options, given, f"{path}: campaign"), base),
        shares_pools,
    )


def _placed(options: CampaignOptions, base: Path) -> CampaignOptions:
    """The options with an objective that finds the files which it names where others are."""
    if not isinstance(options, CostOptions):
        return options
    return replace(options, objective=placed_objective(options.objective, str(base)))


def _usual_oracles(campaign: Mapping[str, Any], kind: ExperimentKind, path: Path) -> list[str]:
    with placed(f"{path}: campaign"):
        return list(kind.usual_oracles(campaign))


def _without_fuzz(campaign: Mapping[str, Any]) -> dict[str, Any]:
    """Every fuzzer completes these options by itself; alone they may make no sense."""
    return {key: value for key, value in campaign.items() if key != "fuzz"}


def _options(options: type[Any], table: Mapping[str, Any], place: str) -> Any:
    with placed(place):
        return options_of(options, table, place=place)


def _policies(value: Any, place: str, kind: ExperimentKind) -> dict[str, str | QOptions]:
    """Label to spec, or to how it is trained; in a list, specs are their own labels."""
    if isinstance(value, list):
        value = {spec: spec for spec in checked_texts(value, place)}
    if not isinstance(value, Mapping):
        raise InputError(f"{place} must be a list of policies or a table, got {value!r}")
    return {
        label: _policy(entry, f"{place}.{label}", place, kind) for label, entry in value.items()
    }


def _policy(entry: Any, here: str, place: str, kind: ExperimentKind) -> str | QOptions:
    if kind.can_train and isinstance(entry, Mapping):
        return training_of(entry, here)
    with placed(place):
        kind.check_policy(checked_text(entry, place))
    return str(entry)


def _fuzzers(
    value: Any, base: Mapping[str, Any], path: str, kind: ExperimentKind
) -> dict[str, _Fuzzer]:
    """Label to options, which complete those of the campaign."""
    if not isinstance(value, Mapping):
        raise InputError(f"{path}: fuzzers must be a table of named fuzzers, got {value!r}")
    fuzzers = {}
    for label, table in (value or {_ONLY_FUZZER: {}}).items():
        here = f"{path}: fuzzers.{label}" if value else f"{path}: campaign.fuzz"
        own = dict(_fuzz_table(table, kind, here, "oracles"))
        oracles = own.pop("oracles", None)
        fuzz = _options(kind.fuzz, {**base, **own}, here)
        if isinstance(fuzz, FuzzOptions):  # tables compare walks that are all made alike
            fuzz = replace(fuzz, bias=fuzz.used_bias, novelty=fuzz.first_novelty)
        fuzzers[label] = _Fuzzer(
            fuzz,
            None if oracles is None else _oracles(oracles, f"{here}.oracles", kind),
        )
    return fuzzers


def _fuzz_table(table: Any, kind: ExperimentKind, place: str, *more: str) -> dict[str, Any]:
    """A table of fuzzing options; a lookahead without an end is written as in the paper."""
    known = dict(checked_keys(table, [*kind.fuzz_keys, *more], place))
    if known.get("lookahead") in _INFINITE:
        known["lookahead"] = NONE
    return known


def _oracles(value: Any, place: str, kind: ExperimentKind) -> OracleSets:
    """Label to the oracles that judge together; one list for all has no label."""
    sets = value if isinstance(value, Mapping) else {"": value}
    if not sets:
        raise InputError(f"{place}: name at least one list of oracles")
    checked = {}
    if POOL_LABEL in sets:
        raise InputError(f"{place}: {POOL_LABEL!r} is what pools are called: take another label")
    for label, specs in sets.items():
        here = f"{place}.{label}" if label else place
        checked[label] = tuple(checked_texts(specs, here))
        for spec in checked[label]:
            with placed(here):
                kind.check_oracle(spec)
    return checked


def _block(
    entry: Any, instances: Sequence[Instance], place: str, axes: _Axes, kind: ExperimentKind
) -> list[Cell]:
    """All campaigns of one [[domains]] or [[models]] table."""
    if "policies" in entry:
        policies = _policies(entry["policies"], f"{place}: policies", kind)
        axes = replace(axes, policies=policies)
    if "oracles" in entry:
        axes = replace(axes, oracles=_oracles(entry["oracles"], f"{place}: oracles", kind))
    if not axes.policies:
        raise InputError(
            f"{place}: there is no policy to test: name some with 'policies', "
            f"here or for all {kind.table}"
        )
    sets = [fuzzer.oracles or axes.oracles for fuzzer in axes.fuzzers.values()]
    judged = sum(map(len, sets)) + (len(sets) if axes.shares_pools else 0)
    # Before any is made: four short lists stand for more cells than any memory holds.
    _refuse_more(len(instances) * len(axes.seeds) * len(axes.policies) * judged, place)
    with placed(place):
        return [cell for instance in instances for cell in _cells(instance, axes)]


def _cells(instance: Instance, axes: _Axes) -> Iterator[Cell]:
    for seed, policy in product(axes.seeds, axes.policies):
        sets = {name: fuzzer.oracles or axes.oracles for name, fuzzer in axes.fuzzers.items()}
        if axes.shares_pools:
            for fuzzer in axes.fuzzers:
                yield _pool_cell(_cell(instance, axes, (policy, fuzzer, POOL_LABEL, seed), ()))
        labels = dict.fromkeys(label for oracles in sets.values() for label in oracles)
        for oracles, fuzzer in product(labels, axes.fuzzers):
            if oracles in sets[fuzzer]:
                specs = sets[fuzzer][oracles]
                yield _cell(instance, axes, (policy, fuzzer, oracles, seed), specs)


def _cell(
    instance: Instance, axes: _Axes, labels: tuple[str, str, str, int], specs: tuple[str, ...]
) -> Cell:
    policy, fuzzer, oracles, seed = labels
    spec = axes.policies[policy]
    changes: dict[str, Any] = {
        "policy": spec if isinstance(spec, str) else "",
        "policy_seed": seed,
        "oracles": specs,
        "fuzz": replace(axes.fuzzers[fuzzer].options, seed=seed),
    }
    names = [policy, fuzzer, *([oracles] if oracles else []), f"seed-{seed}"]
    parts = [instance.domain, instance.name, "_".join(names)]
    folder = "/".join(map(folder_name, parts))
    training = None if isinstance(spec, str) else Training("", spec)
    return Cell(instance, *labels, replace(axes.base, **changes), folder, training)


def _pool_cell(cell: Cell) -> Cell:
    """The campaign that makes the pool; of the limits only that on time is its business."""
    assert isinstance(cell.options, CostOptions)
    stop = StopRules(max_time=cell.options.stop.max_time)
    return replace(cell, options=replace(cell.options, mode=POOL, oracles=(), stop=stop))


def _with_pools(cells: list[Cell]) -> Iterator[Cell]:
    """The cells with the folders of the pools they judge, where there are such."""
    pools = {_pool_key(cell): cell.folder for cell in cells if cell.makes_pool}
    for cell in cells:
        has_none = cell.makes_pool or cell.after
        yield cell if has_none else replace(cell, after=pools.get(_pool_key(cell), ""))


def _pool_key(cell: Cell) -> tuple[object, ...]:
    instance = cell.instance
    return instance.domain, instance.name, cell.policy, cell.fuzzer, cell.seed


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


def _with_own_networks(cells: Iterator[Cell]) -> Iterator[Cell]:
    """The cells with files for the networks to be trained, one for each policy of an instance."""
    files: dict[tuple[str, str, str], str] = {}
    taken: set[str] = set()
    for cell in cells:
        if cell.training is None:
            yield cell
            continue
        key = (cell.instance.domain, cell.instance.name, cell.policy)
        if key not in files:
            path = "/".join(map(folder_name, key))
            number = 1
            while (name := path if number == 1 else f"{path}-{number}").casefold() in taken:
                number += 1
            taken.add(name.casefold())
            files[key] = f"{NETWORKS_FOLDER}/{name}.safetensors"
        yield replace(cell, training=replace(cell.training, network=files[key]))
