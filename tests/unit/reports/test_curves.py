"""Curves of bugs over time: which campaigns share one, and what it is called."""

from __future__ import annotations

from pathlib import Path

import pytest

from bugsieve.base.errors import UsageError
from bugsieve.campaigns.several.index import Index, IndexEntry, write_index
from bugsieve.rooms.lab.reports.collection import collect
from bugsieve.rooms.lab.reports.curves import MOST_CURVES, BugCurve, curves
from tests.unit.reports.samples import Sample


def made(folder: Path, *by: str) -> list[BugCurve]:
    return curves(collect([folder]), by)


def test_bugs_by_kind_and_time(tmp_path: Path) -> None:
    Sample("slslss", {"lookahead": "bb?bbr"}).write(tmp_path / "a")
    (curve,) = made(tmp_path)
    assert {kind: times.tolist() for kind, times in curve.bugs.items()} == {
        "costly": [1.0, 5.0],
        "unsolved": [2.0, 4.0],
    }
    assert (curve.end, curve.campaigns, curve.label) == (6.0, 1, "")


def test_labels_name_what_differs(tmp_path: Path) -> None:
    Sample("s", {"lookahead": "b"}).write(tmp_path / "a")
    Sample("s", {"lookahead": "b"}, bias="uniform").write(tmp_path / "b")
    Sample("s", {"lookahead": "b"}, policy="random", novelty=0).write(tmp_path / "c")
    assert [(curve.subject, curve.fuzzer) for curve in made(tmp_path)] == [
        ("greedy:hff", "policy-quality bias, novelty 2"),
        ("greedy:hff", "no bias, novelty 2"),
        ("random", "policy-quality bias, no novelty filter"),
    ]


def test_instances_tell_their_domains(tmp_path: Path) -> None:
    Sample("s", {"lookahead": "b"}, length=10).write(tmp_path / "a")
    Sample("s", {"lookahead": "b"}, length=20, domain=None).write(tmp_path / "b")
    assert [curve.label for curve in made(tmp_path)] == ["line-10", "line-20"]
    assert [curve.label for curve in made(tmp_path, "domain")] == ["line", "line-20"]


def test_campaigns_that_agree_share_a_curve(tmp_path: Path) -> None:
    Sample("sss", {"lookahead": "b?b"}, seed=1).write(tmp_path / "a")
    Sample("ss", {"lookahead": "?b"}, seed=2).write(tmp_path / "b")
    Sample("ss", {"lookahead": "??"}, seed=2, bias="uniform").write(tmp_path / "c")
    biased, uniform = made(tmp_path, "bias")
    assert biased.bugs["costly"].tolist() == [1.0, 2.0, 3.0]
    assert (biased.campaigns, biased.end, biased.label) == (2, 3.0, "policy-quality bias")
    assert (uniform.campaigns, uniform.bugs, uniform.label) == (1, {}, "no bias")


def test_different_judges_never_share_a_curve(tmp_path: Path) -> None:
    """Nobody has found 15 bugs where one set of oracles finds 30 and the other one none."""
    Sample("s" * 30, {"perfect": "b" * 30}).write(tmp_path / "a")
    Sample("s" * 30, {"lookahead": "?" * 30}, seed=1).write(tmp_path / "b")
    for by in ((), ("policy",)):
        found = made(tmp_path, *by)
        assert [len(curve.bugs.get("costly", ())) for curve in found] == [30, 0]
        assert [curve.campaigns for curve in found] == [1, 1]
        assert ["perfect" in curve.label for curve in found] == [True, False]
        assert ["lookahead" in curve.label for curve in found] == [False, True]


def test_who_objects_to_a_task_is_asked_all_the_same(tmp_path: Path) -> None:
    Sample("s", {"perfect": "b", "aras": "?"}).write(tmp_path / "a")
    Sample("s", {"perfect": "?"}, objections={"aras": "no"}, seed=1).write(tmp_path / "b")
    assert [curve.campaigns for curve in made(tmp_path, "policy")] == [2]


def test_labels_of_oracles_are_shown_where_they_tell_as_much(tmp_path: Path) -> None:
    entries = {}
    for name, oracle, label in (("a", "perfect", "best"), ("b", "lookahead", "near")):
        Sample("s", {oracle: "b"}).write(tmp_path / "d/i" / name)
        entries[f"d/i/{name}"] = IndexEntry("Lines", "i", "greedy", "on", label, 0)
    write_index(tmp_path, Index("test", entries))
    assert [curve.label for curve in made(tmp_path)] == ["best", "near"]
    Sample("s", {"aras": "b"}).write(tmp_path / "d/i/c")
    entries["d/i/c"] = IndexEntry("Lines", "i", "greedy", "on", "near", 0)
    write_index(tmp_path, Index("test", entries))
    assert [curve.label for curve in made(tmp_path)] == ["perfect", "lookahead", "aras"]


def test_many_seeds_share_a_curve_by_default(tmp_path: Path) -> None:
    for number in range(14):
        Sample("s", {"lookahead": "b"}, seed=number, length=10 + number % 2).write(
            tmp_path / str(number)
        )
    assert [(curve.label, curve.campaigns) for curve in made(tmp_path)] == [
        ("line-10", 7),
        ("line-11", 7),
    ]


def test_too_many_curves_are_refused(tmp_path: Path) -> None:
    for number in range(MOST_CURVES + 1):
        Sample("s", {"lookahead": "b"}, seed=number).write(tmp_path / str(number))
    with pytest.raises(UsageError, match="25 curves are too many .* --by policy,bias"):
        made(tmp_path, "seed")


def test_unknown_keys_are_refused(tmp_path: Path) -> None:
    Sample("s", {"lookahead": "b"}).write(tmp_path / "a")
    with pytest.raises(UsageError, match="no key 'polcy' .did you mean 'policy'"):
        made(tmp_path, "polcy")
