"""Plugs in the room of clusters."""

from __future__ import annotations

from bugsieve.base.registry.family import Entry, Manifest

MANIFEST = Manifest(
    members={
        "job-runners": (Entry(1, "ray", "bugsieve.rooms.cluster.runner"),),
    },
)
