"""Dominance functions in words: states of factors, names of facts, strongest pairs, samples."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from pathlib import Path

import numpy as np
import pytest

from bugsieve.base.current_activity import activities
from bugsieve.base.errors import UsageError
from bugsieve.rooms.dominance.description import StrongPair, describe_factor
from bugsieve.rooms.dominance.fact_words import FactWords, listed
from bugsieve.rooms.dominance.function import DominanceFunction
from bugsieve.rooms.dominance.options import DominanceOptions
from bugsieve.rooms.dominance.sampling import compare_random_pairs
from bugsieve.tasks.grounded.task import Task
from tests.depth import examples
from tests.reference.sas import SasEffect, SasOperator, SasTask, SasVariable
from tests.unit.dominance.naive import all_states, h_star
from tests.unit.dominance.random_tasks import random_tasks
from tests.unit.dominance.small_tasks import small_task
from tests.unit.policies.generated import generated_task
from tests.unit.policies.line import as_task, line_task

ATOMIC = DominanceOptions(merging="atomic")


@pytest.mark.parametrize("limit", [0, 30, 300, 10_000])
def test_states_of_factors_are_where_places_says(limit: int) -> None:
    several = 0
    for task in random_tasks(examples(300, quick=60)):
        function = DominanceFunction.compute(task, DominanceOptions(max_transitions=limit))
        met = np.array(all_states(task), dtype=np.uint16)
        for factor, block in enumerate(function.blocks):
            states = function.states(factor)
            assert states.shape == (len(function.table(factor)), len(block))
            whole = np.repeat(met[:1], len(states), axis=0)
            whole[:, block] = states
            places = function.places(whole)[:, factor]
            np.testing.assert_array_equal(places, np.arange(len(states)))
            located = function.places(met)[:, factor]
            inside = located >= 0
            np.testing.assert_array_equal(states[located[inside]], met[inside][:, block])
            several += len(block) > 1
    assert bool(several) == bool(limit)


def test_goal_distances_of_the_only_factor_are_costs_of_plans() -> None:
    alone = 0
    for task in random_tasks(examples(200, quick=40)):
        function = DominanceFunction.compute(task)
        if len(function.blocks) != 1:
            continue
        h, states = h_star(task), all_states(task)
        places = function.places(np.array(states, dtype=np.uint16))[:, 0]
        distances = function.goal_distances(0)
        for state, place in zip(states, places.tolist(), strict=True):
            assert place < 0 or distances[place] == h[state]
            alone += place >= 0
    assert alone > 50


def test_no_such_factor() -> None:
    function = DominanceFunction.compute(line_task(3))
    for ask in (function.states, function.goal_distances, function.table):
        with pytest.raises(UsageError, match="there is no factor 1 among 1"):
            ask(1)


def named(*values: str) -> Task:
    """A task of one variable."""
    step = SasOperator("go", (), (SasEffect((), 0, 0, 1),), 1)
    variable = SasVariable("var0", values)
    return as_task(SasTask(True, (variable,), (), (0,), ((0, 1),), (step,)))


@pytest.mark.parametrize(
    ("names", "variable", "values", "short"),
    [
        (("Atom at(t, a)", "Atom at(t, b)"), "(at t ?)", ["(at t a)", "(at t b)"], ["a", "b"]),
        (
            ("Atom at(p, a)", "Atom at(p, b)", "Atom in(p, t)"),
            "(at p ?)/(in p t)",
            ["(at p a)", "(at p b)", "(in p t)"],
            ["at a", "at b", "in"],
        ),
        (
            ("Atom free()", "NegatedAtom free()"),
            "(free)",
            ["(free)", "(not (free))"],
            ["yes", "no"],
        ),
        (("Atom free()", "<none of those>"), "(free)", ["(free)", "(not (free))"], ["yes", "no"]),
        (
            ("Atom at(a)", "Atom at(b)", "<none of those>"),
            "(at ?)",
            ["(at a)", "(at b)", "none of (at ?)"],
            ["a", "b", "none of those"],
        ),
        (("red", "green"), "var0", *[["var0 = red", "var0 = green"]] * 2),
        (("NegatedAtom on(a, b)", "x"), "var0", *[["(not (on a b))", "var0 = x"]] * 2),
    ],
)
def test_facts_in_words(
    names: tuple[str, ...], variable: str, values: list[str], short: list[str]
) -> None:
    words = FactWords(named(*names))
    assert words.variable(0) == variable
    assert [words.value(0, value) for value in range(len(names))] == values
    assert [words.short_value(0, value) for value in range(len(names))] == short


def test_lists_in_sentences() -> None:
    assert listed(["a"]) == "a"
    assert listed(["a", "b"]) == "a and b"
    assert listed(["a", "b", "c", "d"]) == "a, b, c and d"
    assert listed(["a", "b", "c", "d", "e"]) == "a, b, c and 2 facts more"


def test_sentences() -> None:
    pair = StrongPair(source=("(at b)",), target=("(at a)",), where=(), value=3)
    assert str(pair) == "with (at a) it is at least 3 cheaper than with (at b)"
    assert str(replace(pair, value=0)) == "with (at a) it is no dearer than with (at b)"
    assert str(replace(pair, value=-14)) == "with (at a) it is at most 14 dearer than with (at b)"
    assert str(replace(pair, where=("(hot)", "(wet)"))).endswith("(at b), where (hot) and (wet)")


def test_the_strongest_pairs_of_a_line() -> None:
    function = DominanceFunction.compute(line_task(5, right_costs=[1, 2, 3, 4]))
    described = describe_factor(function, 0)
    assert (described.states, described.pairs, described.finite) == (5, 20, 20)
    assert described.variables == ("(at ?)",)
    told = [(pair.source[0], pair.target[0], pair.value) for pair in described.strongest]
    assert told == [
        ("(at p0)", "(at p4)", 10),
        ("(at p1)", "(at p3)", 5),
        ("(at p1)", "(at p0)", -1),
        ("(at p2)", "(at p1)", -2),
    ]


def test_pairs_of_larger_factors_say_where_they_hold(tmp_path: Path) -> None:
    """No difference is told of twice, and no state in which a ball is in two places."""
    function = DominanceFunction.compute(generated_task(tmp_path, "gripper", balls=2))
    described = describe_factor(function, 0)
    kinds = [np.sign(pair.value) for pair in described.strongest]
    assert kinds == [1, 1, 1, 0, -1, -1]
    for pair in described.strongest:
        assert len(pair.source) == len(pair.target) > 0
        assert len(pair.source) + len(pair.where) == len(described.variables)
        assert not set(pair.source) & set(pair.target)
        carried = [fact for fact in (*pair.where, *pair.target) if fact.startswith("(carry ball1")]
        lying = [fact for fact in (*pair.where, *pair.target) if fact.startswith("(at ball1")]
        assert len(carried) + len(lying) <= 1
    for sign in (1, -1):
        told = [(p.source, p.target) for p in described.strongest if np.sign(p.value) == sign]
        assert len(set(told)) == len(told)


def test_what_is_told_is_true() -> None:
    """A pair changes the facts of a state from those of its source to those of its target."""
    told = 0
    for task in random_tasks(examples(200, quick=40)):
        function = DominanceFunction.compute(task, ATOMIC)
        h, words = h_star(task), FactWords(task)
        for factor, (variable,) in enumerate(function.blocks):
            values = {words.value(variable, x): x for x in range(task.domain_sizes[variable])}
            for pair in describe_factor(function, factor).strongest:
                (source,), (target,) = pair.source, pair.target
                for state in all_states(task):
                    if state[variable] != values[source] or h[state] == inf:
                        continue
                    other = (*state[:variable], values[target], *state[variable + 1 :])
                    assert function.between([state], [other])[0, 0] in (pair.value, -inf)
                    told += 1
    assert told > 100


def test_random_pairs_depend_on_the_seed_alone(tmp_path: Path) -> None:
    task = generated_task(tmp_path, "gripper", balls=3)
    function = DominanceFunction.compute(task, ATOMIC)
    found = [compare_random_pairs(function, seed=seed) for seed in (0, 0, 1)]
    assert found[0] == found[1] != found[2]
    assert 9000 < found[0].pairs <= 10_000
    assert found[0].share is not None and 0 < found[0].share <= 1


def test_the_share_of_random_pairs() -> None:
    """On a line there are bounds both ways; behind a step of no return there is one way only."""
    both = compare_random_pairs(DominanceFunction.compute(line_task(4)))
    assert both.pairs > 0 and both.finite == both.pairs
    needed = small_task("b=1", "a=1 -> b=1", "a=1 -> a=0", "b=1 -> b=0", initial="10")
    one_way = compare_random_pairs(DominanceFunction.compute(needed, ATOMIC))
    assert 0 < one_way.finite < one_way.pairs


def test_one_state_alone() -> None:
    stuck = small_task("a=1", "b=1 -> a=1")
    sample = compare_random_pairs(DominanceFunction.compute(stuck, ATOMIC))
    assert (sample.pairs, sample.share) == (0, None)


def test_it_says_what_it_is_doing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Whoever computes it, or waits for another process to do so."""
    monkeypatch.setenv("BUGSIEVE_CACHE", str(tmp_path))
    said: list[str | None] = []
    compute = DominanceFunction.compute.__func__  # type: ignore[attr-defined]

    def listening(cls: type[DominanceFunction], *arguments: object) -> DominanceFunction:
        said.append(activities().innermost())
        made: DominanceFunction = compute(cls, *arguments)
        return made

    monkeypatch.setattr(DominanceFunction, "compute", classmethod(listening))
    DominanceFunction.of(line_task(3))
    assert said == ["computing the dominance function of line, 0 s"]
