"""Kinds of campaigns: each is one frozen object, found by its name in one table.

Everything else about campaigns (folders, sessions, stores, commands, experiments) is the same for
all kinds and asks the kind for what differs.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import methodcaller
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from bugsieve.base.errors import InputError, UsageError
from bugsieve.base.registry import families
from bugsieve.base.registry.members import MemberTable
from bugsieve.base.registry.outside_access import NOTHING
from bugsieve.base.registry.spec_folder import spec_folder, typed_in
from bugsieve.base.trust.trust import remember, require_trusted
from bugsieve.campaigns.causes import MOST_CAUSES
from bugsieve.campaigns.checks import Check
from bugsieve.campaigns.events import RoundDone
from bugsieve.campaigns.exhibits import Exhibits, NoExhibits
from bugsieve.campaigns.greens import Greens
from bugsieve.campaigns.options import CampaignOptions
from bugsieve.campaigns.replays import Replay, ReplayWish
from bugsieve.campaigns.saved_bugs import SavedBugs
from bugsieve.campaigns.session import Driver
from bugsieve.campaigns.store.folder import Description
from bugsieve.campaigns.store.progress import CampaignHeader, Progress
from bugsieve.campaigns.store.records import CampaignRecords, kind_of
from bugsieve.campaigns.store.salvage import Salvage
from bugsieve.campaigns.store.store import Store
from bugsieve.campaigns.store.table_files import Table
from bugsieve.campaigns.summary import Summary

OptionsT = TypeVar("OptionsT", bound=CampaignOptions)


class Equipment(Protocol):
    """What a campaign needs to run besides its store: policy, oracles and the like."""

    def close(self) -> None:
        """Let go of everything that was made for the campaign."""
        ...


@dataclass(frozen=True)
class Beginning:
    """A new campaign that has no folder yet."""

    header: CampaignHeader
    equipment: Equipment
    cases: Any = None
    """The first cases, as the store takes them."""
    progress: Progress = field(default_factory=Progress)
    """How far it is already: with cases of another campaign come the walks that found them."""
    options: Any = None
    """The options with what the files they name say in their place; None: as they were given."""
    warnings: Sequence[str] = ()
    """What whoever makes the campaign should know of what they typed."""


class Wording(Protocol):
    """How people are told about campaigns of a kind."""

    def heading(self, header: CampaignHeader) -> str:
        """What is tested, as in `task x, policy y`."""
        ...

    def first_lines(self, summary: Any) -> list[str]:
        """What matters most of what was found."""
        ...

    def count_lines(self, summary: Any) -> list[str]:
        """The counts of a campaign."""
        ...

    def found(self, records: Any) -> FoundBugs:
        """The bugs of a campaign, those first that matter most."""
        ...

    def hints(self, records: Any, summary: Any) -> list[str]:
        """Lines that come last: what to do next."""
        ...

    def progress(self, state: RoundDone) -> list[str]:
        """Where a running campaign stands, in a few words each."""
        ...


class FoundBugs(Protocol):
    """Bugs of a campaign in an order for people; reads certificates while its records are open."""

    @property
    def ids(self) -> list[str]:
        """Their names."""
        ...

    def lines(self, most: int) -> list[str]:
        """The first bugs as a table or list."""
        ...

    def about(self, name: str) -> str:
        """What is wrong with the bug of this id, in a line."""
        ...

    def json(self) -> list[dict[str, Any]]:
        """The same for programs, without the certificates."""
        ...


@dataclass(frozen=True)
class Kind(Generic[OptionsT]):
    """A kind of campaigns."""

    name: str
    options: type[OptionsT]
    store: type[Store]
    records: type[CampaignRecords[Any]]
    check: Callable[[OptionsT], None]
    """Raises what is wrong with options whatever the subject is."""
    begin: Callable[[OptionsT, Any, Any, Any], Beginning]
    """From options, subject, policy and first states, each of the last three None if not given."""
    equip: Callable[[CampaignHeader, OptionsT, Path, Any], Equipment]
    """The equipment of a stored campaign, with its policy if that is a Python object."""
    drive: Callable[[Any, OptionsT, Any], Driver]
    """The driver of a session, from the equipment, the options and the records."""
    summarise: Callable[[Any], Summary]
    describe: Callable[[CampaignHeader], Description]
    tables: Callable[[Any], dict[str, Table]]
    """What `export` writes of the records."""
    about: Callable[[CampaignHeader], Mapping[str, str]]
    """What these tables are about."""
    wording: Wording
    policies: MemberTable[Any] | None = None
    """The family of its policies; None where there are none."""
    oracles: MemberTable[Any] | None = None
    """The family of its oracles, where one of them may start programs."""
    salvage: type[Salvage] | None = None
    """What takes whole visits out of a damaged store; None where nothing does."""
    checker: Callable[[CampaignHeader], Callable[[Any], None]] | None = None
    """A check of certificates, which raises a ValueError; salvaging needs it."""
    wrong_case: Callable[[Any], tuple[int, str] | None] = methodcaller("first_wrong_case")
    """The first case in the records that only the subject can tell to be wrong, and why."""
    is_test: bool = True
    """Whether what it comes to is a verdict on what it is about."""
    exhibits: Callable[[Any], Exhibits] = NoExhibits
    """What reports show of the records."""
    checks: Callable[[Any], list[Check]] | None = None
    """What build servers are told of the records; None: one check for the whole campaign."""
    saved_bugs: SavedBugs | None = None
    """How its bugs are kept in files of a project, and asked again; None: they are not."""
    found: Callable[[Path], list[Any]] | None = None
    """The bugs in a folder as Python calls give them; None where they are not about a policy."""
    replay: Callable[[ReplayWish], Replay] | None = None
    """Asks again whether what was found is still so; None where nothing can."""
    greens: Greens | None = None
    """Where campaigns may prove that there is no bug."""
    visit: str = "visit"
    """What people are told that visits are."""
    bugs_shown: int = MOST_CAUSES
    """How many bugs a summary lists."""


KINDS: MemberTable[Kind[Any]] = MemberTable(families.KINDS)
"""Stores name their kind by the key alone: somebody else's folder must not choose what is
imported."""


_ANYWHERE = os.sep
"""Oracles name no files: whichever folder they are typed in, they mean the same."""


def as_typed(kind: Kind[Any], options: OptionsT) -> OptionsT:
    """The options with the folder in which their policy is typed, where that matters."""
    if kind.policies is None or options.policy_folder:
        return options
    if kind.policies.started_by(options.policy) == NOTHING:
        return options
    return replace(options, policy_folder=spec_folder())


def kept_spec(policies: MemberTable[Any], typed: str, made: str) -> str:
    """A spec as it was typed; where that was the name alone, with what a member of ours took."""
    return made if typed.strip() in policies.family.builtin else typed


def require_trusted_policy(kind: Kind[Any], options: CampaignOptions, folder: Path) -> None:
    """UsageError if the policy of a stored campaign is none that the user has typed."""
    if kind.policies is not None:
        with typed_in(options.policy_folder):
            require_trusted(kind.policies, options.policy, folder)


def require_trusted_oracles(kind: Kind[Any], options: CampaignOptions, folder: Path) -> None:
    """UsageError if an oracle of a stored campaign is none that the user has typed."""
    if kind.oracles is not None:
        with typed_in(_ANYWHERE):
            for spec in options.oracles:
                require_trusted(kind.oracles, spec, folder)


def remember_oracles(kind: Kind[Any], options: CampaignOptions) -> None:
    """The user has typed the oracles of a new campaign."""
    if kind.oracles is not None:
        with typed_in(_ANYWHERE):
            for spec in options.oracles:
                remember(kind.oracles, spec)


def kind_in(directory: Path) -> Kind[Any]:
    """The kind of the campaign in a folder; InputError if there is none."""
    name = kind_of(directory)
    try:
        return KINDS[name]
    except UsageError as error:
        raise InputError(f"{directory}: {error}") from None
