"""The measures of Table 1 of papers/000, for one campaign."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.store.progress import CampaignHeader
from bugsieve.pipeline.bugs.groups import count_regions, unique_fact_pair_share
from bugsieve.pipeline.bugs.verdict import Outcome
from bugsieve.pipeline.objectives import objective_class
from bugsieve.pipeline.objectives.quantitative import Quantitative
from bugsieve.policies.decisions import Ending
from bugsieve.reports.table import NOT_APPLICABLE, UNDEFINED, Missing, Value
from bugsieve.tasks.grounded.task import StateArray, Task

Mask = NDArray[np.bool_]


QUALITATIVE, QUANTITATIVE = "qual", "quant"

_SHORT = {
    "undo-qual": "undo",
    "inv-quant": "inv",
    "lookahead": "look",
    "aras": "aras",
    "perfect": "perf",
}
"""The paper's names of its oracles, in the order of its table."""
_BUSINESS = {"undo-qual": QUALITATIVE, "inv-quant": QUANTITATIVE, "aras": QUANTITATIVE}
"""Of oracles that can say something of one part of the states only."""


@dataclass(frozen=True)
class Measures:
    """The numbers of one campaign; shares are percentages."""

    solves_initial: bool
    """True if the policy solves the first state of the pool."""
    values: Mapping[str, Value]
    implied: int
    """States that must be bugs although no better run is known; they count as bugs."""
    unjudged: int
    """Pool states that were not judged; they count nowhere."""
    oracles: Mapping[str, str | None]
    """The oracles asked to judge, each with the reason why it could not, if any."""


def measure(folder: Path) -> Measures:
    """The measures of the campaign in the folder."""
    with CostRecords(folder) as records:
        runs, header = records.runs(), records.header
        judged = len(runs)
        states, unjudged = records.states(judged), records.case_count() - judged
        solved: Mask = runs.endings == Ending.SOLVED
        finds = {spec: _finds(records, spec, judged) for spec in header.used_oracles}
        implied = records.implied()
    bugs: Mask = np.logical_or.reduce([np.zeros(judged, dtype=bool), *finds.values()])
    parts = {QUALITATIVE: ~solved}
    if objective_class(header.objective).costs_count:
        parts[QUANTITATIVE] = solved
    values: dict[str, Value] = {"pool": float(judged), "solved": float(solved.sum())}
    values.update(_oracle_recalls(header, finds, parts))
    task = header.subject.load()
    for kind, part in parts.items():
        base = judged if kind == QUALITATIVE else int(part.sum())
        values[f"{kind} recall"] = percentage(int((bugs & part).sum()), base)
        values.update(_diversity(task, states[bugs & part], kind))
    asked = {row.spec: row.objection for row in header.oracles if not row.level}
    return Measures(bool(judged and solved[0]), values, implied, unjudged, asked)


def short_name(spec: str) -> str:
    """The heading of an oracle's column, as in `look:2`."""
    name, colon, argument = spec.partition(":")
    return f"{_SHORT.get(name.strip(), name.strip())}{colon}{argument.strip()}"


def full_name(short: str) -> str:
    """The spec of the oracle that a column is called after."""
    name, colon, argument = short.partition(":")
    names = {short: name for name, short in _SHORT.items()}
    return f"{names.get(name, name)}{colon}{argument}"


def is_business(spec: str, kind: str) -> bool:
    """Return true if the oracle can say anything of states of this part."""
    return _BUSINESS.get(spec.partition(":")[0].strip(), kind) == kind


def in_paper_order(specs: Iterable[str]) -> list[str]:
    """Each oracle once, those of the paper first."""
    order = list(_SHORT)
    places = {spec: spec.partition(":")[0].strip() for spec in specs}
    return sorted(places, key=lambda s: order.index(places[s]) if places[s] in order else 99)


def is_measured(objective: str) -> bool:
    """Return true if its bugs are either failures, or runs that cost too much."""
    return objective_class(objective).kinds.keys() <= Quantitative.kinds.keys()


def percentage(part: int, whole: int) -> Value:
    """The share in percent; undefined of nothing."""
    return 100.0 * part / whole if whole else UNDEFINED


def mean(values: Iterable[Value]) -> Value:
    """The mean of the numbers; without any, whether that is because nothing applies."""
    values = list(values)
    numbers = [value for value in values if not isinstance(value, Missing)]
    if numbers:
        return sum(numbers) / len(numbers)
    applies = not values or UNDEFINED in values
    return UNDEFINED if applies else NOT_APPLICABLE


def extreme_of(choose: Callable[[list[float]], float], values: Iterable[Value]) -> Value:
    """The least or greatest of the numbers, by `min` or `max`; undefined without any."""
    known = [value for value in values if not isinstance(value, Missing)]
    return choose(known) if known else UNDEFINED


def _finds(records: CostRecords, oracle: str, judged: int) -> Mask:
    """The states that the oracle found to be bugs, or implied to be; no rejected claims."""
    found = np.zeros(judged, dtype=bool)
    found[records.cases_with(oracle, (Outcome.BUG.value, Outcome.IMPLIED.value))] = True
    found[[row.case for row in records.rejected() if row.oracle == oracle]] = False
    return found


def _oracle_recalls(
    header: CampaignHeader, finds: Mapping[str, Mask], parts: Mapping[str, Mask]
) -> dict[str, Value]:
    """For each oracle its finds among the states that are its business."""
    return {
        f"{kind} {short_name(row.spec)}": NOT_APPLICABLE
        if row.objection is not None
        else percentage(int((finds[row.spec] & part).sum()), int(part.sum()))
        for kind, part in parts.items()
        for row in header.oracles
        if not row.level and is_business(row.spec, kind)
    }


def _diversity(task: Task, bugs: StateArray, kind: str) -> dict[str, Value]:
    share = unique_fact_pair_share(task, bugs) if len(bugs) else None
    return {
        f"{kind} pairs": UNDEFINED if share is None else 100.0 * share,
        f"{kind} regions": float(count_regions(task, bugs)) if len(bugs) else 0.0,
    }
