"""`bugsieve list`: the names that other commands take."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from bugsieve.basis.errors import UsageError
from bugsieve.basis.names import no_such
from bugsieve.cli.streams import show

if TYPE_CHECKING:
    from bugsieve.cli.parser import Parser

_KINDS = (
    *("oracles", "safety-oracles", "policies", "model-policies", "biases", "objectives"),
    *("domains", "heuristics"),
)


def register(subparsers: argparse._SubParsersAction[Parser]) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "list",
        help="list oracles, policies, domains and other names",
        usage="%(prog)s [-h] [--json] KIND",
        description="List the names that other commands take, with a line on each.",
    )
    # optional for argparse, whose own error would not name the kinds
    kinds = f"which names: {', '.join(_KINDS[:-1])} or {_KINDS[-1]}"
    parser.add_argument("kind", metavar="KIND", nargs="?", help=kinds)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the names of one kind."""
    if args.kind is None:
        raise UsageError(f"say which names to list: bugsieve list KIND, for {', '.join(_KINDS)}")
    if args.kind not in _KINDS:
        raise UsageError(no_such("list of", args.kind, _KINDS))
    names = _names(args.kind)
    if args.json:
        show(json.dumps(dict(names), indent=2))
        return 0
    width = max(map(len, names))
    show("\n".join(f"{name:{width}}  {summary}".rstrip() for name, summary in names.items()))
    return 0


def _names(kind: str) -> Mapping[str, str]:
    """Name to summary, in the order of the registry; loads only the registry it needs."""
    if kind == "oracles":
        from bugsieve.oracles.registry import ORACLES

        return ORACLES
    if kind == "safety-oracles":
        from bugsieve.oracles.safety.registry import SAFETY_ORACLES

        return SAFETY_ORACLES
    if kind == "biases":
        from bugsieve.fuzzing.biases import BIASES

        return BIASES
    if kind == "objectives":
        from bugsieve.benches.objectives import OBJECTIVES

        return OBJECTIVES
    if kind == "policies":
        from bugsieve.policies.registry import list_policies

        return {policy.usage: policy.summary for policy in list_policies()}
    if kind == "model-policies":
        from bugsieve.policies.models.registry import list_model_policies

        return {policy.usage: policy.summary for policy in list_model_policies()}
    if kind == "domains":
        from bugsieve.domains.instances import instance_generator, instance_names

        return {name: instance_generator(name).SUMMARY for name in instance_names()}
    from bugsieve._native import HEURISTICS

    return dict.fromkeys(HEURISTICS, "")
