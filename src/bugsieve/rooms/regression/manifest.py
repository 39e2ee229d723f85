"""Plugs in the room of regression tests."""

from __future__ import annotations

from bugsieve.base.registry.family import Entry, Manifest

MANIFEST = Manifest(
    members={
        "result-writers": (
            Entry(
                101,
                "junit",
                "bugsieve.rooms.regression.junit:write_junit",
                "write the results as JUnit XML, too; what is undecided is an error there",
            ),
        ),
        "exports": (
            Entry(601, "regression", "bugsieve.rooms.regression.export_option:REGRESSION"),
        ),
    },
    public={
        "check": "bugsieve.rooms.regression.check",
    },
)
