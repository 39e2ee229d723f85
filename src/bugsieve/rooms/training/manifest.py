"""Plugs in the room of training."""

from __future__ import annotations

from bugsieve.base.registry.family import Entry, Manifest

MANIFEST = Manifest(
    members={
        "commands": (
            Entry(
                1105,
                "train",
                "bugsieve.rooms.training.commands.train:register",
                "train policies of a domain, tested while they are trained",
            ),
            Entry(
                1106,
                "select",
                "bugsieve.rooms.training.commands.select:register",
                "choose a model of a training and write it as a policy",
            ),
            Entry(
                1107,
                "train-q",
                "bugsieve.rooms.training.commands.train_q:register",
                "train a network for a model by deep Q-learning",
            ),
        ),
        "kinds": (Entry(102, "training", "bugsieve.rooms.training.campaign.kind:TRAINING"),),
        "exports": (
            Entry(501, "examples", "bugsieve.rooms.training.commands.export_examples:EXAMPLES"),
        ),
    },
)
