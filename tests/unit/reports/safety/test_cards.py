"""Finding safety campaigns below folders, and telling what they are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bugsieve.base.errors import InputError
from bugsieve.campaigns.several.index import Index, IndexEntry, write_index
from bugsieve.rooms.lab.reports.safety.cards import (
    SafetyCard,
    collect_safety,
    comparing,
    fuzzers_of,
    groups_of,
    oracle_name,
)
from tests.unit.reports.safety.samples import FULL, UNIFORM
from tests.unit.reports.samples import Sample


def test_a_campaign_tells_what_it_is(tmp_path: Path) -> None:
    folder = replace(FULL, seed=7).write(tmp_path / "a")
    (card,) = collect_safety([folder])
    oracles = ("tarjan", "tarjan:1", "lao")
    assert card == SafetyCard(folder, "ledge", "ledge", "random", "∞ greedy", oracles, 7)


def test_labels_of_an_experiment_win_and_are_short_where_they_can_be(tmp_path: Path) -> None:
    entries = {}
    for domain, instance in (("lines", "line-5"), ("lines", "line-6"), ("ledge", "ledge-1")):
        folder = f"{domain}/{instance}/c"
        FULL.write(tmp_path / folder)
        entries[folder] = IndexEntry(domain, instance, "the net", "all", "", 0)
    write_index(tmp_path, Index("test", entries))
    cards = collect_safety([tmp_path])
    assert [card.model for card in cards] == ["ledge", "line-5", "line-6"]
    assert {card.policy for card in cards} == {"the net"}


def test_campaigns_of_cost_testing_are_refused(tmp_path: Path) -> None:
    Sample("s", {"lookahead": "b"}).write(tmp_path / "a")
    with pytest.raises(InputError, match="campaign of cost testing"):
        collect_safety([tmp_path])


def test_fuzzers_have_the_order_of_the_paper(tmp_path: Path) -> None:
    kinds = [("greedy", None), ("sampling", None), ("greedy", 12), ("sampling", 1), ("greedy", 1)]
    for number, (choice, lookahead) in enumerate(kinds):
        replace(FULL, choice=choice, lookahead=lookahead).write(tmp_path / str(number))
    UNIFORM.write(tmp_path / "u")
    assert fuzzers_of(collect_safety([tmp_path])) == [
        "1 uniform",
        "1 greedy",
        "12 greedy",
        "∞ greedy",
        "1 sampling",
        "∞ sampling",
    ]


def test_oracles_are_compared_on_greedy_walks_where_there_are_any(tmp_path: Path) -> None:
    FULL.write(tmp_path / "a")
    UNIFORM.write(tmp_path / "b")
    replace(UNIFORM, name="other").write(tmp_path / "c")
    cards = collect_safety([tmp_path])
    assert [card.folder.name for card in comparing(cards)] == ["a", "c"]


def test_policies_make_groups_where_there_are_several(tmp_path: Path) -> None:
    FULL.write(tmp_path / "a")
    replace(FULL, seed=1).write(tmp_path / "b")
    cards = collect_safety([tmp_path])
    assert {name: len(group) for name, group in groups_of(cards).items()} == {"ledge": 2}
    replace(FULL, policy="random:1").write(tmp_path / "c")
    names = list(groups_of(collect_safety([tmp_path])))
    assert names == ["ledge, random", "ledge, random:1"]


def test_names_of_oracles() -> None:
    assert [oracle_name(spec) for spec in ("tarjan", "lao:2")] == ["∞-tarjan", "2-lao"]
