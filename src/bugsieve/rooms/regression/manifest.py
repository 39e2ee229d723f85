"""Plugs in the room of regression tests."""

from __future__ import annotations

from bugsieve.base.registry.family import Manifest

MANIFEST = Manifest(
    public={
        "check": "bugsieve.rooms.regression.check",
    },
)
