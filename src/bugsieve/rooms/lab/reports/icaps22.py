"""Table 1 of papers/000 over any campaigns: pools, oracles, bias, novelty, by policy and domain.

An entry is the mean over the instances that the policy solves; an instance that was tested several
times under one setting, with other seeds for example, enters with the mean of these campaigns.
Each oracle that judged has its column, and campaigns that others judged have a row of their own.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bugsieve.base.errors import InputError
from bugsieve.base.wording import counted
from bugsieve.reports.table import UNDEFINED, Column, Row, Table, Value
from bugsieve.rooms.lab.reports.collection import Card, cost_notes
from bugsieve.rooms.lab.reports.measures import (
    QUALITATIVE,
    QUANTITATIVE,
    Measures,
    in_paper_order,
    is_business,
    is_measured,
    mean,
    measure,
    short_name,
)
from bugsieve.rooms.lab.reports.unsolved_notes import unsolved_notes

UNIFORM = "uniform"
_KINDS = {QUALITATIVE: "qual (P)", QUANTITATIVE: "quant (Pπ)"}
_RECALL = "recall in %"
ORACLES_PART = "(C) oracles"


class Setting(enum.Enum):
    """The fuzzer's two switches."""

    DEFAULT = "bias and novelty on"
    NO_BIAS = "bias off, novelty on"
    NO_NOVELTY = "bias on, novelty off"
    NEITHER = "both off"


@dataclass(frozen=True)
class TableOptions:
    """The options that say what enters the table."""

    bias: str = "policy-quality"
    """The bias that counts as "on"; "off" is uniform."""
    all_instances: bool = False
    """True if instances count that the policy does not solve."""


@dataclass(frozen=True)
class _Measured:
    """A campaign of the table."""

    card: Card
    setting: Setting
    measures: Measures


@dataclass(frozen=True)
class _Source:
    """The source of the numbers of a column."""

    column: Column
    setting: Setting
    measure: str


def icaps22_table(cards: Sequence[Card], options: TableOptions) -> Table:
    """The table of these campaigns."""
    settings = {card.folder: _setting(card, options.bias) for card in cards}
    used = [
        _Measured(card, setting, measure(card.folder))
        for card in cards
        if (setting := settings[card.folder]) is not None and is_measured(card.objective)
    ]
    if not used:
        raise InputError(
            f"{cards[0].folder}: neither this campaign nor another one is about cost or failure "
            f"and has the bias {options.bias!r} or {UNIFORM!r}"
        )
    asked = in_paper_order(spec for item in used for spec in item.measures.oracles)
    judging = [s for s in asked if any(_judges(item, s) for item in used)]
    sources = list(_sources(options.bias, judging))
    keys = sorted({_key(item) for item in used}, key=_sorting)
    rows = tuple(_row(key, used, sources, options) for key in keys)
    return Table(
        label="domain",
        block="policy",
        columns=(*_COUNTS, *(source.column for source in sources)),
        rows=rows,
        notes=(
            *_notes(used, len(cards) - len(used), options),
            *(
                f"{s}: does not apply anywhere, and has no column"
                for s in asked
                if s not in judging
            ),
            *unsolved_notes(rows, are_counted=options.all_instances),
        ),
    )


def _judges(item: _Measured, spec: str) -> bool:
    oracles = item.measures.oracles
    return spec in oracles and oracles[spec] is None


def _key(item: _Measured) -> tuple[str, str, str]:
    """The common key of a row's campaigns: recalls of different judges do not make a mean."""
    return item.card.policy, item.card.domain, item.card.asked


def _setting(card: Card, bias: str) -> Setting | None:
    """The switches of the fuzzer that are on; None if the table has no place for its bias."""
    if card.bias not in (bias, UNIFORM):
        return None
    if card.bias == UNIFORM:
        return Setting.NO_BIAS if card.novelty else Setting.NEITHER
    return Setting.DEFAULT if card.novelty else Setting.NO_NOVELTY


def _sorting(key: tuple[str, str, str]) -> tuple[str, str, str]:
    return key[0], key[1].casefold(), key[2]


_COUNTS = (
    Column("instances", ("(A)", "", "", "Σ"), decimals=0),
    Column("instances_solved", ("(A)", "", "", "Σπ"), decimals=0),
)


def _sources(bias: str, oracles: Sequence[str]) -> Iterator[_Source]:
    default = Setting.DEFAULT
    yield _Source(Column("pool", ("(B) pool", "", "", "|P|")), default, "pool")
    yield _Source(Column("pool_solved", ("(B) pool", "", "", "|Pπ|")), default, "solved")
    bases = {QUALITATIVE: "qual (P∖Pπ)", QUANTITATIVE: "quant (Pπ)"}
    for kind, base in bases.items():
        for name in (short_name(spec) for spec in oracles if is_business(spec, kind)):
            headings = (ORACLES_PART, _RECALL, base, name)
            yield _Source(Column(f"{kind}_{name}", headings), default, f"{kind} {name}")
    part = f"(D) {bias} bias"
    yield from _switch("bias", (part, _RECALL), Setting.NO_BIAS, "recall", _KINDS, 1)
    part, off = "(E) novelty filter", Setting.NO_NOVELTY
    yield from _switch("novelty", (part, _RECALL), off, "recall", _KINDS, 2)
    plain = {kind: kind for kind in _KINDS}
    pairs = "bugs with a unique fact pair in %"
    yield from _switch("novelty", (part, pairs), off, "pairs", plain, 2)
    yield from _switch("novelty", (part, "bug regions"), off, "regions", plain, 2)


def _switch(
    key: str,
    above: tuple[str, str],
    off: Setting,
    what: str,
    kinds: dict[str, str],
    section: int,
) -> Iterator[_Source]:
    """The columns that compare a switch being off and on, for both kinds of bugs."""
    for kind, heading in kinds.items():
        for name, setting in (("off", off), ("on", Setting.DEFAULT)):
            column = Column(f"{key}_{what}_{kind}_{name}", (*above, heading, name), section)
            yield _Source(column, setting, f"{kind} {what}")


def _row(
    key: tuple[str, str, str],
    used: Sequence[_Measured],
    sources: Sequence[_Source],
    options: TableOptions,
) -> Row:
    own = [item for item in used if _key(item) == key]
    instances = {item.card.instance for item in own}
    solved = {item.card.instance for item in own if item.measures.solves_initial}
    chosen = [item for item in own if options.all_instances or item.measures.solves_initial]
    counts = (float(len(instances)), float(len(solved)))
    cells = (*counts, *(_entry(chosen, source) for source in sources))
    policy, domain, asked = key
    is_alone = all(_key(item) == key for item in used if _key(item)[:2] == key[:2])
    label = domain if is_alone else f"{domain}, {asked}"
    return Row(policy, label, cells, tuple(sorted(instances - solved)))


def _entry(items: Sequence[_Measured], source: _Source) -> Value:
    """The mean over instances of the mean over an instance's campaigns."""
    by_instance: dict[str, list[Value]] = {}
    for item in items:
        if item.setting is source.setting:
            value = item.measures.values.get(source.measure, UNDEFINED)
            by_instance.setdefault(item.card.instance, []).append(value)
    return mean(map(mean, by_instance.values()))


def _notes(used: Sequence[_Measured], left_out: int, options: TableOptions) -> Iterator[str]:
    if not options.all_instances:
        yield "(B) to (E): means over the instances that the policy solves"
    implied = sum(item.measures.implied for item in used)
    if implied:
        yield f"{counted(implied, 'bug')} implied without a better run at hand"
    unjudged = sum(item.measures.unjudged for item in used)
    if unjudged:
        yield f"{counted(unjudged, 'pool state')} not judged yet and left out"
    if left_out:
        yield f"{counted(left_out, 'campaign')} with other biases or objectives left out"
    yield from cost_notes([item.card for item in used])
