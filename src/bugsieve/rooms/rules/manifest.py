"""Plugs in the room of flight rules."""

from __future__ import annotations

from bugsieve.base.registry.family import Entry, Family, Listing, Manifest

MANIFEST = Manifest(
    families={
        "rule-atoms": Family(
            noun="form of atoms",
            builtin={
                "pddl": "bugsieve.rooms.rules.file.atoms:PDDL_ATOMS",
                "jani": "bugsieve.rooms.rules.file.model_atoms:MODEL_ATOMS",
            },
        ),
        "rule-subjects": Family(
            noun="language of rules",
            builtin={"pddl": "bugsieve.rooms.rules.campaign.pddl:PDDL_LANGUAGE"},
        ),
        "rule-commands": Family(noun="part of the command rules", builtin={}),
    },
    members={
        "objectives": (Entry(302, "rules", "bugsieve.rooms.rules.monitoring.objective:Rules"),),
        "commands": (
            Entry(
                1102,
                "rules",
                "bugsieve.rooms.rules.commands.rules:register",
                "test a domain against flight rules in temporal logic",
            ),
        ),
        "dangers": (Entry(100, "rules", "bugsieve.rooms.rules.models.danger:BrokenRules"),),
        "rules-readers": (Entry(1, "rules", "bugsieve.rooms.rules.checker.cost_rules:Rules"),),
        "kinds": (Entry(103, "rules", "bugsieve.rooms.rules.campaign.kind:RULES"),),
        "explainers": (
            Entry(103, "rules", "bugsieve.rooms.rules.campaign.explanation:witness_of"),
        ),
    },
    lists=(
        Listing(
            601,
            "criteria",
            "what rules takes for a cause: --criterion",
            place="bugsieve.rooms.rules.listed:criteria",
        ),
        Listing(
            602,
            "patterns",
            "what rules files may name in place of a formula; more: bugsieve rules patterns",
            place="bugsieve.rooms.rules.listed:patterns",
        ),
    ),
)
