"""Seals tell what this user's Bugsieve has worked out from what a stranger may have written.

A folder may come from a stranger, who can write any result into it, but has not got the key.
Without a key there are no seals, and what is not sealed is worked out again.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import os
from pathlib import Path

from bugsieve.base.trust.trust import own_bytes, state_folder

KEY_FILE = "seal-key"

_KEY_BYTES = 32


def seal_of(data: bytes) -> str | None:
    """The seal of data that we have made; None where no key can be kept."""
    key = _key() or _made_key()
    return None if key is None else _seal(key, data)


def is_sealed(data: bytes, seal: str) -> bool:
    """Return true if this user's Bugsieve has sealed the data."""
    key = _key()
    return key is not None and hmac.compare_digest(
        _seal(key, data).encode(), seal.encode("utf-8", "replace")
    )


def _seal(key: bytes, data: bytes) -> str:
    return hmac.new(key, data, hashlib.sha256).hexdigest()


def _key() -> bytes | None:
    with contextlib.suppress(OSError, RuntimeError):
        key = own_bytes(state_folder() / KEY_FILE, _KEY_BYTES)
        return key if len(key) == _KEY_BYTES else None
    return None


def _made_key() -> bytes | None:
    """A new key, or the one that another process has just made."""
    with contextlib.suppress(OSError, RuntimeError):
        folder = state_folder()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        part = folder / f"{KEY_FILE}.{os.getpid()}.part"
        part.unlink(missing_ok=True)
        try:
            _write_new(part, os.urandom(_KEY_BYTES))
            os.link(part, folder / KEY_FILE)  # unlike a rename, it replaces nothing
        finally:
            part.unlink(missing_ok=True)
    return _key()


def _write_new(path: Path, data: bytes) -> None:
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(data)
