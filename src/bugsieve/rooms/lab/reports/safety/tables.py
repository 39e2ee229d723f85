"""Figures 2 to 4 of papers/001 as tables: fuzzing, verdicts on states, analyses of runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from bugsieve.base.errors import InputError
from bugsieve.base.wording import counted
from bugsieve.reports.table import UNDEFINED, Column, Row, Table, Value
from bugsieve.rooms.lab.reports.measures import mean, percentage
from bugsieve.rooms.lab.reports.safety.cards import (
    SafetyCard,
    comparing,
    fuzzers_of,
    groups_of,
    oracle_name,
)
from bugsieve.rooms.lab.reports.safety.measures import Proofs, Reals, run_analyses, state_verdicts
from bugsieve.rooms.safety.store.records import SafetyRecords

TIMES = {
    "0.1 ms": 1e-4,
    "1 ms": 1e-3,
    "10 ms": 0.01,
    "0.1 s": 0.1,
    "1 s": 1.0,
    "10 s": 10.0,
}
ALL_MODELS = "all models"


def fuzzing_table(cards: Sequence[SafetyCard]) -> Table:
    """Unsafe runs and seconds by fuzzer (Figure 2); means over campaigns with other seeds."""
    fuzzers = fuzzers_of(cards)
    part = "(A) fuzzing"
    columns = [Column("walks", (part, "", "walks"), decimals=0)]
    kinds = (
        ("unsafe", "unsafe runs", 0),
        ("different", "different ones", 0),
        ("seconds", "seconds", 2),
    )
    for section, (key, heading, decimals) in enumerate(kinds):
        columns += [
            Column(f"{key}_{_key(fuzzer)}", (part, heading, fuzzer), section, decimals)
            for fuzzer in fuzzers
        ]
    keys = sorted({(c.policy, c.model) for c in cards}, key=lambda k: (k[0], k[1].casefold()))
    rows = [
        Row(*key, tuple(_fuzzing([c for c in cards if (c.policy, c.model) == key], fuzzers)))
        for key in keys
    ]
    return Table("model", "policy", tuple(columns), tuple(rows))


def _key(fuzzer: str) -> str:
    depth, _, choice = fuzzer.partition(" ")
    return f"{choice}_{'inf' if depth == '∞' else depth}"


def _fuzzing(cards: Sequence[SafetyCard], fuzzers: Sequence[str]) -> Iterator[Value]:
    counts = {fuzzer: [_counts(c) for c in cards if c.fuzzer == fuzzer] for fuzzer in fuzzers}
    yield mean(found[0] for group in counts.values() for found in group)
    for number in (1, 2, 3):
        for fuzzer in fuzzers:
            yield mean(found[number] for found in counts[fuzzer])


def _counts(card: SafetyCard) -> tuple[float, float, float, float]:
    """Walks, unsafe runs, different ones, and the seconds that the walks took."""
    with SafetyRecords(card.folder) as records:
        progress, runs = records.progress(), records.runs()
    different = len(np.unique(runs.same_as))
    return float(progress.walks), float(len(runs)), float(different), progress.fuzz_seconds


def oracles_table(cards: Sequence[SafetyCard]) -> Table:
    """Shares of bugs and of other states that oracles decide in time (Figure 3)."""
    used = comparing(cards)
    part = "(B) oracles: states decided in %, each on its own"
    columns = []
    for key, heading in (("bugs", "bugs"), ("non_bugs", "no bugs")):
        columns.append(Column(key, (part, heading, "states"), decimals=0))
        columns += [
            Column(f"{key}_{limit:g}_s", (part, heading, name)) for name, limit in TIMES.items()
        ]
        columns.append(Column(f"{key}_proven", (part, heading, "all")))
    rows = list(_rows(used, _oracle_rows))
    if not rows:
        raise InputError(
            f"{cards[0].folder}: neither this campaign nor another one has judged states on their "
            "own: run campaigns with --alone N"
        )
    undecided = state_verdicts(used).undecided
    notes = [_test_cases(used, "states")]
    if undecided:
        notes.append(f"{counted(undecided, 'state')} left out that nobody could decide")
    return Table("oracle", "model", tuple(columns), tuple(rows), tuple(notes))


def _oracle_rows(name: str, cards: Sequence[SafetyCard]) -> Iterator[Row]:
    verdicts = state_verdicts(cards)
    if not len(verdicts.safety):
        return
    for spec in verdicts.oracles:
        cells = [
            cell
            for of_bugs in (True, False)
            for cell in _shares(verdicts.proofs(spec, of_bugs=of_bugs))
        ]
        yield Row(name, oracle_name(spec), tuple(cells))


def _shares(proofs: Proofs) -> Iterator[Value]:
    times = proofs.times()
    yield float(len(proofs))
    for limit in (*TIMES.values(), np.inf):
        yield percentage(int(np.searchsorted(times, limit, side="right")), len(proofs))


def faults_table(cards: Sequence[SafetyCard]) -> Table:
    """Time that the analysis of an unsafe run takes, and the faults in it (Figure 4)."""
    used = comparing(cards)
    part = "(C) fault analysis of whole runs"
    time = "milliseconds per run"
    columns = (
        Column("runs", (part, "", "runs"), decimals=0),
        Column("mean_ms", (part, time, "mean"), decimals=2),
        Column("median_ms", (part, time, "median"), decimals=2),
        Column("max_ms", (part, time, "max"), decimals=2),
        Column("with_fault", (part, "runs in %", "with a fault")),
        Column("with_several", (part, "runs in %", "with several")),
        Column("open", (part, "runs in %", "open")),
        Column("faults", (part, "faults", "per run"), decimals=2),
    )
    rows = tuple(_rows(used, _fault_rows))
    if not rows:
        raise InputError(f"{cards[0].folder}: no campaign here has found an unsafe run")
    return Table("oracle", "model", columns, rows, (_test_cases(used, "different unsafe runs"),))


def _fault_rows(name: str, cards: Sequence[SafetyCard]) -> Iterator[Row]:
    analyses = run_analyses(cards)
    if not len(analyses.seconds):
        return
    for spec in analyses.oracles:
        seconds, faults, is_open = analyses.of(spec)
        count = len(seconds)
        shares = (faults > 0, faults > 1, is_open)
        yield Row(
            name,
            oracle_name(spec),
            (
                float(count),
                *_times(1000 * seconds),
                *(percentage(int(share.sum()), count) for share in shares),
                float(faults.mean()) if count else UNDEFINED,
            ),
        )


def _times(values: Reals) -> tuple[Value, ...]:
    if not len(values):
        return (UNDEFINED,) * 3
    return float(values.mean()), float(np.median(values)), float(values.max())


def _rows(
    cards: Sequence[SafetyCard], rows_of: Callable[[str, Sequence[SafetyCard]], Iterator[Row]]
) -> Iterator[Row]:
    """The rows of all models together, then of each."""
    groups = groups_of(cards)
    if len(groups) > 1:
        yield from rows_of(ALL_MODELS, cards)
    for name, group in groups.items():
        yield from rows_of(name, group)


def _test_cases(used: Sequence[SafetyCard], what: str) -> str:
    fuzzers = fuzzers_of(used)
    return f"{what} of campaigns with {' and '.join(fuzzers)} walks"


PARTS: dict[str, Callable[[Sequence[SafetyCard]], Table]] = {
    "fuzzing": fuzzing_table,
    "oracles": oracles_table,
    "faults": faults_table,
}
