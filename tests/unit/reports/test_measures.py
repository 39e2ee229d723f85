"""The measures of one campaign, against counting by hand and against slow twins."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.options import CostOptions
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.reports.table import NOT_APPLICABLE, UNDEFINED, Value
from bugsieve.rooms.lab.reports.measures import mean, measure, percentage
from bugsieve.tasks.grounded.task import Task
from tests.unit.policies.generated import generated_task
from tests.unit.reports.samples import Sample


def test_recalls_are_counted_in_their_own_part_of_the_pool(tmp_path: Path) -> None:
    found = measure(
        Sample(
            "sslllls",
            {
                "undo-qual": "??bbbi?",
                "lookahead": "b?bb??b",
                "perfect": "?pbbbb?",
                "aras": "r??????",
            },
            objections={"inv-quant": "no way back"},
            unjudged=2,
        ).write(tmp_path / "c")
    )
    assert found.solves_initial
    assert (found.values["pool"], found.values["solved"]) == (7.0, 3.0)
    assert found.unjudged == 2
    assert found.values["qual undo"] == 100.0  # the implied one counts
    assert found.implied == 0  # another oracle has proven it
    assert found.values["qual look"] == 50.0
    assert found.values["qual perf"] == 100.0
    assert found.values["quant inv"] is NOT_APPLICABLE
    assert found.values["quant look"] == pytest.approx(200 / 3)
    assert found.values["quant aras"] == 0.0  # its claim was rejected
    assert found.values["quant perf"] == 0.0
    assert found.values["qual recall"] == pytest.approx(400 / 7)
    assert found.values["quant recall"] == pytest.approx(200 / 3)


def test_bugs_that_are_only_implied_are_counted_apart(tmp_path: Path) -> None:
    found = measure(Sample("lll", {"undo-qual": "bii"}).write(tmp_path / "c"))
    assert (found.implied, found.values["qual undo"]) == (2, 100.0)
    assert found.values["qual recall"] == 100.0
    assert not found.solves_initial


def test_nothing_to_divide_by(tmp_path: Path) -> None:
    found = measure(Sample("ss", {"lookahead": "??"}).write(tmp_path / "c"))
    assert found.values["qual look"] is UNDEFINED
    assert found.values["quant look"] == 0.0
    assert found.values["qual recall"] == 0.0
    assert found.values["quant pairs"] is UNDEFINED
    assert found.values["quant regions"] == 0.0
    assert "qual perf" not in found.values  # was not asked


def test_regions_are_connected_by_steps(tmp_path: Path) -> None:
    sample = Sample("lllsl", {"lookahead": "bbbbb"}, places=(1, 2, 4, 3, 9))
    found = measure(sample.write(tmp_path / "c"))
    assert found.values["qual regions"] == 3.0  # 1-2, 4, 9: the bug at 3 is of the other kind
    assert found.values["quant regions"] == 1.0


def test_a_qualitative_campaign_says_nothing_about_costs(tmp_path: Path) -> None:
    sample = Sample("sl", {"lookahead": "pb"}, objective="qualitative")
    found = measure(sample.write(tmp_path / "c"))
    assert found.values["qual look"] == 100.0
    assert not any(name.startswith("quant") for name in found.values)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1.0, 2.0], 1.5),
        ([1.0, UNDEFINED, NOT_APPLICABLE], 1.0),
        ([NOT_APPLICABLE, NOT_APPLICABLE], NOT_APPLICABLE),
        ([NOT_APPLICABLE, UNDEFINED], UNDEFINED),
        ([], UNDEFINED),
    ],
)
def test_means_leave_out_what_is_missing(values: list[Value], expected: Value) -> None:
    assert mean(values) == expected


def test_percentages() -> None:
    assert percentage(1, 4) == 25.0
    assert percentage(0, 0) is UNDEFINED


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real one, with bugs of both kinds."""
    folder = tmp_path_factory.mktemp("measures")
    task = generated_task(folder, "visitall", seed=1, width=3, height=3)
    options = CostOptions(
        task=(),
        policy="hill-climbing:hadd",
        oracles=("lookahead", "perfect"),
        fuzz=FuzzOptions(pool_size=40, seed=3, insert="all"),
    )
    Campaign.create(folder / "campaign", options, subject=task).run()
    return folder / "campaign"


def bug_states(records: CostRecords, kind: str) -> list[tuple[int, ...]]:
    states = records.pool().states
    numbers = [row.case for row in records.bugs() if row.bug.kind == kind]
    return [tuple(states[number].tolist()) for number in numbers]


def share_with_unique_pair(states: list[tuple[int, ...]]) -> float:
    pairs = [set(combinations(enumerate(state), 2)) for state in states]
    unique = [
        own - set().union(*(other for other in pairs if other is not own)) != set()
        for own in pairs
    ]
    return 100 * sum(unique) / len(unique)


def region_count(task: Task, states: list[tuple[int, ...]]) -> int:
    """By flooding from each state that is not yet wet."""
    import numpy as np

    neighbours: dict[tuple[int, ...], set[tuple[int, ...]]] = {state: set() for state in states}
    for state in states:
        after, _, _ = task.all_successors(np.array([state], dtype=np.uint16))
        for other in map(tuple, after.tolist()):
            if other in neighbours:
                neighbours[state].add(other)
                neighbours[other].add(state)
    dry, regions = set(states), 0
    while dry:
        regions += 1
        flood = [dry.pop()]
        while flood:
            wet = neighbours[flood.pop()] & dry
            dry -= wet
            flood += wet
    return regions


@pytest.mark.parametrize(("kind", "name"), [("unsolved", "qual"), ("costly", "quant")])
def test_diversity_of_a_real_campaign(campaign: Path, kind: str, name: str) -> None:
    values = measure(campaign).values
    with CostRecords(campaign) as records:
        task = records.header.subject.load()
        states = bug_states(records, kind)
    assert len(states) > 3
    assert values[f"{name} pairs"] == pytest.approx(share_with_unique_pair(states))
    assert values[f"{name} regions"] == region_count(task, states)
