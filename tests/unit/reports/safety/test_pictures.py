"""Pictures of safety campaigns: what is drawn, read off the figures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from bugsieve.reports.plots import picture_style, save_picture
from bugsieve.rooms.lab.reports.safety.cards import SafetyCard, collect_safety
from bugsieve.rooms.lab.reports.safety.fuzzing_bars import draw_fuzzing
from bugsieve.rooms.lab.reports.safety.oracle_curves import draw_verdicts
from bugsieve.rooms.lab.reports.safety.run_scatter import draw_faults
from tests.unit.reports.safety.samples import FULL, UNIFORM, SafetySample

pytest.importorskip("matplotlib")

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import Collection

DRAWINGS = {"fuzzing": draw_fuzzing, "oracles": draw_verdicts, "faults": draw_faults}


@pytest.fixture
def cards(tmp_path: Path) -> list[SafetyCard]:
    FULL.write(tmp_path / "a")
    UNIFORM.write(tmp_path / "b")
    return collect_safety([tmp_path])


def places(dots: Collection) -> list[list[float]]:
    return [[float(x), float(y)] for x, y in np.asarray(dots.get_offsets())]


def ends(panel: Axes) -> dict[str, float]:
    """Where the curves of a panel end, by their labels."""
    return {str(line.get_label()): float(np.asarray(line.get_ydata())[-1]) for line in panel.lines}


def widths(panel: Axes) -> list[float]:
    from matplotlib.patches import Rectangle

    return [bar.get_width() for bar in panel.patches if isinstance(bar, Rectangle)]


def test_bars_of_fuzzers(cards: list[SafetyCard]) -> None:
    with picture_style():
        seconds, runs = draw_fuzzing(cards).axes
    assert widths(seconds) == [0.5, 2.0]
    assert widths(runs) == [1.0, 7.0]
    assert [label.get_text() for label in seconds.get_yticklabels()] == ["ledge"]


def test_curves_of_oracles(cards: list[SafetyCard]) -> None:
    with picture_style():
        figure = draw_verdicts(cards)
    bugs, times, others, other_times = figure.axes
    assert ends(bugs) == {"∞-tarjan": 100.0, "1-tarjan": 50.0, "∞-lao": 100.0}
    assert ends(others) == {"∞-tarjan": 100.0, "1-tarjan": 100.0, "∞-lao": 50.0}
    assert bugs.get_title(loc="left") == "Bugs: 2 states"
    points = {dots.get_label(): len(places(dots)) for dots in times.collections}
    assert points["∞-lao"] == 2 and points["1-tarjan"] == 1
    crosses = [dots for dots in times.collections if str(dots.get_label()).startswith("_")]
    assert sum(len(places(dots)) for dots in crosses) == 1  # not safe within the radius
    assert [text.get_text() for text in other_times.texts] == ["×: no answer within the limits"]


def test_scatter_of_runs(cards: list[SafetyCard]) -> None:
    with picture_style():
        left, right = draw_faults(cards).axes
    (lao, crosses) = left.collections
    assert places(lao) == [
        [0.001, 0.002],
        [0.002, 0.004],
        [0.004, 0.008],
        [0.01, 0.02],
    ]
    assert len(places(crosses)) == 1
    (near,) = right.collections
    assert len(places(near)) == 5


@pytest.mark.parametrize("kind", DRAWINGS)
def test_equal_campaigns_give_equal_files(
    cards: list[SafetyCard], tmp_path: Path, kind: str
) -> None:
    with picture_style():
        for name in ("one.svg", "two.svg"):
            save_picture(DRAWINGS[kind](cards), tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()


@pytest.mark.parametrize("kind", DRAWINGS)
def test_there_may_be_nothing_to_draw(tmp_path: Path, kind: str) -> None:
    SafetySample({"tarjan": "", "lao": ""}, {}, safe=4).write(tmp_path / "empty")
    with picture_style():
        save_picture(DRAWINGS[kind](collect_safety([tmp_path])), tmp_path / "a.png")
    assert (tmp_path / "a.png").stat().st_size > 1000
