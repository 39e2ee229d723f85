"""Bugs of safety campaigns over time: which campaigns share a curve, and what is drawn."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bugsieve.base.errors import UsageError
from bugsieve.campaigns.campaign import Campaign
from bugsieve.cli import main
from bugsieve.reports.plots import picture_style
from bugsieve.rooms.lab.reports.bugs_over_time import draw_bugs_over_time
from bugsieve.rooms.lab.reports.curves import BugCurve
from bugsieve.rooms.lab.reports.safety.bug_curves import safety_curves, safety_titles
from bugsieve.rooms.lab.reports.safety.cards import collect_safety
from bugsieve.rooms.safety.campaign.options import SafetyOptions
from bugsieve.rooms.safety.store.records import SafetyRecords
from bugsieve.rooms.safety.walks.options import SafetyFuzzOptions
from tests.unit.campaigns.safety.ledge import Leftist, loaded
from tests.unit.reports.samples import Sample

FAULTS = "Faults: decisions of the policy that leave safety"
AVOIDABLE = "Avoidable: safe states from which the policy gets into danger, fault not proven"


def campaign(folder: Path, *left: int, choice: str = "greedy", seed: int = 0) -> None:
    """Tests a policy that goes left at these places: a fault in 2 and 3."""
    folder.parent.mkdir(exist_ok=True)
    policy = Leftist(loaded(folder.parent), *left)
    depth = 1 if choice == "uniform" else None
    fuzz = SafetyFuzzOptions(walks=60, choice=choice, lookahead=depth, seed=seed)
    options = SafetyOptions(model=(), policy=policy.spec, fuzz=fuzz)
    with Campaign.create(folder, options, policy.model, policy=policy) as made:
        made.run()


def made(folder: Path, *by: str) -> list[BugCurve]:
    return safety_curves(collect_safety([folder]), by)


def test_bugs_by_kind_and_time(tmp_path: Path) -> None:
    campaign(tmp_path / "a", 1, 2, 3)
    (curve,) = made(tmp_path)
    with SafetyRecords(tmp_path / "a") as records:
        times = sorted(row.seconds for row in records.bugs())
        end = records.progress().seconds
    assert len(times) == 2 and 0 < times[0] <= times[1] <= end
    assert {kind: found.tolist() for kind, found in curve.bugs.items()} == {"fault": times}
    assert (curve.end, curve.campaigns, curve.label) == (end, 1, "")


def test_campaigns_that_agree_share_a_curve(tmp_path: Path) -> None:
    campaign(tmp_path / "a", 1, 2, 3)
    campaign(tmp_path / "b", 1, 2, 3, seed=1)
    campaign(tmp_path / "c", 1, 2, 3, choice="uniform")
    assert [curve.label for curve in made(tmp_path)] == [
        "seed 0, greedy, lookahead ∞",
        "seed 1, greedy, lookahead ∞",
        "seed 0, uniform, lookahead 1",
    ]
    greedy, uniform = made(tmp_path, "fuzzer")
    assert (greedy.label, uniform.label) == ("greedy, lookahead ∞", "uniform, lookahead 1")
    assert (greedy.campaigns, len(greedy.bugs["fault"])) == (2, 4)
    with pytest.raises(UsageError, match="no key 'fuzer' .did you mean 'fuzzer'"):
        made(tmp_path, "fuzer")


def test_the_picture_has_a_panel_of_faults(tmp_path: Path) -> None:
    campaign(tmp_path / "some", 1, 2, 3)
    campaign(tmp_path / "none", 1)
    for name, bugs in (("some", 2), ("none", 0)):
        found = made(tmp_path / name)
        with picture_style():
            (panel,) = draw_bugs_over_time(found, titles=safety_titles(found)).axes
        assert panel.get_title(loc="left") == FAULTS
        assert np.asarray(panel.get_lines()[0].get_ydata()).max() == bugs
        assert [text.get_text() for text in panel.texts] == ["none found"][bugs:]


def test_avoidable_bugs_have_a_panel_if_there_are_any() -> None:
    curve = BugCurve("", "", 1, {"avoidable": np.array([1.0])}, 2.0)
    assert list(safety_titles([curve]).values()) == [FAULTS, AVOIDABLE]


def test_the_command_knows_what_the_campaigns_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    campaign(tmp_path / "safety" / "a", 1, 2, 3)
    picture = tmp_path / "bugs.svg"
    arguments = ["plot", str(tmp_path / "safety"), "-o", str(picture)]
    assert main([*arguments, "--log", "--by", "model"]) == 0
    assert picture.read_bytes().startswith(b"<?xml")
    assert main([*arguments, "--all-instances"]) == 4
    assert "--all-instances is for campaigns of cost testing" in capsys.readouterr().err
    Sample("s", {"lookahead": "b"}).write(tmp_path / "cost")
    assert main(["plot", str(tmp_path / "cost"), *arguments[1:]]) == 4
    assert "campaigns of several kinds: draw them apart" in capsys.readouterr().err
