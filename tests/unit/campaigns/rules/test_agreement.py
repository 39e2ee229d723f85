"""Campaigns, suites and replays say the same of random rules."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.several.campaign_checks import campaign_checks
from bugsieve.rooms.domain_testing.engine_judge import judge_rules
from bugsieve.rooms.domain_testing.rule_judging import Reading
from bugsieve.rooms.rules.campaign.options import RulesOptions
from bugsieve.rooms.rules.campaign.replay import FAILURES, OPEN, replay_rules
from bugsieve.rooms.rules.campaign.summary import RulesSummary
from bugsieve.rooms.rules.ltl.printer import to_text
from bugsieve.tasks.grounded.loading import load_task
from tests.depth import examples
from tests.property.rules_cases import random_formula
from tests.unit.campaigns.rules.small import said

DOMAIN = """(define (domain house)
  (:requirements :strips :negative-preconditions)
  (:predicates (lit) (warm) (dead) (ghost))
  (:action light :parameters () :precondition (and (not (lit)) (not (dead))) :effect (lit))
  (:action dim :parameters () :precondition (lit) :effect (and (not (lit)) (not (warm))))
  (:action heat :parameters () :precondition (lit) :effect (warm))
  (:action haunt :parameters () :precondition (and (warm) (ghost)) :effect (ghost))
  (:action die :parameters () :precondition (not (warm)) :effect (dead)))
"""
PROBLEM = "(define (problem p) (:domain house) (:init) (:goal (warm)))"
NAMES = ("lit", "warm", "dead", "ghost", "heats")
HEAD = "format = 1\n" + "".join(
    f'[[atom]]\nname = "{name}"\nis = "({"did heat" if name == "heats" else name})"\n'
    for name in NAMES
)
WORDS = ("", "holds", "never", "violated", "vacuous", "safety part holds")


def rules_text(random: Random) -> str:
    """One rule of the house or two, of which the file may expect something."""
    lines = [HEAD]
    for number in range(random.choice((1, 1, 2))):
        used = random.sample(NAMES, 2)
        formula = random_formula(random, used, 2, random.random() < 0.4)
        text = to_text(formula)
        if not any(name in text for name in used):
            text = f"({text}) | {used[0]}"
        kind, expect = random.choice(("desired", "desired", "forbidden")), random.choice(WORDS)
        lines.append(f'[[rule]]\nid = "R{number}"\nkind = "{kind}"\nltl = "{text}"\n')
        lines += [f'expect = "{expect}"\n'] if expect and random.random() < 0.4 else []
    return "".join(lines)


def check_seed(folder: Path, seed: int) -> Counter[str]:
    """Rules in all commands; how often each verdict was given, and the exit code."""
    random = Random(seed)
    texts = {"domain.pddl": DOMAIN, "problem.pddl": PROBLEM, "rules.toml": rules_text(random)}
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text)
    domain, problem, rules = (str(folder / name) for name in texts)
    with_goal = random.random() < 0.3
    given = RulesOptions(domain=domain, problems=(problem,), rules=rules, with_goal=with_goal)
    with Campaign.create(folder / "campaign", given) as campaign:
        summary = campaign.run()
    assert isinstance(summary, RulesSummary)
    before = said(folder / "campaign")
    with Campaign.open(folder / "campaign") as campaign:
        again = campaign.run()
    assert (again.exit_code, said(folder / "campaign")) == (summary.exit_code, before)
    task = load_task(domain, problem)
    found = judge_rules(
        task, texts["rules.toml"], name="rules.toml", reading=Reading(with_goal=with_goal)
    )
    for rule in summary.rules:
        own = found[rule.rule]
        is_vacuous = bool(rule.vacuous) and rule.grade == "holds"
        assert own.verdict == ("vacuous" if is_vacuous else rule.grade)
        if rule.expect != "vacuous" or rule.kind != "forbidden":
            assert own.standing(rule.expect or "holds") == rule.standing, rule
    statuses = {one.status for one in replay_rules(folder / "campaign")}
    outcomes = {one.outcome for one in campaign_checks(folder / "campaign")}
    is_wrong = bool(summary.failures or summary.conflicts)
    if not any(rule.expect == "vacuous" for rule in summary.rules):
        assert is_wrong == bool(statuses & set(FAILURES)) == ("failure" in outcomes)
    if summary.exit_code == 0:
        assert not statuses & {*FAILURES, *OPEN} and outcomes <= {"passed", "skipped"}
    if summary.exit_code == 6:
        assert statuses & set(OPEN) and "undecided" in outcomes
    return Counter([str(summary.exit_code), *(rule.grade for rule in summary.rules)])


def test_all_commands_agree(tmp_path: Path) -> None:
    seen: Counter[str] = Counter()
    for seed in range(examples(500, quick=12)):
        seen += check_seed(tmp_path / str(seed), seed)
    assert seen["1"] and seen["6"] and seen["violated"] and seen["safety part holds"], seen
