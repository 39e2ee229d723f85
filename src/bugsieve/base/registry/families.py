"""The families of members that specs and commands name, one line per member.

Strings only, so that every layer may read them: a member is loaded when it is used, and what is
said about it comes from the member itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Family:
    """One kind of member. Families of the same noun are neighbours, for different subjects."""

    noun: str
    builtin: Mapping[str, str]
    """Name to `module:attribute`, or to a module that is the member itself."""
    subject: str = ""
    """What the members are for."""
    group: str | None = None
    """The entry-point group by which other packages add members; None: closed."""
    title: str = ""
    """What a missing member is called, if not by the noun."""
    summaries: Mapping[str, str] = field(default_factory=dict)
    """What members are for, where that must be known before they are loaded."""


TASKS, MODELS = "planning tasks", "models"


def _modules(folder: str, names: Iterable[str], attribute: str = "") -> dict[str, str]:
    """The modules of a folder that are called like the members."""
    return {name: f"bugsieve.{folder}.{name.replace('-', '_')}{attribute}" for name in names}


POLICIES = Family(
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
        "gnn": "bugsieve.rooms.formats.gnn.policy:GnnPolicy",
        "asnets": "bugsieve.rooms.formats.asnets.policy:AsnetPolicy",
        "python": "bugsieve.policies.foreign.python:PythonPolicy",
        "cmd": "bugsieve.policies.foreign.command:CommandPolicy",
        "phrm": "bugsieve.rooms.formats.servers.phrm:PhrmPolicy",
        "plans": "bugsieve.policies.built_in.plans:Plans",
    },
)

MODEL_POLICIES = Family(
    noun="policy",
    subject=MODELS,
    group="bugsieve.model_policies",
    builtin={
        "mlp": "bugsieve.rooms.formats.mlp:MlpPolicy",
        "trees": "bugsieve.rooms.formats.trees.policy:TreesPolicy",
        "table": "bugsieve.rooms.jani.policies.table:TablePolicy",
        "random": "bugsieve.rooms.jani.policies.random:RandomPolicy",
        "python": "bugsieve.rooms.jani.policies.python:PythonPolicy",
        "cmd": "bugsieve.rooms.jani.policies.command:CommandPolicy",
    },
)

ORACLES = Family(
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
        "morph": "bugsieve.rooms.dominance.oracles.morph:MorphOracle",
        "local": "bugsieve.rooms.dominance.oracles.local:LocalOracle",
        "bmo": "bugsieve.rooms.dominance.oracles.bmo:BoundMaintenance",
        "combined": "bugsieve.pipeline.oracles.combined:CombinedBounds",
        "aras-or-ehc": "bugsieve.pipeline.oracles.split:ArasOrEhc",
        "split": "bugsieve.pipeline.oracles.split:SplitOracle",
        "any": "bugsieve.pipeline.oracles.combined:AnyOracle",
        "best-of": "bugsieve.pipeline.oracles.combined:BestOfOracle",
    },
)

SAFETY_ORACLES = Family(
    noun="oracle",
    subject=MODELS,
    title="safety oracle",
    builtin={
        "tarjan": "bugsieve.rooms.safety.oracles.algorithms:Tarjan",
        "lrtdp": "bugsieve.rooms.safety.oracles.algorithms:Lrtdp",
        "lao": "bugsieve.rooms.safety.oracles.algorithms:Lao",
        "vi": "bugsieve.rooms.safety.oracles.algorithms:ValueIteration",
    },
)

BIASES = Family(
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
)

OBJECTIVES = Family(
    noun="objective",
    group="bugsieve.objectives",
    builtin={
        "quantitative": "bugsieve.pipeline.objectives.quantitative:Quantitative",
        "qualitative": "bugsieve.pipeline.objectives.qualitative:Qualitative",
        "avoid": "bugsieve.pipeline.objectives.avoid:Avoid",
        "probability": "bugsieve.rooms.stochastic.probability:Probability",
        "rules": "bugsieve.rooms.rules.monitoring.objective:Rules",
    },
)

DOMAINS = Family(
    noun="domain",
    subject=TASKS,
    group="bugsieve.domains",
    builtin=_modules(
        "rooms.zoo",
        (
            *("blocksworld", "childsnack", "ferry", "floortile", "gripper"),
            *("matching-blocksworld", "miconic", "rovers", "satellite", "scanalyzer"),
            *("sokoban", "spanner", "storage", "transport", "visitall"),
        ),
        ".generator",
    ),
)

MODEL_DOMAINS = Family(
    noun="domain",
    subject=MODELS,
    group="bugsieve.model_domains",
    title="domain of models",
    builtin=_modules(
        "rooms.zoo",
        (
            *("beluga", "bouncing-ball", "cartpole", "follow-car", "inverted-pendulum"),
            *("n-puzzle", "nd-blocksworld", "one-way-line", "two-way-line"),
        ),
        ".generator",
    ),
)

PICTURES = Family(
    noun="picture",
    group="bugsieve.pictures",
    builtin={
        "blocks": "bugsieve.rooms.zoo.blocksworld.picture:BlocksPicture",
        "visitall": "bugsieve.rooms.zoo.visitall.picture:VisitallPicture",
        "sokoban": "bugsieve.rooms.zoo.sokoban.picture:SokobanPicture",
        "floortile": "bugsieve.rooms.zoo.floortile.picture:FloortilePicture",
        "storage": "bugsieve.rooms.zoo.storage.picture:StoragePicture",
        "transport": "bugsieve.rooms.zoo.transport.picture:TransportPicture",
        "ferry": "bugsieve.rooms.zoo.ferry.picture:FerryPicture",
        "gripper": "bugsieve.rooms.zoo.gripper.picture:GripperPicture",
        "miconic": "bugsieve.rooms.zoo.miconic.picture:MiconicPicture",
        "spanner": "bugsieve.rooms.zoo.spanner.picture:SpannerPicture",
        "childsnack": "bugsieve.rooms.zoo.childsnack.picture:ChildsnackPicture",
        "rovers": "bugsieve.rooms.zoo.rovers.picture:RoversPicture",
        "satellite": "bugsieve.rooms.zoo.satellite.picture:SatellitePicture",
        "scanalyzer": "bugsieve.rooms.zoo.scanalyzer.picture:ScanalyzerPicture",
        "block-model": "bugsieve.rooms.zoo.nd_blocksworld.picture:BlockModelPicture",
        "puzzle": "bugsieve.rooms.zoo.n_puzzle.picture:PuzzlePicture",
        "line": "bugsieve.rooms.zoo.one_way_line.picture:LinePicture",
        "cars": "bugsieve.rooms.zoo.follow_car.picture:CarsPicture",
        "ball": "bugsieve.rooms.zoo.bouncing_ball.picture:BallPicture",
        "pendulum": "bugsieve.rooms.zoo.inverted_pendulum.picture:PendulumPicture",
        "graph": "bugsieve.pictures.graph:GraphPicture",
        "bars": "bugsieve.pictures.bars:BarsPicture",
        "python": "bugsieve.pictures.python:PythonPicture",
    },
)
"""The first that has no objection is drawn; `graph` and `bars` are for anything."""

FORMATS = Family(
    noun="format",
    builtin={
        "text": "bugsieve.rooms.lab.reports.formats.plain:plain_text",
        "csv": "bugsieve.rooms.lab.reports.formats.data:csv_text",
        "json": "bugsieve.rooms.lab.reports.formats.data:json_text",
        "latex": "bugsieve.rooms.lab.reports.formats.latex:latex_text",
        "markdown": "bugsieve.rooms.lab.reports.formats.markdown:markdown_text",
    },
)

_COMMANDS = {
    "test": "find and prove bugs of a policy",
    "safety": "find and prove decisions of a policy that lead to danger",
    "measure": "measure how many tests have a bug, and how many causes are left",
    "judge": "judge given states",
    "resume": "go on with a campaign",
    "salvage": "take what is whole out of a damaged campaign",
    "status": "show how far a campaign is, and its bugs",
    "report": "write what was found as one page to look at and to send",
    "replay": "ask the policy again whether a bug is still there",
    "explain": "show which decision of the policy is to blame for a bug",
    "minimise": "write the smallest example of a bug",
    "shield": "write a policy without its proven faults",
    "compare": "compare two campaigns on the same task",
    "export": "write a campaign's records as CSV, JSON or Parquet",
    "table": "print tables over campaigns",
    "plot": "draw pictures of campaigns",
    "experiment": "run a grid of campaigns",
    "rollout": "run a policy on a task and show how it ends",
    "decide": "decide whether states of a model are safe",
    "rules": "test a domain against flight rules in temporal logic",
    "dominance": "show how much easier some states of a task are than others",
    "domain": "test a planning domain itself: lint, coverage, mutants, suites",
    "train": "train policies of a domain, tested while they are trained",
    "select": "choose a model of a training and write it as a policy",
    "train-q": "train a network for a model by deep Q-learning",
    "serve": "offer a policy to other tools over gRPC",
    "generate": "write a random task of a built-in domain",
    "list": "list oracles, policies, domains and other names",
    "doctor": "check the installation and say what is missing",
}

_COMMANDS_OF_ROOMS = {
    "rooms.safety.commands": ("safety", "shield", "decide"),
    "rooms.rules.commands": ("rules",),
    "rooms.training.commands": ("train", "select", "train-q"),
    "rooms.lab.commands": ("judge", "compare", "table", "plot", "experiment"),
}
_COMMAND_MODULES = {
    "dominance": "bugsieve.rooms.dominance.command:register",
    "domain": "bugsieve.rooms.domain_testing.commands:register",
    "serve": "bugsieve.rooms.formats.serve:register",
    "generate": "bugsieve.rooms.zoo.generate:register",
}


def _command(name: str) -> str:
    for folder, names in _COMMANDS_OF_ROOMS.items():
        if name in names:
            return f"bugsieve.{folder}.{name.replace('-', '_')}:register"
    return f"bugsieve.commands.{name.replace('-', '_')}:register"


COMMANDS = Family(
    noun="command",
    builtin={name: _COMMAND_MODULES.get(name) or _command(name) for name in _COMMANDS},
    summaries=_COMMANDS,
)

KINDS = Family(
    noun="kind of campaigns",
    builtin={
        "cost": "bugsieve.campaigns.cost.kind:COST",
        "safety": "bugsieve.rooms.safety.campaign.kind:SAFETY",
        "training": "bugsieve.rooms.training.campaign.kind:TRAINING",
        "rules": "bugsieve.rooms.rules.campaign.kind:RULES",
    },
)

FAMILIES = (
    *(POLICIES, MODEL_POLICIES, ORACLES, SAFETY_ORACLES, BIASES, OBJECTIVES),
    *(DOMAINS, MODEL_DOMAINS, PICTURES, FORMATS, COMMANDS),
)
