"""What a task keeps of its PDDL, through loading, pickling, campaigns and their resumption."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from bugsieve.base.errors import UnsupportedError
from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.cost.bench import bench_of
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.options import CostOptions
from bugsieve.tasks.grounded.loading import load_task, task_of
from bugsieve.tasks.pddl.check import check_pddl
from bugsieve.tasks.pddl.summary import PddlSummary, without_constraints
from tests.unit.tasks.pddl.texts import DOMAIN, PROBLEM, replaced, write

_RULE = "(always (not (on a table)))"


def _summary(folder: Path) -> PddlSummary:
    summary = load_task(*write(folder)).pddl
    assert summary is not None
    return summary


def test_everything_that_is_declared(tmp_path: Path) -> None:
    summary = _summary(tmp_path)
    assert (summary.domain, summary.problem) == ("stack", "two")
    assert summary.requirements == (":strips", ":typing", ":action-costs")
    assert summary.types == {"object": (), "block": ("item",), "item": ("object",)}
    assert summary.constants == {"table": "item"}
    assert list(summary.objects.items()) == [("table", "item"), ("a", "block"), ("b", "block")]
    assert summary.predicates == {
        "on": (("item",), ("item",)),
        "clear": (("item",),),
        "red": (("item",),),
    }
    assert summary.functions == {"total-cost": (), "weight": (("item",),)}
    assert summary.goal == ("and", ("on", "a", "b"), ("on", "b", "table"))
    assert summary.constraints == ()


def test_schemas_are_nested_terms(tmp_path: Path) -> None:
    (move,) = _summary(tmp_path).schemas.values()
    assert move.name == "move"
    assert list(move.parameters.items()) == [("?x", "block"), ("?from", "item"), ("?to", "item")]
    assert move.precondition[:3] == ("and", ("clear", "?x"), ("clear", "?to"))
    assert move.effect[-1] == ("increase", ("total-cost",), ("weight", "?x"))


def test_a_schema_may_leave_out_its_parts(tmp_path: Path) -> None:
    domain = DOMAIN.rstrip().removesuffix(")") + "(:action wait :effect (clear table)))"
    summary = load_task(*write(tmp_path, domain)).pddl
    assert summary is not None
    wait = summary.schemas["wait"]
    assert (wait.parameters, wait.precondition, wait.effect) == ({}, (), ("clear", "table"))


def test_it_can_be_pickled(tmp_path: Path) -> None:
    summary = _summary(tmp_path)
    assert pickle.loads(pickle.dumps(summary)) == summary


def test_constraints_are_refused_unless_somebody_keeps_them(tmp_path: Path) -> None:
    domain = replaced(DOMAIN, ":action-costs", ":action-costs :constraints")
    problem = replaced(PROBLEM, " (:metric", f" (:constraints {_RULE})\n (:metric")
    files = write(tmp_path, DOMAIN, problem)
    with pytest.raises(UnsupportedError, match="7: ':constraints' uses constraints, which"):
        load_task(*files)
    files = write(tmp_path, domain, problem)
    with pytest.raises(UnsupportedError, match="2: the requirement :constraints uses constraints"):
        load_task(*files)
    task = task_of(check_pddl(*files, rewrite=without_constraints), str(files[1]))
    assert task.pddl is not None
    assert task.pddl.constraints == (("always", ("not", ("on", "a", "table"))),)
    assert ":constraints" in task.pddl.requirements


def test_a_campaign_on_a_loaded_task_keeps_its_pddl(tmp_path: Path) -> None:
    task = load_task(*write(tmp_path))
    options = CostOptions(task=(), policy="greedy:hff")
    folder = tmp_path / "campaign"
    with Campaign.create(folder, options, subject=task):
        pass
    assert (folder / "domain.pddl").read_text() == DOMAIN
    with Campaign.open(folder) as campaign:
        assert campaign.equipment.bench.task.pddl == task.pddl
    with CostRecords(folder) as records, bench_of(folder, records.header) as bench:
        assert bench.task.pddl_texts == task.pddl_texts
