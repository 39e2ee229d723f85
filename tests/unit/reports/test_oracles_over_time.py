"""The picture of what oracles find on common pools over time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes

from bugsieve.base.errors import InputError, UsageError
from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.options import CostOptions
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.reports.plots import picture_style
from bugsieve.rooms.lab.reports.collection import collect
from bugsieve.rooms.lab.reports.oracles_over_time import (
    OraclePanel,
    draw_oracles_over_time,
    oracle_panels,
)
from tests.unit.policies.generated import generated_task
from tests.unit.reports.samples import Sample

TAKEN = Sample("", {}, pool_from="pool")


@pytest.fixture(autouse=True)
def _style() -> Iterator[None]:
    with picture_style():
        yield


def write(folder: Path, oracle: str, letters: str, *, runs: str = "", length: int = 10) -> None:
    """A campaign in which the state of number n is judged after n + 1 seconds."""
    sample = replace(TAKEN, runs=runs or "s" * len(letters), verdicts={oracle: letters})
    replace(sample, length=length).write(folder / f"{oracle}-{length}")


def panels(folder: Path, *, all_instances: bool = False) -> list[OraclePanel]:
    return oracle_panels(collect([folder]), all_instances=all_instances)


def corners(axes: Axes, line: int) -> tuple[list[float], list[float]]:
    drawn = axes.get_lines()[line]
    return np.asarray(drawn.get_xdata()).tolist(), np.asarray(drawn.get_ydata()).tolist()


def test_bugs_of_all_tasks_of_a_domain_add_up(tmp_path: Path) -> None:
    write(tmp_path, "aras", "?bb?", length=10)
    write(tmp_path, "aras", "b?bbb?", length=20)
    write(tmp_path, "perfect", "b??", length=10)
    (panel,) = panels(tmp_path)
    assert (panel.title, panel.tasks, panel.end) == ("line", 2, 6.0)
    assert panel.curves["aras"].times.tolist() == [1.0, 2.0, 3.0, 3.0, 4.0, 5.0]
    assert (panel.curves["aras"].end, panel.curves["perfect"].end) == (6.0, 3.0)


def test_a_line_turns_dashed_where_the_oracle_has_ended_on_all_tasks(tmp_path: Path) -> None:
    write(tmp_path, "aras", "?bb?b?")
    write(tmp_path, "perfect", "b??")
    (axes,) = draw_oracles_over_time(panels(tmp_path)).axes
    right = axes.get_xlim()[1]
    assert corners(axes, 0) == ([0.0, 2.0, 3.0, 5.0, 6.0], [0.0, 1.0, 2.0, 3.0, 3.0])
    assert corners(axes, 1) == ([6.0, right], [3.0, 3.0])
    assert corners(axes, 2) == ([0.0, 1.0, 3.0], [0.0, 1.0, 1.0])
    assert corners(axes, 3) == ([3.0, right], [1.0, 1.0])
    assert [line.is_dashed() for line in axes.get_lines()] == [False, True, False, True]
    colours = [line.get_color() for line in axes.get_lines()]
    assert colours[0] == colours[1] != colours[2] == colours[3]


def test_a_panel_for_each_domain_and_one_legend(tmp_path: Path) -> None:
    write(tmp_path / "a", "aras", "?b")
    other = replace(TAKEN, runs="ss", verdicts={"aras": "??"}, domain=b"(define (domain $q))")
    other.write(tmp_path / "b")
    figure = draw_oracles_over_time(panels(tmp_path), logarithmic=True)
    assert [axes.get_title(loc="left") for axes in figure.axes] == [
        *("\\$q (1 task)", "line (1 task)"),
    ]
    assert [text.get_text() for text in figure.axes[0].texts] == ["none found"]
    assert figure.axes[1].get_xscale() == "log" and figure.axes[1].get_xlim()[0] == 1.0
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels == ["aras", "ended on all tasks"]


def test_only_instances_that_the_policy_solves_unless_all_are_wanted(tmp_path: Path) -> None:
    write(tmp_path, "aras", "bb", runs="ll")
    with pytest.raises(InputError, match="add --all-instances"):
        panels(tmp_path)
    write(tmp_path, "aras", "b?", length=20)
    (panel,) = panels(tmp_path)
    assert (len(panel.curves["aras"].times), panel.left_out) == (1, ("line-10",))
    figure = draw_oracles_over_time([panel, OraclePanel("none", 0, {}, ("p1",))])
    assert [axes.get_title(loc="left") for axes in figure.axes] == [
        "line* (1 task)",
        "none* (0 tasks)",
    ]
    assert (
        "line-10" in figure.legends[0].get_title().get_text()
        and "p1" in figure.legends[0].get_title().get_text()
    )
    assert len(panels(tmp_path, all_instances=True)[0].curves["aras"].times) == 3


def test_the_time_of_the_pool_is_left_out(tmp_path: Path) -> None:
    task = generated_task(tmp_path, "gripper", seed=1)
    options = CostOptions(
        task=(),
        policy="ehc:hadd",
        oracles=("planner:gbfs",),
        mode="separate",
        fuzz=FuzzOptions(pool_size=30, bias="uniform"),
        escalate_to=0,
    )
    Campaign.create(tmp_path / "separate", options, task).run()
    with CostRecords(tmp_path / "separate") as records:
        start, moments = records.pool_seconds(), records.timeline()
        first = min(seconds for _, seconds in records.bug_times())
    assert max(row.seconds for row in moments if not row.judged) >= start > 0
    (panel,) = panels(tmp_path / "separate")
    assert panel.first == pytest.approx(first - start)
    sample = replace(TAKEN, runs="ss", verdicts={"aras": "bb"}, pool_from=None)
    sample.write(tmp_path / "interleaved")
    with pytest.raises(InputError, match="judged states while its pool was made"):
        panels(tmp_path / "interleaved")


def test_too_many_lines_are_refused(tmp_path: Path) -> None:
    for number in range(1, 16):
        write(tmp_path, f"planner:gbfs-{number}", "b")
    found = panels(tmp_path)
    with pytest.raises(UsageError, match=r"15 configurations of oracles .* \(at most 14\)"):
        draw_oracles_over_time(found)
