"""Tests of rules as campaigns: verdicts, coverage, resuming, replaying, exit codes."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from bugsieve.base.errors import InputError, UsageError
from bugsieve.campaigns import session
from bugsieve.campaigns.campaign import Campaign, summary_of
from bugsieve.campaigns.several.campaign_checks import campaign_checks
from bugsieve.campaigns.stop_rules import StopRules
from bugsieve.rooms.domain_testing.coverage_runs import cover_tests
from bugsieve.rooms.regression.junit import junit_text
from bugsieve.rooms.rules import examples as example
from bugsieve.rooms.rules.campaign.options import RulesOptions
from bugsieve.rooms.rules.campaign.products import write_products
from bugsieve.rooms.rules.campaign.replay import FAILURES, Status, _remark, _status, replay_rules
from bugsieve.rooms.rules.campaign.subject import load_rules, stored_tasks
from bugsieve.rooms.rules.campaign.summary import RulesSummary
from bugsieve.rooms.rules.obligations.answers import NO_PLAN, Answer
from bugsieve.rooms.rules.store.records import RulesRecords
from bugsieve.tasks.grounded.loading import load_task
from bugsieve.tasks.search import Limits, astar
from tests.unit.campaigns.rules.small import RULES as LAMP_RULES
from tests.unit.campaigns.rules.small import said, written

DECK = Path(example.__file__).parent
SOUND, FAULTY = (str(DECK / name) for name in ("rover.pddl", "rover-faulty.pddl"))
ONE, TWO = (str(DECK / name) for name in ("one-rover.pddl", "two-rovers.pddl"))
RULES = str(DECK / "rules.toml")

HEAD = """
format = 1
[[atom]]
name = "moving"
is = "(exists (?r - rover ?x ?y - waypoint) (going ?r ?x ?y))"
[[atom]]
name = "stowed"
is = "(forall (?i - instrument) (stowed ?i))"
[[atom]]
name = "samples"
is = "(did take-sample * *)"
"""


def options(domain: str = SOUND, *problems: str, rules: str = RULES, **more: Any) -> RulesOptions:
    return RulesOptions(domain=domain, problems=problems or (ONE,), rules=rules, **more)


def run(folder: Path, given: RulesOptions) -> RulesSummary:
    with Campaign.create(folder, given) as campaign:
        summary: RulesSummary = campaign.run()
    return summary


def rule(ltl: str, kind: str = "desired", **more: str) -> str:
    lines = "".join(f'{key} = "{value}"\n' for key, value in more.items())
    return (
        f'[[rule]]\nid = "R{sum(map(ord, ltl)) % 1000}"\nkind = "{kind}"\nltl = "{ltl}"\n{lines}'
    )


def judged(tmp_path: Path, *rules: str, **more: Any) -> RulesSummary:
    """The summary of rules about moving, stowed and samples on the sound domain."""
    file = tmp_path / "rules.toml"
    file.write_text(HEAD + "".join(rules))
    return run(tmp_path / "campaign", options(rules=str(file), **more))


def verdicts(folder: Path) -> list[tuple[str, str | None]]:
    with RulesRecords(folder) as records:
        return [(row.answer.verdict, row.answer.view) for row in records.answers()]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rules") / "sound"
    run(folder, options(SOUND, ONE, TWO))
    return folder


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rules") / "faulty"
    run(folder, options(FAULTY))
    return folder


def test_the_rules_of_the_deck_hold(sound: Path) -> None:
    summary: RulesSummary = summary_of(sound)
    assert summary.exit_code == 0 and not summary.bugs
    assert {rule.verdict for rule in summary.rules} == {"holds"} and len(summary.rules) == 8
    # G(moving -> stowed): both positive tests of the deck have a trace, the negative ones none.
    second = next(rule for rule in summary.rules if rule.rule == "FR-2[rover1]")
    assert (second.met, second.feasible, second.vacuous) == (5, 5, ())


def test_the_planted_fault_is_caught(faulty: Path) -> None:
    summary: RulesSummary = summary_of(faulty)
    assert summary.exit_code == 1
    assert [rule.rule for rule in summary.failures] == ["FR-2[rover1]"]
    with RulesRecords(faulty) as records:
        (row,) = records.bugs()
    assert row.bug.rule == "FR-2[rover1]" and row.bug.steps == 2
    assert "unstow" in row.bug.certificate["trace"]["actions"][-1]
    assert (faulty / "bugs" / f"{row.id}.json").exists()


def test_a_campaign_that_was_cut_goes_on_to_the_same_answers(
    faulty: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is cut in the midst of its answers, twice."""
    monkeypatch.setattr(session, "_COMMIT_SECONDS", 0.0)
    Campaign.create(tmp_path / "campaign", options(FAULTY)).close()
    for most in (10, 17):
        heard: list[object] = []

        def leave(event: object, heard: list[object] = heard, most: int = most) -> None:
            heard.append(event)
            if len(heard) == most:
                raise KeyboardInterrupt

        with Campaign.open(tmp_path / "campaign") as campaign, pytest.raises(KeyboardInterrupt):
            campaign.run(leave)
    judged = summary_of(tmp_path / "campaign").judged
    with Campaign.open(tmp_path / "campaign") as campaign:
        campaign.run()
    assert 0 < judged < len(verdicts(faulty)) and said(tmp_path / "campaign") == said(faulty)


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"min_coverage": 90.0}, 0),
        ({"min_coverage": 99.0}, 1),
        ({"limits": Limits(expansions=0)}, 6),
        ({"no_vacuous": True}, 0),  # the vacuous literal is expected
    ],
)
def test_exit_codes(tmp_path: Path, changed: dict[str, Any], code: int) -> None:
    summary = run(tmp_path / "campaign", replace(options(), **changed))
    assert summary.exit_code == code, summary


def test_a_vacuous_literal_that_nobody_expects(tmp_path: Path) -> None:
    # Whoever moves has stowed all instruments, so that stowed alone decides nothing here.
    summary = judged(tmp_path, rule("G(moving & !stowed -> samples)"), no_vacuous=True)
    (result,) = summary.rules
    assert result.verdict == "holds" and result.vacuous and summary.exit_code == 1


def test_a_forbidden_rule_is_one_that_must_not_be_satisfied(tmp_path: Path) -> None:
    summary = judged(
        tmp_path, rule("F(moving & !stowed)", "forbidden"), rule("F moving", "forbidden")
    )
    assert [result.verdict for result in summary.rules] == ["never", "violated"]


def test_expectations_turn_a_violation_into_a_pass(tmp_path: Path) -> None:
    summary = judged(tmp_path, rule("G !moving", expect="violated"))
    assert summary.rules[0].verdict == "violated" and summary.exit_code == 0
    assert str(summary.verdict) == "the rule is violated, as expected"
    (tmp_path / "again").mkdir()
    summary = judged(tmp_path / "again", rule("G(moving -> stowed)", expect="violated"))
    assert summary.rules[0].verdict == "holds" and summary.exit_code == 1


def test_a_trace_that_can_still_keep_the_rule_refutes_nothing(tmp_path: Path) -> None:
    summary = judged(tmp_path, rule("F !stowed"))
    assert summary.rules[0].verdict == "safety part holds" and summary.exit_code == 6
    (tmp_path / "again").mkdir()
    summary = judged(tmp_path / "again", rule("F !stowed", expect="safety part holds"))
    assert summary.rules[0].is_as_expected and summary.exit_code == 0
    (check,) = [c for c in campaign_checks(tmp_path / "campaign") if "a violation" in c.name]
    assert check.outcome == "undecided"
    (check,) = [c for c in campaign_checks(tmp_path / "again/campaign") if "a viol" in c.name]
    assert check.outcome == "passed"


def test_what_has_become_impossible_refutes(tmp_path: Path) -> None:
    """Who unstows the drill on the lander cannot drive, and there is nothing to sample."""
    summary = judged(tmp_path, rule("F samples"))
    (result,) = summary.rules
    assert (result.verdict, summary.exit_code) == ("violated", 1)
    assert result.detail == "nothing that can come after it keeps the rule"
    with RulesRecords(tmp_path / "campaign") as records:
        (row,) = records.bugs()
    assert row.bug.certificate["trace"]["actions"] == ["(unstow rover1 drill lander)"]
    assert row.bug.certificate["rest"] == {"by": "rerun"}
    found = {item.row.obligation.aim: item.status for item in replay_rules(tmp_path / "campaign")}
    assert found["violation"] is Status.STILL_VIOLATED


def test_liveness_on_plans_and_on_lassos(tmp_path: Path) -> None:
    summary = judged(tmp_path, rule("F samples"), with_goal=True)
    assert summary.rules[0].verdict == "holds" and summary.exit_code == 0
    (tmp_path / "again").mkdir()
    text = LAMP_RULES.replace("G !warm(?l)", "F warm(?l)")  # to and fro for ever, and never warm
    domain, problem, rules = written(tmp_path / "again", rules=text)
    given = options(domain, problem, rules=rules, lassos=True)
    _, result = run(tmp_path / "again" / "campaign", given).rules
    assert result.verdict == "violated"
    with RulesRecords(tmp_path / "again" / "campaign") as records:
        assert records.bugs()[0].bug.certificate["lasso"] is True


def test_rules_that_no_trace_satisfies_together(tmp_path: Path) -> None:
    summary = judged(tmp_path, rule("X moving"), rule("X !moving"))
    assert len(summary.conflicts) == 1 and " and " in summary.conflicts[0]
    assert summary.exit_code == 1
    (tmp_path / "alone").mkdir()
    # No plan does without a drive, whatever the other rule is.
    summary = judged(tmp_path / "alone", rule("F samples"), rule("G !moving"), with_goal=True)
    assert summary.conflicts == ("R792 by itself",) and summary.exit_code == 1


def test_a_rule_that_fails_at_once_shows_nothing(tmp_path: Path) -> None:
    summary = judged(tmp_path, rule("moving & F samples"))
    assert summary.rules[0].verdict == "violated"
    counts = Counter(verdict for verdict, _ in verdicts(tmp_path / "campaign"))
    assert counts["not testable"] == 2
    skipped = [one for one in campaign_checks(tmp_path / "campaign") if one.outcome == "skipped"]
    reasons = Counter(check.reason for check in skipped)
    assert reasons["the rule fails in the initial state"] == 2


def test_constraints_of_the_pddl_are_rules(tmp_path: Path) -> None:
    domain = tmp_path / "domain.pddl"
    text = Path(SOUND).read_text()
    constraint = "(:constraints (forall (?i - instrument) (always (imply (exists (?r - rover)"
    constraint += " (exists (?x ?y - waypoint) (going ?r ?x ?y))) (stowed ?i)))))\n"
    place = text.index("(:action")
    domain.write_text(text[:place] + constraint + text[place:])
    summary = run(tmp_path / "campaign", options(str(domain), ONE, rules=""))
    assert summary.rules and {result.verdict for result in summary.rules} == {"holds"}


def test_constraints_without_objects(tmp_path: Path) -> None:
    domain = tmp_path / "domain.pddl"
    text = Path(SOUND).read_text()
    place = text.index("(:predicates")
    text = text[:place].replace("(:types", "(:types ghost") + text[place:]
    place = text.index("(:action")
    constraint = "(:constraints (forall (?x - ghost) (always (not (= ?x ?x)))))\n"
    domain.write_text(text[:place] + constraint + text[place:])
    with pytest.raises(UsageError, match="the :constraints have no instance for the objects"):
        run(tmp_path / "campaign", options(str(domain), ONE, rules=""))


def test_replaying_on_a_faulty_domain(sound: Path) -> None:
    found = Counter(item.status for item in replay_rules(sound, Path(FAULTY)))
    assert found[Status.NOW_VIOLATED] and found[Status.STILL_COVERED] and found[Status.PROOF_HOLDS]
    same = Counter(item.status for item in replay_rules(sound))
    assert set(same) == {Status.STILL_COVERED, Status.PROOF_HOLDS}


def test_replaying_on_a_mended_domain(faulty: Path) -> None:
    found = [item.status for item in replay_rules(faulty, Path(SOUND))]
    assert Status.FIXED in found and Status.LOST not in found


def test_replaying_where_an_action_is_gone(sound: Path, tmp_path: Path) -> None:
    domain = tmp_path / "domain.pddl"
    domain.write_text(Path(SOUND).read_text().replace("(:action unstow", "(:action take-out"))
    found = Counter(item.status for item in replay_rules(sound, domain))
    assert not found[Status.LOST]  # another trace shows the same
    text = Path(SOUND).read_text()
    start = text.index("(:action unstow")
    end = text.index("(:action", start + 1)
    domain.write_text(text[:start] + text[end:])
    found = Counter(item.status for item in replay_rules(sound, domain))
    assert found[Status.LOST]


def test_junit(faulty: Path) -> None:
    root = ElementTree.fromstring(junit_text("rules", campaign_checks(faulty)))
    cases = root.findall("testcase")
    assert len(cases) == int(root.attrib["tests"]) == len(verdicts(faulty))
    assert len(root.findall(".//failure")) == int(root.attrib["failures"]) == 3


@pytest.mark.parametrize(
    ("changed", "error", "words"),
    [
        ({"problems": ()}, UsageError, "at least one problem"),
        ({"criterion": "ufx"}, UsageError, "ufc"),
        ({"min_coverage": 101.0}, UsageError, "percentage"),
        ({"rules": "nowhere.toml"}, InputError, "nowhere.toml"),
        ({"rules": ""}, UsageError, "no rule"),
    ],
)
def test_mistakes(
    tmp_path: Path, changed: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        run(tmp_path / "campaign", replace(options(), **changed))
    assert not (tmp_path / "campaign").exists()


def test_the_traces_cover_the_domain(sound: Path) -> None:
    found = cover_tests(sound)
    (actions, used, total), *_ = found.coverage.summary()
    assert (actions, used, total) == ("actions used", 5, 7) and "45 tests" in found.plans[0]


def test_traces_of_tasks_are_drawn_state_by_state(faulty: Path) -> None:
    with RulesRecords(faulty) as records:
        (bound,) = stored_tasks(records)
        traces = [row.answer.trace for row in records.answers() if row.answer.trace]
    trace = next(one for one in traces if len(one["trace"]["actions"]) == 1)
    drawn = bound.drawing(trace, title="a trace", picture=None).text
    assert drawn.startswith("<svg") and trace["trace"]["actions"][0] in drawn


def test_what_is_not_judged_yet_is_no_failure(tmp_path: Path) -> None:
    """Whatever the file expects of it: the rules of the deck expect a vacuous one."""
    stopped = run(tmp_path / "campaign", options(stop=StopRules(max_time=1e-9)))
    assert stopped.judged == 0 and not stopped.failures and stopped.exit_code == 5
    assert stopped.would_decide == "more time"


def test_what_prefixes_do_not_judge_is_said(tmp_path: Path) -> None:
    summary = judged(tmp_path, rule("G(moving -> stowed) & F !stowed"))
    (result,) = summary.rules
    assert result.verdict == "safety part holds" and "--with-goal" in result.detail
    assert str(summary.verdict) == "undecided: 1 of 1 rule (1 safety part holds)"


@pytest.mark.parametrize(
    ("before", "after", "status"),
    [
        ("covered", "covered", Status.STILL_COVERED),
        ("vacuous", "covered", Status.NOW_COVERED),
        ("covered", "vacuous", Status.LOST),
        ("covered", "inconclusive", Status.UNDECIDED),
        ("inconclusive", "conflict", Status.NOW_VIOLATED),
        ("conflict", "conflict", Status.STILL_VIOLATED),
        ("passed", "failed", Status.NOW_VIOLATED),
        ("passed", "passed", Status.PROOF_HOLDS),
        ("passed", "inconclusive", Status.PROOF_LOST),
        ("failed", "passed", Status.FIXED),
        ("failed", "failed", Status.STILL_VIOLATED),
        ("passed", "undecidable", Status.PROOF_LOST),
        ("failed", "undecidable", Status.UNDECIDED),
        ("undecidable", "undecidable", Status.UNDECIDED),
        ("undecidable", "inconclusive", Status.UNDECIDED),
        ("undecidable", "passed", Status.PROOF_HOLDS),
        ("passed", "safety part holds", Status.PROOF_LOST),
        ("safety part holds", "safety part holds", Status.SAFETY_HOLDS),
        ("failed", "safety part holds", Status.SAFETY_HOLDS),
        ("safety part holds", "passed", Status.PROOF_HOLDS),
    ],
)
def test_statuses(before: Any, after: Any, status: Status) -> None:
    assert _status(Answer(before, "x"), Answer(after, "x")) is status


@pytest.mark.parametrize(
    ("before", "after", "status"),
    [
        (Answer("vacuous"), "vacuous", Status.PROOF_LOST),
        (Answer("not testable"), "not testable", Status.PROOF_LOST),
        (Answer("vacuous", NO_PLAN), "vacuous", Status.UNDECIDED),
        (Answer("conflict"), "vacuous", Status.PROOF_LOST),
        (Answer("failed"), "undecidable", Status.UNDECIDED),
        (Answer("covered"), "not testable", Status.LOST),
    ],
)
def test_without_a_plan_nothing_is_proven(before: Answer, after: Any, status: Status) -> None:
    assert _status(before, Answer(after, NO_PLAN)) is status


def test_a_weaker_view_is_no_secret() -> None:
    old, new = (Answer("covered", view=view) for view in ("strong", "weak"))
    assert _remark(old, new) == "only weak now, strong before" and _remark(new, old) == ""


@pytest.mark.parametrize(("domain", "is_solvable"), [(SOUND, False), (FAULTY, True)])
def test_tests_as_tasks_of_other_planners(tmp_path: Path, domain: str, is_solvable: bool) -> None:
    given = options(domain)
    lines = list(write_products(load_rules(given).tasks, given, tmp_path))
    (violation,) = [line for line in lines if "FR-2[rover1]: a violation" in line]
    stem = Path(violation.partition(":")[0])
    tasks = [load_task(f"{stem}.sas")]
    if is_solvable:  # the translator refuses PDDL whose goal is out of reach
        tasks.append(load_task(f"{stem}-domain.pddl", f"{stem}-problem.pddl"))
    assert {astar(task, task.initial_state).solved for task in tasks} == {is_solvable}


@pytest.mark.parametrize(
    ("problems", "statuses"),
    [
        ([ONE], [Status.UNEXPECTED]),
        ([ONE, TWO], [Status.FIXED, Status.AS_EXPECTED]),
    ],
)
def test_replaying_a_rule_that_should_be_violated(
    tmp_path: Path, problems: list[str], statuses: list[Status]
) -> None:
    file, folder = tmp_path / "rules.toml", tmp_path / "campaign"
    file.write_text(HEAD + rule("G(moving -> stowed)", expect="violated"))
    assert run(folder, options(FAULTY, *problems, rules=str(file))).exit_code == 0
    same = Counter(item.status for item in replay_rules(folder))
    assert same[Status.AS_EXPECTED] and not any(same[status] for status in FAILURES)
    mended = list(replay_rules(folder, Path(SOUND)))
    found = [item.status for item in mended if item.row.obligation.aim == "violation"]
    assert found == statuses


def test_comments_may_hold_any_bytes(tmp_path: Path) -> None:
    domain = tmp_path / "domain.pddl"
    domain.write_bytes(b"; caf\xe9\n" + Path(FAULTY).read_bytes())
    assert run(tmp_path / "campaign", options(str(domain))).exit_code == 1
    assert {item.status for item in replay_rules(tmp_path / "campaign")} >= {Status.STILL_VIOLATED}
