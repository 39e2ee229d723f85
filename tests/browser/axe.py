"""axe-core, which finds what keeps people from using a page; it is no part of this project."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.browser.chromium import Page
from tests.depth import IS_DEEP

_FILE = Path("node_modules", "axe-core", "axe.min.js")
_ROOT = Path(__file__).resolve().parents[2]
INSTALLING = "npm install --prefix build axe-core"

_RUN = """axe.run().then(found => JSON.stringify(found.violations.map(
  rule => [rule.id, rule.nodes.map(node => node.html.slice(0, 200))])))"""


def axe_script() -> str:
    """The program, from $AXE_CORE or below build/; else the test is skipped, or fails in depth."""
    places = [Path(os.environ.get("AXE_CORE", "")), _ROOT / "build" / _FILE]
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        report = pytest.fail if IS_DEEP else pytest.skip
        report(f"needs axe-core: install it with '{INSTALLING}'")
    return found.read_text("utf-8")


def violations(page: Page, script: str) -> list[object]:
    """What axe-core finds on the page that is open."""
    page.run(f"{script};0")
    found: list[object] = json.loads(page.wait_for(_RUN))
    return found
