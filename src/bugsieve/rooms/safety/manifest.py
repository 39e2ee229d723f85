"""Plugs in the room of safety testing."""

from __future__ import annotations

from bugsieve.base.registry.family import MODELS, Entry, Family, Listing, Manifest

MANIFEST = Manifest(
    families={
        "safety-oracles": Family(
            noun="oracle",
            subject=MODELS,
            title="safety oracle",
            builtin={
                "tarjan": "bugsieve.rooms.safety.oracles.algorithms:Tarjan",
                "lrtdp": "bugsieve.rooms.safety.oracles.algorithms:Lrtdp",
                "lao": "bugsieve.rooms.safety.oracles.algorithms:Lao",
                "vi": "bugsieve.rooms.safety.oracles.algorithms:ValueIteration",
            },
        ),
    },
    members={
        "commands": (
            Entry(
                101,
                "safety",
                "bugsieve.rooms.safety.commands.safety:register",
                "find and prove decisions of a policy that lead to danger",
            ),
            Entry(
                901,
                "shield",
                "bugsieve.rooms.safety.commands.shield:register",
                "write a policy without its proven faults",
            ),
            Entry(
                1101,
                "decide",
                "bugsieve.rooms.safety.commands.decide:register",
                "decide whether states of a model are safe",
            ),
        ),
        "kinds": (Entry(101, "safety", "bugsieve.rooms.safety.campaign.kind:SAFETY"),),
        "explainers": (
            Entry(101, "safety", "bugsieve.rooms.safety.campaign.explanation:witness_of"),
        ),
        "samplers": (
            Entry(101, "models", "bugsieve.rooms.safety.commands.measured_models:MODELS"),
        ),
    },
    lists=(
        Listing(
            101,
            "safety-oracles",
            "who decides the states of models: --oracle of safety and decide",
            families=("safety-oracles",),
        ),
    ),
    public={
        "SafetyBug": "bugsieve.rooms.safety.bugs.bug",
        "SafetyOptions": "bugsieve.rooms.safety.campaign.options",
        "find_safety_bugs": "bugsieve.rooms.safety.campaign.find",
    },
)
