"""Tasks and networks to test ASNets with, and what the slow twin says of them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bugsieve.rooms.formats.asnets.grounding import Grounding, ground
from bugsieve.rooms.formats.asnets.policy import AsnetPolicy
from bugsieve.rooms.formats.asnets.weights import Module, Place, Weights, make_weights
from bugsieve.tasks.grounded.loading import load_task
from bugsieve.tasks.grounded.task import StateArray, Task
from tests.reference import asnets as twin
from tests.unit.policies.generated import generated_task

DOMAINS: dict[str, dict[str, int | str]] = {
    "blocksworld": {"blocks": 4},
    "gripper": {"balls": 3},
    "satellite": {},
    "storage": {"crates": 2},
    "transport": {"packages": 2, "nodes": 3},
    "visitall": {"width": 3, "height": 3},
}

# A hall in which lights are switched; nothing is ever dirty, `hidden` doors are never opened, and
# a lamp that is broken stays so. `wait` changes nothing.
HALL = """(define (domain hall)
(:requirements :typing :negative-preconditions :equality)
(:types place lamp)
(:constants exit - place)
(:predicates (at ?p - place) (way ?a ?b - place) (lit ?l - lamp) (in ?l - lamp ?p - place)
             (dirty ?p - place) (broken ?l - lamp) (unused ?p - place))
(:action go :parameters (?from ?to - place)
 :precondition (and (at ?from) (way ?from ?to) (not (= ?from ?to)))
 :effect (and (not (at ?from)) (at ?to) (not (dirty ?to))))
(:action switch :parameters (?l - lamp ?p - place)
 :precondition (and (at ?p) (in ?l ?p) (not (lit ?l)) (not (broken ?l)))
 :effect (lit ?l))
(:action dim :parameters (?l - lamp ?p - place)
 :precondition (and (at ?p) (in ?l ?p) (lit ?l))
 :effect (not (lit ?l)))
(:action leave :parameters (?from - place)
 :precondition (and (at ?from) (way ?from exit))
 :effect (and (not (at ?from)) (at exit)))
(:action wait :parameters (?p - place) :precondition (at ?p) :effect (at ?p)))
"""
PROBLEM = """(define (problem p) (:domain hall)
(:objects a b c - place k l m - lamp)
(:init (at a) (way a b) (way b a) (way b c) (way c exit) (way c a) (way a a)
       (in k a) (in l b) (in m b) (broken m) (lit k))
(:goal (and (at exit) (forall (?x - place) (not (dirty ?x))) (lit l) (in l b))))
"""


def written(folder: Path, domain: str, problem: str, name: str = "hall") -> Task:
    """The task of two texts."""
    paths = [folder / f"{name}-domain.pddl", folder / f"{name}-problem.pddl"]
    for path, text in zip(paths, (domain, problem), strict=True):
        path.write_text(text)
    return load_task(*map(str, paths), cache=False)


@cache
def hall() -> Task:
    """The task of the hall."""
    with TemporaryDirectory() as folder:
        return written(Path(folder), HALL, PROBLEM)


@cache
def made(domain: str) -> Task:
    """A small task of a built-in domain."""
    with TemporaryDirectory() as folder:
        return generated_task(Path(folder), domain, seed=1, **DOMAINS[domain])  # type: ignore[arg-type]


def noisy_weights(
    grounding: Grounding, *, seed: int = 0, hidden: int = 16, layers: int = 2
) -> Weights:
    """Random weights and biases."""
    rng = np.random.default_rng(seed)

    def module(place: Place, outputs: int, inputs: int) -> Module:
        weight = rng.normal(0, 1.5 / np.sqrt(inputs), (outputs, inputs))
        return Module(weight.astype(np.float32), rng.normal(0, 0.5, outputs).astype(np.float32))

    return make_weights(grounding.signature, module, hidden=hidden, layers=layers)


def network(
    task: Task,
    *,
    seed: int = 0,
    hidden: int = 16,
    layers: int = 2,
    baseline: bool = False,
    threads: int = 1,
) -> AsnetPolicy:
    """A policy with random weights."""
    grounding = ground(task)
    weights = noisy_weights(grounding, seed=seed, hidden=hidden, layers=layers)
    return AsnetPolicy(grounding, weights, "asnets:random", baseline=baseline, threads=threads)


def walked(task: Task, count: int, *, seed: int = 0) -> StateArray:
    """States of random walks from the initial state."""
    rng = np.random.default_rng(seed)
    states = [task.initial_state]
    while len(states) < count:
        operators = task.applicable(states[-1]).operators
        if not len(operators) or rng.random() < 0.05:
            states.append(task.initial_state)
            continue
        states.append(task.successors(states[-1], [rng.choice(operators)])[0])
    return np.array(states, dtype=np.uint16)


def lifted(grounding: Grounding) -> twin.Lifted:
    """The signature as the twin has it."""
    schemas = {
        schema.name: [(atom.predicate, *atom.arguments) for atom in schema.related]
        for schema in grounding.signature.schemas
    }
    return twin.Lifted(schemas, list(grounding.signature.predicates))


def words(text: str) -> twin.Atom:
    return tuple(text.strip("()").split())


def applicable_names(grounding: Grounding, state: StateArray) -> list[twin.Atom]:
    """The applicable actions that the policy knows, by name."""
    names = grounding.task.operator_names
    found = [words(names[op]) for op in grounding.task.applicable(state).operators]
    known = set(grounding.actions)
    return [name for name in found if name in known]


def twin_logits(policy: AsnetPolicy, state: StateArray, goal: set[str]) -> NDArray[Any]:
    """What the twin says of each action, in the order of the grounding."""
    grounding = policy.grounding
    view = twin.Ground(
        facts={words(fact) for fact in grounding.facts},
        actions=grounding.actions,
        goal={words(atom) for atom in goal},
        true={words(fact) for fact in grounding.task.facts(state)},
        applicable=set(applicable_names(grounding, state)),
    )
    found = twin.logits(lifted(grounding), view, policy.weights)
    return np.array([found[action] for action in grounding.actions])
