"""Derived data on disk: keys, damage, locks, folders that cannot be used."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bugsieve.base.files_and_processes import derived_data
from bugsieve.base.files_and_processes.derived_data import DerivedData
from bugsieve.base.stopping import Stopped, StopToken

TEXT = b"begin_version\n" * 100
DATA = DerivedData("sas")

# Each process says that it has begun, and makes the entry slowly enough to meet the other there.
_PROCESS = """
import os, sys, time
from pathlib import Path
from bugsieve.base.files_and_processes.derived_data import DerivedData
folder, own, wanted = Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
def make():
    with open(folder / "made", "a") as file: file.write(own)
    while not all((folder / name).exists() for name in wanted): time.sleep(0.01)
    time.sleep(0.3)
    return b"made by " + own.encode()
(folder / own).touch()
print(DerivedData("slow").get("key", make).decode(), end="")
"""


@pytest.fixture
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache of this test's own."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("BUGSIEVE_CACHE", str(folder))
    return folder


def _start(folder: Path, own: str, *wanted: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", _PROCESS, str(folder), own, *wanted]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_what_is_stored_is_loaded(cache_folder: Path) -> None:
    assert DATA.load("key") is None
    DATA.store("key", TEXT)
    assert DATA.load("key") == TEXT
    assert DATA.load("other") is None
    assert [path.name for path in cache_folder.iterdir()] == ["key.sas.z"]


def test_every_part_counts_for_the_key() -> None:
    keys = {
        derived_data.content_key(parts) for parts in ([b"ab", b"c"], [b"a", b"bc"], [b"abc"], [])
    }
    assert len(keys) == 4


@pytest.mark.parametrize("damage", ["cut", "flip", "empty"])
def test_damaged_entries_are_no_entries(damage: str, cache_folder: Path) -> None:
    DATA.store("key", TEXT)
    entry = cache_folder / "key.sas.z"
    data = bytearray(entry.read_bytes())
    if damage == "flip":
        data[len(data) // 2] ^= 1
    else:
        del data[-1 if damage == "cut" else 0 :]
    entry.write_bytes(data)
    assert DATA.load("key") is None
    DATA.store("key", TEXT)
    assert DATA.load("key") == TEXT


def test_folder_that_cannot_be_made_means_no_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocker = tmp_path / "file"
    blocker.write_text("in the way")
    monkeypatch.setenv("BUGSIEVE_CACHE", str(blocker / "cache"))
    DATA.store("key", TEXT)
    assert DATA.load("key") is None


def test_oldest_entries_go_first(cache_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for age, key in enumerate(["new", "middle", "old"]):
        DATA.store(key, TEXT)
        os.utime(cache_folder / f"{key}.sas.z", (1e9 - age, 1e9 - age))
    size = (cache_folder / "new.sas.z").stat().st_size
    monkeypatch.setattr(derived_data, "MAX_CACHE_BYTES", 3 * size)
    DATA.store("newest", TEXT)
    assert DATA.load("old") is None
    assert all(DATA.load(key) == TEXT for key in ("newest", "new", "middle"))


def test_where_the_cache_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("BUGSIEVE_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert derived_data.cache_folder() == tmp_path / "bugsieve"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert derived_data.cache_folder() == tmp_path / ".cache" / "bugsieve"
    monkeypatch.setenv("BUGSIEVE_CACHE", str(tmp_path / "mine"))
    assert derived_data.cache_folder() == tmp_path / "mine"


def test_what_is_there_is_not_made_again(cache_folder: Path) -> None:
    made: list[str] = []

    def make() -> bytes:
        made.append("key")
        return TEXT

    assert [DATA.get("key", make) for _ in range(3)] == [TEXT] * 3
    assert made == ["key"]
    assert [path.name for path in cache_folder.iterdir()] == ["key.sas.z"], "no lock is left"
    assert DerivedData("other").get("key", lambda: b"of another kind") == b"of another kind"
    assert DATA.load("key") == TEXT


def test_a_failure_to_make_it_is_passed_on_and_nothing_kept(cache_folder: Path) -> None:
    def fail() -> bytes:
        raise ValueError("not today")

    with pytest.raises(ValueError, match="not today") as caught:
        DATA.get("key", fail)
    assert caught.value.__context__ is None
    assert list(cache_folder.iterdir()) == []
    assert DATA.get("key", lambda: TEXT) == TEXT


def test_damage_is_made_good(cache_folder: Path) -> None:
    DATA.store("key", b"old")
    (cache_folder / "key.sas.z").write_bytes(b"damaged")
    assert DATA.get("key", lambda: b"new") == DATA.load("key") == b"new"


def test_two_processes_make_it_once(tmp_path: Path, cache_folder: Path) -> None:
    processes = [_start(tmp_path, own, "a", "b") for own in "ab"]
    answers = {process.communicate()[0] for process in processes}
    maker = (tmp_path / "made").read_text()
    assert maker in ("a", "b") and answers == {f"made by {maker}"}


def test_who_dies_making_it_stops_nobody(tmp_path: Path, cache_folder: Path) -> None:
    victim = _start(tmp_path, "a", "never")
    while not (tmp_path / "made").exists():
        assert victim.poll() is None
    heir = _start(tmp_path, "b")
    while not (tmp_path / "b").exists():
        assert heir.poll() is None
    victim.kill()
    victim.communicate()
    assert heir.communicate()[0] == "made by b"
    assert [path.name for path in cache_folder.iterdir()] == ["key.slow.z"]


def test_waiting_for_another_ends_with_the_token(tmp_path: Path, cache_folder: Path) -> None:
    other = _start(tmp_path, "a", "never")
    while not (tmp_path / "made").exists():
        assert other.poll() is None
    with pytest.raises(Stopped), StopToken(0.0).active():
        DerivedData("slow").get("key", lambda: TEXT)
    other.kill()
    other.communicate()


@pytest.mark.parametrize("folder", ["/proc", "/proc/none"])
@pytest.mark.skipif(not os.path.isdir("/proc"), reason="needs a folder that nobody can write")
def test_a_folder_that_cannot_be_written_means_making_it_each_time(
    folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BUGSIEVE_CACHE", folder)
    assert [DATA.get("key", lambda text=text: text) for text in (b"1", b"2")] == [b"1", b"2"]  # type: ignore[misc]


def test_no_home_means_no_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(derived_data, "cache_folder", nowhere)
    assert DATA.get("key", lambda: TEXT) == TEXT


def test_the_limit_is_for_all_kinds_together(
    cache_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    DATA.store("key", TEXT)
    os.utime(cache_folder / "key.sas.z", (1e9, 1e9))
    size = (cache_folder / "key.sas.z").stat().st_size
    monkeypatch.setattr(derived_data, "MAX_CACHE_BYTES", size)
    other = DerivedData("other")
    assert other.get("key", lambda: TEXT) == TEXT
    assert DATA.load("key") is None and other.load("key") == TEXT
