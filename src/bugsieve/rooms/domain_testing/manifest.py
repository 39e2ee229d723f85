"""Plugs in the room of domain testing."""

from __future__ import annotations

from bugsieve.base.registry.family import Entry, Manifest

MANIFEST = Manifest(
    members={
        "commands": (
            Entry(
                1104,
                "domain",
                "bugsieve.rooms.domain_testing.commands:register",
                "test a planning domain itself: lint, coverage, mutants, suites",
            ),
        ),
    },
)
