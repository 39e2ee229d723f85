"""Table 1 of papers/002 over any campaigns: the recall of oracles on the pools they all judged.

A configuration is what judges in a campaign, by its label in an experiment file. Campaigns on one
instance with the same policy, fuzzer and seed are one task; their pools must be the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bugsieve.basis.errors import InputError
from bugsieve.basis.wording import counted
from bugsieve.policies.decisions import Ending
from bugsieve.reports.collection import Card, in_file_order
from bugsieve.reports.measures import UNDEFINED, Value, percentage
from bugsieve.reports.table import Column, Row, Table
from bugsieve.results.cost.records import CostRecords
from bugsieve.tasks.fdr.task import StateArray

LEAST = 25
_BEST = "BestOf"
_RECALL = "oracle recall: bugs among J in %"

TaskKey = tuple[object, ...]


@dataclass(frozen=True)
class OracleTableOptions:
    """What enters the table."""

    least: int = LEAST
    """Of how many states a configuration must have judged on average to be compared."""
    all_instances: bool = False
    """Whether instances count that the policy does not solve."""


@dataclass(frozen=True, eq=False)
class Judged:
    """What one configuration said of the pool of a task."""

    folder: Path
    states: StateArray
    """Those that were judged, in order."""
    flagged: frozenset[int]
    """The numbers of those that are bugs."""
    bounds: frozenset[int]
    """Those of them that must be bugs, though nobody has a better run."""
    solves_initial: bool


def icaps23_table(cards: Sequence[Card], options: OracleTableOptions) -> Table:
    """The table of these campaigns."""
    ordered = in_file_order(cards)
    names = list(dict.fromkeys(card.oracles for card in ordered))
    domains: dict[tuple[str, str], dict[TaskKey, dict[str, Judged]]] = {}
    for card in ordered:
        tasks = domains.setdefault((card.policy, card.domain), {})
        own = tasks.setdefault(task_key(card), {})
        if card.oracles in own:
            raise InputError(
                f"{card.folder}: is the same as {own[card.oracles].folder}: give one of them"
            )
        own[card.oracles] = judged_in(card.folder)
    made = [
        _Line(key, _counted_tasks(domains[key], options), names, options)
        for key in sorted(domains, key=lambda key: (key[0], key[1].casefold()))
    ]
    return Table(
        label="domain",
        block="policy",
        columns=tuple(_columns(names)),
        rows=tuple(line.row() for line in made),
        notes=tuple(_notes(made, options)),
    )


def task_key(card: Card) -> TaskKey:
    """What campaigns have in common that judge the same pool."""
    return card.instance, card.bias, card.novelty, card.seed


def judged_in(folder: Path) -> Judged:
    """What the campaign in the folder said."""
    with CostRecords(folder) as records:
        runs, count = records.runs(), records.judged()
        found, bounds = (frozenset(part.tolist()) for part in records.flagged())
        solves = len(runs) > 0 and int(runs.endings[0]) == Ending.SOLVED
        return Judged(folder, records.states(count), found | bounds, bounds, solves)


def _counted_tasks(
    tasks: Mapping[TaskKey, Mapping[str, Judged]], options: OracleTableOptions
) -> dict[TaskKey, Mapping[str, Judged]]:
    """The tasks whose initial state the policy solves, if others do not count."""
    return {
        key: own
        for key, own in tasks.items()
        if options.all_instances or any(judged.solves_initial for judged in own.values())
    }


class _Line:
    """One domain under one policy."""

    def __init__(
        self,
        key: tuple[str, str],
        tasks: Mapping[TaskKey, Mapping[str, Judged]],
        names: Sequence[str],
        options: OracleTableOptions,
    ) -> None:
        self.policy, self.domain = key
        self._tasks = tasks
        self._names = names
        present = [name for name in names if any(name in own for own in tasks.values())]
        self.compared = [name for name in present if self._mean(name) >= options.least]
        self.left_out = [name for name in present if name not in self.compared]
        self._joint = {key: self._joint_count(own) for key, own in tasks.items()}

    def row(self) -> Row:
        """Its row of the table."""
        size = sum(self._joint.values())
        recalls: list[Value] = [
            percentage(self._bugs([name]), size) if name in self.compared else UNDEFINED
            for name in self._names
        ]
        instances = len({key[0] for key in self._tasks})
        best = percentage(self._bugs(self.compared), size)
        return Row(self.policy, self.domain, (float(instances), float(size), *recalls, best))

    def bound_only(self) -> int:
        """How many verdicts of the row are bounds without a better run."""
        return sum(
            sum(case < count for case in self._tasks[key][name].bounds)
            for key, count in self._joint.items()
            for name in self.compared
            if name in self._tasks[key]
        )

    def _mean(self, name: str) -> float:
        judged = [len(own[name].states) for own in self._tasks.values() if name in own]
        return sum(judged) / len(self._tasks)

    def _joint_count(self, own: Mapping[str, Judged]) -> int:
        """How many states of a task everybody has judged who is compared: all in one order."""
        if not self.compared or any(name not in own for name in self.compared):
            return 0
        parts = [own[name] for name in self.compared]
        count = min(len(part.states) for part in parts)
        for part in parts:
            if not np.array_equal(part.states[:count], parts[0].states[:count]):
                raise InputError(
                    f"{part.folder}: judges other states than {parts[0].folder}: compare oracles "
                    "on the same pool, with shared_pools in the experiment file"
                )
        return count

    def _bugs(self, names: Sequence[str]) -> int:
        """How many states of the joint pool one of these flags."""
        total = 0
        for key, count in self._joint.items():
            own = self._tasks[key]
            flagged = frozenset[int]().union(*(own[n].flagged for n in names if n in own))
            total += sum(case < count for case in flagged)
        return total


def _columns(names: Sequence[str]) -> Iterator[Column]:
    yield Column("tasks", ("joint pool", "#Π"), decimals=0)
    yield Column("joint_pool", ("joint pool", "|J|"), decimals=0)
    for name in (*names, _BEST):
        yield Column(name, (_RECALL, name))


def _notes(lines: Sequence[_Line], options: OracleTableOptions) -> Iterator[str]:
    if not options.all_instances:
        yield "over the instances that the policy solves"
    for line in lines:
        if line.left_out:
            names = ", ".join(line.left_out)
            yield (
                f"{line.domain}: without {names}, which judged fewer than {options.least} states "
                "per task on average"
            )
    bounds = sum(line.bound_only() for line in lines)
    if bounds:
        yield f"{counted(bounds, 'bug')} by a bound alone, without a better run at hand"
