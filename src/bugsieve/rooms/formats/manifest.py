"""Plugs in the room of files and servers of policies."""

from __future__ import annotations

from bugsieve.base.registry.family import Entry, Manifest

MANIFEST = Manifest(
    members={
        "policies": (
            Entry(601, "gnn", "bugsieve.rooms.formats.gnn.policy:GnnPolicy"),
            Entry(602, "asnets", "bugsieve.rooms.formats.asnets.policy:AsnetPolicy"),
            Entry(801, "phrm", "bugsieve.rooms.formats.servers.phrm:PhrmPolicy"),
        ),
        "model-policies": (
            Entry(1, "mlp", "bugsieve.rooms.formats.mlp:MlpPolicy"),
            Entry(2, "trees", "bugsieve.rooms.formats.trees.policy:TreesPolicy"),
        ),
        "commands": (
            Entry(
                1108,
                "serve",
                "bugsieve.rooms.formats.serve:register",
                "offer a policy to other tools over gRPC",
            ),
        ),
    },
)
