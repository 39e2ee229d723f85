"""Rules on models of timelines from the command line."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from bugsieve.cli import main

pytest.importorskip("lark", reason="the extra 'timeline' is missing")
pytest.importorskip("ortools", reason="the extra 'timeline' is missing")

DOOR = """
class Door extends Timeline { predicate Open { eq(duration, [1 2]); } predicate Closed { } }
Door::Open { met_by(object.Closed before_it); meets(object.Closed after_it); }
Door::Closed { met_by(object.Open before_it); meets(object.Open after_it); }
PlannerConfig world = new PlannerConfig(0, 6);
Door door = new Door();
goal(Door.Closed first); eq(first.start, 0);
"""
RULES = """
format = 1
[[atom]]
name = "open"
is = "token(Door.Open)"
[[atom]]
name = "closed"
is = "token(Door.Closed)"
[[rule]]
id = "R"
kind = "desired"
ltl = "G(open -> {})"
"""

Captured = pytest.CaptureFixture[str]


def files(tmp_path: Path, consequence: str) -> list[str]:
    (tmp_path / "door.nddl").write_text(DOOR)
    (tmp_path / "rules.toml").write_text(RULES.format(consequence))
    names = [str(tmp_path / "door.nddl"), str(tmp_path / "rules.toml"), "--slots", "6"]
    return [*names, "-o", str(tmp_path / "results")]


def test_a_rule_that_holds(tmp_path: Path, capsys: Captured) -> None:
    junit = tmp_path / "junit.xml"
    assert main(["rules", *files(tmp_path, "!closed"), "--junit", str(junit)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("the rule holds (proven)")
    assert "model door" in out and "no plan with at most 6 tokens per timeline" in out
    assert ElementTree.parse(junit).getroot().attrib["failures"] == "0"


def test_a_rule_that_holds_for_plans_of_some_size(tmp_path: Path, capsys: Captured) -> None:
    given = files(tmp_path, "!closed")
    given[3] = "2"
    assert main(["rules", *given]) == 6
    out = capsys.readouterr().out
    assert "1 holds up to 2" in out.splitlines()[0] and "holds up to 2  " in out
    assert main(["replay", given[-1]]) == 6
    assert "HOLDS UP TO K" in capsys.readouterr().out
    given[-1] += "-accepted"
    assert main(["rules", *given, "--accept-bounded"]) == 0
    assert capsys.readouterr().out.startswith("the rule holds, for plans of the size below")
    assert main(["replay", given[-1]]) == 0


TAP = """
class Tank extends Reservoir { }
class Tap extends Timeline { predicate Drop { eq(duration, 1); } }
Tap::Drop { starts(Tank.consume c); eq(c.quantity, 1); }
PlannerConfig world = new PlannerConfig(0, 50);
Tank tank = new Tank(40, 0, 40);
Tap tap = new Tap();
"""


def test_a_violation_by_many_tokens(tmp_path: Path, capsys: Captured) -> None:
    """31 drops violate the rule. With 12 slots it "held", and the exit code was 0."""
    given = files(tmp_path, "full")
    (tmp_path / "door.nddl").write_text(TAP)
    rules = 'format = 1\n[[atom]]\nname = "full"\nis = "level(Tank) >= 10"\n'
    rules += '[[rule]]\nid = "R"\nkind = "desired"\nltl = "G full"\n'
    (tmp_path / "rules.toml").write_text(rules)
    given[3] = "12"
    assert main(["rules", *given]) == 6
    assert "holds up to 12" in capsys.readouterr().out
    given[-1] += "-more"
    assert main(["rules", *given[:2], *given[4:]]) == 1
    assert "R  violated" in capsys.readouterr().out


def test_a_rule_that_is_violated(tmp_path: Path, capsys: Captured) -> None:
    charts = tmp_path / "charts"
    assert main(["rules", *files(tmp_path, "closed"), "--charts", str(charts)]) == 1
    assert capsys.readouterr().out.startswith("1 of 1 rule violated: R")
    chart = (charts / "test0.svg").read_text()
    assert chart.startswith("<svg") and "R: a violation" in chart


def test_looking_closer(tmp_path: Path, capsys: Captured) -> None:
    main(["rules", *files(tmp_path, "closed")])
    bug = next((tmp_path / "results" / "bugs").iterdir()).stem
    capsys.readouterr()
    assert main(["explain", str(tmp_path / "results"), bug]) == 0
    out = capsys.readouterr().out
    assert "R: a violation: failed, 6 steps" in out and "door.Open " in out
    assert "!closed  open" in out and "CP-SAT" not in out
    svg = tmp_path / "bug.svg"
    assert main(["explain", str(tmp_path / "results"), bug, "--svg", str(svg)]) == 0
    assert "door" in svg.read_text() and "<svg" in svg.read_text()
    options = ["--svg", str(svg), "--picture", "graph"]
    assert main(["explain", str(tmp_path / "results"), bug, *options]) == 4
    assert "a plan on timelines has none" in capsys.readouterr().err


def test_how_absence_is_known(tmp_path: Path, capsys: Captured) -> None:
    main(["rules", *files(tmp_path, "!closed")])
    capsys.readouterr()
    assert main(["rules", "--show", str(tmp_path / "results"), "0"]) == 0
    assert "CP-SAT has excluded all plans of this size" in capsys.readouterr().out


def test_liveness_needs_the_goal(tmp_path: Path, capsys: Captured) -> None:
    given = files(tmp_path, "F closed")
    assert main(["rules", *given]) == 6
    assert "needs --with-goal" in capsys.readouterr().out
    assert main(["rules", *given[:-1], str(tmp_path / "plans"), "--with-goal"]) == 1
    assert "1 of 1 rule violated: R" in capsys.readouterr().out


def test_an_expected_violation(tmp_path: Path, capsys: Captured) -> None:
    given = files(tmp_path, "closed")
    with open(given[1], "a") as file:
        file.write('expect = "violated"\n')
    assert main(["rules", *given, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["bugs"] == 1 and found["rules"][0]["verdict"] == "violated"


def test_traps_beside_the_model(tmp_path: Path, capsys: Captured) -> None:
    folder = tmp_path / "traps"
    assert main(["rules", *files(tmp_path, "closed"), "--emit-nddl", str(folder)]) == 0
    assert "class" in (folder / "R-0.nddl").read_text()
    assert "a violation" in capsys.readouterr().out
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["door.nddl"], "one rules file"),
        (["door.nddl", "rules.toml", "domain.pddl"], "one rules file"),
        (["missing.nddl", "rules.toml"], "missing.nddl"),
        (["door.nddl", "rules.toml", "--criterion=ufx"], "there is no criterion 'ufx'"),
        (["door.nddl", "rules.toml", "--lassos"], "--lassos is for tasks"),
        (["door.nddl", "rules.toml", "--write-tasks=out"], "for NDDL there is --emit-nddl"),
        (["d.pddl", "p.pddl", "rules.toml", "--charts=out"], "--charts is for models"),
        (["door.nddl", "rules.toml", "--junit=no/such/j.xml"], "no/such/j.xml: "),
    ],
)
def test_mistakes(
    tmp_path: Path,
    capsys: Captured,
    monkeypatch: pytest.MonkeyPatch,
    names: list[str],
    words: str,
) -> None:
    files(tmp_path, "closed")
    monkeypatch.chdir(tmp_path)
    assert main(["rules", *names]) == 4
    assert words in capsys.readouterr().err
