"""Tasks for these tests, each grounded once."""

from __future__ import annotations

from pathlib import Path

import pytest

from bugsieve.tasks.grounded.loading import load_task
from bugsieve.tasks.grounded.task import Task
from tests.unit.tasks.pddl.texts import write


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Task:
    """Two blocks and a table, with costs."""
    return load_task(*write(tmp_path_factory.mktemp("stack")), cache=False)


@pytest.fixture
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache of this test's own."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("BUGSIEVE_CACHE", str(folder))
    return folder
