"""The table of trainings against figures that are counted from the raw files."""

from __future__ import annotations

import json
import random
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from bugsieve.base.errors import InputError
from bugsieve.reports.table import UNDEFINED, Table
from bugsieve.rooms.lab.experiments.configurations import ComparedModel
from bugsieve.rooms.lab.experiments.final_records import (
    FinalChoice,
    FinalChoices,
    FinalRecord,
    record_file,
    write_choices,
    write_record,
)
from bugsieve.rooms.lab.reports.training import icaps25
from bugsieve.rooms.lab.reports.training.icaps25 import (
    collect_runs,
    configurations_table,
    criteria_table,
)
from bugsieve.rooms.training.pool_test import PoolTest

_CRITERIA = ("early", "loss", "solved", "pi-test", "test")
_ON_POOLS = ("solved", "pi-test", "test")
_COLUMNS = (
    ComparedModel("start", 2, 4),
    ComparedModel("line", 4, 6),
    ComparedModel("line", 6, 8),
    *(ComparedModel(name, b, b + 2) for name in ("line pi-test", "tree") for b in (4, 6)),
    ComparedModel("more epochs", 9, 11, "loss"),
)
_TASKS = {"ferry": ("p1", "p2", "p3", "p4"), "gripper": tuple(f"q{n}" for n in range(7))}


@pytest.fixture(autouse=True)
def without_trainings(monkeypatch: pytest.MonkeyPatch) -> None:
    """There are no trainings that could say how large they were."""
    monkeypatch.setattr(icaps25, "_training_notes", lambda runs: ())


def _choices() -> list[FinalChoice]:
    made = []
    for domain in _TASKS:
        for seed in (0, 1, 2):
            for column in _COLUMNS:
                is_compared = (column.configuration, column.budget) == ("line", 6)
                for criterion in _CRITERIA if is_compared else (column.criterion,):
                    name = f"{domain} {seed} {column.configuration} {column.budget} {criterion}"
                    labels = (domain, seed, column.configuration, column.budget, criterion)
                    made.append(FinalChoice(*labels, "training", 0, name))
    return made


def _record(rng: random.Random, digests: list[str], *, is_dropped: bool) -> FinalRecord:
    if is_dropped:
        return FinalRecord("", "", "too large")
    solved = {digest: rng.random() < 0.8 for digest in digests}
    tests = {}
    for digest in digests:
        if solved[digest] and rng.random() < 0.95:
            tested = 10 if rng.random() < 0.9 else 9
            tests[digest] = PoolTest(True, 10, tested, rng.randint(0, 9), rng.randint(0, 9), 5, 5)
    return FinalRecord("", "", None, solved, tests)


def _write(folder: Path, seed: int) -> None:
    rng = random.Random(seed)
    choices = _choices()
    write_choices(folder, FinalChoices(_TASKS, tuple(choices)))
    for domain, tasks in _TASKS.items():
        digests = [choice.digest for choice in choices if choice.domain == domain]
        for task in tasks:
            record = _record(rng, digests, is_dropped=task == "q3")
            write_record(record_file(folder, domain, task), record)


def _raw(folder: Path, domain: str) -> list[dict[str, Any]]:
    files = sorted((folder / "final-tests" / domain).glob("*.json"))
    return [r for r in map(json.loads, map(Path.read_text, files)) if r["dropped"] is None]


def _naive_criteria(folder: Path, domain: str, seed: int) -> dict[str, float | None]:
    """Counted one by one, from the files as they are."""
    records = _raw(folder, domain)
    cells: dict[str, float | None] = {"test_tasks": len(records)}
    names = {criterion: f"{domain} {seed} line 6 {criterion}" for criterion in _CRITERIA}
    for criterion, name in names.items():
        cells[f"coverage {criterion}"] = len([r for r in records if r["solved"][name]])
    relevant = []
    for record in records:
        tests = [record["tests"].get(names[criterion]) for criterion in _ON_POOLS]
        if all(test is not None and test[0] == test[1] for test in tests):
            relevant.append(record)
    cells["relevant_tasks"] = len(relevant)
    cells["pool"] = states = 10 * len(relevant)
    for place, what in ((2, "solved"), (3, "bugs")):
        for criterion in _ON_POOLS:
            found = sum(record["tests"][names[criterion]][place] for record in relevant)
            cells[f"{what} {criterion}"] = 100 * found / states if states else None
    return cells


def _naive_mean(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _cells(table: Table, label: str) -> dict[str, float | None]:
    (row,) = (row for row in table.rows if row.label == label)
    keys = [column.key for column in table.columns]
    values = (None if value is UNDEFINED else value for value in row.cells)
    return dict(zip(keys, values, strict=True))  # type: ignore[arg-type]


def _approximately(cells: dict[str, float | None]) -> dict[str, Any]:
    return {key: None if v is None else pytest.approx(v) for key, v in cells.items()}


@pytest.mark.parametrize("seed", range(6))
def test_criteria_are_counted_as_by_hand(tmp_path: Path, seed: int) -> None:
    _write(tmp_path, seed)
    table = criteria_table(collect_runs([tmp_path]))
    by_seed: dict[int, list[dict[str, float | None]]] = {0: [], 1: [], 2: []}
    for domain in _TASKS:
        runs = [_naive_criteria(tmp_path, domain, number) for number in range(3)]
        for number, run in enumerate(runs):
            by_seed[number].append(run)
        wanted = {key: _naive_mean([run[key] for run in runs]) for key in runs[0]}
        assert _cells(table, domain) == _approximately(wanted)
    means = [
        {key: _naive_mean([run[key] for run in runs]) for key in runs[0]}
        for runs in by_seed.values()
    ]
    overall = {key: _naive_mean([run[key] for run in means]) for key in means[0]}
    assert _cells(table, "mean of domains") == _approximately(overall)
    assert "dropped gripper, q3: too large" in table.notes


def test_configurations_are_counted_as_by_hand(tmp_path: Path) -> None:
    _write(tmp_path, 0)
    table = configurations_table(collect_runs([tmp_path]), intervals=True)
    for domain in _TASKS:
        records = _raw(tmp_path, domain)
        for column in _COLUMNS:
            solved = [
                sum(
                    record["solved"][
                        f"{domain} {seed} {column.configuration} {column.budget} "
                        f"{column.criterion}"
                    ]
                    for record in records
                )
                for seed in range(3)
            ]
            name = column.configuration
            key = name if name == "start" else f"{name} {column.budget}"
            rows = [row for row in table.rows if not row.label.startswith("mean")]
            first = next(n for n, row in enumerate(rows) if row.label == domain)
            place = [c.key for c in table.columns].index(key)
            shown = [rows[first + below].cells[place] for below in range(3)]
            assert shown == [pytest.approx(fmean(solved)), min(solved), max(solved)]


def test_columns_are_in_the_order_of_the_paper(tmp_path: Path) -> None:
    _write(tmp_path, 0)
    table = configurations_table(collect_runs([tmp_path]))
    assert [column.headings for column in table.columns] == [
        ("", "|Π_test|"),
        ("", "start"),
        *(
            (f"coverage after {b} epochs", n)
            for b in (4, 6)
            for n in ("line", "line pi-test", "tree")
        ),
        ("coverage after 9 epochs", "more epochs"),
    ]


def test_tasks_without_tests_are_told(tmp_path: Path) -> None:
    _write(tmp_path, 0)
    record_file(tmp_path, "ferry", "p1").unlink()
    table = criteria_table(collect_runs([tmp_path]))
    assert _cells(table, "ferry")["test_tasks"] == 3
    assert "ferry: 1 test tasks are not tested yet" in table.notes


def test_experiments_that_cannot_be_compared(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no final tests of trained policies"):
        collect_runs([tmp_path])
    for name in ("a", "b"):
        _write(tmp_path / name, 0)
    with pytest.raises(InputError, match="has trainings for ferry with seed 0, as"):
        collect_runs([tmp_path / "a", tmp_path / "b"])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"solved": {', '"solved": {"x": 1,'),
        ('"final test": 1', '"final test": "1"'),
        ("10,", "8,"),
        ("{", ""),
    ],
)
def test_damaged_records_are_refused(tmp_path: Path, old: str, new: str) -> None:
    _write(tmp_path, 0)
    path = record_file(tmp_path, "ferry", "p1")
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(InputError, match="is damaged: delete it"):
        collect_runs([tmp_path])
