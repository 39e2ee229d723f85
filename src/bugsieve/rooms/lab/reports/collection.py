"""Finds campaigns below folders and says what each of them is, for tables and pictures."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from bugsieve.base.errors import BugsieveError, InputError
from bugsieve.base.wording import counted
from bugsieve.campaigns.cost.kind import DOMAIN_FILE
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.options import CostOptions
from bugsieve.campaigns.several.index import Index, IndexEntry, read_index
from bugsieve.campaigns.several.several import require_directory
from bugsieve.campaigns.store.folder import OPTIONS_FILE
from bugsieve.campaigns.store.schema import STORE_FILE
from bugsieve.tasks.grounded.saved import SavedTask
from bugsieve.tasks.pddl.domain import define_block
from bugsieve.tasks.pddl.reader import Document, parse

_DEPTH = 3
"""Campaigns of an experiment are at DOMAIN/INSTANCE/NAME below its folder."""

AnyCard = TypeVar("AnyCard")


@dataclass(frozen=True)
class Card:
    """The subject of a campaign, and its settings."""

    folder: Path
    domain: str
    instance: str
    policy: str
    objective: str
    bias: str
    novelty: int
    seed: int
    oracles: str
    """The judges: the label in the experiment file, or the specs."""
    asked: str
    """The specs of all oracles that were asked to judge, those included that object to the task:
    what campaigns must have in common to be averaged."""
    unit_cost: bool = False
    """True if costs of its task were left out."""


def collect(directories: Sequence[Path]) -> list[Card]:
    """The cards of all campaigns of cost testing in and below the folders, each once.

    Campaigns that only make a pool for others are left out.
    """
    cards = [card for card in collect_cards(directories, _card) if card.oracles]
    if not cards:
        raise InputError(f"{directories[0]}: no oracle was asked in these campaigns")
    return cards


def cost_notes(cards: Sequence[Card]) -> Iterator[str]:
    """The number of campaigns that count every action as 1 where the files have costs."""
    count = sum(card.unit_cost for card in cards)
    if count:
        yield f"unit costs in {count} of {counted(len(cards), 'campaign')}: every action costs 1"


def in_file_order(cards: Sequence[Card]) -> list[Card]:
    """The cards in the order of their experiment files; those of no experiment come first."""
    places: dict[Path, dict[str, int]] = {}

    def place(card: Card) -> int:
        folder = card.folder.resolve()
        above = Path(*folder.parts[:-_DEPTH])
        if above not in places:
            index = read_index(above)
            places[above] = {} if index is None else {n: i for i, n in enumerate(index.entries)}
        return places[above].get(folder.relative_to(above).as_posix(), -1)

    return sorted(cards, key=place)


def collect_cards(
    directories: Sequence[Path], card: Callable[[Path, IndexEntry | None], AnyCard]
) -> list[AnyCard]:
    """The cards of all campaigns in and below the folders, each once, with their labels."""
    indexes: dict[Path, Index | None] = {}
    cards: dict[Path, AnyCard] = {}
    for directory in directories:
        found = list(_campaigns(directory))
        if not found:
            raise InputError(f"{directory}: there is no campaign in this folder or below it")
        for folder in found:
            key = folder.resolve()
            if key not in cards:
                cards[key] = card(folder, _label(key, indexes))
    return list(cards.values())


def _campaigns(directory: Path) -> Iterator[Path]:
    """The campaign folders, in alphabetical order; nothing is sought inside of one, nor in hidden
    folders, in which some may just be arriving."""
    require_directory(directory)
    for folder, below, files in os.walk(directory):
        if STORE_FILE in files:
            below.clear()
            yield Path(folder)
        below[:] = sorted(name for name in below if not name.startswith("."))


def _label(folder: Path, indexes: dict[Path, Index | None]) -> IndexEntry | None:
    """The campaign's entry in the experiment that it is part of, if it is."""
    above = Path(*folder.parts[:-_DEPTH])
    if above not in indexes:
        indexes[above] = read_index(above)
    index = indexes[above]
    return None if index is None else index.entries.get(folder.relative_to(above).as_posix())


def _card(folder: Path, label: IndexEntry | None) -> Card:
    with CostRecords(folder) as records:
        header = records.header
    options = CostOptions.from_toml(header.options, name=str(folder / OPTIONS_FILE))
    return Card(
        folder,
        _domain(header.subject, folder) if label is None else label.domain,
        header.subject.name if label is None else label.instance,
        header.policy if label is None else label.policy,
        header.objective,
        options.fuzz.used_bias,
        options.fuzz.first_novelty,
        options.fuzz.seed,
        (label.oracles if label is not None and header.used_oracles else "")
        or ", ".join(header.used_oracles),
        ", ".join(row.spec for row in header.oracles if not row.level),
        header.subject.unit_cost,
    )


def _domain(task: SavedTask, folder: Path) -> str:
    """The name of the PDDL domain; a task that never had one is a domain of its own."""
    if task.domain is None:
        return task.name
    path = str(folder / DOMAIN_FILE)
    try:
        return str(define_block(Document(path, task.domain, parse(task.domain, path)))[1])
    except BugsieveError:
        return task.name
