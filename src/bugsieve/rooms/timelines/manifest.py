"""Plugs in the room of timelines: NDDL as a language of flight rules."""

from __future__ import annotations

from bugsieve.base.registry.family import Entry, Manifest

MANIFEST = Manifest(
    members={
        "rule-atoms": (
            Entry(300, "nddl", "bugsieve.rooms.timelines.models.timeline_atoms:TIMELINE_ATOMS"),
        ),
        "rule-subjects": (Entry(200, "nddl", "bugsieve.rooms.timelines.language:NDDL_LANGUAGE"),),
        "rule-commands": (Entry(100, "nddl", "bugsieve.rooms.timelines.command"),),
    },
)
