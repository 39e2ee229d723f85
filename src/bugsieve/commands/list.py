"""`bugsieve list`: the names that other commands take."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping

from bugsieve.base.errors import UsageError
from bugsieve.base.names import no_such
from bugsieve.base.registry import families
from bugsieve.base.registry.members import MemberTable
from bugsieve.commands.shared.parser import Parser
from bugsieve.commands.shared.streams import show

_KINDS = {
    "oracles": (families.ORACLES,),
    "safety-oracles": (families.SAFETY_ORACLES,),
    "policies": (families.POLICIES,),
    "model-policies": (families.MODEL_POLICIES,),
    "biases": (families.BIASES,),
    "objectives": (families.OBJECTIVES,),
    "pictures": (families.PICTURES,),
    "domains": (families.DOMAINS, families.MODEL_DOMAINS),
    "heuristics": (),
    "criteria": (),
    "patterns": (),
}
_OVERVIEW = {
    "oracles": "who judges the states of planning tasks: --oracle of test and judge",
    "safety-oracles": "who decides the states of models: --oracle of safety and decide",
    "policies": "policies of planning tasks: --policy of test, judge and rollout",
    "model-policies": "policies of models: --policy of safety and decide",
    "biases": "where the walks of test go: --bias",
    "objectives": "what counts as a bug in test and judge: --objective",
    "pictures": "how states are drawn: --picture of explain",
    "domains": "what generate makes tasks and models of",
    "heuristics": "what greedy:, hill-climbing: and lazy: compare, as in greedy:hff",
    "criteria": "what rules takes for a cause: --criterion",
    "patterns": "what rules files may name in place of a formula; more: bugsieve rules patterns",
}


def register(parser: Parser) -> None:
    """Describe the command."""
    parser.runs(run, "List the names that other commands take, with a line on each.")
    *kinds, last = _KINDS
    which = f"which names: {', '.join(kinds)} or {last} (without it: what these are)"
    parser.add_argument("kind", metavar="KIND", nargs="?", help=which)
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Print the names of one kind, or the kinds."""
    if args.kind not in (None, *_KINDS):
        raise UsageError(no_such("list of", args.kind, _KINDS))
    names = _OVERVIEW if args.kind is None else _names(args.kind)
    if args.json:
        show(json.dumps(dict(names), indent=2))
        return 0
    width = max(map(len, names))
    show("\n".join(f"{name:{width}}  {summary}".rstrip() for name, summary in names.items()))
    if args.kind is None:
        show("\nsee the names of one kind: bugsieve list KIND")
    return 0


def _names(kind: str) -> Mapping[str, str]:
    """How specs are written and what they mean, in the order of the registry."""
    if kind == "heuristics":
        from bugsieve._native import HEURISTICS

        return dict.fromkeys(HEURISTICS, "")
    if kind == "criteria":
        from bugsieve.rooms.rules.ltl.causes import CRITERIA

        return {str(name): text for name, text in CRITERIA.items()}
    if kind == "patterns":
        from bugsieve.rooms.rules.ltl.patterns import PATTERNS

        return {name: pattern.meaning for name, pattern in PATTERNS.items()}
    infos = [info for family in _KINDS[kind] for info in MemberTable[object](family).infos()]
    if kind == "domains":
        infos.sort(key=lambda info: info.name)
    return {info.usage: info.text for info in infos}
