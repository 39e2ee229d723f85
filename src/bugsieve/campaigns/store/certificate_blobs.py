"""Certificates as the store keeps them: JSON, compressed, because they repeat themselves."""

from __future__ import annotations

import json
import zlib
from typing import Any

from bugsieve.base.errors import BudgetError
from bugsieve.base.files_and_processes.foreign_json import parse_json

MOST_BYTES = 1 << 28
"""Of JSON: a small row of somebody else's store must not fill the memory."""

_MOST_MEMORY = 3 << 28
_MEMORY_OF = {b"{": 232, b"[": 88, b",": 40, b'"': 25}
"""Bytes that JSON with such a character becomes in Python at most, but for what it has itself."""


def json_text(data: Any) -> str:
    """JSON without the numbers that JSON does not have."""
    return json.dumps(data, allow_nan=False)


def packed(data: Any) -> bytes:
    """The data as compressed JSON; BudgetError if it would be refused when it is read."""
    text = json_text(data).encode("ascii")
    if len(text) > MOST_BYTES or _memory_of(text) > _MOST_MEMORY:
        raise BudgetError(
            f"a certificate of {len(text)} bytes is more than the store takes ({MOST_BYTES}, or "
            f"{_MOST_MEMORY} in memory): lower --proof-rows"
        )
    return zlib.compress(text)


def unpacked(content: bytes) -> Any:
    """The inverse of `packed`; ValueError for anything else."""
    decoder = zlib.decompressobj()
    try:
        text = decoder.decompress(content, MOST_BYTES)
    except zlib.error as error:
        raise ValueError(str(error)) from None
    if not decoder.eof or decoder.unused_data:
        raise ValueError("compressed data is cut off, too large, or more than that")
    if _memory_of(text) > _MOST_MEMORY:
        raise ValueError("compressed data would take too much memory")
    return parse_json(text.decode())


def _memory_of(text: bytes) -> int:
    """Bytes that a JSON text may take with all that is made of it: 300 kB may become 6 GB."""
    made = sum(size * text.count(sign) for sign, size in _MEMORY_OF.items())
    return 2 * len(text) + made
