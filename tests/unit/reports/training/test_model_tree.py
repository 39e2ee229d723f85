"""The tree of models in text and in a picture, and the table of criteria."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bugsieve.base.seeds import Stream
from bugsieve.rooms.lab.reports.formats import FORMATS
from bugsieve.rooms.training.campaign.choices import Choice, marks_of
from bugsieve.rooms.training.campaign.choices_table import choices_table
from bugsieve.rooms.training.candidates import Candidate
from bugsieve.rooms.training.model_tree import tree_lines

PARENTS = (None, 0, 1, 1, 3, None, 1)


def models(*parents: int | None) -> list[Candidate]:
    return [
        Candidate(n, parent, None if parent is None else 0.5, None, n, 4, n % 5, 1)
        for n, parent in enumerate(parents)
    ]


def test_text() -> None:
    lines = tree_lines(models(*PARENTS), {4: "loss, pi-test"})
    shape = [re.sub(r"score \S+, ", "", line) for line in lines]
    assert shape == [
        "0  solves 0, untrained",
        "1  solves 1",
        "├─ 2  solves 2",
        "├─ 3  solves 3",
        "│  4  solves 4  <- loss, pi-test",
        "└─ 6  solves 6",
        "5  solves 5, untrained",
    ]


def test_every_model_has_one_line_below_its_parent() -> None:
    for seed in range(50):
        rng = Stream(seed, "trees")
        parents = [None, *(rng.choice((None, *range(n))) for n in range(1, 20))]
        lines = tree_lines(models(*parents), {})
        order = [int(re.sub(r"[^0-9]*(\d+)  score.*", r"\1", line)) for line in lines]
        assert sorted(order) == list(range(20))
        for number, parent in enumerate(parents):
            assert parent is None or order.index(parent) < order.index(number)


def test_long_lines_do_not_recurse() -> None:
    parents = [None, *range(2999)]
    assert len(tree_lines(models(*parents), {})) == 3000


def test_pictures_of_small_large_and_empty_trees(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from bugsieve.reports.plots import picture_style, save_picture
    from bugsieve.rooms.lab.reports.training.tree_picture import _places, draw_model_tree

    assert _places(models(*PARENTS)) == [(0, 0), (1, 0), (2, 0), (2, 1), (3, 1), (0, 3), (2, 2)]
    with picture_style():
        for number, tree in enumerate((PARENTS, (), (None, *range(200)))):
            path = tmp_path / f"{number}.svg"
            save_picture(draw_model_tree(models(*tree), {0: "early"}, "Models for $x$"), path)
            assert path.stat().st_size > 1000


def test_the_table_of_criteria() -> None:
    found = [
        Choice("early", Candidate(0, None, None, None, 1, 0, 0, 0), 0, 1 / 3),
        Choice("pi-test", Candidate(1, 0, 0.25, 2, 3, 8, 6, 2), 1, 1.0),
    ]
    lines = FORMATS["text"](choices_table(found)).splitlines()
    assert lines[2].split() == ["early", "0", "0", "1", "0.333"]
    assert lines[3].split() == [
        *("pi-test", "1", "1", "0.2500", "2", "3", "75.0", "25.0"),
        "1.000",
    ]
    assert "test" not in lines[1].replace("pi-test", "")
    with_tests = [Choice(c.criterion, c.model, c.epoch, c.score, 7) for c in found]
    assert FORMATS["text"](choices_table(with_tests)).splitlines()[3].split()[-1] == "7"
    assert marks_of([*found, found[0]]) == {0: "early, early", 1: "pi-test"}
