"""Data on disk that was computed from other data, found by the content of what it came from.

An entry is one file of plain bytes, written in one step and sealed by a checksum: one that is cut
or altered is made anew. Processes share the folder, and what several of them need at the same time
is made once. A folder that cannot be written means no keeping, never an error.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from bugsieve.base.files_and_processes.files import write_atomically
from bugsieve.base.stopping import check_stop

MAX_CACHE_BYTES = 2 << 30
"""For the entries of all kinds together; the oldest make room."""

_SEAL_BYTES = 32
_SUFFIX = ".z"
_WAIT_SECONDS = 0.02


def cache_folder() -> Path:
    """$BUGSIEVE_CACHE, or `bugsieve` in the user's cache folder."""
    chosen = os.environ.get("BUGSIEVE_CACHE")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path("~/.cache").expanduser()) / "bugsieve"


def content_key(parts: Iterable[bytes]) -> str:
    """The SHA-256 of the parts, each with its length so that no two lists collide."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.hexdigest()


class DerivedData:
    """Entries of one kind, such as `"sas"`; keys are hashes such as `Task.sha256`.

    Code that computes other bytes than before for the same key takes another kind: `"bounds-2"`.
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def get(self, key: str, make: Callable[[], bytes]) -> bytes:
        """The entry; made and kept if there is none, unless another process is just doing that."""
        data = self.load(key)
        if data is not None:
            return data
        with self._making(key):
            data = self.load(key)  # while we waited, another process may have made it
            if data is None:
                data = make()
                self.store(key, data)
        return data

    def load(self, key: str) -> bytes | None:
        """The entry, or None if there is none that is whole."""
        try:
            entry = self._path(key).read_bytes()
            seal, packed = entry[:_SEAL_BYTES], entry[_SEAL_BYTES:]
            if hashlib.sha256(packed).digest() != seal:
                return None
            return zlib.decompress(packed)
        except (OSError, RuntimeError, zlib.error):
            return None

    def store(self, key: str, data: bytes) -> None:
        """Keep the data if the folder can be written."""
        packed = zlib.compress(data, 1)
        try:
            path = self._path(key)
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, hashlib.sha256(packed).digest() + packed)
            _trim(path.parent)
        except (OSError, RuntimeError):
            return

    def _path(self, key: str) -> Path:
        return cache_folder() / f"{key}.{self.kind}{_SUFFIX}"

    @contextlib.contextmanager
    def _making(self, key: str) -> Iterator[None]:
        """Keep other processes from making the entry, where the folder allows that."""
        lock = self._lock(key)
        try:
            yield
        finally:
            if lock is not None:
                place, file = lock
                with contextlib.suppress(OSError):
                    place.unlink()  # while it is ours: see `_is_lock`
                os.close(file)

    def _lock(self, key: str) -> tuple[Path, int] | None:
        """A locked file; the lock ends with its descriptor, however our process ends."""
        try:
            place = self._path(key).with_suffix(".lock")
            place.parent.mkdir(parents=True, exist_ok=True)
            while (file := _locked(place)) is None:
                check_stop()
                time.sleep(_WAIT_SECONDS)
        except (OSError, RuntimeError):
            return None
        return place, file


def _locked(place: Path) -> int | None:
    """The descriptor of the file if no other process has locked it."""
    file = os.open(place, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        if _is_lock(file, place):
            return file
    except BaseException:
        os.close(file)
        raise
    os.close(file)
    return None


def _is_lock(file: int, place: Path) -> bool:
    """Return true if we have locked the file and it is still the one that others would lock."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.fstat(file).st_ino == place.stat().st_ino
    except (BlockingIOError, FileNotFoundError):
        return False


def _trim(folder: Path) -> None:
    """Remove the oldest entries beyond the size limit."""
    entries = [(path.stat(), path) for path in folder.glob(f"*{_SUFFIX}")]
    entries.sort(key=lambda entry: entry[0].st_mtime, reverse=True)
    total = 0
    for status, path in entries:
        total += status.st_size
        if total > MAX_CACHE_BYTES:
            path.unlink(missing_ok=True)
