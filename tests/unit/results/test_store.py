"""The store keeps what it acknowledged, all of it or nothing, and says clearly when it cannot."""

from __future__ import annotations

import math
import os
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bugsieve.base.errors import InputError, UsageError
from bugsieve.base.seeds import Stream
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.cost.store import CostStore, PoolPart
from bugsieve.campaigns.cost.summary import summarise
from bugsieve.campaigns.store.folder import check_free
from bugsieve.campaigns.store.lock import FolderLock
from bugsieve.campaigns.store.progress import Addition, Progress
from bugsieve.campaigns.store.records import kind_of
from bugsieve.campaigns.store.schema import STORE_FILE, VERSION, _require_file
from bugsieve.campaigns.store.store import PART_FILE
from bugsieve.pipeline.judging.cases import Visit
from bugsieve.pipeline.judging.findings import Finding, OracleRow, RunRow
from bugsieve.pipeline.pool.pool import PoolEntry
from bugsieve.policies.decisions import Ending
from bugsieve.rooms.safety.store.records import SafetyRecords
from tests.unit.results import samples
from tests.unit.results.interruptions import filled_up, killed
from tests.unit.results.samples import ORACLES, add, bug_row, created, header, rounds
from tests.unit.results.small_disk import small_disk
from tests.unit.results.unprivileged import unprivileged


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    return created(tmp_path / "campaign")


def test_what_goes_in_comes_out(campaign: Path) -> None:
    additions = list(rounds(3))
    add(campaign, *additions)
    findings = [item for addition in additions for item in addition.findings]
    with CostRecords(campaign) as records:
        assert records.header == header()
        assert records.progress() == additions[-1].progress
        assert records.timeline() == [event for item in additions for event in item.events]
        assert records.bugs() == [row for item in findings for row in item.bugs]
        assert records.rejected() == [row for item in findings for row in item.rejected]
        pool, runs = records.pool(), records.runs()
        np.testing.assert_array_equal(pool.states[:, 0], range(25))
        assert pool.states.dtype == np.uint16
        np.testing.assert_array_equal(pool.parents, range(-1, 24))
        assert pool.actions[pool.offsets[7] : pool.offsets[8]].tolist() == [7, 8]
        assert pool.walks[:2].tolist() == [-1, 0]
        np.testing.assert_array_equal(runs.numbers, range(1, 25))
        np.testing.assert_array_equal(runs.values, [item.run.value for item in findings])
        verdicts = records.verdicts("perfect")
        expected = [item.verdicts[1].verdict for item in findings]
        assert verdicts.outcomes.tolist() == [verdict.outcome.value for verdict in expected]
        assert verdicts.gaps.tolist() == [verdict.gap for verdict in expected]
        assert records.plans("perfect")[6] == (6, 6)
        assert math.isnan(verdicts.values[0]) and verdicts.exact[2]


def test_counts_are_those_of_the_rows(campaign: Path) -> None:
    add(campaign, *rounds(1))
    with CostRecords(campaign) as records:
        assert records.bugs_by_kind() == {"costly": 1, "unsolved": 1}
        assert records.outcomes() == {
            "lookahead": {"bug": 2, "inconclusive": 6},
            "perfect": {"bug": 2, "pass": 6},
        }
        assert records.endings() == {2: 8}
        assert records.header.used_oracles == ORACLES


def test_reasons_of_failures_by_how_often_they_occur(campaign: Path) -> None:
    with CostRecords(campaign) as records:
        first, before = records.case_count(), records.telling()
    endings = [Ending.POLICY_CRASH] * 3 + [Ending.ILLEGAL_ACTION]
    details = ["late", "often", "often", "(fly)"]
    findings = [
        Finding(Visit(number, number), RunRow(int(ending), 0, 0, value, detail))
        for number, (ending, detail, value) in enumerate(
            zip(endings, details, [math.nan, 1.0, 1.0, 1.0], strict=True), first
        )
    ]
    entries = [PoolEntry(item.visit.case, 0) for item in findings]
    states = np.array([[entry.number] for entry in entries], dtype=np.uint16)
    add(campaign, Addition(Progress(visits=5), PoolPart(entries, states), findings))
    with CostRecords(campaign) as records:
        assert records.telling() == before + 3
        assert records.failures() == {
            int(Ending.ILLEGAL_ACTION): {"(fly)": 1},
            int(Ending.POLICY_CRASH): {"often": 2, "late": 1},
        }
        assert next(iter(records.failures()[int(Ending.POLICY_CRASH)])) == "often"


def test_a_bug_is_found_by_the_beginning_of_its_name(campaign: Path) -> None:
    add(campaign, *rounds(1))
    row = bug_row(3, 3)
    with CostRecords(campaign) as records:
        assert records.bug(row.id) == row
        assert records.bug(row.id[:6]) == row
        assert records.bug("") is None  # there are two
        assert records.bug("zzz") is None


def test_a_failed_addition_leaves_nothing(campaign: Path) -> None:
    one, two = rounds(2)
    pool = PoolPart([*two.cases.entries, one.cases.entries[0]], two.cases.states[[*range(8), 0]])
    nameless = replace(two.events[0], event=None)  # type: ignore[arg-type]
    with CostStore.open(campaign) as store:
        store.add(one)
        for broken in (replace(two, cases=pool), replace(two, events=[nameless])):
            with pytest.raises(sqlite3.IntegrityError):
                store.add(broken)
            with CostRecords(campaign) as records:
                assert (records.case_count(), records.progress()) == (9, one.progress)
                assert records.runs().numbers.tolist() == list(range(1, 9))
        store.add(two)
    with CostRecords(campaign) as records:
        assert records.case_count() == 17


def test_a_bug_is_never_stored_twice(campaign: Path) -> None:
    rows = (replace(bug_row(0, 1), found=visit, changed=visit) for visit in (0, 1))
    findings = [
        Finding(Visit(visit, visit), RunRow(0, 1, 1, 1.0), (), (row,))
        for visit, row in enumerate(rows)
    ]
    add(campaign, Addition(Progress(visits=1), None, findings[:1]))
    with pytest.raises(sqlite3.IntegrityError, match="bugs.id"):
        add(campaign, Addition(Progress(visits=2), None, findings[1:]))
    with CostRecords(campaign) as records:
        assert [row.found for row in records.bugs()] == [0]


def test_a_reader_sees_one_moment(campaign: Path) -> None:
    one, two = rounds(2)
    with CostStore.open(campaign) as store:
        store.add(one)
        with CostRecords(campaign) as records:
            store.add(two)
            assert (records.case_count(), records.progress()) == (9, one.progress)
        with CostRecords(campaign) as records:
            assert records.case_count() == 17


@pytest.mark.parametrize("cut", range(4))
def test_kill_9_loses_nothing_acknowledged_and_leaves_no_half(campaign: Path, cut: int) -> None:
    wait_for = Stream(cut, "cut").integer(1, 60)
    acknowledged = killed(campaign, CostStore, samples, after=wait_for)
    with CostRecords(campaign) as records:
        progress = records.progress()
        assert progress.rounds in (acknowledged + 1, acknowledged + 2)
        states = 1 + 8 * progress.rounds
        assert (records.case_count(), progress.visits) == (states, states)
        assert records.runs().numbers.tolist() == list(range(1, states))
        for oracle in ORACLES:
            assert records.verdicts(oracle).numbers.tolist() == list(range(1, states))
        assert [row.case for row in records.bugs()] == list(range(3, states, 3))


def test_a_full_disk_is_one_sentence_and_loses_nothing(campaign: Path) -> None:
    stored = filled_up(campaign, CostStore, rounds(10_000))
    with CostRecords(campaign) as records:
        assert records.progress().rounds == stored
        assert records.case_count() == 1 + 8 * stored


def test_a_disk_too_small_for_a_new_store(tmp_path: Path) -> None:
    additions = list(rounds(3000))
    entries = [entry for addition in additions for entry in addition.cases.entries]
    states = np.concatenate([addition.cases.states for addition in additions])
    big = Addition(Progress(), PoolPart(entries, states))
    with small_disk(500_000), pytest.raises(InputError, match="the disk is full"):
        CostStore.create(tmp_path, header(), big)
    assert not (tmp_path / STORE_FILE).exists()
    check_free(tmp_path)  # what is left does not stand in the way of a second attempt


def test_a_store_that_was_cut_short_in_the_making_is_made_again(tmp_path: Path) -> None:
    (tmp_path / PART_FILE).write_bytes(b"half a store")
    created(tmp_path)
    with CostRecords(tmp_path) as records:
        assert records.case_count() == 1
    assert not (tmp_path / PART_FILE).exists()


def test_a_newer_store_is_not_touched(campaign: Path) -> None:
    connection = sqlite3.connect(campaign / STORE_FILE)
    connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    connection.close()
    for attempt in (CostStore.open, CostRecords):
        with pytest.raises(InputError, match=f"newer Bugsieve .store version {VERSION + 1}"):
            attempt(campaign)


def test_a_store_of_an_earlier_version_is_refused(campaign: Path) -> None:
    with closing(sqlite3.connect(campaign / STORE_FILE)) as connection:
        connection.execute("PRAGMA user_version = 1")
    for attempt in (CostStore.open, CostRecords, SafetyRecords, kind_of):
        with pytest.raises(InputError, match="by an earlier Bugsieve .store version 1, this one"):
            attempt(campaign)


def test_folders_that_are_no_campaigns(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "empty").mkdir()
    other = tmp_path / "other"
    other.mkdir()
    connection = sqlite3.connect(other / STORE_FILE)
    connection.execute("CREATE TABLE x (y)")
    connection.close()
    text = tmp_path / "text"
    text.mkdir()
    (text / STORE_FILE).write_text("no database, but long enough to be taken for one " * 20)
    sentences = {
        "missing": "there is no such folder",
        "file": "is a file, give the folder of a campaign",
        "empty": "is not the folder of a campaign, it holds no campaign.sqlite",
        "other": "is a database, but not the store of a campaign",
        "text": "is damaged or no store at all",
    }
    for name, sentence in sentences.items():
        for attempt in (CostStore.open, CostRecords):
            with pytest.raises(InputError, match=sentence):
                attempt(tmp_path / name)


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM meta WHERE name = 'kind'",
        "DELETE FROM meta WHERE name = 'policy fingerprint'",
        "UPDATE meta SET value = x'ff' WHERE name = 'objective'",
        "UPDATE meta SET value = '[' WHERE name = 'task objects'",
        "DELETE FROM progress",
        "DELETE FROM oracles",
        "UPDATE bugs SET finders = '[9]'",
        "UPDATE runs SET ending = 'junk'",
        "UPDATE pool SET state = 'junk'",
    ],
)
def test_wrong_values_are_a_fault_of_the_store(campaign: Path, damage: str) -> None:
    for addition in rounds(3):
        add(campaign, addition)
    with sqlite3.connect(campaign / STORE_FILE) as connection:
        connection.execute(damage)
    connection.close()
    with pytest.raises(InputError, match=r"campaign\.sqlite: is damaged \("):
        _read(campaign)


def _read(campaign: Path) -> None:
    with CostRecords(campaign) as records:
        records.pool()
        records.bugs()
        summarise(records)


def test_our_own_mistakes_are_no_fault_of_the_store(campaign: Path) -> None:
    with pytest.raises(KeyError, match="ours"), CostRecords(campaign):
        raise KeyError("ours")


def test_one_runner_at_a_time_but_any_number_of_readers(campaign: Path) -> None:
    lock = FolderLock(campaign)
    with pytest.raises(UsageError, match=rf"another process \({os.getpid()}\) is running"):
        FolderLock(campaign)
    CostRecords(campaign).close()
    lock.close()
    FolderLock(campaign).close()


def test_the_lock_dies_with_its_holder(campaign: Path) -> None:
    code = (
        "import sys, time\nfrom pathlib import Path\n"
        "from bugsieve.campaigns.store.lock import FolderLock\n"
        "lock = FolderLock(Path(sys.argv[1]))\nprint('held', flush=True)\ntime.sleep(600)"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", code, str(campaign)], stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None and holder.stdout.readline() == "held\n"
    with pytest.raises(UsageError, match=str(holder.pid)):
        FolderLock(campaign)
    holder.kill()
    holder.communicate()
    FolderLock(campaign).close()


def test_a_store_locked_by_another_program(campaign: Path) -> None:
    other = sqlite3.connect(campaign / STORE_FILE, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with (
        CostStore.open(campaign, patience=0.0) as store,
        pytest.raises(UsageError, match="locked"),
    ):
        store.add(next(rounds(1)))
    other.close()


def test_a_read_only_folder_can_be_read_but_not_run(campaign: Path) -> None:
    for path in (campaign, *campaign.iterdir()):
        path.chmod(0o555)
    with unprivileged(campaign):
        with CostRecords(campaign) as records:
            assert records.case_count() == 1
        with pytest.raises(InputError, match="cannot be written .* check its permissions"):
            FolderLock(campaign)
        with pytest.raises(InputError, match="cannot be written"):
            CostStore.open(campaign)


def test_oracles_that_object_are_kept_with_their_reason(campaign: Path) -> None:
    with CostRecords(campaign) as records:
        assert records.header.oracles[1] == OracleRow("undo-qual", "no way back")


def test_companions_may_vanish_while_they_are_looked_at(tmp_path: Path) -> None:
    """Whoever closes a store deletes them; others may be opening it at that moment."""
    path, is_over = tmp_path / f"{STORE_FILE}-shm", threading.Event()

    def come_and_go() -> None:
        while not is_over.is_set():
            path.touch()
            path.unlink()

    other, usual = threading.Thread(target=come_and_go), sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # so that the two get in each other's way
    other.start()
    try:
        for _ in range(5000):
            _require_file(path)
    finally:
        is_over.set()
        other.join()
        sys.setswitchinterval(usual)
