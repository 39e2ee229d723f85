"""A small PDDL task that tests spoil in one place at a time."""

from __future__ import annotations

from pathlib import Path

DOMAIN = """\
(define (domain stack)
 (:requirements :strips :typing :action-costs)
 (:types block - item item)
 (:constants table - item)
 (:predicates (on ?x ?y - item) (clear ?x - item) (red ?x - item))
 (:functions (total-cost) - number (weight ?x - item) - number)
 (:action move
  :parameters (?x - block ?from ?to - item)
  :precondition (and (clear ?x) (clear ?to) (on ?x ?from) (not (= ?x ?to)) (not (= ?from ?to)))
  :effect (and (on ?x ?to) (not (on ?x ?from)) (clear ?from) (not (clear ?to))
               (clear table) (increase (total-cost) (weight ?x))))
)
"""

PROBLEM = """\
(define (problem two)
 (:domain stack)
 (:objects a b - block)
 (:init (on a table) (on b a) (clear b) (clear table) (red a)
        (= (total-cost) 0) (= (weight a) 3) (= (weight b) 2))
 (:goal (and (on a b) (on b table)))
 (:metric minimize (total-cost))
)
"""


def replaced(text: str, old: str, new: str) -> str:
    """The text with one place spoiled; the place must be there."""
    assert text.count(old) == 1, f"{old!r} occurs {text.count(old)} times"
    return text.replace(old, new)


def write(folder: Path, domain: str = DOMAIN, problem: str = PROBLEM) -> tuple[Path, Path]:
    """Both files in the folder."""
    paths = folder / "domain.pddl", folder / "problem.pddl"
    for path, text in zip(paths, (domain, problem), strict=True):
        path.write_text(text, encoding="utf-8")
    return paths
