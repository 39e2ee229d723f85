"""An ASNet module by module, in 64-bit floats and by the names of things, and forward h² by sets.

Knows nothing of index arrays: a fact is its text, and vectors are looked up by it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

Atom = tuple[str, ...]
Vector = NDArray[np.float64]
Vectors = dict[Any, Vector]


@dataclass(frozen=True)
class Lifted:
    """Schemas with their related atoms, whose arguments are places of parameters or objects."""

    schemas: Mapping[str, Sequence[Sequence[str | int]]]
    predicates: Sequence[str]


@dataclass(frozen=True)
class Ground:
    """What a state looks like; actions and facts by name."""

    facts: Set[Atom]
    actions: Sequence[Atom]
    goal: Set[Atom]
    true: Set[Atom]
    applicable: Set[Atom]


def related(lifted: Lifted, action: Atom) -> list[Atom]:
    """The facts of an action, in order."""
    return [
        tuple(action[1 + word] if isinstance(word, int) else word for word in atom)
        for atom in lifted.schemas[action[0]]
    ]


def slots(lifted: Lifted, predicate: str) -> list[tuple[str, int]]:
    """Where schemas have the predicate."""
    return [
        (schema, position)
        for schema, atoms in lifted.schemas.items()
        for position, atom in enumerate(atoms)
        if atom[0] == predicate
    ]


def logits(lifted: Lifted, ground: Ground, weights: Any) -> dict[Atom, float]:
    """The score of every action; `weights` has modules by layer and name."""
    hidden, layers = weights.hidden, len(weights.predicates)
    missing = np.full(hidden, -1.0)
    behind = _behind(lifted, ground)
    actions: Vectors = {}
    for action in ground.actions:
        facts = related(lifted, action)
        inputs = [float(fact in ground.true) for fact in facts]
        inputs += [float(fact in ground.goal) for fact in facts]
        inputs.append(float(action in ground.applicable))
        actions[action] = elu(apply(weights.actions[0][action[0]], np.array(inputs)))
    facts_before: Vectors = {}
    for layer in range(layers):
        vectors: Vectors = {}
        for fact in ground.facts:
            parts = []
            for schema, position in slots(lifted, fact[0]):
                pooled = [actions[action] for action in behind.get((schema, position, fact), ())]
                parts.append(np.max(pooled, axis=0) if pooled else missing)
            if not parts:
                continue
            if layer > 0:
                parts.append(facts_before[fact])
            vectors[fact] = elu(apply(weights.predicates[layer][fact[0]], np.concatenate(parts)))
        facts_before = vectors
        after: Vectors = {}
        for action in ground.actions:
            parts = [vectors.get(fact, missing) for fact in related(lifted, action)]
            parts.append(actions[action])
            sums = apply(weights.actions[layer + 1][action[0]], np.concatenate(parts))
            after[action] = sums if layer + 1 == layers else elu(sums)
        actions = after
    return {action: float(vector[0]) for action, vector in actions.items()}


def _behind(lifted: Lifted, ground: Ground) -> dict[tuple[str, int, Atom], list[Atom]]:
    """The actions of a schema whose related fact at a position is the fact."""
    found: dict[tuple[str, int, Atom], list[Atom]] = {}
    for action in ground.actions:
        for position, fact in enumerate(related(lifted, action)):
            found.setdefault((action[0], position, fact), []).append(action)
    return found


def apply(module: Any, inputs: Vector) -> Vector:
    """The sums of one module."""
    weight, bias = (np.asarray(part, dtype=np.float64) for part in module)
    return np.asarray(weight @ inputs + bias)


def elu(sums: Vector) -> Vector:
    """x, or e^x - 1 below 0."""
    return np.where(sums > 0, sums, np.expm1(np.minimum(sums, 0)))


def choice(scores: Mapping[Atom, float], applicable: Iterable[Atom]) -> Atom | None:
    """Of the applicable actions within 1e-4 of the best score, the first as strings."""
    offered = list(applicable)
    if not offered:
        return None
    best = max(scores[action] for action in offered)
    return min(action for action in offered if best - scores[action] <= 1e-4)


@dataclass(frozen=True)
class Action:
    """First deletes, then adds."""

    needs: frozenset[int]
    refuses: frozenset[int]
    adds: frozenset[int]
    deletes: frozenset[int]


def reached(initial: Set[int], actions: Sequence[Action]) -> list[bool]:
    """Forward h² over literals, the negative ones that some action needs among them."""
    negated = {fact for action in actions for fact in action.refuses}
    pairs = set(
        product(*[[*((f, True) for f in initial), *((f, False) for f in negated - initial)]] * 2)
    )
    steps = [_literals(action, negated) for action in actions]
    found = [False] * len(actions)
    before = -1
    while before != len(pairs):
        before = len(pairs)
        known = {literal for pair in pairs for literal in pair}
        for number, (needs, adds, deletes) in enumerate(steps):
            if any(pair not in pairs for pair in product(needs, needs)):
                continue
            found[number] = True
            beside = {
                literal
                for literal in known - deletes
                if all((literal, need) in pairs for need in needs)
            }
            for literal in adds:
                pairs |= {(literal, other) for other in beside | adds}
                pairs |= {(other, literal) for other in beside | adds}
    return found


_Literals = frozenset[tuple[int, bool]]


def _literals(action: Action, negated: Set[int]) -> tuple[_Literals, _Literals, _Literals]:
    gone = action.deletes - action.adds
    needs = {(f, True) for f in action.needs} | {(f, False) for f in action.refuses}
    adds = {(f, True) for f in action.adds} | {(f, False) for f in gone & negated}
    deletes = {(f, True) for f in gone} | {(f, False) for f in action.adds & negated}
    return frozenset(needs), frozenset(adds), frozenset(deletes)
