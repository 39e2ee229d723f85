"""Finding campaigns below folders, and telling what they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from bugsieve.base.errors import InputError
from bugsieve.campaigns.several.index import INDEX_FILE, Index, IndexEntry, write_index
from bugsieve.rooms.lab.reports.collection import Card, collect, in_file_order
from tests.unit.reports.samples import Sample

SAMPLE = Sample("s", {"lookahead": "b"}, bias="uniform", novelty=1, seed=7)


def test_a_campaign_tells_what_it_is(tmp_path: Path) -> None:
    folder = SAMPLE.write(tmp_path / "a")
    (card,) = collect([folder])
    fuzzer = ("uniform", 1, 7)
    judges = ("lookahead", "lookahead")
    assert card == Card(folder, "line", "line-100", "greedy:hff", "quantitative", *fuzzer, *judges)


def test_campaigns_are_found_in_order_and_once(tmp_path: Path) -> None:
    names = ["b/y", "a", "b/x/deep", "c"]
    for name in names:
        SAMPLE.write(tmp_path / name)
    SAMPLE.write(tmp_path / "c" / "inside")  # a campaign's folder is not searched
    cards = collect([tmp_path / "b", tmp_path, tmp_path / "b" / "y"])
    found = [card.folder.relative_to(tmp_path).as_posix() for card in cards]
    assert found == ["b/x/deep", "b/y", "a", "c"]


@pytest.mark.parametrize("domain", [None, b"nonsense", b"(define (problem p))x"])
def test_a_task_without_a_domain_is_its_own(tmp_path: Path, domain: bytes | None) -> None:
    Sample("s", {"lookahead": "b"}, domain=domain).write(tmp_path / "a")
    assert collect([tmp_path])[0].domain == "line-100"


def test_labels_of_an_experiment_win(tmp_path: Path) -> None:
    SAMPLE.write(tmp_path / "d/i/c")
    SAMPLE.write(tmp_path / "d/i/other")
    entry = IndexEntry("Lines", "long line", "the greedy one", "off", "", 7)
    write_index(tmp_path, Index("test", {"d/i/c": entry}))
    labelled, other = collect([tmp_path / "d"])
    shown = (labelled.domain, labelled.instance, labelled.policy)
    assert shown == ("Lines", "long line", "the greedy one")
    assert labelled.bias == "uniform"
    assert other.domain == "line"


def test_campaigns_in_the_order_of_their_file(tmp_path: Path) -> None:
    names = ["d/i/b", "d/i/a", "d/j/c"]
    for name in (*names, "d/i/alone"):
        SAMPLE.write(tmp_path / name)
    Sample("s", {}).write(tmp_path / "d/i/pool")
    entries = {name: IndexEntry("D", "I", "P", "off", name[-1], 7) for name in names}
    pool = {"d/i/pool": IndexEntry("D", "I", "P", "off", "pool", 7)}
    write_index(tmp_path, Index("test", {**pool, **entries}))
    cards = in_file_order(collect([tmp_path]))
    assert [card.oracles for card in cards] == ["lookahead", "b", "a", "c"]
    with pytest.raises(InputError, match="no oracle was asked in these campaigns"):
        collect([tmp_path / "d/i/pool"])


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("{}", "is no index of an experiment"),
        ("nonsense", "is no index of an experiment"),
        ('{"experiment": 2, "name": "x", "campaigns": {}}', "written by a newer Bugsieve"),
        ('{"experiment": 1, "name": "x", "campaigns": {"a": {}}}', "is no index"),
    ],
)
def test_a_bad_index_is_named(tmp_path: Path, content: str, sentence: str) -> None:
    SAMPLE.write(tmp_path / "d/i/c")
    (tmp_path / INDEX_FILE).write_text(content)
    with pytest.raises(InputError, match=sentence) as caught:
        collect([tmp_path])
    assert str(caught.value).startswith(str(tmp_path / INDEX_FILE))


def test_folders_without_campaigns_are_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").touch()
    for name, sentence in [
        ("empty", "there is no campaign in this folder or below it"),
        ("file", "is a file, give folders"),
        ("missing", "there is no such folder"),
    ]:
        with pytest.raises(InputError, match=sentence):
            collect([tmp_path / name])
