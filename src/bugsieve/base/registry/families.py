"""The families of members that specs and commands name, one line per member, and the rooms.

Strings only, so that every layer may read them: a member is loaded when it is used, and what is
said about it comes from the member itself.
"""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module

from bugsieve.base.registry.family import TASKS, Entry, Family, Listing, Manifest

ROOMS = (
    "jani",
    "dominance",
    "stochastic",
    "regression",
    "rules",
    "timelines",
    "zoo",
    "safety",
    "formats",
    "domain_testing",
    "training",
    "lab",
    "cluster",
)
"""Each plugs itself in by its `manifest`."""

_COMMANDS = {
    "test": "find and prove bugs of a policy",
    "measure": "measure how many tests have a bug, and how many causes are left",
    "resume": "go on with a campaign",
    "salvage": "take what is whole out of a damaged campaign",
    "status": "show how far a campaign is, and its bugs",
    "report": "write what was found as one page to look at and to send",
    "replay": "ask the policy again whether a bug is still there",
    "explain": "show which decision of the policy is to blame for a bug",
    "minimise": "write the smallest example of a bug",
    "export": "write a campaign's records as CSV, JSON or Parquet",
    "rollout": "run a policy on a task and show how it ends",
    "list": "list oracles, policies, domains and other names",
    "doctor": "check the installation and say what is missing",
}
_CORE = {
    "policies": Family(
        noun="policy",
        subject=TASKS,
        group="bugsieve.policies",
        builtin={
            "random": "bugsieve.policies.built_in.random:RandomPolicy",
            "greedy": "bugsieve.policies.built_in.greedy:GreedyPolicy",
            "hill-climbing": "bugsieve.policies.built_in.hill_climbing:HillClimbingPolicy",
            "optimal": "bugsieve.policies.built_in.optimal:OptimalPolicy",
            "lazy": "bugsieve.policies.built_in.lazy:LazyPolicy",
            "ehc": "bugsieve.policies.built_in.ehc:EhcPolicy",
            "python": "bugsieve.policies.foreign.python:PythonPolicy",
            "cmd": "bugsieve.policies.foreign.command:CommandPolicy",
            "plans": "bugsieve.policies.built_in.plans:Plans",
        },
    ),
    "oracles": Family(
        noun="oracle",
        subject=TASKS,
        group="bugsieve.oracles",
        builtin={
            "lookahead": "bugsieve.pipeline.oracles.lookahead:LookaheadOracle",
            "aras": "bugsieve.pipeline.oracles.aras:ArasOracle",
            "undo-qual": "bugsieve.pipeline.oracles.undo:UndoQual",
            "inv-quant": "bugsieve.pipeline.oracles.inverse:InvQuant",
            "planner": "bugsieve.pipeline.oracles.planner:PlannerOracle",
            "perfect": "bugsieve.pipeline.oracles.perfect:PerfectOracle",
            "exact": "bugsieve.pipeline.oracles.exact:ExactOracle",
            "bounds": "bugsieve.pipeline.oracles.bounds:BoundsOracle",
            "combined": "bugsieve.pipeline.oracles.combined:CombinedBounds",
            "aras-or-ehc": "bugsieve.pipeline.oracles.split:ArasOrEhc",
            "split": "bugsieve.pipeline.oracles.split:SplitOracle",
            "any": "bugsieve.pipeline.oracles.combined:AnyOracle",
            "best-of": "bugsieve.pipeline.oracles.combined:BestOfOracle",
        },
    ),
    "biases": Family(
        noun="bias",
        group="bugsieve.biases",
        builtin={
            "uniform": "bugsieve.pipeline.biases.uniform:Uniform",
            "policy-quality": "bugsieve.pipeline.biases.policy_quality:PolicyQuality",
            "heuristic": "bugsieve.pipeline.biases.heuristic:HeuristicBias",
            "loopiness": "bugsieve.pipeline.biases.loopiness:Loopiness",
            "detour": "bugsieve.pipeline.biases.detour:Detour",
            "surface": "bugsieve.pipeline.biases.surface:Surface",
        },
    ),
    "objectives": Family(
        noun="objective",
        group="bugsieve.objectives",
        builtin={
            "quantitative": "bugsieve.pipeline.objectives.quantitative:Quantitative",
            "qualitative": "bugsieve.pipeline.objectives.qualitative:Qualitative",
            "avoid": "bugsieve.pipeline.objectives.avoid:Avoid",
        },
    ),
    "pictures": Family(
        noun="picture",
        group="bugsieve.pictures",
        builtin={
            "graph": "bugsieve.pictures.graph:GraphPicture",
            "bars": "bugsieve.pictures.bars:BarsPicture",
            "python": "bugsieve.pictures.python:PythonPicture",
        },
    ),
    "scenes": Family(
        noun="subject of pictures", builtin={"task": "bugsieve.pictures.scene:TASK_SCENES"}
    ),
    "function-policies": Family(
        noun="subject of functions",
        builtin={"task": "bugsieve.policies.foreign.function_policy:FunctionPolicy"},
    ),
    "commands": Family(
        noun="command",
        builtin={name: f"bugsieve.commands.{name}:register" for name in _COMMANDS},
        summaries=_COMMANDS,
    ),
    "kinds": Family(
        noun="kind of campaigns",
        builtin={
            "cost": "bugsieve.campaigns.cost.kind:COST",
        },
    ),
    "deciders": Family(noun="decider", builtin={}),
    "result-writers": Family(noun="writer of results", builtin={}),
    "rules-readers": Family(noun="reader of rules", builtin={}),
    "plan-hints": Family(noun="hint at better plans", builtin={}),
    "decision-hints": Family(noun="hint at bad decisions", builtin={}),
    "exports": Family(
        noun="export",
        builtin={
            "csv": "bugsieve.commands.shared.exports:CSV",
            "json": "bugsieve.commands.shared.exports:JSON",
            "parquet": "bugsieve.commands.shared.exports:PARQUET",
            "bugs": "bugsieve.commands.shared.exports:BUGS",
            "every-bug": "bugsieve.commands.shared.exports:EVERY_BUG",
            "green": "bugsieve.commands.shared.exports:GREEN",
        },
    ),
    "samplers": Family(noun="sampler", builtin={}),
    "explainers": Family(
        noun="explainer", builtin={"cost": "bugsieve.campaigns.cost.explaining:witness_of"}
    ),
}
_LISTS = (
    Listing(
        100,
        "oracles",
        "who judges the states of planning tasks: --oracle of test and judge",
        ("oracles",),
    ),
    Listing(
        200,
        "policies",
        "policies of planning tasks: --policy of test, judge and rollout",
        ("policies",),
    ),
    Listing(300, "biases", "where the walks of test go: --bias", ("biases",)),
    Listing(
        400, "objectives", "what counts as a bug in test and judge: --objective", ("objectives",)
    ),
    Listing(500, "pictures", "how states are drawn: --picture of explain", ("pictures",)),
    Listing(
        600,
        "heuristics",
        "what greedy:, hill-climbing: and lazy: compare, as in greedy:hff",
        place="bugsieve.tasks.grounded.heuristic_names:listed",
    ),
)


def manifest_of(room: str) -> Manifest:
    """The manifest of the room."""
    manifest: Manifest = import_module(f"bugsieve.rooms.{room}.manifest").MANIFEST
    return manifest


def merged(manifests: list[Manifest]) -> dict[str, Family]:
    """Return the families of the core with all that the manifests plug in."""
    families = dict(_CORE)
    for manifest in manifests:
        families.update(manifest.families)
    for name, family in families.items():
        ranked = [
            Entry(100 * n, member, place, family.summaries.get(member, ""))
            for n, (member, place) in enumerate(family.builtin.items(), 1)
        ]
        for manifest in manifests:
            ranked += manifest.members.get(name, ())
        ranked.sort(key=lambda entry: entry.rank)
        builtin = {entry.name: entry.place for entry in ranked}
        summaries = {entry.name: entry.summary for entry in ranked if entry.summary}
        families[name] = replace(family, builtin=builtin, summaries=summaries)
    return families


_MANIFESTS = [manifest_of(room) for room in ROOMS]
FAMILIES = merged(_MANIFESTS)
"""All families by their names."""
LISTS = {
    listing.name: listing
    for listing in sorted(
        [*_LISTS, *(one for manifest in _MANIFESTS for one in manifest.lists)],
        key=lambda listing: listing.rank,
    )
}
"""The listings of `bugsieve list`."""
PUBLIC = {name: place for manifest in _MANIFESTS for name, place in manifest.public.items()}
"""Names of `bugsieve` itself that are in rooms."""

POLICIES, ORACLES, BIASES = FAMILIES["policies"], FAMILIES["oracles"], FAMILIES["biases"]
OBJECTIVES, PICTURES = FAMILIES["objectives"], FAMILIES["pictures"]
COMMANDS, KINDS, DECIDERS = FAMILIES["commands"], FAMILIES["kinds"], FAMILIES["deciders"]
RESULT_WRITERS = FAMILIES["result-writers"]
RULES_READERS = FAMILIES["rules-readers"]
PLAN_HINTS, DECISION_HINTS = FAMILIES["plan-hints"], FAMILIES["decision-hints"]
SAMPLERS = FAMILIES["samplers"]
SAMPLERS, EXPLAINERS = FAMILIES["samplers"], FAMILIES["explainers"]
EXPORTS = FAMILIES["exports"]
