"""Table 1 of papers/003 over experiments with trainings: criteria, and configurations of training.

Each seed of a domain is a run; cells are means over runs. In every run policies are compared on
the same tasks and, where pools are concerned, on those that all compared policies solve.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bugsieve.base.errors import InputError
from bugsieve.base.wording import counted
from bugsieve.campaigns.several.several import require_directory
from bugsieve.reports.table import UNDEFINED, Column, Row, Table, Value
from bugsieve.rooms.lab.experiments.configurations import CONFIGURATIONS, LINE, START, USUAL
from bugsieve.rooms.lab.experiments.final_options import FinalTestOptions
from bugsieve.rooms.lab.experiments.final_records import (
    FinalChoice,
    FinalRecord,
    read_choices,
    read_record,
    record_file,
)
from bugsieve.rooms.lab.experiments.final_tests import ON_POOLS
from bugsieve.rooms.lab.reports.measures import extreme_of, mean, percentage
from bugsieve.rooms.lab.reports.training.training_notes import training_notes
from bugsieve.rooms.training.selection import CRITERIA, PI_TEST

_ALL = "mean of domains"
_BUDGET = "coverage after {} epochs"

Place = tuple[str, int]
"""A configuration and its budget."""
Cells = list[Value]


@dataclass(frozen=True, eq=False)
class SeedRun:
    """The results of the policies of one seed on the test tasks of a domain."""

    folder: Path
    domain: str
    seed: int
    choices: tuple[FinalChoice, ...]
    records: Mapping[str, FinalRecord]
    """By task; those that were dropped are among them."""
    missing: tuple[str, ...]
    """Tasks on which nothing has been tested yet."""

    @property
    def tasks(self) -> list[FinalRecord]:
        """Those on which all policies were run: Π_test."""
        digests = {choice.digest for choice in self.choices}
        return [
            record
            for record in self.records.values()
            if record.dropped is None and digests <= record.solved.keys()
        ]

    @property
    def compared(self) -> dict[str, FinalChoice]:
        """The choice of each criterion among the lines with the largest budget."""
        lines = [choice for choice in self.choices if choice.configuration == LINE]
        most = max((choice.budget for choice in lines), default=0)
        return {choice.criterion: choice for choice in lines if choice.budget == most}

    def coverage(self, choice: FinalChoice | None) -> Value:
        """The number of the tasks that a policy solves."""
        if choice is None:
            return UNDEFINED
        return float(sum(record.solved[choice.digest] for record in self.tasks))


def collect_runs(directories: Sequence[Path]) -> list[SeedRun]:
    """All runs of the experiments in these folders."""
    runs: dict[tuple[str, int], SeedRun] = {}
    for directory in directories:
        for run in _runs(directory):
            other = runs.setdefault((run.domain, run.seed), run)
            if other is not run:
                raise InputError(
                    f"{directory}: has trainings for {run.domain} with seed {run.seed}, as "
                    f"{other.folder} has: give one of them"
                )
    return list(runs.values())


def _runs(directory: Path) -> Iterator[SeedRun]:
    require_directory(directory)
    found = read_choices(directory)
    if found is None:
        raise InputError(
            f"{directory}: holds no final tests of trained policies: name the folder of an "
            "experiment with [[trainings]], when these have come to their end"
        )
    for domain, tasks in found.tasks.items():
        records = {task: read_record(record_file(directory, domain, task)) for task in tasks}
        known = {task: record for task, record in records.items() if record is not None}
        own = [choice for choice in found.choices if choice.domain == domain]
        for seed in sorted({choice.seed for choice in own}):
            choices = tuple(choice for choice in own if choice.seed == seed)
            missing = tuple(task for task in tasks if task not in known)
            yield SeedRun(directory, domain, seed, choices, known, missing)


def criteria_table(runs: Sequence[SeedRun], *, intervals: bool = False) -> Table:
    """The upper part: which criterion takes the best of the same models."""
    columns = [
        Column("test_tasks", ("", "|Π_test|"), decimals=1),
        *(Column(f"coverage {c}", ("coverage on Π_test", c)) for c in CRITERIA),
        Column("relevant_tasks", ("", "|Π_rel|")),
        Column("pool", ("", "|P|"), decimals=0),
        *(Column(f"solved {c}", ("% solved states of P", c)) for c in ON_POOLS),
        *(Column(f"bugs {c}", ("% bug states of P", c)) for c in ON_POOLS),
    ]
    notes = (*_training_notes(runs), *_notes(runs))
    return _table(columns, runs, criteria_cells, intervals, notes)


def criteria_cells(run: SeedRun) -> Cells:
    """The cells of one run in the upper part."""
    compared = run.compared
    coverage = [run.coverage(compared.get(criterion)) for criterion in CRITERIA]
    digests = [compared[c].digest for c in ON_POOLS if c in compared]
    relevant = [record for record in run.tasks if _is_relevant(record, digests)]
    if len(digests) < len(ON_POOLS):
        relevant = []
    tests = [[record.tests[digest] for record in relevant] for digest in digests]
    pool = sum(test.states for test in tests[0]) if tests else 0
    solved = [percentage(sum(test.solved for test in own), pool) for own in tests]
    bugs = [percentage(sum(test.bugs for test in own), pool) for own in tests]
    missing: Cells = [UNDEFINED] * (len(ON_POOLS) - len(tests))
    sizes = [float(len(relevant)), float(pool)]
    return [float(len(run.tasks)), *coverage, *sizes, *solved, *missing, *bugs, *missing]


def _is_relevant(record: FinalRecord, digests: Sequence[str]) -> bool:
    """Return true if all compared policies solve the task and were tested on its pool: Π_rel."""
    return all(
        record.solved[digest] and digest in record.tests and not record.tests[digest].is_cut
        for digest in digests
    )


def configurations_table(runs: Sequence[SeedRun], *, intervals: bool = False) -> Table:
    """The lower part: which way of training gives the best policies."""
    places = _places(runs)
    columns = [
        Column("test_tasks", ("", "|Π_test|"), decimals=1),
        *(_column(*place) for place in places),
    ]

    def cells(run: SeedRun) -> Cells:
        return [float(len(run.tasks)), *(run.coverage(_at(run, place)) for place in places)]

    return _table(columns, runs, cells, intervals, tuple(_notes(runs)))


def _column(configuration: str, budget: int) -> Column:
    key = configuration if configuration == START else f"{configuration} {budget}"
    heading = "" if configuration == START else _BUDGET.format(budget)
    return Column(key, (heading, configuration))


def _places(runs: Sequence[SeedRun]) -> list[Place]:
    """The start, the usual configurations by budget, then others."""
    found = {(choice.configuration, choice.budget) for run in runs for choice in run.choices}
    known = (START, *CONFIGURATIONS)

    def rank(place: Place) -> tuple[int, int, int]:
        configuration, budget = place
        group = 0 if configuration == START else 1 if configuration in USUAL else 2
        return group, budget, known.index(configuration)

    return sorted((place for place in found if place[0] in known), key=rank)


def _at(run: SeedRun, place: Place) -> FinalChoice | None:
    """The policy of a column; where several criteria are compared, that of the π-test."""
    own = [c for c in run.choices if (c.configuration, c.budget) == place]
    tested = [choice for choice in own if choice.criterion == PI_TEST]
    return next(iter(tested or own), None)


def _table(
    columns: Sequence[Column],
    runs: Sequence[SeedRun],
    cells: Callable[[SeedRun], Cells],
    intervals: bool,
    notes: tuple[str, ...],
) -> Table:
    """One row for each domain, and their mean; with the extremes over seeds if they are wanted."""
    domains: dict[str, dict[int, Cells]] = {}
    for run in runs:
        domains.setdefault(run.domain, {})[run.seed] = cells(run)
    names = sorted(domains, key=str.casefold)
    rows = [row for name in names for row in _rows(name, domains[name], intervals)]
    if len(names) > 1:
        seeds = set.intersection(*(set(own) for own in domains.values()))
        overall = {seed: _means([own[seed] for own in domains.values()]) for seed in sorted(seeds)}
        if overall:
            rows += _rows(_ALL, overall, intervals)
    seeds_note = f"means over {counted(max(map(len, domains.values())), 'seed')}"
    return Table("domain", "", tuple(columns), tuple(rows), (seeds_note, *notes))


def _rows(label: str, by_seed: Mapping[int, Cells], intervals: bool) -> Iterator[Row]:
    parts = list(by_seed.values())
    yield Row("", label, tuple(_means(parts)))
    if intervals and len(parts) > 1:
        for name, extreme in (("lowest", min), ("highest", max)):
            cells = [extreme_of(extreme, values) for values in zip(*parts, strict=True)]
            yield Row("", f"  {name} of {len(parts)} seeds", tuple(cells))


def _means(parts: Sequence[Cells]) -> Cells:
    return [mean(values) for values in zip(*parts, strict=True)]


def _training_notes(runs: Sequence[SeedRun]) -> Iterator[str]:
    """Notes on the training of policies, and on the costs of tests of models."""
    compared = [(run, run.compared.get(PI_TEST)) for run in runs]
    yield from training_notes(
        [(run.domain, run.folder / choice.training) for run, choice in compared if choice]
    )
    found = (record for run in runs for record in run.tasks)
    for options in dict.fromkeys(record.options for record in found):
        made = FinalTestOptions.from_toml(options, name="final tests")
        yield (
            f"final tests: pools of {made.fuzz.pool_size} states, {', '.join(made.oracles)} with "
            f"{made.limits.expansions} expansions for a state, at most {made.step_limit} steps"
        )


def _notes(runs: Sequence[SeedRun]) -> Iterator[str]:
    """Tasks that are left out."""
    seen = set()
    for run in runs:
        for task, record in run.records.items():
            if record.dropped is not None and (run.domain, task) not in seen:
                seen.add((run.domain, task))
                yield f"dropped {run.domain}, {task}: {record.dropped}"
        if run.missing and (run.domain, "") not in seen:
            seen.add((run.domain, ""))
            yield f"{run.domain}: {len(run.missing)} test tasks are not tested yet"
