"""Certificates in the store are compressed JSON, and nothing else is read as such."""

from __future__ import annotations

import json
import sqlite3
import tracemalloc
import zlib
from contextlib import closing
from pathlib import Path

import pytest

from bugsieve.base.errors import BudgetError, InputError
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.store import certificate_blobs
from bugsieve.campaigns.store.certificate_blobs import json_text, packed, unpacked
from bugsieve.campaigns.store.schema import STORE_FILE
from tests.unit.results.samples import add, created, rounds


def test_what_was_packed_comes_back() -> None:
    data = {"state": [1, 2], "name": "Größe", "gap": None, "rows": [[0.1, True]] * 500}
    assert unpacked(packed(data)) == data
    assert len(packed(data)) < len(json_text(data)) / 10


@pytest.mark.parametrize(
    "content", [b"", b"junk", packed([1])[:-1], packed([1]) + b"x", zlib.compress(b"{")]
)
def test_anything_else_is_refused(content: bytes) -> None:
    with pytest.raises(ValueError, match="."):
        unpacked(content)


def test_a_small_row_does_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = packed("a" * 100_000)
    monkeypatch.setattr(certificate_blobs, "MOST_BYTES", 1000)
    with pytest.raises(ValueError, match="too large"):
        unpacked(bomb)
    with pytest.raises(BudgetError, match="--proof-rows"):
        packed("a" * 1000)
    assert unpacked(packed("a" * 900)) == "a" * 900


@pytest.mark.parametrize("part", ["{}", "[]", "1.5", '"a"'])
def test_what_a_text_becomes_is_weighed(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Much of it is more than its text: 240 MB of empty objects are 6 GB."""
    text = "[" + ",".join([part] * 1000) + "]"
    tracemalloc.start()
    kept = json.loads(text)
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    monkeypatch.setattr(certificate_blobs, "_MOST_MEMORY", size)
    with pytest.raises(ValueError, match="too much memory"):
        unpacked(zlib.compress(text.encode()))
    with pytest.raises(BudgetError, match="--proof-rows"):
        packed(kept)


@pytest.mark.parametrize("content", [b"junk", packed([1]) + b"x", packed(3)])
def test_a_damaged_certificate_is_a_fault_of_the_store(tmp_path: Path, content: bytes) -> None:
    campaign = add(created(tmp_path / "campaign"), *rounds(1))
    with closing(sqlite3.connect(campaign / STORE_FILE)) as store, store:
        store.execute("UPDATE bugs SET bug = ?", (content,))
    with (
        pytest.raises(InputError, match=r"campaign\.sqlite: is"),
        CostRecords(campaign) as records,
    ):
        records.bugs()
