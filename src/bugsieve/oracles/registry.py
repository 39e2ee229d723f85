"""Names of oracles: the table of built-in members, those of other packages, and specs.

A spec is `name` or `name:argument`. Other packages add members through the entry-point group
`bugsieve.oracles`; the name of the entry is the name in the spec, its object a class like the
built-in ones.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import entry_points
from typing import cast

from bugsieve.basis.errors import InputError, UnsupportedError, UsageError
from bugsieve.basis.names import for_others, no_such
from bugsieve.benches.bench import Bench
from bugsieve.oracles.oracle import DEFAULT_LIMITS, Oracle
from bugsieve.oracles.safety.registry import MODELS, SAFETY_ORACLES, TASKS
from bugsieve.search import Limits

ENTRY_POINT_GROUP = "bugsieve.oracles"

_MEMBERS = {
    "lookahead": "bugsieve.oracles.cost.lookahead:LookaheadOracle",
    "aras": "bugsieve.oracles.cost.aras:ArasOracle",
    "undo-qual": "bugsieve.oracles.cost.undo:UndoQual",
    "inv-quant": "bugsieve.oracles.cost.inverse:InvQuant",
    "planner": "bugsieve.oracles.cost.planner:PlannerOracle",
    "perfect": "bugsieve.oracles.cost.perfect:PerfectOracle",
    "bounds": "bugsieve.oracles.cost.bounds:BoundsOracle",
    "any": "bugsieve.oracles.combined:AnyOracle",
    "best-of": "bugsieve.oracles.combined:BestOfOracle",
}

ORACLES = {
    "lookahead": "lookahead[:DEPTH], a few steps of search, then the policy (default depth 2)",
    "aras": "improves the policy's own plan by action elimination and neighbourhood search",
    "undo-qual": "a failure is a bug where every action can be undone",
    "inv-quant": "walks back by inverse actions, then follows the policy from there",
    "planner": "planner:NAME, searches by astar-lmcut, ehc, gbfs-N or fd:SEARCH (Fast Downward)",
    "perfect": "decides every state, by optimal search, dead-end proofs and domain knowledge",
    "bounds": "bounds[:h,H], compares the policy with an optimistic and a pessimistic bound",
    "any": "any:A+B+..., asks one oracle after the other until one finds a bug",
    "best-of": "best-of:A+B+..., asks all oracles and keeps the bug with the largest gap",
}
"""What each built-in oracle does, for lists; the text before the comma is its form, if it has one.
"""


def make_oracle(spec: str, bench: Bench, *, limits: Limits = DEFAULT_LIMITS) -> Oracle:
    """The oracle that a spec like `lookahead:3` or `any:aras+planner:ehc` names, on the bench."""
    check_oracle_spec(spec)
    name, _ = spec_parts(spec)
    member = _member(name)
    reason = member.objection(bench)
    if reason is not None:
        raise UnsupportedError(f"oracle {name!r} cannot be used on {bench.task.name}: {reason}")
    return member(bench, spec, limits=limits)


def check_oracle_spec(spec: str) -> None:
    """Raise the UsageError of a spec that is wrong on every bench, before there is a bench."""
    name, argument = spec_parts(spec)
    member = _member(name)
    try:
        member.check_argument(argument)
    except UsageError as error:
        raise UsageError(f"oracle {spec!r}: {error}") from None


def spec_parts(spec: str) -> tuple[str, str | None]:
    """The name of a spec, and its argument if there is a colon."""
    name, colon, argument = spec.partition(":")
    return name.strip(), argument.strip() if colon else None


def _member(name: str) -> type[Oracle]:
    if name in _MEMBERS:
        module, _, attribute = _MEMBERS[name].partition(":")
        return cast("type[Oracle]", getattr(import_module(module), attribute))
    plugins = entry_points(group=ENTRY_POINT_GROUP)
    if name not in plugins.names:
        names = sorted({*_MEMBERS, *plugins.names})
        if name in SAFETY_ORACLES:
            raise UsageError(for_others("oracle", name, ours=TASKS, theirs=MODELS, choices=names))
        raise UsageError(no_such("oracle", name, names))
    entry = plugins[name]
    try:
        return cast("type[Oracle]", entry.load())
    except Exception as error:  # someone else's package: anything can go wrong
        raise InputError(f"oracle {name!r} of {entry.value} cannot be loaded: {error}") from error
