"""A lamp with two flight rules, one of which fails: the smallest campaign of rules."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bugsieve.rooms.rules.campaign.options import RulesOptions
from bugsieve.rooms.rules.store.records import RulesRecords

DOMAIN = """(define (domain lamps)
  (:requirements :strips :typing :negative-preconditions)
  (:types lamp)
  (:predicates (on ?l - lamp) (warm ?l - lamp))
  (:action switch-on :parameters (?l - lamp) :precondition (not (on ?l)) :effect (on ?l))
  (:action heat :parameters (?l - lamp) :precondition (on ?l) :effect (warm ?l))
  (:action switch-off :parameters (?l - lamp) :precondition (on ?l)
    :effect (and (not (on ?l)) (not (warm ?l)))))
"""
PROBLEM = """(define (problem lamp) (:domain lamps) (:objects a - lamp) (:init)
  (:goal (warm a)))
"""
RULES = """format = 1
[[atom]]
name = "on(?l - lamp)"
is = "(on ?l)"
[[atom]]
name = "warm(?l - lamp)"
is = "(warm ?l)"
[[rule]]
id = "warm"
kind = "desired"
forall = "?l - lamp"
ltl = "G(warm(?l) -> on(?l))"
[[rule]]
id = "cold"
kind = "desired"
forall = "?l - lamp"
ltl = "G !warm(?l)"
"""
OBLIGATIONS = 13


def written(folder: Path, **changed: str) -> list[str]:
    """Domain, problem and rules as files."""
    texts = {"domain": DOMAIN, "problem": PROBLEM, "rules": RULES, **changed}
    names = {"domain": "domain.pddl", "problem": "problem.pddl", "rules": "rules.toml"}
    for key, name in names.items():
        (folder / name).write_text(texts[key])
    return [str(folder / name) for name in names.values()]


def small_options(folder: Path, **more: Any) -> RulesOptions:
    """The options of a campaign on these files."""
    domain, problem, rules = written(folder)
    return RulesOptions(domain=domain, problems=(problem,), rules=rules, **more)


def said(folder: Path) -> object:
    """All that a campaign has found out, but for what it took."""
    with RulesRecords(folder) as records:
        answers = [
            (row.number, a.verdict, a.reason, a.view, a.reading, a.certificates, a.is_known)
            for row in records.answers()
            for a in [row.answer]
        ]
        bugs = [(row.id, row.case, row.bug.certificate) for row in records.bugs()]
        progress = records.progress()
    return answers, bugs, progress.visits, progress.finished
