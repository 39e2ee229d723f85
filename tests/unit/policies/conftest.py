"""Policies in processes of their own run without a sanitizer that we were started with."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _no_preloaded_sanitizer(monkeypatch: pytest.MonkeyPatch) -> None:
    """AddressSanitizer reserves more address space than the memory limit of a policy allows."""
    monkeypatch.delenv("LD_PRELOAD", raising=False)
