"""A small rover domain with a rules file that tests spoil in one place at a time."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from bugsieve.rooms.rules.file.binding import BoundRules
from bugsieve.rooms.rules.file.reading import RulesFile, rules_of
from bugsieve.rooms.rules.file.source import Source
from bugsieve.tasks.grounded.loading import load_task
from bugsieve.tasks.grounded.task import Task

DOMAIN = """\
(define (domain rovers)
 (:requirements :adl :typing)
 (:types rover lander - vehicle waypoint instrument)
 (:constants base - lander)
 (:predicates (at ?r - rover ?w - waypoint) (going ?r - rover ?x ?y - waypoint)
  (path ?x ?y - waypoint) (on-board ?i - instrument ?r - rover) (stowed ?i - instrument)
  (sampled ?w - waypoint) (lit) (idle ?v - vehicle))
 (:action go :parameters (?r - rover ?x ?y - waypoint)
  :precondition (and (at ?r ?x) (path ?x ?y)
   (forall (?i - instrument) (imply (on-board ?i ?r) (stowed ?i))))
  :effect (and (not (at ?r ?x)) (going ?r ?x ?y)))
 (:action arrive :parameters (?r - rover ?x ?y - waypoint)
  :precondition (going ?r ?x ?y) :effect (and (not (going ?r ?x ?y)) (at ?r ?y)))
 (:action unstow :parameters (?i - instrument) :precondition (stowed ?i)
  :effect (not (stowed ?i)))
 (:action stow :parameters (?i - instrument) :precondition (not (stowed ?i))
  :effect (stowed ?i))
 (:action take-sample :parameters (?r - rover ?w - waypoint)
  :precondition (and (at ?r ?w)
   (exists (?i - instrument) (and (on-board ?i ?r) (not (stowed ?i)))))
  :effect (sampled ?w))
 (:action call :parameters (?v - vehicle) :precondition (lit) :effect (not (lit)))
)
"""

PROBLEM = """\
(define (problem two-rovers) (:domain rovers)
 (:objects rover1 rover2 - rover w1 w2 w3 - waypoint cam arm drill - instrument)
 (:init (at rover1 w1) (at rover2 w2) (path w1 w2) (path w2 w3) (path w3 w1)
  (on-board cam rover1) (on-board arm rover1) (on-board drill rover2)
  (stowed cam) (stowed arm) (stowed drill))
 (:goal (and (sampled w3) (sampled w1)))
)
"""

ATOMS = """\
format = 1
[[atom]]                                    # a PDDL condition
name = "moving(?r - rover)"
is   = "(exists (?x ?y - waypoint) (going ?r ?x ?y))"
[[atom]]
name = "stowed(?r - rover)"
is   = "(forall (?i - instrument) (imply (on-board ?i ?r) (stowed ?i)))"
[[atom]]
name = "samples(?r - rover)"
is   = "(did take-sample ?r *)"
[[atom]]
name = "near(?a, ?b - waypoint)"
is   = "(or (path ?a ?b) (path ?b ?a))"
[[atom]]
name = "dark"
is   = "(not (lit))"
"""

RULES = f"""\
{ATOMS}
[[rule]]
id     = "FR-2"
kind   = "desired"
forall = "?r - rover"
ltl    = "G(moving(?r) -> stowed(?r))"
[[rule]]
id      = "FR-3"
kind    = "desired"
forall  = "?r - rover"
english = "Whenever samples(?r), the rover shall immediately satisfy !moving(?r)."
[[rule]]
id      = "FR-4"
kind    = "forbidden"
forall  = "?r - rover"
pattern = "precedence"
p = "samples(?r)"
s = "stowed(?r)"
scope = "after"
q = "moving(?r)"
expect = "violated"
tags = ["arm", "soil"]
note = "no sample without an arm"
"""


@cache
def rover_task() -> Task:
    """The task of the two files."""
    with TemporaryDirectory() as folder:
        return load_task(*written(Path(folder)))


def written(folder: Path, domain: str = DOMAIN, problem: str = PROBLEM) -> tuple[Path, Path]:
    """Both files in a folder."""
    paths = folder / "domain.pddl", folder / "problem.pddl"
    for path, text in zip(paths, (domain, problem), strict=True):
        path.write_text(text, encoding="utf-8")
    return paths


def rules(text: str) -> RulesFile:
    """The rules file that a text is."""
    return rules_of(Source("rules.toml", text))


def rule(ltl: str, *, forall: str = "", atoms: str = ATOMS) -> str:
    """A rules file with one rule."""
    given = f'forall = "{forall}"\n' if forall else ""
    return f"{atoms}[[rule]]\nid = 'R'\nkind = 'desired'\n{given}ltl = '{ltl}'\n"


def atom(name: str, condition: str) -> str:
    """One more atom."""
    return f"{ATOMS}[[atom]]\nname = '{name}'\nis = '{condition}'\n"


def bound(text: str) -> BoundRules:
    """The rules of a text in the task."""
    return rules(text).bind(rover_task())


def marked(text: str) -> tuple[str, str]:
    """The text without its mark "§", and the place of the mark as errors begin."""
    before, mark, after = text.partition("§")
    assert mark and "§" not in after
    line = before.count("\n") + 1
    column = len(before) - (before.rfind("\n") + 1) + 1
    return before + after, f"rules.toml:{line}:{column}: "
