"""PyTorch on one thread: on cores that are shared, several are many times slower."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    from bugsieve.rooms.training.torch_loading import repeatable

    with repeatable(threads=1):
        yield
