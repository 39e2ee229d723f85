"""Bugs over the running time of campaigns, one curve for campaigns that belong together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic

import numpy as np
from numpy.typing import NDArray

from bugsieve.base.errors import UsageError
from bugsieve.base.names import no_such
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.rooms.lab.reports.collection import AnyCard, Card

MOST_CURVES = 24
_MOST_BY_DEFAULT = 12

Reals = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BugCurve:
    """The mean number of bugs of some campaigns over their running time in seconds."""

    subject: str
    """The subject: the part of its name that curves of other fuzzers may share."""
    fuzzer: str
    """The search for test states."""
    campaigns: int
    bugs: dict[str, Reals]
    """By kind, when they were found, in ascending order; each counts 1 / campaigns."""
    end: float
    """When the last of the campaigns ended."""

    @property
    def label(self) -> str:
        """Its name; empty if there is nothing to tell it from."""
        return ", ".join(filter(None, (self.subject, self.fuzzer)))


@dataclass(frozen=True)
class CurveKind(Generic[AnyCard]):
    """The attributes that tell campaigns of one kind apart, and the source of their bugs."""

    keys: tuple[str, ...]
    """The keys that campaigns may have in common: attributes of their cards."""
    searching: tuple[str, ...]
    """Those that say how test cases are sought."""
    joined: tuple[str, ...]
    """Those that do not tell curves apart where there are too many, in this order."""
    word: Callable[[AnyCard, str], str]
    """The name of a card's key in a picture."""
    bugs: Callable[[AnyCard], tuple[float, list[tuple[str, float]]]]
    """The seconds that the campaign ran, and the kinds of its bugs with the time of each."""
    apart: tuple[str, ...]
    """Attributes that always tell curves apart: a mean over different judges says nothing."""
    shorter: Mapping[str, str] = field(default_factory=dict)
    """Names of attributes that are shown in place of others where they tell as much."""

    def check(self, keys: Sequence[str]) -> None:
        """UsageError with the nearest name for an unknown key."""
        for key in keys:
            if key not in self.keys:
                raise UsageError(no_such("key", key, self.keys))


def curves(cards: Sequence[Card], by: Sequence[str] = ()) -> list[BugCurve]:
    """The curves of campaigns of cost testing; see `curves_of`."""
    return curves_of(COST_CURVES, cards, by)


def curves_of(
    kind: CurveKind[AnyCard], cards: Sequence[AnyCard], by: Sequence[str] = ()
) -> list[BugCurve]:
    """The curves of these campaigns; those with the same judges that agree in `by` share one.

    By default each campaign has its own curve, unless there are too many.
    """
    kind.check(by)
    keys = list(dict.fromkeys([*(by or _default_keys(kind, cards)), *kind.apart]))
    groups = _groups(cards, keys)
    if len(groups) > MOST_CURVES:
        raise UsageError(
            f"{len(groups)} curves are too many for one picture (at most {MOST_CURVES}): "
            f"join some with --by, as in --by policy,{kind.searching[0]}, or give fewer folders"
        )
    telling = [key for key in keys if len({getattr(g[0], key) for g in groups}) > 1]
    if "instance" in telling and "domain" in telling:
        telling.remove("domain")  # instances tell their domains
    telling = [_shortest(kind, key, groups) for key in telling]
    return [_curve(kind, group, telling) for group in groups]


def _groups(cards: Sequence[AnyCard], by: Sequence[str]) -> list[list[AnyCard]]:
    groups: dict[tuple[object, ...], list[AnyCard]] = {}
    for card in cards:
        groups.setdefault(tuple(getattr(card, key) for key in by), []).append(card)
    return list(groups.values())


def _shortest(kind: CurveKind[AnyCard], key: str, groups: Sequence[Sequence[AnyCard]]) -> str:
    """The attribute that is shown for a key."""
    short = kind.shorter.get(key, key)
    cards = [card for group in groups for card in group]
    pairs = {(getattr(card, key), getattr(card, short)) for card in cards}
    is_enough = all(len(pairs) == len({pair[part] for pair in pairs}) for part in (0, 1))
    return short if is_enough else key


def _default_keys(kind: CurveKind[AnyCard], cards: Sequence[AnyCard]) -> list[str]:
    """The keys that give a readable number of curves."""
    keys = list(kind.keys)
    for dropped in kind.joined:
        if len(_groups(cards, [*keys, *kind.apart])) > _MOST_BY_DEFAULT:
            keys.remove(dropped)
    return keys


def _curve(kind: CurveKind[AnyCard], group: Sequence[AnyCard], telling: Sequence[str]) -> BugCurve:
    times: dict[str, list[float]] = {}
    end = 0.0
    for card in group:
        ran, bugs = kind.bugs(card)
        end = max(end, ran)
        for name, seconds in bugs:
            times.setdefault(name, []).append(seconds)
    words = {key: kind.word(group[0], key) for key in telling}
    return BugCurve(
        ", ".join(word for key, word in words.items() if key not in kind.searching),
        ", ".join(word for key, word in words.items() if key in kind.searching),
        len(group),
        {name: np.sort(np.array(found, dtype=np.float64)) for name, found in times.items()},
        end,
    )


def _word(card: Card, key: str) -> str:
    wordings = {
        "bias": f"{card.bias} bias" if card.bias != "uniform" else "no bias",
        "novelty": f"novelty {card.novelty}" if card.novelty else "no novelty filter",
        "seed": f"seed {card.seed}",
    }
    return wordings.get(key, str(getattr(card, key)))


def _bugs(card: Card) -> tuple[float, list[tuple[str, float]]]:
    with CostRecords(card.folder) as records:
        return records.progress().seconds, records.bug_times()


COST_CURVES = CurveKind(
    ("domain", "instance", "policy", "bias", "novelty", "seed"),
    ("bias", "novelty"),
    ("seed", "instance", "domain"),
    _word,
    _bugs,
    apart=("objective", "asked"),
    shorter={"asked": "oracles"},
)
