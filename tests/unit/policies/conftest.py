"""Policies in processes of their own run without a sanitizer that we were started with."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _always(no_preloaded_sanitizer: None) -> None:
    """For all tests of policies."""
