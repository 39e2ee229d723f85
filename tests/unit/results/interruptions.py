"""Stores of all kinds of campaigns whose writer is killed, or whose disk runs full."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

from bugsieve.base.errors import InputError
from bugsieve.campaigns.store.store import Store
from tests.unit.results.small_disk import small_disk

WRITER = """
import sys
from pathlib import Path
from {store.__module__} import {store.__name__} as Store
from {samples.__name__} import rounds
with Store.open(Path(sys.argv[1])) as store:
    for number, addition in enumerate(rounds(10_000)):
        store.add(addition)
        print(number, flush=True)
"""


def killed(campaign: Path, store: type[Store], samples: ModuleType, *, after: int) -> int:
    """Let a process add rounds of the samples, kill it; returns the last one it has told of."""
    program = WRITER.format(store=store, samples=samples)
    writer = subprocess.Popen(
        [sys.executable, "-c", program, str(campaign)], stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout is not None
    acknowledged = -1
    while acknowledged < after:
        acknowledged = int(writer.stdout.readline())
    writer.send_signal(signal.SIGKILL)
    rest = writer.stdout.read()  # what it managed to say before it died
    assert writer.wait() == -signal.SIGKILL
    return max([acknowledged, *map(int, rest.split())])


def filled_up(campaign: Path, store: type[Store], rounds: Iterable[Any]) -> int:
    """Add rounds until the disk is full, which is one sentence; returns how many were stored."""
    with small_disk(500_000), store.open(campaign) as opened:
        sentence, stored = _added(opened, rounds)
    assert "full" in sentence and f"bugsieve resume {campaign}" in sentence
    assert stored > 0
    return stored


def _added(store: Store, rounds: Iterable[Any]) -> tuple[str, int]:
    for number, addition in enumerate(rounds):
        try:
            store.add(addition)
        except InputError as error:
            return str(error), number
    raise AssertionError("the disk was not small")
