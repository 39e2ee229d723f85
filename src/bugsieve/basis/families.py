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
        "random": "bugsieve.policies.random:RandomPolicy",
        "greedy": "bugsieve.policies.greedy:GreedyPolicy",
        "hill-climbing": "bugsieve.policies.hill_climbing:HillClimbingPolicy",
        "optimal": "bugsieve.policies.optimal:OptimalPolicy",
        "lazy": "bugsieve.policies.lazy:LazyPolicy",
        "ehc": "bugsieve.policies.ehc:EhcPolicy",
        "gnn": "bugsieve.policies.gnn.policy:GnnPolicy",
        "asnets": "bugsieve.policies.asnets.policy:AsnetPolicy",
        "python": "bugsieve.policies.python:PythonPolicy",
        "cmd": "bugsieve.policies.command:CommandPolicy",
        "phrm": "bugsieve.policies.servers.phrm:PhrmPolicy",
        "plans": "bugsieve.policies.plans:Plans",
    },
)

MODEL_POLICIES = Family(
    noun="policy",
    subject=MODELS,
    group="bugsieve.model_policies",
    builtin={
        "mlp": "bugsieve.policies.models.mlp:MlpPolicy",
        "trees": "bugsieve.policies.models.trees:TreesPolicy",
        "table": "bugsieve.policies.models.table:TablePolicy",
        "random": "bugsieve.policies.models.random:RandomPolicy",
        "python": "bugsieve.policies.models.python:PythonPolicy",
        "cmd": "bugsieve.policies.models.command:CommandPolicy",
    },
)

ORACLES = Family(
    noun="oracle",
    subject=TASKS,
    group="bugsieve.oracles",
    builtin={
        "lookahead": "bugsieve.oracles.cost.lookahead:LookaheadOracle",
        "aras": "bugsieve.oracles.cost.aras:ArasOracle",
        "undo-qual": "bugsieve.oracles.cost.undo:UndoQual",
        "inv-quant": "bugsieve.oracles.cost.inverse:InvQuant",
        "planner": "bugsieve.oracles.cost.planner:PlannerOracle",
        "perfect": "bugsieve.oracles.cost.perfect:PerfectOracle",
        "exact": "bugsieve.oracles.cost.exact:ExactOracle",
        "bounds": "bugsieve.oracles.cost.bounds:BoundsOracle",
        "morph": "bugsieve.oracles.cost.morph:MorphOracle",
        "local": "bugsieve.oracles.cost.local:LocalOracle",
        "bmo": "bugsieve.oracles.cost.bmo:BoundMaintenance",
        "combined": "bugsieve.oracles.combined:CombinedBounds",
        "aras-or-ehc": "bugsieve.oracles.split:ArasOrEhc",
        "split": "bugsieve.oracles.split:SplitOracle",
        "any": "bugsieve.oracles.combined:AnyOracle",
        "best-of": "bugsieve.oracles.combined:BestOfOracle",
    },
)

SAFETY_ORACLES = Family(
    noun="oracle",
    subject=MODELS,
    title="safety oracle",
    builtin={
        "tarjan": "bugsieve.oracles.safety.algorithms:Tarjan",
        "lrtdp": "bugsieve.oracles.safety.algorithms:Lrtdp",
        "lao": "bugsieve.oracles.safety.algorithms:Lao",
        "vi": "bugsieve.oracles.safety.algorithms:ValueIteration",
    },
)

BIASES = Family(
    noun="bias",
    group="bugsieve.biases",
    builtin={
        "uniform": "bugsieve.fuzzing.biases.uniform:Uniform",
        "policy-quality": "bugsieve.fuzzing.biases.policy_quality:PolicyQuality",
        "heuristic": "bugsieve.fuzzing.biases.heuristic:HeuristicBias",
        "loopiness": "bugsieve.fuzzing.biases.loopiness:Loopiness",
        "detour": "bugsieve.fuzzing.biases.detour:Detour",
        "surface": "bugsieve.fuzzing.biases.surface:Surface",
    },
)

OBJECTIVES = Family(
    noun="objective",
    group="bugsieve.objectives",
    builtin={
        "quantitative": "bugsieve.benches.objectives.quantitative:Quantitative",
        "qualitative": "bugsieve.benches.objectives.qualitative:Qualitative",
        "avoid": "bugsieve.benches.objectives.avoid:Avoid",
        "probability": "bugsieve.benches.objectives.probability:Probability",
        "rules": "bugsieve.benches.objectives.rules:Rules",
    },
)

DOMAINS = Family(
    noun="domain",
    subject=TASKS,
    group="bugsieve.domains",
    builtin=_modules(
        "domains",
        (
            *("blocksworld", "childsnack", "ferry", "floortile", "gripper"),
            *("matching-blocksworld", "miconic", "rovers", "satellite", "scanalyzer"),
            *("sokoban", "spanner", "storage", "transport", "visitall"),
        ),
    ),
)

MODEL_DOMAINS = Family(
    noun="domain",
    subject=MODELS,
    group="bugsieve.model_domains",
    title="domain of models",
    builtin=_modules(
        "domains.jani",
        (
            *("beluga", "bouncing-ball", "cartpole", "follow-car", "inverted-pendulum"),
            *("n-puzzle", "nd-blocksworld", "one-way-line", "two-way-line"),
        ),
    ),
)

PICTURES = Family(
    noun="picture",
    group="bugsieve.pictures",
    builtin={
        "blocks": "bugsieve.pictures.tasks.blocks:BlocksPicture",
        "visitall": "bugsieve.pictures.tasks.visitall:VisitallPicture",
        "sokoban": "bugsieve.pictures.tasks.sokoban:SokobanPicture",
        "floortile": "bugsieve.pictures.tasks.floortile:FloortilePicture",
        "storage": "bugsieve.pictures.tasks.storage:StoragePicture",
        "transport": "bugsieve.pictures.tasks.transport:TransportPicture",
        "ferry": "bugsieve.pictures.tasks.ferry:FerryPicture",
        "gripper": "bugsieve.pictures.tasks.gripper:GripperPicture",
        "miconic": "bugsieve.pictures.tasks.miconic:MiconicPicture",
        "spanner": "bugsieve.pictures.tasks.spanner:SpannerPicture",
        "childsnack": "bugsieve.pictures.tasks.childsnack:ChildsnackPicture",
        "rovers": "bugsieve.pictures.tasks.rovers:RoversPicture",
        "satellite": "bugsieve.pictures.tasks.satellite:SatellitePicture",
        "scanalyzer": "bugsieve.pictures.tasks.scanalyzer:ScanalyzerPicture",
        "block-model": "bugsieve.pictures.models.block_model:BlockModelPicture",
        "puzzle": "bugsieve.pictures.models.puzzle:PuzzlePicture",
        "line": "bugsieve.pictures.models.line:LinePicture",
        "cars": "bugsieve.pictures.models.cars:CarsPicture",
        "ball": "bugsieve.pictures.models.ball:BallPicture",
        "pendulum": "bugsieve.pictures.models.pendulum:PendulumPicture",
        "graph": "bugsieve.pictures.graph:GraphPicture",
        "bars": "bugsieve.pictures.bars:BarsPicture",
        "python": "bugsieve.pictures.python:PythonPicture",
    },
)
"""The first that has no objection is drawn; `graph` and `bars` are for anything."""

FORMATS = Family(
    noun="format",
    builtin={
        "text": "bugsieve.reports.formats.plain:plain_text",
        "csv": "bugsieve.reports.formats.data:csv_text",
        "json": "bugsieve.reports.formats.data:json_text",
        "latex": "bugsieve.reports.formats.latex:latex_text",
        "markdown": "bugsieve.reports.formats.markdown:markdown_text",
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

COMMANDS = Family(
    noun="command", builtin=_modules("cli", _COMMANDS, ":register"), summaries=_COMMANDS
)

KINDS = Family(
    noun="kind of campaigns",
    builtin={
        "cost": "bugsieve.campaigns.cost.kind:COST",
        "safety": "bugsieve.campaigns.safety.kind:SAFETY",
        "training": "bugsieve.campaigns.training.kind:TRAINING",
        "rules": "bugsieve.campaigns.rules.kind:RULES",
    },
)

FAMILIES = (
    *(POLICIES, MODEL_POLICIES, ORACLES, SAFETY_ORACLES, BIASES, OBJECTIVES),
    *(DOMAINS, MODEL_DOMAINS, PICTURES, FORMATS, COMMANDS),
)
