"""What comes back from nodes: folders as they were, and nothing outside of them."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from bugsieve.base.errors import InputError, UsageError
from bugsieve.campaigns.store.lock import LOCK_FILE, FolderLock
from bugsieve.rooms.cluster import packing
from bugsieve.rooms.cluster.packing import PackedFile, digest_of, pack, unpack


def packed(name: str, content: bytes = b"x", place: int = 0) -> PackedFile:
    return PackedFile(place, name, digest_of(content), content)


def tree(folder: Path) -> dict[str, bytes | None]:
    paths = sorted(folder.rglob("*"))
    return {str(p.relative_to(folder)): p.read_bytes() if p.is_file() else None for p in paths}


def test_a_folder_and_a_file_come_back_as_they_were(tmp_path: Path) -> None:
    there, here = tmp_path / "there", tmp_path / "here"
    (there / "folder" / "deep" / "er").mkdir(parents=True)
    (there / "folder" / "empty").mkdir()
    (there / "folder" / "deep" / "er" / "a").write_bytes(b"\0\xff")
    (there / "folder" / "b").write_bytes(b"")
    (there / "file").write_bytes(b"alone")
    names = ("folder", "file", "missing")
    files = pack([there / name for name in names])
    (here / "folder").mkdir(parents=True)
    (here / "folder" / "old").write_text("goes")
    (here / "file").write_text("old")
    unpack(files, [here / name for name in names])
    assert tree(here) == tree(there)


def test_links_and_locks_stay_on_the_node(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("s")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "link").symlink_to(tmp_path / "secret")
    (folder / "beside").symlink_to(tmp_path)
    (folder / LOCK_FILE).write_text("1")
    os.mkfifo(folder / "pipe")
    (folder / "a").write_text("a")
    assert [file.name for file in pack([folder])] == ["a"]


@pytest.mark.parametrize(
    "name",
    [
        *("../x", "/etc/x", "a/../../x", ".", "..", "a//b", "a/./b", "a\\b", "a\0b", "a\nb"),
        *("\x1b[2J", "x" * 2000, "/".join("a" * 20), "/", "//", "a//", "../"),
        *(LOCK_FILE, f"a/{LOCK_FILE}"),
    ],
)
def test_a_name_that_leaves_the_folder(tmp_path: Path, name: str) -> None:
    target = tmp_path / "target"
    with pytest.raises(InputError, match="which is refused"):
        unpack([packed("good"), packed(name)], [target])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ([replace(packed("a"), content=b"other")], "damaged on its way"),
        ([replace(packed("a"), content=cast(bytes, "x"))], "damaged on its way"),
        ([packed("a"), packed("a")], "which is refused"),
        ([packed("a", place=1)], "which is refused"),
        ([packed("a", place=-1)], "which is refused"),
        ([replace(packed("a"), name=cast(str, 7))], "which is refused"),
        ([packed(""), packed("a")], "a folder where a file belongs"),
        ([packed("a"), packed("a/b")], "File exists"),
    ],
)
def test_what_is_not_right(tmp_path: Path, files: list[PackedFile], sentence: str) -> None:
    (tmp_path / "target").mkdir()
    (tmp_path / "target" / "old").write_text("stays")
    with pytest.raises(InputError, match=sentence):
        unpack(files, [tmp_path / "target"])
    assert tree(tmp_path) == {"target": None, "target/old": b"stays"}


def test_too_many_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "MOST_FILES", 2)
    with pytest.raises(InputError, match="a node sent 3 files: more than 2 are refused"):
        unpack([packed(name) for name in "abc"], [tmp_path / "target"])


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "target").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match="is a link"):
        unpack([packed("a")], [tmp_path / "target"])
    assert tree(tmp_path / "elsewhere") == {}


def test_a_campaign_that_somebody_resumes_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "target").mkdir()
    lock = FolderLock(tmp_path / "target")
    with pytest.raises(UsageError, match="another process"):
        unpack([packed("a")], [tmp_path / "target"])
    lock.close()
    unpack([packed("a")], [tmp_path / "target"])
    assert tree(tmp_path) == {"target": None, "target/a": b"x"}
