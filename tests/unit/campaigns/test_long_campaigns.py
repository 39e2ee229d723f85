"""What grows with a campaign: memory by little, files not at all; lists read what they need."""

from __future__ import annotations

import gc
import json
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bugsieve.base.errors import InputError
from bugsieve.campaigns.campaign import Campaign, summary_of
from bugsieve.campaigns.cost.kind import COST
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.events import Event, RoundDone
from bugsieve.campaigns.export import export, export_bugs
from bugsieve.campaigns.options import CostOptions
from bugsieve.campaigns.store.folder import BUGS_IN_FILES
from bugsieve.pipeline.bugs.bug import bug_from_json
from bugsieve.pipeline.pool.options import FuzzOptions
from tests.unit.policies.generated import generated_task

FEW, MANY = 100, 500
BYTES_PER_STATE = 1000


@dataclass(frozen=True)
class Long:
    """A campaign with more bugs than files."""

    folder: Path
    memory: dict[int, int]
    """Bytes beside the policy graph, by the number of judged states."""
    bugs: int


@contextmanager
def traced() -> Iterator[None]:
    tracemalloc.start()
    try:
        yield
    finally:
        tracemalloc.stop()


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Long:
    folder = tmp_path_factory.mktemp("long")
    task = generated_task(folder, "blocksworld", seed=1, blocks=6)
    fuzz = FuzzOptions(pool_size=MANY, novelty=0, bias="uniform", round_walks=FEW)
    options = CostOptions(
        task=(), policy="hill-climbing:hadd", oracles=("planner:gbfs-100",), fuzz=fuzz
    )
    memory: dict[int, int] = {}
    with Campaign.create(folder / "campaign", options, task) as campaign:

        def measure(event: Event) -> None:
            if isinstance(event, RoundDone) and event.judged >= (MANY if memory else FEW):
                gc.collect()
                graph = campaign.equipment.bench.graph.memory_bytes
                memory[event.judged] = tracemalloc.get_traced_memory()[0] - graph

        with traced():
            summary = campaign.run(measure)
    return Long(folder / "campaign", memory, summary.bugs)


def peak(work: Callable[[], object]) -> int:
    """Bytes that some work takes while it is done."""
    gc.collect()
    with traced():
        work()
        return tracemalloc.get_traced_memory()[1]


def test_a_judged_state_leaves_little_in_the_memory(long: Long) -> None:
    first, last = min(long.memory), max(long.memory)
    assert last == MANY and first < MANY / 2 and long.bugs > 1.2 * BUGS_IN_FILES
    grown = long.memory[last] - long.memory[first]
    assert grown < BYTES_PER_STATE * (last - first)


def test_nobody_reads_all_certificates_for_a_list(long: Long) -> None:
    def listed() -> None:
        summary_of(long.folder)
        with CostRecords(long.folder) as records:
            assert len(COST.wording.found(records).lines(10)) == 10

    listed()  # so that everything but the records is there already
    assert peak(listed) < BYTES_PER_STATE * MANY
    with CostRecords(long.folder) as records:
        assert peak(records.bugs) > BYTES_PER_STATE * MANY


def test_resuming_reads_no_certificates(long: Long) -> None:
    def resumed() -> None:
        Campaign.open(long.folder).run()

    resumed()  # so that everything but the records is there already
    assert peak(resumed) < 2 * BYTES_PER_STATE * MANY
    assert summary_of(long.folder).bugs == long.bugs


def test_the_first_bugs_are_files(long: Long) -> None:
    with CostRecords(long.folder) as records:
        rows = records.bugs()
    files = {path.name for path in (long.folder / "bugs").iterdir()}
    assert files == {f"{row.id}.json" for row in rows[:BUGS_IN_FILES]}
    readme = (long.folder / "README.txt").read_text("utf-8")
    assert f"files of the first bugs, at most {BUGS_IN_FILES} and 1 MB" in readme
    assert "bugsieve export campaign --every-bug OUT" in readme


def test_a_lost_file_comes_back_and_no_other(long: Long) -> None:
    lost = next((long.folder / "bugs").iterdir())
    content = lost.read_bytes()
    lost.unlink()
    Campaign.open(long.folder).close()
    assert lost.read_bytes() == content
    assert len(list((long.folder / "bugs").iterdir())) == BUGS_IN_FILES


def test_exported_bugs_are_the_stored_ones(long: Long, tmp_path: Path) -> None:
    files = export_bugs(long.folder, tmp_path / "new" / "bugs")
    assert len(files) == long.bugs == len(list((tmp_path / "new" / "bugs").iterdir()))
    with CostRecords(long.folder) as records:
        for row, file in zip(records.each_bug(), files, strict=True):
            data = json.loads(file.read_text("utf-8"))
            assert bug_from_json(data, source=file.name) == row.bug and file.stem == row.id
    for file in (long.folder / "bugs").iterdir():
        assert (tmp_path / "new" / "bugs" / file.name).read_bytes() == file.read_bytes()


def test_bugs_are_exported_into_folders_only(long: Long, tmp_path: Path) -> None:
    target = tmp_path / "file"
    target.write_text("mine", "utf-8")
    with pytest.raises(InputError, match="file: cannot be written"):
        export_bugs(long.folder, target)
    assert target.read_text("utf-8") == "mine"


def test_exported_tables_have_all_bugs_in_order(long: Long, tmp_path: Path) -> None:
    export(long.folder, "json", tmp_path / "all.json")
    table: list[dict[str, Any]] = json.loads((tmp_path / "all.json").read_text("utf-8"))["bugs"]
    with CostRecords(long.folder) as records:
        rows = records.bugs()
        ranked = list(records.named(records.ranked()))
    assert [bug["id"] for bug in table] == [row.id for row in rows]
    assert [bug["plan"] for bug in table] == [
        row.bug.certificate["plan"]["actions"] for row in rows
    ]
    worst = sorted(rows, key=lambda row: (-row.bug.gap, row.bug.steps))
    assert ranked == worst
