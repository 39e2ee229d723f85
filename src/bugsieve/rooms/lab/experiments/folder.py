"""The folder of an experiment, and who may write into it: one process, or one for each shard."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from bugsieve.base.errors import UsageError
from bugsieve.campaigns.several.index import INDEX_FILE
from bugsieve.campaigns.store.lock import EXPERIMENT_LOCK_FILE, FolderLock
from bugsieve.campaigns.store.schema import STORE_FILE, explained
from bugsieve.rooms.lab.experiments.shards import Shard

_LOCK_SUFFIX = ".lock"
_INDEX_LOCK_FILE = "index.lock"
_FINAL_LOCK_FILE = "final.lock"


@contextlib.contextmanager
def running(directory: Path, shard: Shard | None) -> Iterator[None]:
    """Make the folder if need be, and keep other processes from running the same.

    Shards share the lock of the experiment, and each has one of its own.
    """
    if directory.exists() and not directory.is_dir():
        raise UsageError(f"{directory}: is a file, name a folder for the experiment")
    with explained(directory):
        directory.mkdir(parents=True, exist_ok=True)
        found = os.listdir(directory)
    names = {n for n in found if not n.startswith(".") and not n.endswith(_LOCK_SUFFIX)}
    if STORE_FILE in names or (names and INDEX_FILE not in names):
        raise UsageError(
            f"{directory}: holds something else than an experiment: name a new folder"
        )
    with contextlib.ExitStack() as stack:
        whole = FolderLock(directory, EXPERIMENT_LOCK_FILE, is_shared=shard is not None)
        stack.callback(whole.close)
        if shard is not None:
            stack.callback(FolderLock(directory, shard.lock_file).close)
        yield


@contextlib.contextmanager
def writing(directory: Path) -> Iterator[None]:
    """Wait until no other shard writes what all of them share."""
    lock = FolderLock(directory, _INDEX_LOCK_FILE, waits=True)
    try:
        with explained(directory):
            yield
    finally:
        lock.close()


@contextlib.contextmanager
def finishing(directory: Path) -> Iterator[bool]:
    """Give true if the final tests may be made here: one shard makes them."""
    try:
        lock = FolderLock(directory, _FINAL_LOCK_FILE)
    except UsageError:
        yield False
        return
    try:
        yield True
    finally:
        lock.close()
