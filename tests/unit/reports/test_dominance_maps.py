"""Pictures of dominance functions: which factors, in which order, and what blank means."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes

from bugsieve.reports.plots import picture_style, save_picture
from bugsieve.rooms.dominance.dominance_maps import draw_dominance
from bugsieve.rooms.dominance.function import DominanceFunction
from bugsieve.rooms.dominance.options import DominanceOptions
from bugsieve.tasks.grounded.task import Task
from tests.unit.dominance.small_tasks import small_task
from tests.unit.policies.generated import generated_task
from tests.unit.policies.line import line_task

ATOMIC = DominanceOptions(merging="atomic")


@pytest.fixture(autouse=True)
def _style() -> Iterator[None]:
    with picture_style():
        yield


def maps_of(task: Task, options: DominanceOptions | None = None) -> list[Axes]:
    """The panels with a map."""
    figure = draw_dominance(DominanceFunction.compute(task, options))
    return [panel for panel in figure.axes if panel.images]


def shown(panel: Axes) -> np.ma.MaskedArray[tuple[int, ...], np.dtype[np.float64]]:
    values = panel.images[0].get_array()
    assert values is not None
    return np.ma.masked_invalid(values)


def test_states_come_from_near_to_far() -> None:
    (panel,) = maps_of(line_task(4, right_costs=[1, 2, 3]))
    distances = np.array([0, 3, 5, 6])
    np.testing.assert_array_equal(shown(panel), distances[:, None] - distances)
    assert [label.get_text() for label in panel.get_yticklabels()] == ["p3", "p2", "p1", "p0"]
    assert "+6" in [text.get_text() for text in panel.texts]
    assert panel.images[0].get_clim() == (-6, 6)


def test_no_bound_is_blank() -> None:
    task = small_task("b=1", "a=1 -> b=1", "a=1 -> a=0", "b=1 -> b=0", initial="10")
    blank = [np.ma.getmaskarray(shown(panel)).sum() for panel in maps_of(task, ATOMIC)]
    assert blank == [1, 1]


def test_the_title_says_what_it_is() -> None:
    figure = draw_dominance(DominanceFunction.compute(line_task(3)))
    title = figure.get_suptitle()
    assert title.startswith("line: how much less plans cost from a column's state than from")
    assert "blank: no bound" in title


def test_the_largest_factors_are_drawn() -> None:
    letters = "abcdefghijklmn"
    switches = [step for x in letters for step in (f"{x}=0 -> {x}=1", f"{x}=1 -> {x}=0")]
    goal = ",".join(f"{letter}=1" for letter in letters)
    task = small_task(goal, *switches, "n=0 -> n=2", "n=2 -> n=0")
    figure = draw_dominance(DominanceFunction.compute(task, ATOMIC))
    panels = [panel for panel in figure.axes if panel.images]
    assert len(panels) == 12 and "the 12 largest of 14 factors" in figure.get_suptitle()
    assert shown(panels[0]).shape == (3, 3)


def test_large_factors_are_thinned_out() -> None:
    (panel,) = maps_of(line_task(1000))
    assert shown(panel).shape == (800, 800)
    assert "1000 states, 800 of them drawn" in panel.get_title(loc="left")
    assert shown(panel)[-1, 0] == 999


def test_nothing_to_draw(tmp_path: Path) -> None:
    stuck = small_task("a=1", "-> a=1", initial="1")
    figure = draw_dominance(DominanceFunction.compute(stuck, ATOMIC))
    assert [panel for panel in figure.axes if panel.images] == []
    save_picture(figure, tmp_path / "a.svg")


def test_the_same_function_gives_the_same_file(tmp_path: Path) -> None:
    function = DominanceFunction.compute(generated_task(tmp_path, "rovers"))
    for name in ("a.svg", "b.svg"):
        save_picture(draw_dominance(function), tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
