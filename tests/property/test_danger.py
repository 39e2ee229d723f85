"""The compiled distance to danger against its definition, on random formulas."""

from __future__ import annotations

import math
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bugsieve.rooms.jani.model.loading import load_document
from bugsieve.rooms.jani.model.model import JaniModel
from tests.depth import examples
from tests.reference.danger import distance
from tests.unit.tasks.jani.small import binary, bounded, edge, simple, variable

Json = Any

STATES = 20
INTEGERS, REALS, FLAGS = ("x", "y", "z"), ("r", "s"), ("b", "c")


class FormulaMaker:
    """Random Boolean combinations of linear constraints."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def formula(self, depth: int) -> Json:
        if depth == 0:
            return self._atom()
        op = self.random.choice(["∧", "∨", "⇒", "¬", "=", "≠", "ite", "atom"])
        if op == "atom":
            return self._atom()
        if op == "¬":
            return {"op": "¬", "exp": self.formula(depth - 1)}
        if op == "ite":
            return self._choice(self.formula(depth - 1), self.formula(depth - 1), depth)
        return binary(op, self.formula(depth - 1), self.formula(depth - 1))

    def _choice(self, then: Json, otherwise: Json, depth: int) -> Json:
        return {"op": "ite", "if": self.formula(depth - 1), "then": then, "else": otherwise}

    def _atom(self) -> Json:
        if self.random.random() < 0.2:
            return self.random.choice([*FLAGS, True, False])
        kinds = [self.random.choice(["int", "real"]) for _ in range(2)]
        op = self.random.choice(["<", "≤", ">", "≥", "=", "≠"])
        return binary(op, *(self._term(kind, 2) for kind in kinds))

    def _term(self, kind: str, depth: int) -> Json:
        literal = self.random.randint(-4, 4)
        value = literal if kind == "int" else literal / 2
        if depth == 0:
            return self.random.choice([value, *(INTEGERS if kind == "int" else REALS)])
        op = self.random.choice(["+", "-", "*", "min", "max", "abs", "ite", "leaf"])
        parts = [self._term(kind, depth - 1) for _ in range(2)]
        if op == "leaf":
            return parts[0]
        if op == "abs":
            return {"op": "abs", "exp": parts[0]}
        if op == "ite":
            return self._choice(parts[0], parts[1], 1)
        if op == "*":
            parts[self.random.randrange(2)] = value
        return binary(op, *parts)

    def state(self) -> dict[str, Any]:
        whole = {name: self.random.randint(-5, 5) for name in INTEGERS}
        real = {name: self.random.randint(-10, 10) / 4 for name in REALS}
        return whole | real | {name: self.random.random() < 0.5 for name in FLAGS}


def loaded(unsafe: Json) -> JaniModel:
    variables = [variable(name, bounded(-5, 5), 0) for name in INTEGERS]
    variables += [variable(name, bounded(-2.5, 2.5, "real"), 0.0) for name in REALS]
    variables += [variable(name, "bool", False) for name in FLAGS]
    document = simple(edge({}), variables=variables, unsafe=unsafe)
    return load_document(document, name="random")


@settings(max_examples=examples(200))
@given(seed=st.integers(0, 2**32))
def test_distances_are_those_of_the_definition(seed: int) -> None:
    maker = FormulaMaker(seed)
    formula = maker.formula(4)
    model = loaded(formula)
    states = [maker.state() for _ in range(STATES)]
    rows = np.array([model.state(values) for values in states])
    found = model.distances(rows)
    for values, row in zip(states, found, strict=True):
        wanted = distance(formula, values)
        if math.isinf(wanted):  # no state is unsafe
            assert row == 1
        else:
            assert row == pytest.approx(wanted, rel=1e-12, abs=1e-12)
    assert not found[model.is_unsafe(rows)].any()


def test_the_formulas_are_worth_looking_at() -> None:
    zero = positive = 0
    for seed in range(examples(200)):
        maker = FormulaMaker(seed)
        formula = maker.formula(4)
        for _ in range(STATES):
            found = distance(formula, maker.state())
            zero += found == 0
            positive += 0 < found < math.inf
    assert min(zero, positive) > examples(500)
