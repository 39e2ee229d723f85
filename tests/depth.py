"""How deep the tests look: `make test-deep` draws every example, `make test` fewer of the same.

Both check the same properties, and both run everything that ever failed as an explicit example.
`BUGSIEVE_DEPTH=deep pytest tests/property` draws them all for some tests.
"""

from __future__ import annotations

import os

IS_DEEP = os.environ.get("BUGSIEVE_DEPTH") == "deep"
SHARE = 5


def examples(deep: int, *, quick: int | None = None) -> int:
    """How many random cases to draw, or how many must have shown something; quickly a fifth."""
    if IS_DEEP:
        return deep
    return deep // SHARE if quick is None else quick
