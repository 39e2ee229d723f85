"""Plugs in the room of JANI models."""

from __future__ import annotations

from bugsieve.base.registry.family import MODELS, Entry, Family, Listing, Manifest

MANIFEST = Manifest(
    families={
        "model-policies": Family(
            noun="policy",
            subject=MODELS,
            group="bugsieve.model_policies",
            builtin={
                "table": "bugsieve.rooms.jani.policies.table:TablePolicy",
                "random": "bugsieve.rooms.jani.policies.random:RandomModelPolicy",
                "python": "bugsieve.rooms.jani.policies.python:PythonModelPolicy",
                "cmd": "bugsieve.rooms.jani.policies.command:CommandModelPolicy",
            },
        ),
        "dangers": Family(noun="source of danger", builtin={}),
    },
    members={
        "scenes": (Entry(101, "model", "bugsieve.rooms.jani.pictures.scene:MODEL_SCENES"),),
        "function-policies": (
            Entry(101, "model", "bugsieve.rooms.jani.policies.lifted:FunctionModelPolicy"),
        ),
    },
    lists=(
        Listing(
            201,
            "model-policies",
            "policies of models: --policy of safety and decide",
            families=("model-policies",),
        ),
    ),
    public={
        "JaniModel": "bugsieve.rooms.jani.model.model",
        "ModelPolicy": "bugsieve.rooms.jani.policies.policy",
        "load_model": "bugsieve.rooms.jani.model.loading",
        "make_model_policy": "bugsieve.rooms.jani.policies.registry",
    },
)
