"""Safety campaigns below folders, and what each of them tests and how."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bugsieve.campaigns.several.index import IndexEntry
from bugsieve.campaigns.store.folder import OPTIONS_FILE
from bugsieve.rooms.lab.reports.collection import collect_cards
from bugsieve.rooms.safety.campaign.options import SafetyOptions
from bugsieve.rooms.safety.oracles.registry import parse_safety_spec
from bugsieve.rooms.safety.store.records import SafetyRecords

REFERENCE_FUZZER = "∞ greedy"
"""The fuzzer on whose test cases oracles are compared, as in the paper."""
_CHOICES = ("uniform", "greedy", "sampling")


@dataclass(frozen=True)
class SafetyCard:
    """The subject of a safety campaign, and its settings."""

    folder: Path
    model: str
    """Its label in tables: short where that is clear enough."""
    instance: str
    policy: str
    fuzzer: str
    """The depth of the lookahead and how successors are chosen."""
    oracles: tuple[str, ...]
    seed: int

    @property
    def oracle(self) -> str:
        """The oracle whose faults are the bugs, by its name in the paper."""
        return oracle_name(self.oracles[0])


def collect_safety(directories: Sequence[Path]) -> list[SafetyCard]:
    """The cards of all safety campaigns in and below the folders, each once."""
    cards = collect_cards(directories, _card)
    instances: dict[str, set[str]] = {}
    for card in cards:
        instances.setdefault(card.model, set()).add(card.instance)
    return [
        card if len(instances[card.model]) == 1 else replace(card, model=card.instance)
        for card in cards
    ]


def _card(folder: Path, label: IndexEntry | None) -> SafetyCard:
    with SafetyRecords(folder) as records:
        header = records.header
    options = SafetyOptions.from_toml(header.options, name=str(folder / OPTIONS_FILE))
    depth = "∞" if options.fuzz.lookahead is None else str(options.fuzz.lookahead)
    return SafetyCard(
        folder,
        header.subject.name if label is None else label.domain,
        header.subject.name if label is None else label.instance,
        header.policy if label is None else label.policy,
        f"{depth} {options.fuzz.choice}",
        header.used_oracles,
        options.fuzz.seed,
    )


def fuzzers_of(cards: Sequence[SafetyCard]) -> list[str]:
    """The fuzzers in the order of the paper: uniform first, short lookaheads before long ones."""
    return sorted({card.fuzzer for card in cards}, key=_fuzzer_order)


def _fuzzer_order(fuzzer: str) -> tuple[bool, int, float]:
    depth, _, choice = fuzzer.partition(" ")
    is_random = choice == _CHOICES[0]
    return not is_random, _CHOICES.index(choice), float("inf" if depth == "∞" else depth)


def oracles_of(cards: Sequence[SafetyCard]) -> list[str]:
    """All oracles, in the order in which campaigns name them."""
    return list(dict.fromkeys(spec for card in cards for spec in card.oracles))


def oracle_name(spec: str) -> str:
    """As in the paper: ∞-tarjan, 1-tarjan."""
    parsed = parse_safety_spec(spec)
    return f"{'∞' if parsed.radius is None else parsed.radius}-{parsed.algorithm}"


def comparing(cards: Sequence[SafetyCard]) -> list[SafetyCard]:
    """Those whose test cases oracles are compared on: of each model and policy those of the
    reference fuzzer if there are any, else all."""
    kept = []
    for card in cards:
        same = [c for c in cards if (c.model, c.policy) == (card.model, card.policy)]
        has_reference = any(c.fuzzer == REFERENCE_FUZZER for c in same)
        if card.fuzzer == REFERENCE_FUZZER or not has_reference:
            kept.append(card)
    return kept


def groups_of(cards: Sequence[SafetyCard]) -> dict[str, list[SafetyCard]]:
    """The campaigns of each model; of each policy of it, where there are several."""
    several = len({card.policy for card in cards}) > 1
    groups: dict[str, list[SafetyCard]] = {}
    for card in sorted(cards, key=lambda card: (card.model.casefold(), card.policy)):
        name = f"{card.model}, {card.policy}" if several else card.model
        groups.setdefault(name, []).append(card)
    return groups
