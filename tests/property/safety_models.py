"""Random transition systems as JANI models, policies on them, and unsafe runs of these."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

from bugsieve.rooms.jani.model.loading import load_document
from bugsieve.rooms.jani.model.model import JaniModel, Valuations
from bugsieve.rooms.jani.policies.policy import ActionArray, ModelPolicy
from bugsieve.rooms.jani.policies.runs import UnsafeRun
from tests.depth import examples
from tests.reference.safety import GOAL, UNSAFE, System, random_system

ACTIONS = ("a", "b", "c")


class ListedPolicy(ModelPolicy):
    """An action per state of the system."""

    def __init__(self, model: JaniModel, actions: tuple[int, ...], spec: str = "listed") -> None:
        super().__init__(model, spec)
        self.actions = np.array(actions, dtype=np.int32)
        self.asked = 0

    def choose(self, states: Valuations) -> ActionArray:
        self.asked += len(states)
        return self.actions[states[:, 0].astype(np.int64)]


def _is_any(states: list[int]) -> Any:
    test: Any = False
    for state in states:
        test = {"op": "∨", "left": test, "right": {"op": "=", "left": "s", "right": state}}
    return {"op": "state-condition", "exp": test}


def _edge(state: int, action: int, outcomes: tuple[int, ...]) -> Any:
    return {
        "location": "l",
        "action": ACTIONS[action],
        "guard": {"exp": {"op": "=", "left": "s", "right": state}},
        "destinations": [
            {"location": "l", "assignments": [{"ref": "s", "value": outcome}]}
            for outcome in outcomes
        ],
    }


def document(system: System) -> dict[str, Any]:
    """The system as a JANI model with one variable, the number of the state."""
    size = len(system.kinds)
    states = {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": max(size - 1, 1)}
    goals = [s for s in system.states if system.kinds[s] == GOAL]
    dangers = [s for s in system.states if system.kinds[s] == UNSAFE]
    expression = {
        "op": "PA",
        "start": {"op": "initial"},
        "objective": {"op": "objective", "goal": _is_any(goals)},
        "reach": _is_any(dangers),
    }
    edges = [
        _edge(state, action, outcomes)
        for state in system.states
        for action, outcomes in system.transitions[state].items()
    ]
    automaton = {
        "name": "main", "locations": [{"name": "l"}], "initial-locations": ["l"], "edges": edges,
    }  # fmt: skip
    return {
        "jani-version": 1,
        "name": "system",
        "type": "mdp",
        "actions": [{"name": name} for name in ACTIONS],
        "variables": [{"name": "s", "type": states, "initial-value": 0}],
        "automata": [automaton],
        "system": {"elements": [{"automaton": "main"}]},
        "properties": [{"name": "safety", "expression": expression}],
    }


@dataclass(frozen=True)
class Case:
    """A system, its model, the policy, and runs of the policy into danger."""

    seed: int
    system: System
    model: JaniModel
    policy: ListedPolicy
    runs: tuple[tuple[int, ...], ...]

    def unsafe_run(self, states: tuple[int, ...]) -> UnsafeRun:
        words = self.model.pack(np.array(states, dtype=np.float64).reshape(-1, 1))
        actions = [self.system.policy[state] for state in states[:-1]]
        return UnsafeRun(words, np.array(actions, dtype=np.int32))


def cases(portion: int, count: int, **options: int) -> list[Case]:
    """Cases that have runs into danger, from a range of seeds."""
    found = []
    for seed in range(portion * count, portion * count + examples(count)):
        random = Random(seed)
        system = random_system(random, **options)
        runs = tuple(run for s in system.states if len(run := _walk(random, system, s)) > 1)
        if runs:
            model = load_document(document(system), name="system")
            policy = ListedPolicy(model, system.policy)
            found.append(Case(seed, system, model, policy, runs))
    return found


def _walk(random: Random, system: System, state: int) -> tuple[int, ...]:
    """A random run of the policy up to danger; nothing if it ends elsewhere."""
    run = [state]
    for _ in range(12):
        if system.kinds[run[-1]] == UNSAFE:
            return tuple(run)
        outcomes = system.transitions[run[-1]].get(system.policy[run[-1]])
        if system.is_final(run[-1]) or outcomes is None:
            return ()
        run.append(random.choice(outcomes))
    return ()
