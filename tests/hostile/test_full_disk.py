"""A disk that is full at any point: a sentence, and a campaign that goes on or none at all."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.hostile.full_disk import KIB

NAMESPACE = ("unshare", "--map-root-user", "--mount")


def is_allowed(place: Path) -> bool:
    """Whether we may mount disks of our own here."""
    command = [*NAMESPACE, "mount", "-t", "tmpfs", "-o", "size=20k", "none", str(place)]
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


def test_disks_of_many_sizes(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    if not is_allowed(tmp_path):
        pytest.skip("small disks can be made only where 'unshare' and 'mount' are allowed")
    places = (tmp_path, tmp_path_factory.mktemp("elsewhere"))
    command = [*NAMESPACE, sys.executable, "-m", "tests.hostile.full_disk", *map(str, places)]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    *lines, on_it, beside_it = [line.split("\t") for line in answer.stdout.splitlines()]
    assert on_it[:2] == ["report", "4"]
    assert on_it[2].endswith("page.html: cannot be written, the disk is full: make room")
    assert beside_it == ["report", "0", ""], "what is there can still be shown"
    assert [int(size) for size, _, _ in lines] == list(KIB)
    for _, exists, sentence in lines:
        assert "the disk is full" in sentence
        assert ("bugsieve resume" in sentence) == (exists == "True")
    assert {exists for _, exists, _ in lines} == {"True", "False"}, "before and after the start"
