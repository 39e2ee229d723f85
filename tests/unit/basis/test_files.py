"""Files are replaced as a whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bugsieve.base.files_and_processes.files import write_text, write_together


def test_text_replaces_the_old_file_byte_by_byte(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old and longer than the new text")
    write_text(path, "zwölf\nlines\r\n")
    assert path.read_bytes() == "zwölf\nlines\r\n".encode()
    assert os.listdir(tmp_path) == ["a.txt"]


def test_a_failed_write_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(UnicodeEncodeError):
        write_text(path, "new \ud800")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_permissions_are_those_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("")
    write_text(tmp_path / "ours", "")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_several_files_are_replaced_or_none(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_text("old")
    second.mkdir()
    with pytest.raises(IsADirectoryError):
        write_together({first: b"new", second: b"new"})
    assert first.read_text() == "old"
    assert sorted(os.listdir(tmp_path)) == ["first", "second"]
    second.rmdir()
    write_together({first: b"new", second: b"too"})
    assert (first.read_text(), second.read_text()) == ("new", "too")
    assert sorted(os.listdir(tmp_path)) == ["first", "second"]


def test_a_link_goes_on_to_point_to_its_file(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    target, link = tmp_path / "folder" / "target", tmp_path / "link"
    link.symlink_to(target)
    for text in ("first", "second"):  # the first time, the target does not exist yet
        write_text(link, text)
        assert link.is_symlink() and target.read_text() == text
    assert os.listdir(tmp_path / "folder") == ["target"]


def test_pipes_are_written_into(tmp_path: Path) -> None:
    pipe, file = tmp_path / "pipe", tmp_path / "file"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_together({pipe: b"through", file: b"beside"})
        assert os.read(reader, 100) == b"through"
    finally:
        os.close(reader)
    assert pipe.is_fifo() and file.read_bytes() == b"beside"
