"""`find_bugs` never looks as if all were well while something is undecided."""

from __future__ import annotations

from dataclasses import replace

import pytest

import bugsieve
from bugsieve.campaigns.cost.summary import CostSummary
from bugsieve.campaigns.find import Bugs
from bugsieve.tasks.fdr.task import Task
from tests.unit.policies.line import line_task


@bugsieve.policy
def there_and_back(facts: frozenset[str], applicable: list[str]) -> str:
    """Goes right from the first place, and left from all others."""
    return next((action for action in applicable if "left" in action), "(right p0)")


@pytest.fixture(scope="module")
def task() -> Task:
    return line_task(5)


def test_bugs_are_a_sequence(task: Task) -> None:
    bugs = bugsieve.find_bugs(task, there_and_back, pool_size=3)
    assert isinstance(bugs, Bugs) and bugs and len(bugs) == bugs.summary.bugs > 0
    assert bugs[0] is next(iter(bugs)) and bugs[:1] == [bugs[0]]
    assert bugs == list(bugs) and bugs != [] and list(bugs) == bugs
    assert bugs.undecided == 0 and "bug" in repr(bugs)


def test_nothing_found_and_nothing_open_is_an_empty_list(task: Task) -> None:
    bugs = bugsieve.find_bugs(task, "greedy:hff", pool_size=3)
    assert not bugs and bugs == [] and len(bugs) == 0


def test_what_is_undecided_is_not_empty(task: Task) -> None:
    """No oracle can decide here: it improves plans, and the policy has none."""
    found = bugsieve.find_bugs(task, there_and_back, pool_size=3, oracles="aras")
    assert isinstance(found.summary, CostSummary)
    summary = replace(found.summary, bugs=0, bugs_by_kind={}, open_runs={"loop": 2})
    bugs: Bugs[bugsieve.Bug] = Bugs([], summary)
    assert (len(bugs), list(bugs), bugs.undecided, summary.exit_code) == (0, [], 2, 6)
    assert bugs and bugs != [] and bugs != [] and bugs != Bugs([], replace(summary, open_runs={}))
    assert bugs == Bugs([], summary)
    assert "no bugs proven" in repr(bugs)
