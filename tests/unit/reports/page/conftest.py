from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.reports.page.folders import MAKERS, multiplied, sailing_campaign


@pytest.fixture(scope="session")
def campaigns(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A campaign of each kind."""
    return {kind: make(tmp_path_factory.mktemp(kind)) for kind, make in MAKERS.items()}


@pytest.fixture(scope="session")
def many_bugs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A campaign with 1000 bugs in 20 causes, whose runs have 50 steps."""
    campaign = sailing_campaign(tmp_path_factory.mktemp("many"))
    multiplied(campaign, bugs=1000, causes=20)
    return campaign
