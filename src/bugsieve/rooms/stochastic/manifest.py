"""Plugs in the room of stochastic policies."""

from __future__ import annotations

from bugsieve.base.registry.family import Entry, Manifest

MANIFEST = Manifest(
    members={
        "objectives": (
            Entry(301, "probability", "bugsieve.rooms.stochastic.probability:Probability"),
        ),
    },
)
