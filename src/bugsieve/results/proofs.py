"""Stored certificates, checked once more before anything is built upon them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bugsieve.basis.errors import InputError
from bugsieve.checkers import cost, safety_claims
from bugsieve.checkers.jani_interpreter import RefusedModelError


@contextmanager
def proof_of(bug: str, directory: Path) -> Iterator[None]:
    """Lets a checker's complaint say whose certificate it is; InputError."""
    try:
        yield
    except (
        cost.CertificateError,
        safety_claims.CertificateError,
        RefusedModelError,
    ) as error:
        raise InputError(
            f"{directory}: the certificate of bug {bug} does not hold ({error}), so the store "
            "was changed or damaged; test the policy again"
        ) from None
