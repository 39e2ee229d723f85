"""Plugs in the room of domains and models of our own."""

from __future__ import annotations

from bugsieve.base.registry.family import MODELS, TASKS, Entry, Family, Listing, Manifest

MANIFEST = Manifest(
    families={
        "domains": Family(
            noun="domain",
            subject=TASKS,
            group="bugsieve.domains",
            builtin={
                "blocksworld": "bugsieve.rooms.zoo.blocksworld.generator",
                "childsnack": "bugsieve.rooms.zoo.childsnack.generator",
                "ferry": "bugsieve.rooms.zoo.ferry.generator",
                "floortile": "bugsieve.rooms.zoo.floortile.generator",
                "gripper": "bugsieve.rooms.zoo.gripper.generator",
                "matching-blocksworld": "bugsieve.rooms.zoo.matching_blocksworld.generator",
                "miconic": "bugsieve.rooms.zoo.miconic.generator",
                "rovers": "bugsieve.rooms.zoo.rovers.generator",
                "satellite": "bugsieve.rooms.zoo.satellite.generator",
                "scanalyzer": "bugsieve.rooms.zoo.scanalyzer.generator",
                "sokoban": "bugsieve.rooms.zoo.sokoban.generator",
                "spanner": "bugsieve.rooms.zoo.spanner.generator",
                "storage": "bugsieve.rooms.zoo.storage.generator",
                "transport": "bugsieve.rooms.zoo.transport.generator",
                "visitall": "bugsieve.rooms.zoo.visitall.generator",
            },
        ),
        "model-domains": Family(
            noun="domain",
            subject=MODELS,
            group="bugsieve.model_domains",
            title="domain of models",
            builtin={
                "beluga": "bugsieve.rooms.zoo.beluga.generator",
                "bouncing-ball": "bugsieve.rooms.zoo.bouncing_ball.generator",
                "cartpole": "bugsieve.rooms.zoo.cartpole.generator",
                "follow-car": "bugsieve.rooms.zoo.follow_car.generator",
                "inverted-pendulum": "bugsieve.rooms.zoo.inverted_pendulum.generator",
                "n-puzzle": "bugsieve.rooms.zoo.n_puzzle.generator",
                "nd-blocksworld": "bugsieve.rooms.zoo.nd_blocksworld.generator",
                "one-way-line": "bugsieve.rooms.zoo.one_way_line.generator",
                "two-way-line": "bugsieve.rooms.zoo.two_way_line.generator",
            },
        ),
    },
    members={
        "pictures": (
            Entry(1, "blocks", "bugsieve.rooms.zoo.blocksworld.picture:BlocksPicture"),
            Entry(2, "visitall", "bugsieve.rooms.zoo.visitall.picture:VisitallPicture"),
            Entry(3, "sokoban", "bugsieve.rooms.zoo.sokoban.picture:SokobanPicture"),
            Entry(4, "floortile", "bugsieve.rooms.zoo.floortile.picture:FloortilePicture"),
            Entry(5, "storage", "bugsieve.rooms.zoo.storage.picture:StoragePicture"),
            Entry(6, "transport", "bugsieve.rooms.zoo.transport.picture:TransportPicture"),
            Entry(7, "ferry", "bugsieve.rooms.zoo.ferry.picture:FerryPicture"),
            Entry(8, "gripper", "bugsieve.rooms.zoo.gripper.picture:GripperPicture"),
            Entry(9, "miconic", "bugsieve.rooms.zoo.miconic.picture:MiconicPicture"),
            Entry(10, "spanner", "bugsieve.rooms.zoo.spanner.picture:SpannerPicture"),
            Entry(11, "childsnack", "bugsieve.rooms.zoo.childsnack.picture:ChildsnackPicture"),
            Entry(12, "rovers", "bugsieve.rooms.zoo.rovers.picture:RoversPicture"),
            Entry(13, "satellite", "bugsieve.rooms.zoo.satellite.picture:SatellitePicture"),
            Entry(14, "scanalyzer", "bugsieve.rooms.zoo.scanalyzer.picture:ScanalyzerPicture"),
            Entry(
                15, "block-model", "bugsieve.rooms.zoo.nd_blocksworld.picture:BlockModelPicture"
            ),
            Entry(16, "puzzle", "bugsieve.rooms.zoo.n_puzzle.picture:PuzzlePicture"),
            Entry(17, "line", "bugsieve.rooms.zoo.one_way_line.picture:LinePicture"),
            Entry(18, "cars", "bugsieve.rooms.zoo.follow_car.picture:CarsPicture"),
            Entry(19, "ball", "bugsieve.rooms.zoo.bouncing_ball.picture:BallPicture"),
            Entry(20, "pendulum", "bugsieve.rooms.zoo.inverted_pendulum.picture:PendulumPicture"),
        ),
        "commands": (
            Entry(
                1109,
                "generate",
                "bugsieve.rooms.zoo.generate:register",
                "write a random task of a built-in domain",
            ),
        ),
        "deciders": (
            Entry(1, "spanner", "bugsieve.rooms.zoo.spanner.decider:SpannerDecider"),
            Entry(
                2,
                "matching-blocksworld",
                "bugsieve.rooms.zoo.matching_blocksworld.decider:MatchingBlocksworldDecider",
            ),
            Entry(3, "floortile", "bugsieve.rooms.zoo.floortile.decider:FloortileDecider"),
        ),
    },
    lists=(
        Listing(
            501,
            "domains",
            "what generate makes tasks and models of",
            families=("domains", "model-domains"),
        ),
    ),
)
