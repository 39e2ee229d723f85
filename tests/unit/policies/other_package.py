"""A package of somebody else that brings policies."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest


def install(folder: Path, monkeypatch: pytest.MonkeyPatch, group: str, member: str) -> None:
    """Install a distribution with two entry points, `first` and one that is broken."""
    info = folder / "other_package-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other-package\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        f"[{group}]\nfirst = {member}\nbroken = no_such_module:Policy\n"
    )
    monkeypatch.setattr(sys, "path", [str(folder), *sys.path])
