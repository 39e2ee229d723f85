"""The cache of translations: keys, damage, folders that cannot be used."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bugsieve.tasks.fdr import cache

TEXT = b"begin_version\n" * 100


def test_what_is_stored_is_loaded(cache_folder: Path) -> None:
    assert cache.load("key") is None
    cache.store("key", TEXT)
    assert cache.load("key") == TEXT
    assert cache.load("other") is None
    assert [path.name for path in cache_folder.iterdir()] == ["key.sas.z"]


def test_every_part_counts_for_the_key() -> None:
    keys = {cache.content_key(parts) for parts in ([b"ab", b"c"], [b"a", b"bc"], [b"abc"], [])}
    assert len(keys) == 4


@pytest.mark.parametrize("damage", ["cut", "flip", "empty"])
def test_damaged_entries_are_no_entries(damage: str, cache_folder: Path) -> None:
    cache.store("key", TEXT)
    entry = cache_folder / "key.sas.z"
    data = bytearray(entry.read_bytes())
    if damage == "flip":
        data[len(data) // 2] ^= 1
    else:
        del data[-1 if damage == "cut" else 0 :]
    entry.write_bytes(data)
    assert cache.load("key") is None
    cache.store("key", TEXT)
    assert cache.load("key") == TEXT


def test_folder_that_cannot_be_made_means_no_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocker = tmp_path / "file"
    blocker.write_text("in the way")
    monkeypatch.setenv("BUGSIEVE_CACHE", str(blocker / "cache"))
    cache.store("key", TEXT)
    assert cache.load("key") is None


def test_oldest_entries_go_first(cache_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for age, key in enumerate(["new", "middle", "old"]):
        cache.store(key, TEXT)
        os.utime(cache_folder / f"{key}.sas.z", (1e9 - age, 1e9 - age))
    size = (cache_folder / "new.sas.z").stat().st_size
    monkeypatch.setattr(cache, "MAX_CACHE_BYTES", 3 * size)
    cache.store("newest", TEXT)
    assert cache.load("old") is None
    assert all(cache.load(key) == TEXT for key in ("newest", "new", "middle"))


def test_where_the_cache_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("BUGSIEVE_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache.cache_folder() == tmp_path / "bugsieve"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache.cache_folder() == tmp_path / ".cache" / "bugsieve"
    monkeypatch.setenv("BUGSIEVE_CACHE", str(tmp_path / "mine"))
    assert cache.cache_folder() == tmp_path / "mine"
