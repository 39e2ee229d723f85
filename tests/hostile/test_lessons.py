"""Lessons in stores that nobody could have learnt: one sentence, exit code 4, and no harm."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from bugsieve.campaigns.store.schema import STORE_FILE
from bugsieve.cli import main
from tests.depth import examples
from tests.hostile.stores import copied, statement
from tests.unit.policies.generated import write_task

Captured = pytest.CaptureFixture[str]
NOTHING = (b"", b'{"bmo:1": [""]}', b'{"bmo:1": ["", ""]}')
KEEPERS = ("bmo:3", "combined:bmo:1+planner:gbfs-4")


@pytest.fixture(scope="module", params=KEEPERS)
def campaign(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One that has more to do, by an oracle that keeps bounds."""
    folder = tmp_path_factory.mktemp("lessons")
    files = write_task(folder, "gripper", seed=3, balls=2)
    fuzz = ["--pool-size", "30", "--novelty", "0", "--max-bugs", "20"]
    command = ["test", *files, "--policy", "random:1", "--oracle", str(request.param), *fuzz]
    assert main([*command, "-o", str(folder / "campaign")]) == 1
    return folder / "campaign"


def lessons(campaign: Path) -> dict[int, bytes]:
    """Those that hold a way, by visit."""
    with closing(sqlite3.connect(campaign / STORE_FILE)) as store:
        rows = store.execute("SELECT visit, content FROM lessons").fetchall()
    return {visit: content for visit, content in rows if content not in NOTHING}


def words(*numbers: int) -> bytes:
    return b"".join(number.to_bytes(4, "little", signed=True) for number in numbers)


def wrapped(content: bytes, campaign: Path) -> bytes:
    """The same as a part of the lesson of a combination."""
    (example,) = list(lessons(campaign).values())[:1]
    return b'{"bmo:1": ["%s"]}' % content.hex().encode() if example[:1] == b"{" else content


def broken(campaign: Path) -> Iterator[tuple[str, bytes]]:
    """Contents that are wrong whatever they stand beside."""
    yield "odd", wrapped(b"\x01\x02\x03", campaign)
    yield "huge length", wrapped(words(1, 2**31 - 1, 0), campaign)
    yield "negative length", wrapped(words(1, -(2**31), 0), campaign)
    yield "operator out of range", wrapped(words(1, 1, 10**9), campaign)
    yield "negative operator", wrapped(words(1, 1, -7), campaign)
    yield "inapplicable", wrapped(words(1, 40, *range(40)), campaign)
    yield "bytes", b"\xff\xfe{"
    if wrapped(b"", campaign) != b"":
        yield "deep", b"[" * 100_000
        yield "other kinds", b'{"bmo:1": [[]]}'
        yield "a list", b"[1, 2]"


def resumed(campaign: Path, place: Path, content: bytes, err: Captured) -> tuple[int, str]:
    """The exit code of a campaign with another lesson, and what it says."""
    visit = min(lessons(campaign))
    sql = f"UPDATE lessons SET content = x'{content.hex()}' WHERE visit = {visit}"
    folder = copied(campaign, place, statement(sql))
    err.readouterr()
    return main(["resume", str(folder), "--max-bugs", "100"]), err.readouterr().err


def test_the_campaign_goes_on_if_nothing_is_wrong(
    campaign: Path, tmp_path: Path, capsys: Captured
) -> None:
    content = lessons(campaign)[min(lessons(campaign))]
    code, said = resumed(campaign, tmp_path / "same", content, capsys)
    assert code == 1 and "damaged" not in said


def test_broken_lessons_are_refused_by_table_and_state(
    campaign: Path, tmp_path: Path, capsys: Captured
) -> None:
    for name, content in broken(campaign):
        code, said = resumed(campaign, tmp_path / name, content, capsys)
        assert code == 4, (name, said)
        assert f"{STORE_FILE}: is damaged (table lessons: the lesson of oracle" in said, name
        assert " on state " in said and said.count("\n") == 1, (name, said)
        assert main(["status", str(tmp_path / name)]) == 0


def test_no_lesson_makes_it_crash_or_hang(
    campaign: Path, tmp_path: Path, capsys: Captured
) -> None:
    rng = random.Random(3)
    codes = set()
    for number in range(examples(200, quick=12)):
        content = bytearray(lessons(campaign)[min(lessons(campaign))])
        for _ in range(rng.choice((1, 1, 2, 9))):
            content[rng.randrange(len(content))] = rng.choice((0, 1, 2, 255, rng.randrange(256)))
        code, said = resumed(campaign, tmp_path / str(number), bytes(content), capsys)
        assert code in (0, 1, 4) and "Traceback" not in said, (number, said)
        assert code != 4 or said.count("\n") == 1, said
        codes.add(code)
    assert 4 in codes


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ("NULL", "table runs, row 2: the whole run is missing"),
        ("'{}'", "is damaged"),
        ("'[]'", "is damaged"),
        ("x'ffff'", "is damaged"),
        ("json_set(whole, '$.operators', json('[9999999]'))", "is damaged"),
        ("json_set(whole, '$.operators', json('[-2]'))", "is damaged"),
        ("json_set(whole, '$.operators', json('[4294967296]'))", "is damaged"),
        ("json_set(whole, '$.operators', json('[0, 0, 0, 0]'))", "on state 2 is no such"),
        ("json_set(whole, '$.operators', json('[1.5]'))", "is damaged"),
        ("json_set(whole, '$.operators', json('[\"x\"]'))", "is damaged"),
        ("json_set(whole, '$.cost', 'much')", "is damaged"),
    ],
)
def test_runs_of_other_tasks_are_refused(
    campaign: Path, tmp_path: Path, capsys: Captured, value: str, sentence: str
) -> None:
    """Runs are told again as well, by their operators."""
    sql = f"UPDATE runs SET whole = {value} WHERE number = 2"
    folder = copied(campaign, tmp_path / "other", statement(sql))
    capsys.readouterr()
    assert main(["resume", str(folder), "--max-bugs", "100"]) == 4
    said = capsys.readouterr().err
    assert sentence in said and said.count("\n") == 1
