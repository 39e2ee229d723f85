"""The examples of flight rules: their rules hold, their tests notice mistakes in the domain."""

from __future__ import annotations

from pathlib import Path

import pytest

from bugsieve.rooms.domain_testing.engine_judge import judge_rules
from bugsieve.rooms.domain_testing.lint.run import lint
from bugsieve.rooms.domain_testing.mutation import MutationOptions, MutationTest, score_of
from bugsieve.rooms.domain_testing.rule_judging import Reading
from bugsieve.rooms.domain_testing.suite_runs import RunOptions, run_suite
from bugsieve.rooms.domain_testing.suites import read_suite
from bugsieve.rooms.domain_testing.worlds import Files
from bugsieve.rooms.rules.file.reading import read_rules, rules_of
from bugsieve.rooms.rules.file.source import Source
from bugsieve.rooms.zoo.domains import domain_text, generate
from bugsieve.tasks.grounded.loading import load_task
from bugsieve.tasks.search import Limits
from tests.depth import IS_DEEP, examples

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "flight-rules"
SHIPPED = ROOT / "src" / "bugsieve" / "rooms" / "rules" / "examples"
ROVERS, DECK = EXAMPLES / "rovers.ptest.json", SHIPPED / "suite.ptest.json"
FEWEST_KILLED = 0.9
PART = 1 if IS_DEEP else 12  # one of so many mutants is tested


@pytest.mark.parametrize("path", [ROVERS, DECK], ids=["rovers", "deck"])
def test_suites_pass(path: Path) -> None:
    results = list(run_suite(read_suite(path), Files(), RunOptions()))
    assert [result.reason for result in results if result.outcome != "pass"] == []
    assert len(results) >= 5


def test_the_rovers_are_the_built_in_ones() -> None:
    assert (EXAMPLES / "rovers" / "domain.pddl").read_text() == domain_text("rovers")


def test_rules_and_suite_notice_nearly_all_mutants() -> None:
    test = MutationTest(read_suite(ROVERS), Files(), MutationOptions())
    assert len(test.mutants) == 205
    score = score_of(list(test.run(test.mutants[::PART])))
    assert score.counted >= 120 / PART
    assert score.ratio is not None and score.ratio >= FEWEST_KILLED


def test_the_rules_are_of_many_kinds() -> None:
    rules = read_rules(EXAMPLES / "rovers.toml").rules
    assert len(rules) >= 8
    assert {rule.form for rule in rules} == {"ltl", "english", "pattern"}
    assert {rule.kind for rule in rules} == {"desired", "forbidden"}


@pytest.mark.parametrize("seed", range(1, examples(8, quick=2) + 1))
def test_the_rules_hold_in_tasks_of_the_generator(tmp_path: Path, seed: int) -> None:
    drawn = generate("rovers", seed=seed, cameras=2)
    (tmp_path / "domain.pddl").write_text(drawn.domain)
    (tmp_path / "problem.pddl").write_text(drawn.problem)
    task = load_task(tmp_path)
    text = (EXAMPLES / "rovers.toml").read_text()
    reading = Reading(limits=Limits(expansions=200_000))
    found = judge_rules(task, text, name="rovers.toml", reading=reading)
    instances = rules_of(Source("rovers.toml", text)).bind(task).rules
    folded = {one.id for one in instances if one.formula != one.unfolded}
    for name, each in found.items():
        fine = ("holds", "never", "vacuous") if name in folded else ("holds", "never")
        assert each.verdict in fine, name
    assert {each.verdict for each in found.values()} >= {"holds", "never"}


def test_the_planted_fault_of_the_deck() -> None:
    folder = SHIPPED
    text = (folder / "rules.toml").read_text()
    task = load_task(folder / "rover-faulty.pddl", folder / "one-rover.pddl")
    found = judge_rules(task, text, name="rules.toml", reading=Reading())
    violated = {name: each for name, each in found.items() if each.verdict == "violated"}
    assert list(violated) == ["FR-2[rover1]"]
    actions = [action.split()[0] for action in violated["FR-2[rover1]"].actions]
    assert actions == ["(depart", "(unstow"]
    assert violated["FR-2[rover1]"].letters[-1] == ("moving(rover1)",)


def test_lint_points_at_the_fault() -> None:
    folder = SHIPPED
    problems = [folder / "one-rover.pddl", folder / "two-rovers.pddl"]
    notes = lint(folder / "rover.pddl", problems, Files())
    assert [(note.code, note.severity) for note in notes] == [("immutable-predicate", "note")]
    found, same = lint(folder / "rover-faulty.pddl", problems, Files())
    if same.severity != "note":
        found, same = same, found
    assert same.code == "immutable-predicate"
    assert (found.code, "'?x'" in found.sentence) == ("unused-parameter", True)
