"""Comparing campaigns: bugs by state, by kind and by oracle."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bugsieve.base.errors import InputError
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.cost.store import CostStore, PoolPart
from bugsieve.campaigns.store.progress import Addition, Progress
from bugsieve.pipeline.judging.findings import Finding
from bugsieve.pipeline.pool.pool import PoolEntry
from bugsieve.rooms.lab.comparing import Crossed, Recall, Shares, compare
from bugsieve.tasks.grounded.task import StateArray
from tests.unit.policies.line import at, line_task
from tests.unit.results.samples import bug_row, created, finding, header


def campaign(
    folder: Path, pool: list[int], bugs: dict[int, tuple[str, ...]], *, policy: str = "greedy:hff"
) -> Path:
    """A campaign with these places in its pool, of which some are bugs by some oracles."""
    created(folder, policy=policy)
    findings: list[Finding] = []
    for number, place in enumerate(pool, 1):
        rows = (bug_row(number, place, finders=bugs[place]),) if place in bugs else ()
        findings.append(replace(finding(number, 2), bugs=rows, rejected=()))
    entries = [PoolEntry(number, 0, (), 0) for number in range(1, len(pool) + 1)]
    states = np.array([[place] for place in pool], dtype=np.uint16)
    progress = Progress(walks=1, visits=len(pool) + 1)
    with CostStore.open(folder) as store:
        store.add(Addition(progress, PoolPart(entries, states), findings))
    return folder


def test_bugs_are_compared_by_state(tmp_path: Path) -> None:
    both = ("lookahead", "perfect")
    one = campaign(tmp_path / "one", [3, 4, 5, 6], {3: both, 4: ("perfect",), 5: ("perfect",)})
    two = campaign(tmp_path / "two", [7, 6, 5, 4], {4: both, 7: ("perfect",), 6: ("perfect",)})
    result = compare(one, two)
    assert (result.same_policy, result.same_objective) == (True, True)
    assert result.pool == Shares(both=4, only_first=1, only_second=1)  # both begin with 0
    assert result.judged == result.pool
    assert result.bugs == Shares(both=1, only_first=1, only_second=1)  # 4, 5 and 6
    assert result.kinds == {"costly": Shares(1, 0, 1), "unsolved": Shares(0, 1, 0)}
    ((first, second),) = result.both
    assert (first.case, second.case) == (2, 4)
    assert [row.case for row in result.only_first] == [3]
    assert [row.case for row in result.only_second] == [2]
    assert [[row.case for row in rows] for rows in result.untested] == [[1], [1]]  # 3 and 7
    assert result.crossed is None
    # Known bugs in the first pool: 3, 4, 5 and, from the second, 6.
    assert result.recall[0] == {"lookahead": Recall(1, 4), "perfect": Recall(3, 4)}
    assert result.recall[1] == {"lookahead": Recall(1, 4), "perfect": Recall(3, 4)}
    assert result.recall[0]["perfect"].rate == 0.75


def test_another_policy_has_other_bugs(tmp_path: Path) -> None:
    one = campaign(tmp_path / "one", [3, 4], {3: ("perfect",)})
    two = campaign(tmp_path / "two", [3, 4], {4: ("lookahead",)}, policy="random")
    result = compare(one, two)
    assert not result.same_policy
    assert result.recall[0] == {"lookahead": Recall(0, 1), "perfect": Recall(1, 1)}
    assert result.recall[1] == {"lookahead": Recall(1, 1), "perfect": Recall(0, 1)}


def test_each_may_judge_what_only_the_other_one_has(tmp_path: Path) -> None:
    one = campaign(tmp_path / "one", [3, 4], {3: ("perfect",)})
    two = campaign(tmp_path / "two", [4, 5], {4: ("perfect",), 5: ("perfect",)}, policy="random")
    asked: list[tuple[object, list[int]]] = []

    def cross(folder: object, records: CostRecords, states: StateArray) -> Crossed:
        asked.append((folder, [int(state[0]) for state in states]))
        bug = {at(5)[0].tobytes(): bug_row(0, 5)} if folder == one else {}
        return Crossed(len(states), bug, frozenset())

    result = compare(one, two, cross=cross)
    assert asked == [(one, [5]), (two, [3])]
    assert result.judged == Shares(both=4, only_first=0, only_second=0)
    assert result.bugs == Shares(both=1, only_first=1, only_second=1)  # 5, 3 and 4
    assert result.untested == ((), ()) and result.crossed is not None
    assert result.recall[0]["perfect"] == Recall(1, 1)  # of the campaign as it is stored


def test_without_bugs_there_is_no_recall(tmp_path: Path) -> None:
    one, two = campaign(tmp_path / "one", [3], {}), campaign(tmp_path / "two", [3], {})
    assert compare(one, two).recall[0]["perfect"].rate is None


def test_campaigns_on_different_tasks(tmp_path: Path) -> None:
    one, two = created(tmp_path / "one"), tmp_path / "two"
    two.mkdir()
    root = PoolPart([PoolEntry(0, None)], np.zeros((1, 1), dtype=np.uint16))
    CostStore.create(two, header(line_task(4)), Addition(Progress(), root))
    with pytest.raises(InputError, match="are campaigns on different tasks"):
        compare(one, two)
