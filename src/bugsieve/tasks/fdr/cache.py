"""Translations on disk, found by the content of what was translated.

An entry is one file, written in one step and sealed by a checksum: several processes may share the
folder, and an entry that is cut or altered is translated anew. A folder that cannot be written
means no caching, never an error.
"""

from __future__ import annotations

import hashlib
import os
import zlib
from collections.abc import Iterable
from pathlib import Path

from bugsieve.basis.files import write_atomically

MAX_CACHE_BYTES = 2 << 30
_SEAL_BYTES = 32
_SUFFIX = ".sas.z"


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


def load(key: str) -> bytes | None:
    """The cached text, or None if there is none that is whole."""
    try:
        entry = _path(key).read_bytes()
        seal, packed = entry[:_SEAL_BYTES], entry[_SEAL_BYTES:]
        if hashlib.sha256(packed).digest() != seal:
            return None
        return zlib.decompress(packed)
    except (OSError, RuntimeError, zlib.error):
        return None


def store(key: str, text: bytes) -> None:
    """Cache a text if the folder can be written."""
    packed = zlib.compress(text, 1)
    try:
        path = _path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, hashlib.sha256(packed).digest() + packed)
        _trim(path.parent)
    except (OSError, RuntimeError):
        return


def _path(key: str) -> Path:
    return cache_folder() / f"{key}{_SUFFIX}"


def _trim(folder: Path) -> None:
    """Remove the oldest entries beyond the size limit."""
    entries = [(path.stat(), path) for path in folder.glob(f"*{_SUFFIX}")]
    entries.sort(key=lambda entry: entry[0].st_mtime, reverse=True)
    total = 0
    for status, path in entries:
        total += status.st_size
        if total > MAX_CACHE_BYTES:
            path.unlink(missing_ok=True)
