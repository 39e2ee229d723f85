"""Plugs in the room of dominance functions."""

from __future__ import annotations

from bugsieve.base.registry.family import Entry, Manifest

MANIFEST = Manifest(
    members={
        "oracles": (
            Entry(801, "morph", "bugsieve.rooms.dominance.oracles.morph:MorphOracle"),
            Entry(802, "local", "bugsieve.rooms.dominance.oracles.local:LocalOracle"),
            Entry(803, "bmo", "bugsieve.rooms.dominance.oracles.bmo:BoundMaintenance"),
        ),
        "plan-hints": (
            Entry(1, "dominance", "bugsieve.rooms.dominance.blame.plans_by_dominance:carry_over"),
        ),
        "decision-hints": (
            Entry(1, "dominance", "bugsieve.rooms.dominance.blame.bad_decision:bad_by_itself"),
        ),
        "commands": (
            Entry(
                1103,
                "dominance",
                "bugsieve.rooms.dominance.command:register",
                "show how much easier some states of a task are than others",
            ),
        ),
    },
)
