"""Shards: what they run, that several write into one folder at the same time, what is missing."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from bugsieve.base.errors import InputError, UsageError
from bugsieve.campaigns.several.index import (
    INDEX_FILE,
    Index,
    IndexEntry,
    missing_lines,
    read_index,
    write_index,
)
from bugsieve.cli import main
from bugsieve.rooms.lab.experiments.campaigns import undone
from bugsieve.rooms.lab.experiments.experiment import Experiment
from bugsieve.rooms.lab.experiments.final_records import read_choices
from bugsieve.rooms.lab.experiments.folder import finishing, running
from bugsieve.rooms.lab.experiments.shards import Shard, shards_of
from tests.depth import IS_DEEP
from tests.unit.campaigns.contents import contents
from tests.unit.experiments import test_final_tests, test_safety_experiment
from tests.unit.experiments.experiments import experiment, folders, read, run
from tests.unit.experiments.test_shared_pools import GRID

pytestmark = pytest.mark.usefixtures("no_preloaded_sanitizer")


@pytest.mark.parametrize(
    "text", ["", "1", "0/2", "3/2", "1/0", "-1/2", "1/2/3", "a/b", "1/1000000"]
)
def test_no_shard(text: str) -> None:
    with pytest.raises(UsageError, match="is no shard: write I/N"):
        Shard.of(text)


def test_a_shard_is_written_as_it_is_read() -> None:
    assert str(Shard.of(" 2/8 ")) == "2/8"
    assert Shard.of("2/8") == Shard(2, 8)


def test_without_pools_every_nth_campaign(tmp_path: Path) -> None:
    cells = read(tmp_path, GRID.replace("shared_pools = true", "")).cells
    assert [shard.number for shard in shards_of(cells, 3)] == [1, 2, 3, 1]


def test_what_builds_on_a_pool_stays_with_it(tmp_path: Path) -> None:
    cells = read(tmp_path, GRID).cells
    assert [shard.number for shard in shards_of(cells, 2)] == [1, 1, 1, 2, 2, 2]


def test_what_tests_a_network_stays_together(tmp_path: Path) -> None:
    text = "seeds = [0, 1]\n" + test_safety_experiment.TRAINING
    cells = read(tmp_path, text).cells
    by_network = {
        (str(s), c.training.network)
        for s, c in zip(shards_of(cells, 2), cells, strict=True)
        if c.training
    }
    assert max(Counter(network for _, network in by_network).values()) == 1


def test_what_takes_a_start_up_phase_stays_with_it(tmp_path: Path) -> None:
    cells = read(tmp_path, test_final_tests._TEXT).cells
    parts = {
        cell.policy: str(shard) for cell, shard in zip(cells, shards_of(cells, 3), strict=True)
    }
    assert parts["tree"] == parts["start"] != parts["line 4"] != parts["line 6"]


def _typed(made: Experiment, shard: str) -> subprocess.Popen[str]:
    command = ["experiment", str(made.grid.source), "-o", str(made.directory), "--shard", shard]
    return subprocess.Popen(
        [sys.executable, "-m", "bugsieve", *command, "--workers", "1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_shards_at_the_same_time_make_what_one_process_makes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = GRID.replace('hadd"]', 'hadd", "asnets:gripper"]')  # which knows nothing of visitall
    text = text.replace('ehc = ["planner:ehc"]', "")
    whole, parts = experiment(tmp_path / "a", text), experiment(tmp_path / "b", text)
    assert run(whole)[0].exit_code == 4
    processes = [_typed(parts, "1/2"), _typed(parts, "2/2")]
    ended = [process.communicate()[0].partition("\n")[0] for process in processes]
    assert ended == [
        "shard 1/2: 4 campaigns: 4 done",
        "shard 2/2: 4 campaigns: 0 done, 4 failed",
    ]
    assert run(Experiment(parts.grid, parts.directory, shard=Shard(1, 2)))[0].exit_code == 0
    index = read_index(parts.directory)
    assert index is not None
    for number, entry in enumerate(index.entries.values()):
        assert entry.shard == ("2/2" if number // 2 % 2 else "1/2")
        assert (entry.error is not None) == (entry.shard == "2/2")  # nobody has forgotten it
    for one, other, entry in zip(
        folders(whole), folders(parts), index.entries.values(), strict=True
    ):
        assert entry.error or contents(one) == contents(other)
    assert main(["table", "icaps23", str(parts.directory), "--least", "0"]) == 0
    assert f"{parts.directory}: shard 2/2: 4 of 4 campaigns not done: " in capsys.readouterr().err


def test_status_and_table_name_missing_shards(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = experiment(tmp_path, GRID)
    command = ["experiment", str(made.grid.source), "-o", str(made.directory), "--workers", "1"]
    assert main([*command, "--shard", "2/2"]) == 0
    assert main(["status", str(made.directory)]) == 0
    assert main(["table", "bugs", str(made.directory)]) == 0
    captured = capsys.readouterr()
    line = "shard 1/2: 3 of 3 campaigns not done: visitall/"
    assert line in captured.out
    assert "shard 2/2: 3 of" not in captured.out
    assert f"{made.directory}: {line}" in captured.err
    # without a shard, the same command makes the rest, and there are no shards any more
    assert main(command) == 0
    assert main(["table", "bugs", str(made.directory)]) == 0
    captured = capsys.readouterr()
    assert captured.out.startswith("6 campaigns: 6 done\n")
    assert "not done" not in captured.err


def test_a_shard_runs_once_at_a_time_and_not_beside_the_whole(tmp_path: Path) -> None:
    first, second = Shard(1, 2), Shard(2, 2)
    with running(tmp_path, first), running(tmp_path, second):
        with (
            pytest.raises(UsageError, match="is running this shard-1-of-2"),
            running(tmp_path, first),
        ):
            pass
        with (
            pytest.raises(UsageError, match="is running this experiment"),
            running(tmp_path, None),
        ):
            pass
    with (
        running(tmp_path, None),
        pytest.raises(UsageError, match="is running this experiment"),
        running(tmp_path, first),
    ):
        pass


def test_more_shards_than_campaigns(tmp_path: Path) -> None:
    made = experiment(tmp_path, GRID)
    empty = Experiment(made.grid, made.directory, shard=Shard(3, 3))
    assert run(empty)[0].exit_code == 0
    index = read_index(made.directory)
    assert index is not None
    assert len(undone(made.directory, index)) == 6


def test_what_is_missing_in_words() -> None:
    entries = {
        f"d/i/{n}": IndexEntry("d", "i", "p", "f", "", n, None, f"{n % 11 + 1}/11")
        for n in range(77)
    }
    lines = list(missing_lines(Index("x", entries), {"d/i/9", "d/i/1", "d/i/20"}))
    assert lines == [
        "shard 2/11: 1 of 7 campaigns not done: d/i/1",
        "shard 10/11: 2 of 7 campaigns not done: d/i/9, d/i/20",
    ]
    shards = list(missing_lines(Index("x", entries), entries))
    assert shards[0].endswith("d/i/0, d/i/11, d/i/22, d/i/33, d/i/44 and 2 more")


def test_an_index_of_a_stranger(tmp_path: Path) -> None:
    write_index(tmp_path, Index("x", {"a": IndexEntry("d", "i", "p", "f", "", 0, None, "1/2")}))
    path = tmp_path / INDEX_FILE
    for bad in ('"\\u001b[2J"', "7", "null", '["1/2"]'):
        path.write_text(path.read_text().replace('"1/2"', bad))
        with pytest.raises(InputError, match="no index of an experiment"):
            read_index(tmp_path)
        path.write_text(path.read_text().replace(bad, '"1/2"'))
    path.write_text(path.read_text().replace(',\n   "shard": "1/2"', ""))
    index = read_index(tmp_path)
    assert index is not None
    assert index.entries["a"].shard == ""


def test_final_tests_wait_for_all_shards(tmp_path: Path) -> None:
    made = experiment(tmp_path, test_final_tests._TEXT)
    shard = Experiment(made.grid, made.directory, shard=Shard(1, 2))
    assert shard._missing() == (
        "final tests wait for 4 trainings (shard 1/2, 2/2): the shard that ends last makes them, "
        "or the same command without --shard"
    )
    assert made._missing() == ""


@pytest.mark.skipif(not IS_DEEP, reason="trains policies: make test-deep")
def test_the_last_shard_makes_the_final_tests(tmp_path: Path) -> None:
    made = experiment(tmp_path, test_final_tests._TEXT)
    first, second = (Experiment(made.grid, made.directory, shard=Shard(n, 2)) for n in (1, 2))
    summary = run(first)[0]
    assert summary.exit_code == 0
    assert summary.postponed.startswith("final tests wait for ")
    assert "(shard 2/2)" in summary.postponed
    assert read_choices(made.directory) is None
    with finishing(made.directory):
        assert run(second)[0].postponed == "another shard makes the final tests now"
    assert read_choices(made.directory) is None
    summary = run(second)[0]
    assert (summary.exit_code, summary.postponed) == (0, "")
    assert read_choices(made.directory) is not None
