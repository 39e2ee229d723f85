"""The arguments of a safety campaign: how unsafe runs are sought, and who judges them."""

from __future__ import annotations

import argparse
import json
import os
from typing import TYPE_CHECKING

from bugsieve.commands.shared import campaign_arguments, task_arguments
from bugsieve.commands.shared.numbers import whole_number
from bugsieve.commands.shared.options import MOST, Options, options_from
from bugsieve.rooms.jani import model_arguments

if TYPE_CHECKING:
    from bugsieve.rooms.safety.campaign.options import SafetyOptions
    from bugsieve.rooms.safety.walks.unsafe_runs import SafetyFuzzOptions

ALL = "inf"
"""How no limit on the lookahead is written."""


def add_walk_arguments(parser: argparse.ArgumentParser) -> None:
    """How unsafe runs are sought."""
    options = Options(parser, "walks")
    options.number("--walks", 1000, "walks to make")
    options.add(
        "--choice",
        default="greedy",
        metavar="NAME",
        help="where walks go if an action has several outcomes: nearest to danger (greedy, the "
        "default), there more likely (sampling), or anywhere (uniform)",
    )
    options.add(
        "--lookahead",
        type=_lookahead,
        metavar="N",
        help="steps to look ahead where several outcomes are equally near to danger, or inf "
        "(inf; 1 for --choice uniform)",
    )
    options.number("--step-limit", 10_000, "steps of a walk")
    options.add(
        "--whole",
        choices=("auto", "yes", "no"),
        default="auto",
        help="when no walk has met danger, explore all that the policy can come to from all start "
        "states, and prove it safe: auto (default) does so for at most 200 000 states, within "
        "--max-time (else 60 s); yes ends with exit code 4 where that is not enough",
    )


def add_oracle_arguments(parser: argparse.ArgumentParser) -> None:
    """Who judges the states of unsafe runs."""
    options = Options(parser, "judging")
    options.add(
        "--oracle",
        action="append",
        metavar="SPEC",
        help="who judges unsafe runs (tarjan); may be repeated, the first one's faults become "
        "bugs. See 'bugsieve list safety-oracles'; 'tarjan:2' allows alternatives that differ "
        "from the policy twice at most",
    )
    rows = "states in the largest proof to keep; larger finds are no bugs, but the exit code is 1"
    options.number("--proof-rows", 50_000, rows)
    runs = "runs in a row that are judged with what was found out about those before"
    options.number("--shared-runs", 32, runs)
    alone = "for measurements: judge N states once more, each without any knowledge"
    options.number("--alone", 0, alone, least=0)
    model_arguments.add_safety_limits(parser)


def safety_options_of(args: argparse.Namespace) -> SafetyOptions:
    """The options of the campaign that the arguments ask for."""
    from bugsieve.rooms.safety.campaign.options import SafetyOptions

    files = [args.model, args.property, args.start, args.goal, args.unsafe]
    if args.unsafe is not None and args.property is None:
        files = [args.model, *(path or "" for path in files[2:])]  # "": this part has no file
    constants = model_arguments.constants_from(args)
    return options_from(
        args,
        SafetyOptions,
        model=tuple(os.fspath(path) for path in files if path is not None),
        constants=tuple(f"{name}={json.dumps(value)}" for name, value in constants.items()),
        policy_seed=args.seed,
        policy_limits=task_arguments.worker_limits(args),
        oracles=tuple(args.oracle or ()),
        limits=campaign_arguments.limits_of(args),
        fuzz=_fuzz_options(args),
        stop=campaign_arguments.stop_rules_of(args),
    )


def _fuzz_options(args: argparse.Namespace) -> SafetyFuzzOptions:
    from bugsieve.rooms.safety.walks.unsafe_runs import SafetyFuzzOptions

    usual = 1 if args.choice == "uniform" else ALL
    lookahead = usual if args.lookahead is None else args.lookahead
    steps = None if lookahead == ALL else int(lookahead)
    return options_from(args, SafetyFuzzOptions, lookahead=steps)


def _lookahead(text: str) -> int | str:
    return ALL if text in (ALL, "∞") else whole_number(1, MOST)(text)
