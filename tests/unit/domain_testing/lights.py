"""A domain small enough to count its mutants by hand, and files of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bugsieve.rooms.domain_testing.suites import Suite, read_suite

DOMAIN = """\
(define (domain lights)
  (:requirements :typing :negative-preconditions)
  (:types lamp switch - object)
  (:predicates (on ?l - lamp) (wired ?s - switch ?l - lamp) (next ?l ?m - lamp))
  (:action light
    :parameters (?s - switch ?l - lamp)
    :precondition (and (wired ?s ?l) (not (on ?l)))
    :effect (on ?l))
  (:action pass
    :parameters (?l ?m - lamp)
    :precondition (and (on ?l) (next ?l ?m))
    :effect (and (not (on ?l)) (on ?m))))
"""

PROBLEM = """\
(define (problem two-lamps)
  (:domain lights)
  (:objects a b - lamp s - switch)
  (:init (wired s a) (next a b))
  (:goal (and (on a) (on b))))
"""


def write_files(folder: Path, *, domain: str = DOMAIN, problem: str = PROBLEM) -> None:
    """The files `domain.pddl` and `problem.pddl` in a folder."""
    (folder / "domain.pddl").write_text(domain)
    (folder / "problem.pddl").write_text(problem)


def write_suite(folder: Path, *cases: dict[str, Any], **files: str) -> Suite:
    """A suite on the files of `write_files`, which are written, too."""
    write_files(folder, **files)
    content = {
        "defaultDomain": "domain.pddl",
        "defaultProblem": "problem.pddl",
        "cases": list(cases),
    }
    (folder / "suite.ptest.json").write_text(json.dumps(content))
    return read_suite(folder / "suite.ptest.json")
