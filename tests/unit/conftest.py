"""What tests of several parts need of the machine."""

from __future__ import annotations

import pytest


@pytest.fixture
def no_preloaded_sanitizer(monkeypatch: pytest.MonkeyPatch) -> None:
    """AddressSanitizer reserves more address space than the memory limit of a policy allows."""
    monkeypatch.delenv("LD_PRELOAD", raising=False)
