"""Table 1 of papers/002 over any campaigns: the recall of oracles on the pools they all judged.

A configuration is what judges in a campaign, by its label in an experiment file. Campaigns on one
instance with the same policy, fuzzer and seed are one task; their pools must be the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bugsieve.base.errors import InputError
from bugsieve.base.wording import counted
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.policies.decisions import Ending
from bugsieve.reports.table import UNDEFINED, Column, Row, Table, Value
from bugsieve.rooms.lab.reports.collection import Card, cost_notes, in_file_order
from bugsieve.rooms.lab.reports.measures import extreme_of, percentage
from bugsieve.rooms.lab.reports.unsolved_notes import unsolved_notes
from bugsieve.tasks.grounded.task import StateArray

LEAST = 25
_BEST = "BestOf"
_RECALL = "oracle recall: bugs among J in %"

TaskKey = tuple[object, ...]


@dataclass(frozen=True)
class OracleTableOptions:
    """The options that say what enters the table."""

    least: int = LEAST
    """Of how many states a configuration must have judged on average to be compared."""
    all_instances: bool = False
    """True if instances count that the policy does not solve."""
    truth: str | None = None
    """The configuration whose bugs are all that count, one that knows the best plans."""
    intervals: bool = False
    """True if the lowest and the highest recall with one seed have rows of their own."""


@dataclass(frozen=True, eq=False)
class JudgedPool:
    """The verdicts of one configuration on the pool of a task."""

    folder: Path
    states: StateArray
    """Those that were judged, in order."""
    flagged: frozenset[int]
    """The numbers of those that are bugs."""
    bounds: frozenset[int]
    """The numbers of those that must be bugs, though no better run is known."""
    solves_initial: bool


def icaps23_table(cards: Sequence[Card], options: OracleTableOptions) -> Table:
    """The table of these campaigns."""
    ordered = in_file_order(cards)
    names = list(dict.fromkeys(card.oracles for card in ordered))
    if options.truth is not None and options.truth not in names:
        raise InputError(
            f"{ordered[0].folder}: no campaign here is of {options.truth!r}, but of "
            f"{', '.join(names)}"
        )
    domains: dict[tuple[str, str], dict[TaskKey, dict[str, JudgedPool]]] = {}
    for card in ordered:
        tasks = domains.setdefault((card.policy, card.domain), {})
        own = tasks.setdefault(task_key(card), {})
        if card.oracles in own:
            raise InputError(
                f"{card.folder}: is the same as {own[card.oracles].folder}: give one of them"
            )
        own[card.oracles] = judged_in(card.folder)
    made = [
        _Line(key, domains[key], names, options)
        for key in sorted(domains, key=lambda key: (key[0], key[1].casefold()))
    ]
    rows = tuple(row for line in made for row in line.rows())
    return Table(
        label="domain",
        block="policy",
        columns=tuple(_columns(names, options)),
        rows=rows,
        notes=(
            *_notes(made, options),
            *cost_notes(cards),
            *unsolved_notes(rows, are_counted=options.all_instances),
        ),
    )


def task_key(card: Card) -> TaskKey:
    """The key that campaigns share if they judge the same pool."""
    return card.instance, card.bias, card.novelty, card.seed


def judged_in(folder: Path) -> JudgedPool:
    """The verdicts of the campaign in the folder."""
    with CostRecords(folder) as records:
        runs, count = records.runs(), records.judged()
        found, bounds = (frozenset(part.tolist()) for part in records.flagged())
        solves = len(runs) > 0 and int(runs.endings[0]) == Ending.SOLVED
        return JudgedPool(folder, records.states(count), found | bounds, bounds, solves)


def _solved_tasks(
    tasks: Mapping[TaskKey, Mapping[str, JudgedPool]],
) -> dict[TaskKey, Mapping[str, JudgedPool]]:
    """The tasks whose initial state the policy solves."""
    return {
        key: own
        for key, own in tasks.items()
        if any(judged.solves_initial for judged in own.values())
    }


class _Line:
    """One domain under one policy."""

    def __init__(
        self,
        key: tuple[str, str],
        tasks: Mapping[TaskKey, Mapping[str, JudgedPool]],
        names: Sequence[str],
        options: OracleTableOptions,
    ) -> None:
        self.policy, self.domain = key
        solved = _solved_tasks(tasks)
        self._unsolved = tuple(sorted({str(k[0]) for k in tasks if k not in solved}))
        tasks = tasks if options.all_instances else solved
        self._tasks = tasks
        self._names = names
        self._options = options
        present = [name for name in names if any(name in own for own in tasks.values())]
        self.compared = [name for name in present if self._mean(name) >= options.least]
        self.left_out = [name for name in present if name not in self.compared]
        self._joint = {key: self._joint_pool(own) for key, own in tasks.items()}

    def rows(self) -> Iterator[Row]:
        """Its row of the table, and those of its lowest and highest recalls if they are wanted."""
        seeds = sorted({_seed(key) for key in self._tasks})
        yield Row(self.policy, self.domain, tuple(self._cells(self._tasks)), self._unsolved)
        if self._options.intervals and len(seeds) > 1:
            parts = [self._cells([k for k in self._tasks if _seed(k) == seed]) for seed in seeds]
            for name, extreme in (("lowest", min), ("highest", max)):
                cells = [extreme_of(extreme, values) for values in zip(*parts, strict=True)]
                yield Row(self.policy, f"  {name} of {len(seeds)} seeds", tuple(cells))

    def _cells(self, keys: Iterable[TaskKey]) -> list[Value]:
        """Instances, the size of the joint pool and the recalls, over some of the tasks."""
        chosen = {key: self._joint[key] for key in keys}
        size = sum(map(len, chosen.values()))
        recalls: list[Value] = [
            percentage(self._bugs(chosen, [name]), size) if name in self.compared else UNDEFINED
            for name in self._names
        ]
        instances = len({key[0] for key in chosen})
        best = percentage(self._bugs(chosen, self.compared), size)
        return [float(instances), float(size), *recalls, best]

    def bound_only(self) -> int:
        """The number of verdicts of the row that are bounds without a better run."""
        return sum(
            len(self._tasks[key][name].bounds & joint)
            for key, joint in self._joint.items()
            for name in self.compared
            if name in self._tasks[key]
        )

    def _mean(self, name: str) -> float:
        judged = [len(own[name].states) for own in self._tasks.values() if name in own]
        return sum(judged) / len(self._tasks)

    def _joint_pool(self, own: Mapping[str, JudgedPool]) -> frozenset[int]:
        """The states of a task that everybody has judged who is compared: all in one order.

        Where there is a truth, only those that are bugs by it.
        """
        truth = self._options.truth
        wanted = (*self.compared, *([truth] if truth else ()))
        if not self.compared or any(name not in own for name in wanted):
            return frozenset()
        parts = [own[name] for name in self.compared]
        count = min(len(part.states) for part in parts)
        for part in parts:
            if not np.array_equal(part.states[:count], parts[0].states[:count]):
                raise InputError(
                    f"{part.folder}: judges other states than {parts[0].folder}: compare oracles "
                    "on the same pool, with shared_pools in the experiment file"
                )
        joint = frozenset(range(count))
        return joint if truth is None else joint & own[truth].flagged

    def _bugs(self, joint: Mapping[TaskKey, frozenset[int]], names: Sequence[str]) -> int:
        """The number of these states that one of the configurations flags."""
        total = 0
        for key, cases in joint.items():
            own = self._tasks[key]
            flagged = frozenset[int]().union(*(own[n].flagged for n in names if n in own))
            total += len(flagged & cases)
        return total


def _seed(key: TaskKey) -> int:
    seed = key[-1]
    assert isinstance(seed, int)
    return seed


def _columns(names: Sequence[str], options: OracleTableOptions) -> Iterator[Column]:
    yield Column("tasks", ("joint pool", "#Π"), decimals=0)
    yield Column("joint_pool", ("joint pool", "|J|"), decimals=0)
    heading = _RECALL if options.truth is None else f"bugs among those of {options.truth} in %"
    for name in (*names, _BEST):
        yield Column(name, (heading, name))


def _notes(lines: Sequence[_Line], options: OracleTableOptions) -> Iterator[str]:
    if not options.all_instances:
        yield "over the instances that the policy solves"
    if options.truth is not None:
        yield f"J: the bugs of {options.truth} among the states that all have judged"
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
