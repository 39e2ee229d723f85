"""Small means to look at generated models: all reachable states, walks, successors by name."""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from bugsieve.rooms.jani.model.loading import load_document
from bugsieve.rooms.jani.model.model import JaniModel, Valuations
from bugsieve.rooms.safety.oracles.decide import Safety, SafetyDecider
from bugsieve.rooms.zoo.model_domains import generate_model

Values = Mapping[str, Any]
Successors = dict[str, set[tuple[Any, ...]]]


@lru_cache(maxsize=None, typed=True)
def made(name: str, seed: int = 0, **parameters: int | float | str) -> JaniModel:
    generated = generate_model(name, seed=seed, **parameters)
    return load_document(generated.document, name=generated.name)


def reachable(model: JaniModel, starts: Valuations) -> Valuations:
    """All states that any actions lead to; those after unsafe ones, too."""
    seen = {words.tobytes() for words in model.pack(starts)}
    layers, frontier = [starts], starts
    while len(frontier):
        outcomes = model.expand(frontier).outcomes
        new = []
        for row, words in enumerate(model.pack(outcomes) if len(outcomes) else ()):
            if words.tobytes() not in seen:
                seen.add(words.tobytes())
                new.append(row)
        frontier = outcomes[new]
        layers.append(frontier)
    return np.concatenate(layers)


def walk(model: JaniModel, start: Valuations, steps: int, seed: int) -> Valuations:
    """The states of a random walk that ends as runs do."""
    rng = random.Random(seed)
    states = [start]
    for _ in range(steps):
        here = states[-1][None]
        if model.is_unsafe(here)[0] or model.is_goal(here)[0]:
            break
        found = model.expand(here)
        if not len(found.actions):
            break
        action = rng.randrange(len(found.actions))
        low, high = found.outcome_offsets[action : action + 2]
        states.append(found.outcomes[rng.randrange(low, high)])
    return np.array(states)


def successors(model: JaniModel, state: Valuations) -> Successors:
    """The outcomes of each applicable action, as tuples in the order of the variables."""
    found = model.expand(state[None])
    offsets = found.outcome_offsets
    return {
        model.actions[action]: {tuple(row) for row in found.outcomes[low:high].tolist()}
        for action, low, high in zip(found.actions, offsets, offsets[1:], strict=False)
    }


def verdicts(model: JaniModel, states: Valuations) -> list[Safety]:
    found = SafetyDecider(model.system).decide(model.pack(states))
    return [found[row] for row in range(len(found))]


def listed(model: JaniModel) -> Valuations:
    """The start states of a model that lists them."""
    assert model.start_states is not None
    return model.start_states
