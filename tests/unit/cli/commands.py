"""The command line as the tests call it, and what its commands do for all kinds of campaigns."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from bugsieve.campaigns.store.certificate_blobs import packed, unpacked
from bugsieve.campaigns.store.schema import STORE_FILE

Run = Callable[..., tuple[int, str, str]]
"""Calls the command line; gives the exit code, what it printed, and its complaints."""


def spared(words: list[str]) -> list[str]:
    """The command without the work for smallest examples, unless it is about them."""
    is_spared = words[:1] == ["test"] and "--examples" not in words
    return [*words, "--examples", "0"] if is_spared else words


def check_resume(run: Run, stopped: Path, whole: Path) -> None:
    """In the end, a stopped campaign has found what one has that was not."""
    code, out, _ = run("resume", stopped, "--max-bugs", 10**6, "--json")
    assert code == 1
    expected = json.loads(run("status", whole, "--json")[1])
    assert _without_times(json.loads(out)["found"]) == _without_times(expected["found"])


def _without_times(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: value for key, value in bug.items() if key != "seconds"} for bug in found]


def check_explained_fields(run: Run, results: Path) -> None:
    """The help of `explain` lists the fields of its JSON."""
    bug = next((results / "bugs").iterdir()).stem
    fields = json.loads(run("explain", results, bug, "--json")[1])
    text = run("explain", "--help")[1].partition("--json prints one object")[2]
    assert "steps count from 0" in text
    assert not [name for name in fields if not re.search(rf"\b{name}\b", text)]


def check_export(run: Run, results: Path, form: str, target: Path) -> None:
    """The command names the files that it writes."""
    code, out, _ = run("export", results, f"--{form}", target)
    assert code == 0 and out
    for line in out.splitlines():
        assert Path(line.removeprefix("wrote ")).stat().st_size > 0


def falsified(results: Path, copy: Path, part: str, value: object) -> Path:
    """A copy of a campaign in which a part of all certificates is another."""
    shutil.copytree(results, copy)
    with closing(sqlite3.connect(copy / STORE_FILE)) as store, store:
        store.create_function("opened", 1, lambda content: json.dumps(unpacked(content)))
        store.create_function("closed", 1, lambda text: packed(json.loads(text)))
        change = "UPDATE bugs SET bug = closed(json_set(opened(bug), ?, json(?)))"
        store.execute(change, (f"$.certificate.{part}", json.dumps(value)))
    return copy


def with_false_proofs(results: Path, copy: Path) -> Path:
    """A copy of a campaign of safety testing whose proofs take an action that does not exist.

    The rows of all proofs are stored once, column by column; the action is the last but one.
    """
    shutil.copytree(results, copy)

    def false_rows(content: bytes, count: int) -> bytes:
        columns = np.frombuffer(zlib.decompress(content), dtype="<f8").reshape(-1, count).copy()
        columns[-2] = 10**6
        return zlib.compress(columns.tobytes())

    def false_bug(content: bytes) -> bytes:
        data = unpacked(content)
        data["certificate"]["proof"]["safe_action"] = 10**6
        return packed(data)

    with closing(sqlite3.connect(copy / STORE_FILE)) as store, store:
        store.create_function("false_rows", 2, false_rows)
        store.create_function("false_bug", 1, false_bug)
        store.execute("UPDATE proofs SET rows = false_rows(rows, count)")
        store.execute("UPDATE bugs SET bug = false_bug(bug)")
    return copy
