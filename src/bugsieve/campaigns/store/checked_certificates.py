"""Stored certificates, checked once more before anything is built upon them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bugsieve.base.errors import InputError


@contextmanager
def proof_of(bug: str, directory: Path, *complaints: type[Exception]) -> Iterator[None]:
    """Lets a complaint of a checker, one of these, say whose certificate it is; InputError."""
    try:
        yield
    except complaints as error:
        raise InputError(
            f"{directory}: the certificate of bug {bug} does not hold ({error}), so the store "
            "was changed or damaged; test the policy again"
        ) from None
