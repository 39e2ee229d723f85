"""A task in another order is the same task; anything else is refused by a sentence."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given

from bugsieve.rooms.formats.servers.matching import OtherTaskError, match
from tests.property.strategies import sas_tasks, seeds, some_states
from tests.reference.sas import Fact, SasEffect, SasOperator, SasTask, SasVariable
from tests.unit.policies.line import as_task


def shuffled(task: SasTask, seed: int) -> SasTask:
    """The same task with variables, values and operators in another order."""
    random = Random(seed)
    places = random.sample(range(len(task.variables)), len(task.variables))
    values = [random.sample(range(v.size), v.size) for v in task.variables]

    def fact(old: Fact) -> Fact:
        return places.index(old[0]), values[old[0]].index(old[1])

    def effect(old: SasEffect) -> SasEffect:
        variable, after = fact((old.variable, old.after))
        before = -1 if old.before == -1 else fact((old.variable, old.before))[1]
        return SasEffect(tuple(map(fact, old.conditions)), variable, before, after)

    operators = [
        SasOperator(op.name, tuple(map(fact, op.prevail)), tuple(map(effect, op.effects)), op.cost)
        for op in task.operators
    ]
    return replace(
        task,
        variables=tuple(
            SasVariable(f"v{at}", tuple(task.variables[old].facts[v] for v in values[old]))
            for at, old in enumerate(places)
        ),
        mutexes=(),
        initial=tuple(values[old].index(task.initial[old]) for old in places),
        goal=tuple(map(fact, task.goal)),
        operators=tuple(random.sample(operators, len(operators))),
    )


@given(sas_tasks(), seeds())
def test_another_order_is_the_same_task(reference: SasTask, seed: int) -> None:
    ours, theirs = as_task(reference), as_task(shuffled(reference, seed))
    matching = match(theirs, ours)
    states = np.array(some_states(reference, seed, 20), dtype=np.uint16)
    mapped = np.array(matching.states(states), dtype=np.uint16)
    assert theirs.is_goal(mapped).tolist() == ours.is_goal(states).tolist()
    for operator, twin in enumerate(matching.operators):
        assert theirs.operator_names[operator] == ours.operator_names[twin]
        here = theirs.is_applicable(mapped, np.full(len(mapped), operator))
        there = ours.is_applicable(states, np.full(len(states), twin))
        assert here.tolist() == there.tolist()
        after = theirs.successors(mapped[here], np.full(here.sum(), operator))
        ours_after = ours.successors(states[there], np.full(there.sum(), twin))
        assert after.tolist() == matching.states(ours_after)


@given(sas_tasks())
def test_the_same_text_needs_no_matching(reference: SasTask) -> None:
    task = as_task(reference)
    matching = match(task, task)
    assert matching.states(task.initial_state[None]) == [task.initial_state.tolist()]
    assert matching.operators.tolist() == list(range(task.num_operators))


def test_costs_do_not_matter_where_there_are_none() -> None:
    ours = as_task(replace(BASE, metric=False))
    assert match(as_task(BASE), ours).operators.tolist() == [0, 1]
    with pytest.raises(OtherTaskError, match="operator"):
        match(ours, as_task(BASE))


@pytest.mark.parametrize("seed", range(4))
def test_negations_may_be_called_otherwise(seed: int) -> None:
    lit = SasVariable("var1", ("Atom LIT()", "<none of those>"))
    theirs = shuffled(replace(BASE, variables=(BASE.variables[0], lit)), seed)
    ours = as_task(BASE)
    matching = match(as_task(theirs), ours)
    assert matching.states(ours.initial_state[None]) == [list(theirs.initial)]


BASE = SasTask(
    metric=True,
    variables=(
        SasVariable("var0", ("Atom at(a)", "Atom at(b)", "Atom at(c)")),
        SasVariable("var1", ("Atom lit()", "NegatedAtom lit()")),
    ),
    mutexes=(),
    initial=(0, 1),
    goal=((1, 0),),
    operators=(
        SasOperator("go a b", (), (SasEffect((), 0, 0, 1),), 3),
        SasOperator("light", ((0, 1),), (SasEffect((), 1, -1, 0),), 1),
    ),
)


def _with_operator(**changes: object) -> SasTask:
    return replace(BASE, operators=(replace(BASE.operators[0], **changes), BASE.operators[1]))  # type: ignore[arg-type]


OTHERS: dict[str, tuple[SasTask, str]] = {
    "another goal": (replace(BASE, goal=((0, 2),)), "its goal differs"),
    "another start": (replace(BASE, initial=(1, 1)), "its initial state differs"),
    "another cost": (_with_operator(cost=4), r"operator \(go a b\) differs"),
    "another name": (_with_operator(name="go a c"), r"operator \(go a c\) differs"),
    "another condition": (_with_operator(prevail=((1, 0),)), r"operator \(go a b\) differs"),
    "another effect": (
        _with_operator(effects=(SasEffect((), 0, 0, 2),)),
        r"operator \(go a b\) differs",
    ),
    "fewer operators": (replace(BASE, operators=BASE.operators[1:]), r"no operator \(go a b\)"),
    "more operators": (
        replace(BASE, operators=(*BASE.operators, BASE.operators[0])),
        r"operator \(go a b\) differs or is none",
    ),
    "another value": (
        replace(
            BASE,
            variables=(
                SasVariable("var0", ("Atom at(a)", "Atom at(b)", "Atom at(d)")),
                BASE.variables[1],
            ),
        ),
        r"no variable has the values \(at a\)",
    ),
    "another variable": (
        replace(
            BASE,
            variables=(*BASE.variables, SasVariable("var2", ("Atom new()", "NegatedAtom new()"))),
            initial=(0, 1, 1),
        ),
        "it has 3 variables where there are 2",
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_another_task_is_refused(name: str) -> None:
    other, sentence = OTHERS[name]
    with pytest.raises(OtherTaskError, match=sentence):
        match(as_task(other), as_task(BASE))
