"""The trainings of an experiment: tasks to train on, to validate with and to test in the end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, ClassVar

from bugsieve.base.errors import InputError
from bugsieve.campaigns.option_tables import options_of
from bugsieve.campaigns.options import CampaignOptions
from bugsieve.rooms.lab.experiments.checked_values import (
    checked_integers,
    checked_keys,
    checked_text,
    checked_texts,
    placed,
)
from bugsieve.rooms.lab.experiments.configurations import (
    START,
    USUAL,
    Budgets,
    Configuration,
    configurations,
)
from bugsieve.rooms.lab.experiments.files import FILES
from bugsieve.rooms.lab.experiments.final_options import FinalTestOptions
from bugsieve.rooms.lab.experiments.grid import Cell, folder_name
from bugsieve.rooms.lab.experiments.instances import Instance, read_instances
from bugsieve.rooms.training.campaign.options import TrainingOptions
from bugsieve.rooms.training.store.rows import TrainingSubject

TRAININGS = "trainings"
KEYS = (
    *("name", "data", FILES, "seeds", "campaign", "budgets", "configurations", "more_epochs"),
    "test",
)

_ROLES = ("training", "validation", "test")
_SOURCES = ("generator", "parameters", "seeds", "domain", "problems")
_SELECTION = ("after", "every", "most")
_OF_THE_GRID = (
    *("domain", "training", "validation", "policy", "policy_folder", "policy_seed"),
    *("policy_limits", "workers", "start_from", "replay_bugs"),
)
"""Options that the grid decides on, or that trainings do not have."""
_NAME = "training"
_DOMAIN = "domain.pddl"


@dataclass(frozen=True)
class TrainingInstance(Instance):
    """The tasks of one domain; its text is the domain that they are trained on."""

    noun: ClassVar[str] = "domain"

    training: tuple[Instance, ...] = ()
    validation: tuple[Instance, ...] = ()
    test: tuple[Instance, ...] = ()

    def is_subject(self, saved: Any) -> bool:
        """Return true if a training with this subject is of this domain."""
        return isinstance(saved, TrainingSubject) and saved.domain == self.texts[0]

    def difference(self, had: CampaignOptions) -> str | None:
        """The tasks that a training with these options has and this has not."""
        assert isinstance(had, TrainingOptions)
        for role, tasks, files in (
            ("training", self.training, had.training),
            ("validation", self.validation, had.validation),
        ):
            wanted = [Path(self._place(task, role, Path())[1]).name for task in tasks]
            if files and [Path(file).name for file in files] != wanted:
                return f"it has other {role} tasks"
        return None

    def named_in(self, options: CampaignOptions, files: tuple[str, ...]) -> CampaignOptions:
        """The options with these tasks; what is not tested has no validation tasks."""
        assert isinstance(options, TrainingOptions)
        domain, *problems = files
        count = len(self.training)
        validation = tuple(problems[count:]) if options.validation else ()
        return replace(
            options, domain=domain, training=tuple(problems[:count]), validation=validation
        )

    def files_in(self, folder: Path) -> tuple[str, ...]:
        """The domain, and the problems to train on and to validate with."""
        domain, _ = self._place(self.training[0], "training", folder)
        roles = (("training", self.training), ("validation", self.validation))
        return (domain, *(self._place(t, role, folder)[1] for role, part in roles for t in part))

    def tests_in(self, folder: Path) -> dict[str, tuple[str, str]]:
        """Domain and problem of each test task, by their names."""
        return {task.name: self._place(task, "test", folder) for task in self.test}

    def contents_in(self, folder: Path) -> dict[Path, bytes]:
        """The files of all tasks that are generated."""
        parts = (("training", self.training), ("validation", self.validation), ("test", self.test))
        return {
            Path(file): text
            for role, part in parts
            for task in part
            if task.files is None
            for file, text in zip(self._place(task, role, folder), task.texts, strict=True)
        }

    def _place(self, task: Instance, role: str, folder: Path) -> tuple[str, str]:
        """The files of a task of a role."""
        if task.files is not None:
            return task.files[0], task.files[1]
        own = folder / role
        return str(own / _DOMAIN), str(own / f"{folder_name(task.name)}.pddl")


@dataclass(frozen=True)
class TrainingGrid:
    """The trainings that a file asks for."""

    blocks: list[list[Cell]]
    """By domain."""
    configurations: tuple[Configuration, ...]
    test: FinalTestOptions


def read_trainings(table: Mapping[str, Any], path: Path, base: Path) -> TrainingGrid:
    """The trainings of a file; paths in it are relative to `base`."""
    checked_keys(table, (*KEYS, TRAININGS), str(path))
    entries = table[TRAININGS]
    if not isinstance(entries, list) or not entries:
        raise InputError(f"{path}: needs at least one [[{TRAININGS}]] table")
    made = _configurations(table, path)
    seeds = checked_integers(table.get("seeds", [0]), f"{path}: seeds")
    test = checked_keys(table.get("test", {}), _names(FinalTestOptions), f"{path}: test")
    with placed(f"{path}: test"):
        tests = options_of(FinalTestOptions, test, place=f"{path}: test")
    blocks = [
        list(_cells(_instance(entry, f"{path}: {TRAININGS}, no. {number}", base), made, seeds))
        for number, entry in enumerate(entries, 1)
    ]
    return TrainingGrid(blocks, tuple(made), tests)


def _configurations(table: Mapping[str, Any], path: Path) -> list[Configuration]:
    place = f"{path}: campaign"
    known = [name for name in _names(TrainingOptions) if name not in _OF_THE_GRID]
    campaign = checked_keys(table.get("campaign", {}), known, place)
    blank = {"domain": "", "training": ["-"], "validation": ["-"]}
    with placed(place):
        base = options_of(TrainingOptions, {**blank, **campaign}, place=place)
    names = checked_texts(table.get("configurations", list(USUAL)), f"{path}: configurations")
    budgets = checked_integers(table.get("budgets"), f"{path}: budgets")
    more = table.get("more_epochs")
    if more is not None:
        checked_integers([more], f"{path}: more_epochs")
    with placed(str(path)):
        return configurations(Budgets(tuple(sorted(budgets)), tuple(names), more), base)


def _names(options: type[Any]) -> list[str]:
    return [field.name for field in fields(options)]


def _instance(entry: Any, place: str, base: Path) -> TrainingInstance:
    """The tasks of one [[trainings]] table."""
    checked_keys(entry, ("label", "domain", *_ROLES), place)
    found = {role: _tasks(entry, role, f"{place}: {role}", base) for role in _ROLES}
    domain = found["training"][0].texts[0]
    for role in ("training", "validation"):
        if any(task.texts[0] != domain for task in found[role]):
            raise InputError(f"{place}: {role}: all tasks must have one domain file")
    label = checked_text(entry.get("label", found["training"][0].domain), f"{place}: label")
    parts = (tuple(found[role]) for role in _ROLES)
    return TrainingInstance(label, _NAME, (domain,), None, *parts)


def _tasks(entry: Mapping[str, Any], role: str, place: str, base: Path) -> list[Instance]:
    """The tasks of a role: generated or given ones, and of these a selection."""
    table = checked_keys(entry.get(role), (*_SOURCES, *_SELECTION), place)
    source = {key: value for key, value in table.items() if key not in _SELECTION}
    if "generator" not in source and "domain" in entry:
        source.setdefault("domain", entry["domain"])
    tasks = _selected(read_instances(source, place, base), table, place)
    if not tasks:
        raise InputError(f"{place}: no task is left")
    return tasks


def _selected(tasks: Sequence[Instance], table: Mapping[str, Any], place: str) -> list[Instance]:
    """Those after the first so many, every n-th of them, and of these at most so many."""
    values = {"after": 0, "every": 1, "most": len(tasks)}
    for key in _SELECTION:
        value = table.get(key, values[key])
        if type(value) is not int or value < (key != "after"):
            raise InputError(f"{place}: {key} must be a whole number, at least 1, got {value!r}")
        values[key] = value
    return list(tasks[values["after"] :: values["every"]][: values["most"]])


def _cells(
    instance: TrainingInstance, made: Sequence[Configuration], seeds: Sequence[int]
) -> Iterator[Cell]:
    """All trainings of a domain; those that others build on come first."""
    for seed in seeds:
        start = _folder(instance, START, seed)
        for configuration in made:
            options = configuration.options
            options = replace(options, fuzz=replace(options.fuzz, seed=seed))
            folder = _folder(instance, configuration.label, seed)
            after = start if configuration.takes_start else ""
            labels = (configuration.label, "", "", seed)
            yield Cell(instance, *labels, options, folder, after=after)


def _folder(instance: Instance, label: str, seed: int) -> str:
    parts = [instance.domain, instance.name, f"{label}_seed-{seed}"]
    return "/".join(map(folder_name, parts))
