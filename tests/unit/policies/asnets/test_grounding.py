"""The grounded structure: which actions and facts are in it, and how they map to the task."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bugsieve.base.errors import UnsupportedError
from bugsieve.rooms.formats.asnets.goals import goal_atoms
from bugsieve.rooms.formats.asnets.grounding import Grounding, ground
from bugsieve.tasks.grounded.loading import load_task
from bugsieve.tasks.grounded.task import Task
from tests.unit.policies.asnets.tasks import (
    DOMAINS,
    HALL,
    PROBLEM,
    hall,
    made,
    walked,
    words,
    written,
)


def test_actions_without_net_effect_are_not_in_it() -> None:
    task = hall()
    found = ground(task)
    names = {words(name) for name in task.operator_names}
    assert ("wait", "a") in names
    assert not any(action[0] == "wait" for action in found.actions)
    assert found.action_starts.tolist() == [0, 5, 7, 9, 10, 10]
    assert {action[1:] for action in found.actions if action[0] == "go"} == {
        ("a", "b"), ("b", "a"), ("b", "c"), ("c", "a"), ("c", "exit"),
    }  # fmt: skip


def test_facts_are_those_of_variables_and_static_ones() -> None:
    task = hall()
    found = ground(task)
    assert set(found.facts) == {
        atom for variable in task.variables for atom in variable.facts if atom is not None
    } | set(task.static_facts)
    assert not any("dirty" in fact for fact in found.facts)
    assert "(way a b)" in found.facts


def test_goal_flags_include_what_always_holds() -> None:
    found = ground(hall())
    goal = {fact for fact, flag in zip(found.facts, found.goal, strict=True) if flag}
    assert goal == {"(at exit)", "(lit l)", "(in l b)"}


def check_maps(task: Task, found: Grounding) -> None:
    states = walked(task, 30)
    truth, applicable = found.truth(states), found.applicable(states)
    known = set(found.operators.tolist())
    for row, state in enumerate(states):
        facts = task.facts(state)
        assert {f for f, true in zip(found.facts, truth[row], strict=True) if true} == facts
        offered = set(task.applicable(state).operators.tolist()) & known
        assert set(found.operators[applicable[row]].tolist()) == offered


def check_connections(task: Task, found: Grounding) -> None:
    names = [*found.facts, None]
    for number, schema in enumerate(found.signature.schemas):
        first, end = found.action_starts[number : number + 2]
        own = found.actions[first:end]
        assert list(own) == sorted(own)
        for action, row in zip(own, found.related[number], strict=True):
            atoms = [f"({' '.join(atom.ground(action[1:]))})" for atom in schema.related]
            assert [names[fact] for fact in row] == [
                atom if atom in names else None for atom in atoms
            ]
    for name, operator in zip(found.actions, found.operators, strict=True):
        assert words(task.operator_names[operator]) == name


def check_segments(found: Grounding) -> None:
    for number, (name, slots) in enumerate(found.signature.slots.items()):
        first, end = found.fact_starts[number : number + 2]
        assert all(words(fact)[0] == name for fact in found.facts[first:end])
        for slot, part in zip(slots, found.segments[number], strict=True):
            column = found.related[slot.schema][:, slot.position]
            for fact in range(first, end):
                begin, stop = part.offsets[fact - first : fact - first + 2]
                assert part.actions[begin:stop].tolist() == np.flatnonzero(column == fact).tolist()


@pytest.mark.parametrize("domain", [*DOMAINS, "hall"])
def test_maps_and_connections(domain: str) -> None:
    task = hall() if domain == "hall" else made(domain)
    found = ground(task)
    check_maps(task, found)
    check_connections(task, found)
    check_segments(found)
    assert sorted(found.actions) == [found.actions[k] for k in np.argsort(found.ranks)]


def test_actions_that_pairs_of_facts_rule_out_are_not_in_it(tmp_path: Path) -> None:
    # The kettle is hot only while it is on, since switching it off empties it; the translator's
    # invariants do not say so.
    domain = """(define (domain kettle) (:requirements :strips)
    (:predicates (on) (off) (hot) (tea))
    (:action start :parameters () :precondition (off) :effect (and (on) (not (off))))
    (:action heat :parameters () :precondition (on) :effect (hot))
    (:action stop :parameters () :precondition (on) :effect (and (off) (not (on)) (not (hot))))
    (:action pour :parameters () :precondition (and (off) (hot)) :effect (tea)))"""
    problem = "(define (problem p) (:domain kettle) (:init (off)) (:goal (hot)))"
    task = written(tmp_path, domain, problem, "kettle")
    found = ground(task)
    assert "(pour)" in task.operator_names
    assert ("pour",) not in found.actions
    assert len(found.actions) == 3


def test_goals_may_be_negated(tmp_path: Path) -> None:
    assert goal_atoms(hall()) == {"(at exit)", "(lit l)", "(in l b)"}
    negated = PROBLEM.replace("(lit l)", "(not (lit l))")
    assert "(lit l)" not in goal_atoms(written(tmp_path, HALL, negated))
    nested = PROBLEM.replace("(lit l)", "(not (or (lit k) (not (lit l))))")
    domain = HALL.replace(":equality", ":adl")
    assert goal_atoms(written(tmp_path, domain, nested)) == {"(at exit)", "(lit l)", "(in l b)"}


def test_tasks_from_sas_are_refused(tmp_path: Path) -> None:
    made("gripper").write_sas(tmp_path / "task.sas")
    with pytest.raises(UnsupportedError, match=r"this task comes from SAS; give domain\.pddl"):
        ground(load_task(str(tmp_path / "task.sas")))
