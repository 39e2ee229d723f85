"""Pictures: what is in them, and that the same campaigns give the same file."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.container import BarContainer

from bugsieve.base.errors import InputError, UnsupportedError, UsageError
from bugsieve.reports.plots import check_picture_file, picture_style, save_picture
from bugsieve.rooms.lab.reports.bugs_over_time import draw_bugs_over_time
from bugsieve.rooms.lab.reports.collection import collect
from bugsieve.rooms.lab.reports.curves import BugCurve, curves
from bugsieve.rooms.lab.reports.icaps22 import TableOptions, icaps22_table
from bugsieve.rooms.lab.reports.recall_bars import draw_recall
from tests.unit.reports.samples import Sample


@pytest.fixture(autouse=True)
def _style() -> Iterator[None]:
    with picture_style():
        yield


@pytest.fixture
def campaigns(tmp_path: Path) -> Path:
    folder = tmp_path / "campaigns"
    verdicts = {"lookahead": "?bb?b", "perfect": "?bb?b"}
    for bias in ("policy-quality", "uniform"):
        for policy in ("random", "greedy:hff"):
            sample = Sample("slsls", verdicts, bias=bias, policy=policy)
            sample.write(folder / f"{bias}-{policy}")
    return folder


def test_a_curve_rises_with_each_bug(campaigns: Path) -> None:
    found = curves(collect([campaigns]), ["bias"])
    figure = draw_bugs_over_time(found)
    unsolved, costly = figure.axes
    line = unsolved.get_lines()[0]
    assert np.asarray(line.get_xdata()).tolist() == [0.0, 2.0, 2.0, 5.0]
    assert np.asarray(line.get_ydata()).tolist() == [0.0, 0.5, 1.0, 1.0]
    assert unsolved.get_ylabel() == "bugs per campaign"
    assert np.asarray(costly.get_lines()[0].get_ydata()).max() == 2.0
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [
        "policy-quality bias",
        "no bias",
    ]


def test_colours_tell_policies_and_dashes_biases(campaigns: Path) -> None:
    figure = draw_bugs_over_time(curves(collect([campaigns])))
    lines = figure.axes[0].get_lines()[::2]  # every second one marks the end of a curve
    styles = {(line.get_color(), line.get_linestyle()) for line in lines}
    assert len(styles) == 4
    assert len({colour for colour, _ in styles}) == len({dashes for _, dashes in styles}) == 2
    assert len(figure.legends[0].get_texts()) == 4


def test_one_campaign_needs_no_legend(tmp_path: Path) -> None:
    Sample("ss", {"lookahead": "??"}).write(tmp_path / "a")
    figure = draw_bugs_over_time(curves(collect([tmp_path])))
    assert not figure.legends
    assert [text.get_text() for text in figure.axes[0].texts] == ["none found"]


def test_avoidable_bugs_have_a_panel_of_their_own() -> None:
    curve = BugCurve("", "", 1, {"avoidable": np.array([1.0])}, 2.0)
    (panel,) = draw_bugs_over_time([curve]).axes
    assert panel.get_title(loc="left").startswith("Avoidable")


def test_a_logarithmic_axis_begins_before_the_first_bug(campaigns: Path) -> None:
    figure = draw_bugs_over_time(curves(collect([campaigns])), logarithmic=True)
    assert figure.axes[-1].get_xscale() == "log"
    assert figure.axes[-1].get_xlim() == (1.0, 5.0)


@pytest.mark.parametrize("suffix", [".svg", ".png", ".PDF"])
def test_the_same_content_gives_the_same_file(
    campaigns: Path, tmp_path: Path, suffix: str
) -> None:
    paths = [tmp_path / f"{name}{suffix}" for name in "ab"]
    for path in paths:
        save_picture(draw_bugs_over_time(curves(collect([campaigns]))), path)
    first, second = (path.read_bytes() for path in paths)
    assert first == second
    assert len(first) > 1000
    assert b"Matplotlib" not in first


def widths(panel: Axes) -> dict[str, float]:
    """The first bar of each oracle."""
    return {
        str(bars.get_label()): bars.patches[0].get_width()
        for bars in panel.containers
        if isinstance(bars, BarContainer)
    }


def test_bars_of_recall(tmp_path: Path) -> None:
    look = {"lookahead": "bb??"}
    Sample("slsl", look, objections={"undo-qual": "no"}).write(tmp_path / "a")
    other = b"(define (domain other))"
    Sample("slsl", {**look, "undo-qual": "?b?b"}, domain=other).write(tmp_path / "b")
    table = icaps22_table(collect([tmp_path]), TableOptions())
    figure = draw_recall(table)
    qualitative, quantitative = figure.axes
    assert widths(qualitative) == {"undo-qual": 0.0, "lookahead": 50.0}
    assert shown(qualitative) == ["does not apply"]
    assert widths(quantitative)["lookahead"] == 50.0
    assert [label.get_text() for label in qualitative.get_yticklabels()] == ["line", "other"]


def shown(panel: Axes) -> list[str]:
    return [text.get_text() for text in panel.texts if text.get_text()]


def test_panels_without_bars_are_explained(tmp_path: Path) -> None:
    verdicts = {"lookahead": "??", "perfect": "b?"}
    Sample("ss", verdicts, objections={"inv-quant": "no"}).write(tmp_path / "a")
    qualitative, quantitative = draw_recall(
        icaps22_table(collect([tmp_path]), TableOptions())
    ).axes
    assert shown(qualitative) == ["no such states"]
    assert shown(quantitative) == ["0"]


def test_states_of_instances_that_do_not_count_are_no_missing_states(tmp_path: Path) -> None:
    Sample("llls", {"aras": "???b"}, length=30).write(tmp_path / "a")
    figure = draw_recall(icaps22_table(collect([tmp_path]), TableOptions()))
    qualitative, quantitative = figure.axes
    assert shown(qualitative) == ["no oracle for such states"]
    assert shown(quantitative) == ["the policy solves none of 1 instance"]
    assert [label.get_text() for label in qualitative.get_yticklabels()] == ["line*"]
    assert "line-30" in figure.legends[0].get_title().get_text()
    save_picture(figure, tmp_path / "bars.svg")


def test_bars_for_several_policies(campaigns: Path, tmp_path: Path) -> None:
    figure = draw_recall(icaps22_table(collect([campaigns]), TableOptions()))
    assert [axes.get_ylabel() for axes in figure.axes] == ["greedy:hff", "", "random", ""]
    save_picture(figure, tmp_path / "bars.svg")
    assert (tmp_path / "bars.svg").read_bytes().startswith(b"<?xml")


@pytest.mark.parametrize("name", ["picture", "picture.jpeg", "picture.svg.gz"])
def test_unknown_kinds_of_pictures_are_refused(name: str) -> None:
    with pytest.raises(UsageError, match=r"must end in one of .svg, .png, .pdf"):
        check_picture_file(Path(name))


def test_a_folder_that_is_not_there(campaigns: Path, tmp_path: Path) -> None:
    figure = draw_bugs_over_time(curves(collect([campaigns])))
    with pytest.raises(InputError, match="missing"):
        save_picture(figure, tmp_path / "missing" / "a.svg")


def test_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with (
        pytest.raises(UnsupportedError, match=r"pip install 'bugsieve\[plot\]'"),
        picture_style(),
    ):
        pass
