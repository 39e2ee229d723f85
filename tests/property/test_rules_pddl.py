"""The validator of traces and the naive simulator of PDDL agree on random tasks."""

from __future__ import annotations

from collections import Counter
from random import Random

from bugsieve.rooms.rules.checker.rules_pddl import CertificateError, validate_plan
from bugsieve.rooms.rules.checker.rules_pddl_reader import (
    read_domain,
    read_expression,
    read_problem,
)
from bugsieve.rooms.rules.checker.rules_pddl_states import PddlTask
from tests.depth import examples
from tests.property.pddl_strategies import seeded_condition
from tests.reference.pddl import PddlState, ground_actions, parse_task
from tests.reference.pddl import PddlTask as Simulated
from tests.reference.pddl_parser import parse_condition as reference_condition
from tests.reference.pddl_parser import read_expression as reference_read

TASKS = examples(1500, quick=150)
STEPS = 6


def as_text(state: frozenset[tuple[str, ...]]) -> PddlState:
    return frozenset(f"({' '.join(atom)})" for atom in state)


def all_actions(task: Simulated) -> list[str]:
    return [
        f"({' '.join([action.name, *(binding[p.name] for p in action.parameters)])})"
        for action in task.domain.actions.values()
        for binding in task.bindings(action.parameters)
    ]


def test_states_actions_and_conditions() -> None:
    seen: Counter[object] = Counter()
    for seed in range(TASKS):
        random = Random(seed)
        text, formula, _ = seeded_condition(seed)
        simulated = parse_task(text.domain, text.problem)
        task = PddlTask(read_domain(text.domain), read_problem(text.problem))
        meaning = reference_condition(reference_read(formula))
        condition = read_expression(formula, "it")
        state, twin = task.initial, simulated.initial_state
        for _ in range(STEPS):
            assert as_text(state) == twin
            assert task.holds(task.goal, state) == simulated.holds_goal(twin)
            expected = simulated.holds(meaning, twin)
            assert task.holds(condition, state) == expected, formula
            seen["condition", expected] += 1
            name = random.choice(all_actions(simulated))
            if simulated.applicable(twin, name):
                state, twin = (
                    task.successor(state, task.resolve(name)),
                    simulated.apply(twin, name),
                )
            seen["applied", simulated.applicable(twin, name)] += 1
    assert min(seen.values()) > TASKS / 4


def test_plans() -> None:
    seen: Counter[bool] = Counter()
    for seed in range(TASKS):
        random = Random(seed)
        text, _, _ = seeded_condition(seed)
        simulated = parse_task(text.domain, text.problem)
        state = simulated.initial_state
        plan: list[str] = []
        for _ in range(STEPS):
            names = ground_actions(simulated, state)
            if not names or simulated.holds_goal(state):
                break
            plan.append(random.choice(names))
            state = simulated.apply(state, plan[-1])
        is_plan = True
        try:
            validate_plan(text.domain, text.problem, plan)
        except CertificateError:
            is_plan = False
        assert is_plan == simulated.holds_goal(state)
        seen[is_plan] += 1
        validate_plan(text.domain, text.problem, plan, must_reach_goal=False)
    assert min(seen.values()) > TASKS / 10
