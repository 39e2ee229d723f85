"""`--from DIR`: a new campaign with the options of an old one, changed by those that are given."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bugsieve.base.errors import InputError, UsageError
from bugsieve.base.wording import kind_in_words
from bugsieve.commands.shared import campaign_arguments

if TYPE_CHECKING:
    from bugsieve.campaigns.options import CampaignOptions
    from bugsieve.campaigns.store.progress import CampaignHeader


@dataclass(frozen=True)
class Repeated:
    """What a campaign is made from again."""

    args: argparse.Namespace
    options: CampaignOptions
    header: CampaignHeader


@dataclass(frozen=True)
class Repeater:
    """How a command makes campaigns of its kind again."""

    kind: str
    usual: Callable[[Any], dict[str, Any]]
    """Stored options as its parser has them, where their names or values are others."""
    options: Callable[[argparse.Namespace, Any], CampaignOptions]
    """From the arguments, and the stored options for what these do not say."""


def repeated(args: argparse.Namespace, repeater: Repeater, folder: str | Path) -> Repeated:
    """The options of the campaign in the folder, and of the command line where it has some."""
    from bugsieve.campaigns.campaign import read_campaign
    from bugsieve.campaigns.kind import require_trusted_oracles, require_trusted_policy

    found, header, stored = read_campaign(Path(folder))
    if found.name != repeater.kind:
        words = kind_in_words(found.name)
        raise UsageError(f"{folder}: is a campaign of {words}, which has its command")
    if header.policy_is_object and args.policy is None:
        raise UsageError(f"{folder}: tests the Python object {header.policy}: name a policy")
    usual = {**_arguments(stored), **repeater.usual(stored)}
    if args.policy is None:
        require_trusted_policy(found, stored, Path(folder))
    else:
        del usual["policy_folder"]  # typed here
    if not args.oracle:
        require_trusted_oracles(found, stored, Path(folder))
    # What the campaign had becomes the default of what is parsed again: words that are there win.
    args.parser.set_defaults(**usual, oracle=None)
    again = args.parser.parse_args(args.parser.words)
    again.oracle = again.oracle or list(stored.oracles)
    options = repeater.options(again, stored)
    limits = {name: getattr(stored.policy_limits, name) for name in ("startup", "batch_size")}
    return Repeated(
        again,
        replace(options, policy_limits=replace(options.policy_limits, **limits)),
        header,
    )


def _arguments(stored: Any) -> dict[str, Any]:
    """The options as the parser has them, those too that only Python can set."""
    plain = {field.name: getattr(stored, field.name) for field in fields(stored)}
    nested = [plain.pop(name) for name in ("fuzz", "stop")]
    parts = {field.name: getattr(part, field.name) for part in nested for field in fields(part)}
    limits = stored.limits
    for name in ("task", "model", "from_states", "pool_from", "oracles", "constants", "limits"):
        plain.pop(name, None)
    return {
        **plain,
        **parts,
        "seed": stored.policy_seed,
        "deadline": stored.policy_limits.deadline,
        "memory": stored.policy_limits.memory_mb,
        "hash_seed": stored.policy_limits.hash_seed,
        "expansions": limits.expansions,
        "oracle_time": limits.seconds,
        "oracle_memory": (1 << 30) if limits.bytes is None else max(1, limits.bytes >> 20),
    }


def _usual_of_cost(stored: Any) -> dict[str, Any]:
    return {"separate": stored.mode == "separate"}


def _cost(args: argparse.Namespace, stored: Any) -> CampaignOptions:
    args.from_states = stored.from_states
    if stored.from_states is not None and not _is_plain(stored.from_states):
        raise InputError(f"{stored.from_states}: is neither a file nor the folder of a campaign")
    return campaign_arguments.options_of(args, task=stored.task)


def _is_plain(path: str) -> bool:
    """Whether it is no pipe: users may type one, but a stranger's would be waited for."""
    return os.path.isfile(path) or os.path.isdir(path)


COST = Repeater("cost", _usual_of_cost, _cost)
