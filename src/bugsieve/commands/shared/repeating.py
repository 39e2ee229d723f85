"""`--from DIR`: a new campaign with the options of an old one, changed by those that are given."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bugsieve.base.errors import InputError, UsageError
from bugsieve.base.wording import kind_in_words
from bugsieve.campaigns.options import INTERLEAVED, SEPARATE
from bugsieve.commands.shared import campaign_arguments
from bugsieve.commands.shared.option_fields import arguments_of

if TYPE_CHECKING:
    from bugsieve.campaigns.options import CampaignOptions
    from bugsieve.campaigns.store.progress import CampaignHeader

_OF_THE_SUBJECT = {"task", "model", "from_states", "pool_from", "constants"}
"""What the stored campaign says better than its options."""


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
    usual = {
        name: value for name, value in arguments_of(stored).items() if name not in _OF_THE_SUBJECT
    }
    usual |= {**repeater.usual(stored), "oracle": None}
    if args.policy is None:
        require_trusted_policy(found, stored, Path(folder))
    else:
        del usual["policy_folder"]  # typed here
    if not args.oracle:
        require_trusted_oracles(found, stored, Path(folder))
    # What the campaign had becomes the default of what is parsed again: words that are there win.
    args.parser.set_defaults(**usual)
    again = args.parser.parse_args(args.parser.words)
    again.oracle = again.oracle or list(stored.oracles)
    return Repeated(again, repeater.options(again, stored), header)


def _usual_of_cost(stored: Any) -> dict[str, Any]:
    return {"mode": SEPARATE if stored.mode == SEPARATE else INTERLEAVED}


def _cost(args: argparse.Namespace, stored: Any) -> CampaignOptions:
    args.from_states = stored.from_states
    if stored.from_states is not None and not _is_plain(stored.from_states):
        raise InputError(f"{stored.from_states}: is neither a file nor the folder of a campaign")
    return campaign_arguments.options_of(args, task=stored.task)


def _is_plain(path: str) -> bool:
    """Whether it is no pipe: users may type one, but a stranger's would be waited for."""
    return os.path.isfile(path) or os.path.isdir(path)


COST = Repeater("cost", _usual_of_cost, _cost)
