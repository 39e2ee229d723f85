"""Bugs over the running time of campaigns, one curve for campaigns that belong together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bugsieve.basis.errors import UsageError
from bugsieve.basis.names import no_such
from bugsieve.reports.collection import Card
from bugsieve.results.records import Records

KEYS = ("domain", "instance", "policy", "bias", "novelty", "seed")
"""What campaigns may have in common."""
MOST_CURVES = 24
_MOST_BY_DEFAULT = 12
_SEARCHING = ("bias", "novelty")

Reals = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Curve:
    """The mean number of bugs of some campaigns over their running time in seconds."""

    subject: str
    """What is tested: the part of its name that curves of other fuzzers may share."""
    fuzzer: str
    """How test states are sought."""
    campaigns: int
    bugs: dict[str, Reals]
    """By kind, when they were found, in ascending order; each counts 1 / campaigns."""
    end: float
    """When the last of the campaigns ended."""

    @property
    def label(self) -> str:
        """Its name; empty if there is nothing to tell it from."""
        return ", ".join(filter(None, (self.subject, self.fuzzer)))


def check_keys(keys: Sequence[str]) -> None:
    """UsageError with the nearest name for what is no key."""
    for key in keys:
        if key not in KEYS:
            raise UsageError(no_such("key", key, KEYS))


def curves(cards: Sequence[Card], by: Sequence[str] = ()) -> list[Curve]:
    """The curves of these campaigns; those that agree in `by` are averaged.

    By default each campaign has its own curve, unless there are too many.
    """
    check_keys(by)
    keys = by or _default_keys(cards)
    groups = _groups(cards, keys)
    if len(groups) > MOST_CURVES:
        raise UsageError(
            f"{len(groups)} curves are too many for one picture (at most {MOST_CURVES}): "
            "join some with --by, as in --by policy,bias, or give fewer folders"
        )
    telling = [key for key in keys if len({getattr(g[0], key) for g in groups}) > 1]
    if "instance" in telling and "domain" in telling:
        telling.remove("domain")  # instances tell their domains
    return [_curve(group, telling) for group in groups]


def _groups(cards: Sequence[Card], by: Sequence[str]) -> list[list[Card]]:
    groups: dict[tuple[object, ...], list[Card]] = {}
    for card in cards:
        groups.setdefault(tuple(getattr(card, key) for key in by), []).append(card)
    return list(groups.values())


def _default_keys(cards: Sequence[Card]) -> list[str]:
    """As many as give a readable picture."""
    keys = list(KEYS)
    for dropped in ("seed", "instance", "domain"):
        if len(_groups(cards, keys)) > _MOST_BY_DEFAULT:
            keys.remove(dropped)
    return keys


def _curve(group: Sequence[Card], telling: Sequence[str]) -> Curve:
    times: dict[str, list[float]] = {}
    end = 0.0
    for card in group:
        with Records(card.folder) as records:
            end = max(end, records.progress().seconds)
            for row in records.bugs():
                times.setdefault(row.bug.kind, []).append(row.seconds)
    bugs = {kind: np.sort(np.array(found, dtype=np.float64)) for kind, found in times.items()}
    return Curve(
        _name(group[0], [key for key in telling if key not in _SEARCHING]),
        _name(group[0], [key for key in telling if key in _SEARCHING]),
        len(group),
        bugs,
        end,
    )


def _name(card: Card, keys: Sequence[str]) -> str:
    values = {key: str(getattr(card, key)) for key in keys}
    wordings = {
        "bias": f"{card.bias} bias" if card.bias != "uniform" else "no bias",
        "novelty": f"novelty {card.novelty}" if card.novelty else "no novelty filter",
        "seed": f"seed {card.seed}",
    }
    return ", ".join(wordings.get(key, value) for key, value in values.items())
