"""The arguments of a safety campaign: how unsafe runs are sought, and who judges them."""

from __future__ import annotations

import argparse
import json
import os

from bugsieve.base.option_fields import MOST
from bugsieve.campaigns.options import JUDGING
from bugsieve.commands.shared.numbers import whole_number
from bugsieve.commands.shared.option_fields import (
    add_options,
    add_to_group,
    options_from,
    part_from,
)
from bugsieve.commands.shared.options import Options
from bugsieve.rooms.jani import model_arguments
from bugsieve.rooms.safety.campaign.options import LIMITS, SafetyOptions
from bugsieve.rooms.safety.walks.options import WALKS, SafetyFuzzOptions

ALL = "inf"
"""How no limit on the lookahead is written."""


def add_safety_arguments(parser: argparse.ArgumentParser) -> None:
    """How unsafe runs are sought, and who judges their states."""
    walks = Options(parser, WALKS)
    add_to_group(walks, SafetyOptions, WALKS, types={"lookahead": _lookahead})
    for group in (JUDGING, LIMITS):
        add_options(parser, SafetyOptions, group)


def safety_options_of(args: argparse.Namespace) -> SafetyOptions:
    """The options of the campaign that the arguments ask for."""
    files = [args.model, args.property, args.start, args.goal, args.unsafe]
    if args.unsafe is not None and args.property is None:
        files = [args.model, *(path or "" for path in files[2:])]  # "": this part has no file
    constants = model_arguments.constants_from(args)
    return options_from(
        args,
        SafetyOptions,
        model=tuple(os.fspath(path) for path in files if path is not None),
        constants=tuple(f"{name}={json.dumps(value)}" for name, value in constants.items()),
        fuzz=_fuzz_options(args),
    )


def _fuzz_options(args: argparse.Namespace) -> SafetyFuzzOptions:
    usual = 1 if args.choice == "uniform" else ALL
    lookahead = usual if args.lookahead is None else args.lookahead
    steps = None if lookahead == ALL else int(lookahead)
    given = argparse.Namespace(**{**vars(args), "lookahead": steps})
    fuzz: SafetyFuzzOptions = part_from(given, SafetyOptions, "fuzz")
    return fuzz


def _lookahead(text: str) -> int | str:
    return ALL if text in (ALL, "∞") else whole_number(1, MOST)(text)
