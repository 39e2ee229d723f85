"""Safety experiments on PDDL with several outcomes, and on JANI properties in three files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bugsieve.base.errors import InputError
from bugsieve.rooms.jani.fond.loading import load_fond
from bugsieve.rooms.lab.experiments.models import ModelInstance
from bugsieve.rooms.safety.store.records import SafetyRecords
from tests.unit.campaigns.safety.ledge import ledge
from tests.unit.experiments.experiments import check_refused, experiment, folders, read, run

DOMAIN = """
(define (domain ice)
  (:requirements :strips :non-deterministic)
  (:predicates (near) (across) (wet) (broken))
  (:action step
    :precondition (and (near) (not (wet)))
    :effect (oneof (and (not (near)) (across)) (and (wet) (broken)))))
"""
PROBLEM = "(define (problem lake) (:domain ice) (:init (near)) (:goal (across)))"
HEAD = "policies = ['random']\ncampaign.fuzz.walks = 10\n[[models]]\n"
GRID = HEAD + "domain = 'ice/domain.pddl'\nproblems = ['ice/p*.pddl']\nunsafe = {}\n"
DANGER = "(and (wet) (broken))"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with a domain, two problems, and what is unsafe."""
    (tmp_path / "ice").mkdir()
    (tmp_path / "ice" / "domain.pddl").write_text(DOMAIN)
    for name in ("p1", "p2"):
        (tmp_path / "ice" / f"{name}.pddl").write_text(PROBLEM)
    (tmp_path / "ice" / "unsafe.pddl").write_text(DANGER + "\n")
    return tmp_path


@pytest.mark.parametrize("unsafe", [DANGER, "ice/unsafe.pddl"])
def test_each_problem_is_a_model(place: Path, unsafe: str) -> None:
    made = experiment(place, GRID.format(repr(unsafe)))
    names = [(cell.instance.domain, cell.instance.name) for cell in made.grid.cells]
    assert names == [("ice", "p1"), ("ice", "p2")]
    assert run(made, workers=1)[0].done == 2
    model = load_fond(place / "ice" / "domain.pddl", place / "ice" / "p1.pddl", DANGER)
    for folder in folders(made):
        with SafetyRecords(folder) as records:
            assert records.header.subject.json() == model.document
            assert records.outcomes() == {"unsafe": 10}
    assert run(experiment(place, GRID.format(repr(unsafe))))[0].done == 2


def test_a_changed_condition_is_noticed(place: Path) -> None:
    assert run(experiment(place, GRID.format(repr(DANGER))), workers=1)[0].done == 2
    changed = experiment(place, GRID.format("'(wet)'"))
    with pytest.raises(InputError, match="the model p1 is another one"):
        changed.run()


def test_a_property_in_three_files(tmp_path: Path) -> None:
    document = ledge()
    (expression,) = (given["expression"] for given in document.pop("properties"))
    files = {
        "model": document,
        "start": expression["start"],
        "goal": expression["objective"],
        "unsafe": expression["reach"],
    }
    for name, data in files.items():
        (tmp_path / f"{name}.jani").write_text(json.dumps(data))
    keys = "\n".join(f"{name} = '{name}.jani'" for name in files)
    made = experiment(tmp_path, HEAD + keys)
    assert run(made, workers=1)[0].done == 1
    (tmp_path / "whole.jani").write_text(json.dumps(ledge()))
    (whole,) = read(tmp_path, HEAD + "model = 'whole.jani'").cells
    assert isinstance(whole.instance, ModelInstance)
    property_of = json.loads(whole.instance.document)["properties"][0]["expression"]
    with SafetyRecords(folders(made)[0]) as records:
        assert records.header.subject.json()["properties"][0]["expression"] == property_of


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ("domain = 'ice/domain.pddl'\nunsafe = '(wet)'", "problems must be a list"),
        ("domain = 'ice/domain.pddl'\nproblems = ['ice/p1.pddl']", "say what is 'unsafe'"),
        (
            "domain = 'ice/domain.pddl'\nproblems = ['ice/p1.pddl']\nunsafe = 'wet'",
            "unsafe: 'wet' is neither a file nor a condition",
        ),
        (
            "domain = 'ice/domain.pddl'\nproblems = ['ice/p1.pddl']\nunsafe = '(wett)'",
            "did you mean 'wet'",
        ),
        (
            "domain = 'ice/domain.pddl'\nproblems = ['ice/p1.pddl']\nconstants = { N = 1 }",
            "'constants' has no meaning for a model with files in PDDL",
        ),
        ("model = 'ice/domain.pddl'\nproperty = 'ice/p1.pddl'", "PDDL is given as a 'domain'"),
        ("model = 'm.jani'\nproblems = ['p']", "'problems' has no meaning for a model with files"),
        ("model = 'm.jani'\nunsafe = 'u.jani'", "one file .'property'., or three"),
        (
            "model = 'm.jani'\ndomain = 'd'",
            "needs a 'generator', or a 'model' file, or a 'domain'",
        ),
    ],
)
def test_mistakes(place: Path, keys: str, sentence: str) -> None:
    check_refused(place, HEAD + keys, sentence, place=": models, no. 1")
