"""The store of a safety campaign keeps what it acknowledged, all of it or nothing."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bugsieve.base.errors import InputError
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.store.records import kind_of
from bugsieve.campaigns.store.tables import COST, SAFETY
from bugsieve.rooms.safety.oracles.analysis import LoneVerdict
from bugsieve.rooms.safety.store.records import SafetyRecords
from bugsieve.rooms.safety.store.store import SafetyStore, WalkPart
from tests.unit.results import samples as cost_samples
from tests.unit.results.interruptions import filled_up, killed
from tests.unit.results.safety import samples
from tests.unit.results.safety.samples import (
    ORACLES,
    WALKS,
    add,
    bug_row,
    created,
    header,
    rounds,
    unsafe_run,
)


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    return created(tmp_path / "campaign")


def test_what_goes_in_comes_out(campaign: Path) -> None:
    additions = list(rounds(3))
    add(campaign, *additions)
    findings = [finding for addition in additions for finding in addition.findings]
    with SafetyRecords(campaign) as records:
        assert records.header == header()
        assert records.progress() == additions[-1].progress
        assert records.timeline() == [event for item in additions for event in item.events]
        assert records.bugs() == [row for finding in findings for row in finding.bugs]
        assert records.unproven() == [row for finding in findings for row in finding.unproven]
        assert records.rejected() == [row for finding in findings for row in finding.rejected]
        assert records.proof_seconds() == sum(finding.run.proof_seconds for finding in findings)
        walks = records.walks()
        assert walks.outcomes[:4] == ("dead end", "unsafe", "unsafe", "unsafe")
        assert walks.steps.tolist()[:4] == [3, 2, 3, 3]
        runs = records.runs()
        assert runs.walks.tolist()[:4] == [1, 2, 3, 5] and runs.same_as.tolist()[:3] == [1, 2, 2]
        for walk in (2, 3):
            run = records.run(walk)
            np.testing.assert_array_equal(run.states, unsafe_run(3).states)
            assert run.actions.tolist() == [0, 0, 0] and run.states.dtype == np.uint64
        verdict = records.verdicts("vi:1")[5]
        assert verdict.safety.tolist() == [-1, 0, 0, 0, 0]
        assert (verdict.faults, verdict.open_faults, verdict.reached) == ((), (0,), "expansions")
        assert (verdict.expanded, verdict.seconds) == (9, 0.25)
        assert records.verdicts("tarjan")[5].faults == (0,)
        assert records.alone("vi:1")[0] == (1, LoneVerdict(0, "vi:1", -1, "time", 4, 2.0))
        assert len(records.digests()) == 6


def test_counts_are_those_of_the_rows(campaign: Path) -> None:
    add(campaign, *rounds(1))
    with SafetyRecords(campaign) as records:
        assert records.outcomes() == {"dead end": 1, "unsafe": 3}
        ids = [bug_row(1, 0).id, bug_row(2, 0).id]
        assert records.bug_kinds() == dict.fromkeys(ids, "fault")
        assert records.bug_visits() == dict(zip(ids, (0, 1), strict=True))
        runs = records.bug_runs()
        assert runs == {ids[0]: 1, ids[1]: 2}  # the second run was found twice
        assert records.ranked() == ids[::-1]
        assert [row.safe_action for row in records.bugs()] == [1, 1]


def test_a_bug_is_found_by_the_beginning_of_its_name(campaign: Path) -> None:
    add(campaign, *rounds(1))
    row = bug_row(2, 0)
    with SafetyRecords(campaign) as records:
        assert records.bug(row.id) == records.bug(row.id[:6]) == row
        assert records.bug("") is None  # there are two
        assert records.bug("zzz") is None


def test_a_failed_addition_leaves_nothing(campaign: Path) -> None:
    one, two = rounds(2)
    walks = WalkPart([*two.cases.walks, one.cases.walks[0]], two.cases.repeated)  # it comes twice
    nameless = replace(two.events[0], event=None)  # type: ignore[arg-type]
    with SafetyStore.open(campaign) as store:
        store.add(one)
        for broken in (replace(two, cases=walks), replace(two, events=[nameless])):
            with pytest.raises(sqlite3.IntegrityError):
                store.add(broken)
            with SafetyRecords(campaign) as records:
                assert (len(records.walks()), records.progress()) == (WALKS, one.progress)
                assert len(records.digests()) == 2
        store.add(two)
    with SafetyRecords(campaign) as records:
        assert len(records.walks()) == 2 * WALKS


@pytest.mark.parametrize("wait_for", [3, 40])
def test_kill_9_loses_nothing_acknowledged_and_leaves_no_half(
    campaign: Path, wait_for: int
) -> None:
    acknowledged = killed(campaign, SafetyStore, samples, after=wait_for)
    with SafetyRecords(campaign) as records:
        walks = records.progress().walks
        assert walks in (WALKS * (acknowledged + 1), WALKS * (acknowledged + 2))
        assert records.walks().numbers.tolist() == list(range(walks))
        different = [n for n in range(walks) if n % WALKS in (1, 2)]
        for oracle in ORACLES:
            assert list(records.verdicts(oracle)) == different
        assert [row.walk for row in records.bugs()] == different


def test_a_full_disk_is_one_sentence_and_loses_nothing(campaign: Path) -> None:
    stored = filled_up(campaign, SafetyStore, rounds(10_000))
    with SafetyRecords(campaign) as records:
        assert records.progress().walks == len(records.walks()) == WALKS * stored


def test_campaigns_of_the_other_kind_are_refused(campaign: Path, tmp_path: Path) -> None:
    cost = cost_samples.created(tmp_path / "cost")
    assert (kind_of(campaign), kind_of(cost)) == (SAFETY, COST)
    with pytest.raises(InputError, match="is a campaign of safety testing, which this command"):
        CostRecords(campaign)
    with pytest.raises(InputError, match="takes those of safety testing"):
        SafetyRecords(cost)
