from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.chromium import Page, browser


@pytest.fixture(scope="session")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """A page in a browser that all tests share."""
    with browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture
def downloads(page: Page, tmp_path: Path) -> Path:
    """Where files go that the page gives to download."""
    folder = tmp_path / "downloads"
    page.send("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder))
    return folder
