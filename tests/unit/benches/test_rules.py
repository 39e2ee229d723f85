"""The objective `rules`: how runs are read, what campaigns keep, and what is to blame."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest

from bugsieve.base.errors import InputError, UsageError
from bugsieve.campaigns.campaign import Campaign, read_campaign
from bugsieve.campaigns.options import CostOptions
from bugsieve.campaigns.python_calls.find import find_bugs
from bugsieve.campaigns.store.schema import STORE_FILE
from bugsieve.explanation.blame.blame import EXACT, NO_SINGLE_DECISION, blame
from bugsieve.explanation.causes.cost import cause_of
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.cause import Cause, LiftedStep
from bugsieve.pipeline.bugs.certificate import certificate_of
from bugsieve.pipeline.bugs.checking import check_certificate
from bugsieve.pipeline.bugs.replay import ReplayStatus, replay
from bugsieve.pipeline.objectives import OBJECTIVES, make_objective, objective_class
from bugsieve.pipeline.oracles.registry import make_oracle
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.rooms.rules.monitoring.objective import VIOLATED, Rules
from bugsieve.tasks.grounded.loading import load_task
from tests.unit.bugs.samples import line_bench
from tests.unit.campaigns.contents import contents
from tests.unit.policies.generated import write_task
from tests.unit.policies.line import at, line_task

TASK = line_task(4)
ATOMS = {
    "second": "(at p1)",
    "third": "(at p2)",
    "back": "(did (left p1) (left p2) (left p3))",
}
TURN_BACK = {0: "right", 1: "right", 2: "right"}
RULES = """\
format = 1
[[atom]]
name = "sails"
is = "(did sail * *)"
[[atom]]
name = "empty"
is = "(empty-ferry)"
[[rule]]
id = "FR-1"
kind = "desired"
ltl = "G(sails & empty -> X !(sails & empty))"
"""


def spec(*formulas: str, atoms: Mapping[str, str] = ATOMS) -> str:
    rules = [[f"R{number}", "desired", formula] for number, formula in enumerate(formulas)]
    return f"rules:{json.dumps({'atoms': dict(atoms), 'rules': rules})}"


def walker(steps: Mapping[int, str], *formulas: str, step_limit: int = 100) -> Bench:
    return line_bench(TASK, steps, objective=spec(*formulas), step_limit=step_limit)


@pytest.mark.parametrize(
    ("steps", "formula", "value"),
    [
        # A run that reaches the goal is read as a finite trace.
        (TURN_BACK, "G !second", 0),
        (TURN_BACK, "F second", 1),
        (TURN_BACK, "F back", 0),
        (TURN_BACK, "G(third -> X third)", 0),
        # A loop goes on for ever.
        ({0: "right", 1: "left"}, "F third", 0),
        ({0: "right", 1: "left"}, "F back", 1),
        ({0: "right", 1: "left"}, "G F second", 1),
        ({0: "right", 1: "left"}, "F G second", 0),
        # Of what gets stuck counts what nothing could repair.
        ({0: "right"}, "F third", 1),
        ({0: "right"}, "G !second", 0),
        ({0: "right"}, "G(second -> X third)", 1),
        ({0: "right"}, "second", 0),
    ],
)
def test_runs_are_read_by_their_endings(steps: dict[int, str], formula: str, value: float) -> None:
    bench = walker(steps, formula)
    assert bench.values(bench.runs(at(0))).tolist() == [value]


def test_a_run_that_is_cut_says_something_only_if_it_violates_a_rule() -> None:
    bench = walker(TURN_BACK, "F back", step_limit=2)
    assert str(bench.values(bench.runs(at(0)))) == "[nan]"
    bench = walker(TURN_BACK, "G !second", step_limit=2)
    assert bench.values(bench.runs(at(0))).tolist() == [0]


def test_whoever_begins_at_the_goal_was_not_asked() -> None:
    bench = walker(TURN_BACK, "F back")
    assert bench.values(bench.runs(at(3))).tolist() == [1]


def test_a_violation_that_nobody_can_avoid_is_no_bug() -> None:
    bench = walker(TURN_BACK, "G !second")
    verdicts = make_oracle("planner:gbfs", bench).judge(bench.suspects(at(0)))
    assert verdicts[0].outcome.value == "pass"


def test_a_bug_says_which_rule_it_violates_and_where() -> None:
    bench = walker({0: "right", 1: "left"}, "true", "!back W third", "G(third -> !back)")
    (verdict,) = make_oracle("planner:gbfs", bench).judge(bench.suspects(at(0)))
    certificate = certificate_of(bench, at(0)[0], verdict)
    check_certificate(TASK.to_sas(), certificate)
    assert certificate["kind"] == VIOLATED
    assert certificate["run"]["rules"] == ["R1"]
    assert certificate["run"]["actions"] == ["(right p0)", "(left p1)"]
    words = bench.objective.kinds[VIOLATED].describe(certificate, is_optimal=False)
    assert words == "violates R1 after 2 steps, a plan of cost 3 does not"
    found = blame(bench, certificate)
    assert (found.index, found.sure) == (1, EXACT)
    (line,) = bench.objective.explained(certificate)
    assert line == "R1 is violated after 2 steps: desired !back W third"
    assert replay(bench, certificate).status is ReplayStatus.STILL_FAILS
    assert cause_of(bench, certificate) == Cause(VIOLATED, (LiftedStep("left"),), ("R1", "back"))


def test_a_loop_is_to_blame_as_a_whole_where_each_step_leaves_a_way_out() -> None:
    bench = walker({0: "right", 1: "left"}, "F third")
    (verdict,) = make_oracle("planner:gbfs", bench).judge(bench.suspects(at(0)))
    certificate = certificate_of(bench, at(0)[0], verdict)
    check_certificate(TASK.to_sas(), certificate)
    assert certificate["run"]["ending"] == "loop"
    assert blame(bench, certificate).sure == NO_SINGLE_DECISION
    steps = (LiftedStep("left"), LiftedStep("right"))
    assert cause_of(bench, certificate) == Cause(VIOLATED, steps, ("R0",))


def test_a_plan_passes_goals_if_it_must() -> None:
    bench = walker(TURN_BACK, "F back")
    (verdict,) = make_oracle("planner:astar-blind", bench).judge(bench.suspects(at(0)))
    assert verdict.plan is not None and len(verdict.plan) == 5


@pytest.mark.parametrize(
    ("given", "sentence"),
    [("rules", "without a rules file"), ("rules:", "without a rules file")],
)
def test_a_file_is_needed(given: str, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        make_objective(given, TASK)


def test_a_missing_file_is_named() -> None:
    with pytest.raises(InputError, match="no-such.toml"):
        make_objective("rules:no-such.toml", TASK)


def test_specs_are_shown_by_the_names_of_their_rules() -> None:
    text = spec("F second", "F third", "F back", "true", "false")
    assert objective_class(text).shown(text) == "rules R0, R1, R2 and 2 more"
    for odd in ("rules:{", "rules:[]", "rules:{}", 'rules:{"rules":[1]}', "rules:F"):
        assert Rules.shown(odd) == odd


def test_what_it_would_touch_is_said() -> None:
    assert OBJECTIVES.reach_of("rules:mine.toml").files == ("mine.toml",)
    assert OBJECTIVES.reach_of(spec("F second")).files == ()


def test_a_campaign_keeps_the_rules_and_no_file(tmp_path: Path) -> None:
    files, rules = write_task(tmp_path, "ferry", seed=1), tmp_path / "rules.toml"
    rules.write_text(RULES)
    options = CostOptions(
        task=tuple(map(str, files)),
        policy="random",
        objective=f"rules:{rules}",
        fuzz=FuzzOptions(pool_size=12),
    )
    Campaign.create(tmp_path / "one", options).run()
    Campaign.create(tmp_path / "two", CostOptions(**{**vars(options), "workers": 2})).run()
    assert contents(tmp_path / "one")["bugs"] == contents(tmp_path / "two")["bugs"] != []
    rules.unlink()
    _, header, stored = read_campaign(tmp_path / "one")
    assert stored.objective == header.objective and "sail" in header.objective
    assert str(tmp_path) not in header.objective
    with Campaign.open(tmp_path / "one") as campaign:
        assert isinstance(campaign.equipment.bench.objective, Rules)


def test_a_file_in_a_store_is_not_read(tmp_path: Path) -> None:
    files, rules = write_task(tmp_path, "ferry", seed=1), tmp_path / "rules.toml"
    rules.write_text(RULES)
    task, folder = load_task(*files), tmp_path / "one"
    find_bugs(task, "random", objective=f"rules:{rules}", pool_size=3, folder=folder)
    with closing(sqlite3.connect(tmp_path / "one" / STORE_FILE)) as store, store:
        store.execute("UPDATE meta SET value = ? WHERE name = 'objective'", (f"rules:{rules}",))
    with pytest.raises(InputError, match="names a rules file"):
        read_campaign(tmp_path / "one")
