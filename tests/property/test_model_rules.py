"""Models that watch over rules, against direct monitoring of random walks."""

from __future__ import annotations

import json
from collections import Counter
from itertools import compress, product
from random import Random
from typing import Any

import numpy as np
import pytest

from bugsieve.base.errors import BugsieveError, UnsupportedError
from bugsieve.rooms.jani.model.loading import load_document
from bugsieve.rooms.jani.model.model import JaniModel
from bugsieve.rooms.rules.ltl.formula import Formula, atoms_of
from bugsieve.rooms.rules.ltl.traces import holds_on_lasso
from bugsieve.rooms.rules.models.bad_prefixes import bad_prefixes
from bugsieve.rooms.rules.models.product import Watched, watched_document
from tests.depth import examples
from tests.property.jani_models import ModelMaker
from tests.property.rules_cases import random_formula
from tests.reference.monitored import holds_for_ever, holds_strongly

NAMES = ("a", "b", "c")
COMPARISONS = ("=", "≤", "<", "≥", ">", "≠")


def random_model(seed: int) -> dict[str, Any] | None:
    """A model that can be loaded; None if it cannot."""
    document: dict[str, Any] = ModelMaker(seed).model()
    (found,) = document["properties"]
    expression = {**found["expression"], "reach": False, "start": {"op": "initial"}}
    document["properties"] = [{**found, "expression": expression}]
    for automaton in document["automata"]:
        count_steps(automaton)
    try:
        load_document(document, name="random")
    except BugsieveError:
        return None
    return document


def count_steps(automaton: dict[str, Any]) -> None:
    """Give an automaton a variable of its own: how often it took part, up to three."""
    bounds = {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 2}
    automaton["variables"] = [{"name": "own", "type": bounds, "initial-value": 0}]
    more = {"op": "+", "left": "own", "right": 1}
    step = {"ref": "own", "value": {"op": "%", "left": more, "right": 3}}
    for edge in automaton["edges"]:
        for destination in edge["destinations"]:
            destination.setdefault("assignments", []).append(step)


def random_atoms(document: dict[str, Any], random: Random) -> dict[str, Any]:
    """Comparisons of variables, which cannot go wrong."""
    atoms: dict[str, Any] = {}
    shown = load_document(document, name="random").variables  # local ones, too
    variables = [variable for variable in shown if not variable.locations]
    for name in NAMES:
        variable = random.choice(variables)
        is_bool = variable.type.kind == "bool"
        comparison = random.choice(("=", "≠") if is_bool else COMPARISONS)
        right = random.random() < 0.5 if is_bool else random.randint(-2, 5)
        atoms[name] = {"op": comparison, "left": variable.name, "right": right}
    return atoms


def holds(atom: dict[str, Any], values: dict[str, Any]) -> bool:
    left, right = values[atom["left"]], atom["right"]
    truths = {
        "=": left == right,
        "≠": left != right,
        "≤": left <= right,
        "<": left < right,
        "≥": left >= right,
        ">": left > right,
    }
    return bool(truths[atom["op"]])


def random_requirements(random: Random) -> list[tuple[str, Formula]]:
    """Safety rules, one or two."""
    found: list[tuple[str, Formula]] = []
    for number in range(60):
        formula = random_formula(random, NAMES, random.choice((1, 2, 3)), random.random() < 0.4)
        try:
            bad_prefixes(formula, name="R")
        except UnsupportedError:
            continue
        found.append((f"R{number}", formula))
        if len(found) > random.randint(0, 1):
            break
    return found


def successors(model: JaniModel, state: Any) -> list[tuple[int, tuple[float, ...]]]:
    found = model.expand(state)
    return sorted(
        (int(action), tuple(row))
        for number, action in enumerate(found.actions)
        for row in found.outcomes[
            found.outcome_offsets[number] : found.outcome_offsets[number + 1]
        ].tolist()
    )


def test_a_state_is_unsafe_as_soon_as_a_rule_is_broken_for_good() -> None:
    seen: Counter[str] = Counter()
    for seed in range(examples(400, quick=60)):
        random, document = Random(seed), random_model(seed)
        rules = random_requirements(random)
        if document is None or not rules:
            continue
        atoms = random_atoms(document, random)
        watched = [Watched(name, bad_prefixes(formula, name=name)) for name, formula in rules]
        before = json.dumps(document)
        plain = load_document(document, name="plain")
        model = load_document(watched_document(document, watched, atoms), name="watched")
        assert json.dumps(document) == before, "the original is never modified"
        # Silent edges whose guards are never true count in the one, but not in the other.
        assert plain.actions in (model.actions, (*model.actions, "τ"))
        assert model.seen_variables == plain.variables
        starts = model.start_states
        assert starts is not None
        seen["local"] += any(atom["left"].endswith("own") for atom in atoms.values())
        for _ in range(4):
            walk(model, plain, starts[random.randrange(len(starts))], rules, atoms, random, seen)
    assert min(seen[what] for what in ("danger", "at once", "step", "local")) >= examples(
        50, quick=10
    ), seen


def may_be_kept(formula: Formula, word: list[frozenset[str]]) -> bool:
    """Whether some small way to go on for ever satisfies the formula."""
    letters = [frozenset(compress(NAMES, truth)) for truth in product((0, 1), repeat=3)]
    tails = (tail for length in (1, 2) for tail in product(letters, repeat=length))
    return any(holds_on_lasso(formula, [*word, *tail], len(word)) for tail in tails)


def walk(
    model: JaniModel,
    plain: JaniModel,
    state: Any,
    rules: list[tuple[str, Formula]],
    atoms: dict[str, Any],
    random: Random,
    seen: Counter[str],
) -> None:
    """One walk, in which every state is compared with what rules say of its prefix."""
    width, word = plain.num_variables, []
    for step in range(12):
        values = plain.values(state[:width])
        word.append(frozenset(name for name, atom in atoms.items() if holds(atom, values)))
        is_unsafe = bool(model.is_unsafe(state)[0])
        if any(holds_strongly(~formula, word) for _, formula in rules):
            assert is_unsafe
        elif is_unsafe:  # the formula does not show it, but whatever follows breaks a rule
            seen["hidden"] += 1
            assert any(not may_be_kept(formula, word) for _, formula in rules)
        if is_unsafe:
            seen["danger" if step else "at once"] += 1
            return
        try:
            ours, theirs = successors(model, state), successors(plain, state[:width])
        except BugsieveError:
            return
        assert sorted({(action, row[:width]) for action, row in ours}) == sorted(set(theirs))
        if not ours:
            return
        state = np.array(random.choice(ours)[1])
        seen["step"] += 1


def test_only_safety_rules_are_taken() -> None:
    """A lasso that violates what was taken has a bad prefix."""
    seen: Counter[str] = Counter()
    for seed in range(examples(1500, quick=150)):
        random = Random(seed)
        formula = random_formula(random, NAMES, 2, random.random() < 0.4)
        try:
            automaton = bad_prefixes(formula, name="R")
        except UnsupportedError:
            seen["refused"] += 1
            continue
        names = atoms_of(formula)
        for _ in range(10):
            word = [
                frozenset(name for name in names if random.random() < 0.5)
                for _ in range(random.randint(1, 5))
            ]
            back = random.randrange(len(word))
            if not holds_for_ever(formula, word, back):
                unrolled = word + 4 * word[back:]
                assert automaton.accepts(unrolled), (formula, word, back)
                seen["bad"] += 1
    assert min(seen["refused"], seen["bad"]) >= examples(200, quick=20), seen


@pytest.mark.parametrize(
    ("text", "reason"),
    [("F a", "may still keep"), ("G(a -> F b)", "may still keep"), ("a U b", "never comes")],
)
def test_others_are_refused_by_name(text: str, reason: str) -> None:
    from bugsieve.rooms.rules.ltl.reader import Place, read_ltl

    formula = read_ltl(text, place=Place("here"))
    with pytest.raises(UnsupportedError, match=f"rule FR-9 is no safety rule.*{reason}"):
        bad_prefixes(formula, name="FR-9")
