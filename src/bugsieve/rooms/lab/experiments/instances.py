"""The instances of a domain in an experiment: generated, or given as PDDL files."""

from __future__ import annotations

import glob
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from pathlib import Path
from typing import Any, ClassVar

from bugsieve.base.errors import InputError
from bugsieve.campaigns.cost.kind import DOMAIN_FILE, PROBLEM_FILE
from bugsieve.campaigns.options import CampaignOptions, CostOptions
from bugsieve.rooms.lab.experiments.checked_values import (
    checked_integers,
    checked_keys,
    checked_text,
    checked_texts,
    placed,
)
from bugsieve.rooms.zoo.domains import DOMAINS, generate
from bugsieve.tasks.grounded.saved import SavedTask
from bugsieve.tasks.sources import MEBIBYTE, read_input

_MAX_BYTES = 64 * MEBIBYTE
_GENERATED = ("generator", "parameters", "seeds")
_GIVEN = ("domain", "problems")
MAX_INSTANCES = 10_000
"""Of one file."""
_KEYS = ("label", "policies", "oracles", *_GENERATED, *_GIVEN)


@dataclass(frozen=True)
class Instance:
    """A task of the grid."""

    file_names: ClassVar[tuple[str, ...]] = (DOMAIN_FILE, PROBLEM_FILE)
    """The names of the files of generated ones."""
    noun: ClassVar[str] = "task"

    domain: str
    """The label of its domain in tables."""
    name: str
    texts: tuple[bytes, ...]
    """Domain and problem, or what else it consists of."""
    files: tuple[str, ...] | None = None
    """The files; None for generated ones, which must be written first."""

    def is_subject(self, saved: Any) -> bool:
        """Return true if a campaign with this subject tests it."""
        return isinstance(saved, SavedTask) and (saved.domain, saved.problem) == self.texts

    def named_in(self, options: CampaignOptions, files: tuple[str, ...]) -> CampaignOptions:
        """The options with this as their subject, which is in these files."""
        assert isinstance(options, CostOptions)
        return replace(options, task=files)

    def difference(self, had: CampaignOptions) -> str | None:
        """Another difference from a campaign with these options, in half a sentence."""
        return None

    def files_in(self, folder: Path) -> tuple[str, ...]:
        """Its files; those of generated ones are in this folder."""
        if self.files is not None:
            return self.files
        return tuple(str(folder / name) for name in self.file_names)

    def contents_in(self, folder: Path) -> dict[Path, bytes]:
        """The files to write to this folder first, with their contents."""
        if self.files is not None:
            return {}
        return dict(zip(map(Path, self.files_in(folder)), self.texts, strict=True))


def read_instances(entry: Any, place: str, base: Path) -> list[Instance]:
    """The instances of one [[domains]] table; paths in it are relative to `base`."""
    checked_keys(entry, _KEYS, place)
    if ("generator" in entry) == ("domain" in entry):
        raise InputError(f"{place}: needs a 'generator', or a 'domain' file with its 'problems'")
    if "generator" in entry:
        refuse_keys(entry, _GIVEN, place, "a domain with a generator")
        return generated_instances(entry, place, DOMAINS.check, _generated)
    refuse_keys(entry, _GENERATED, place, "a domain with files")
    return given_instances(entry, place, base)


def refuse_keys(entry: Mapping[str, Any], keys: Sequence[str], place: str, what: str) -> None:
    """Refuse keys that are for other kinds of instances than this one."""
    for key in keys:
        if key in entry:
            raise InputError(f"{place}: {key!r} has no meaning for {what}")


def generated_instances(
    entry: Mapping[str, Any],
    place: str,
    find: Callable[[str], object],
    make: Callable[[str, str, int, Mapping[str, Any]], Instance],
) -> list[Instance]:
    """Those of a 'generator' that is found: made from label, name, seed and parameters."""
    name = checked_text(entry["generator"], f"{place}: generator")
    label = checked_text(entry.get("label", name), f"{place}: label")
    seeds = checked_integers(entry.get("seeds", [0]), f"{place}: seeds")
    with placed(place):
        find(name)
        parameters, here = entry.get("parameters", {}), f"{place}: parameters"
        sets = parameter_sets(parameters, here, times=len(seeds))
        return [make(label, name, seed, values) for values in sets for seed in seeds]


def _generated(label: str, name: str, seed: int, values: Mapping[str, Any]) -> Instance:
    task = generate(name, seed=seed, **values)
    return Instance(label, task.name, (task.domain.encode(), task.problem.encode()))


def parameter_sets(value: Any, place: str, *, times: int = 1) -> Iterator[dict[str, Any]]:
    """A table, in which lists stand for several values, or a list of such tables.

    Each is used so many times; InputError before any of too many is made.
    """
    made = 0
    for table in value if isinstance(value, list) else [value]:
        if not isinstance(table, Mapping):
            raise InputError(f"{place} must be a table or a list of tables, got {table!r}")
        lists = [item if isinstance(item, list) else [item] for item in table.values()]
        made += prod(map(len, lists)) * times
        if made > MAX_INSTANCES:
            raise InputError(f"{place}: stands for more than {MAX_INSTANCES} instances")
        for values in product(*lists):
            yield dict(zip(table, values, strict=True))


def given_instances(entry: Mapping[str, Any], place: str, base: Path) -> list[Instance]:
    """Those of a 'domain' file and its 'problems'."""
    domain = base / checked_text(entry["domain"], f"{place}: domain")
    label = checked_text(entry.get("label", domain.absolute().parent.name), f"{place}: label")
    domain_text = _read(domain, place)
    problems = list(_problems(entry.get("problems"), f"{place}: problems", base))
    stems = [problem.stem for problem in problems]
    instances = []
    for problem in problems:
        alone = stems.count(problem.stem) == 1
        name = problem.stem if alone else f"{problem.parent.name}-{problem.stem}"
        files = (str(domain.absolute()), str(problem.absolute()))
        instances.append(Instance(label, name, (domain_text, _read(problem, place)), files))
    return instances


def _problems(value: Any, place: str, base: Path) -> Iterator[Path]:
    """The files that a list of names and patterns stands for, each once."""
    seen = set()
    for item in checked_texts(value, place):
        found = sorted(glob.glob(item, root_dir=base))
        if not found and glob.has_magic(item):
            raise InputError(f"{place}: no file is named like {item!r}")
        for name in found or [item]:
            if name not in seen:
                seen.add(name)
                yield base / name


def _read(path: Path, place: str) -> bytes:
    with placed(place):
        return read_input(path, kind="PDDL", max_bytes=_MAX_BYTES)
