"""Plugs in the room of the lab."""

from __future__ import annotations

from bugsieve.base.registry.family import Entry, Family, Manifest

MANIFEST = Manifest(
    families={
        "formats": Family(
            noun="format",
            builtin={
                "text": "bugsieve.reports.plain_text:plain_text",
                "csv": "bugsieve.rooms.lab.reports.formats.data:csv_text",
                "json": "bugsieve.rooms.lab.reports.formats.data:json_text",
                "latex": "bugsieve.rooms.lab.reports.formats.latex:latex_text",
                "markdown": "bugsieve.rooms.lab.reports.formats.markdown:markdown_text",
            },
        ),
        "job-runners": Family(noun="runner of jobs", builtin={}),
    },
    members={
        "commands": (
            Entry(
                201, "judge", "bugsieve.rooms.lab.commands.judge:register", "judge given states"
            ),
            Entry(
                902,
                "compare",
                "bugsieve.rooms.lab.commands.compare:register",
                "compare two campaigns on the same task",
            ),
            Entry(
                1001,
                "table",
                "bugsieve.rooms.lab.commands.table:register",
                "print tables over campaigns",
            ),
            Entry(
                1002,
                "plot",
                "bugsieve.rooms.lab.commands.plot:register",
                "draw pictures of campaigns",
            ),
            Entry(
                1003,
                "experiment",
                "bugsieve.rooms.lab.commands.experiment:register",
                "run a grid of campaigns",
            ),
        ),
    },
    public={
        "compare": "bugsieve.rooms.lab.comparing",
    },
)
