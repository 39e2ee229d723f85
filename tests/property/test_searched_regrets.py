"""What searches say of actions not taken is what the exact costs of the task say."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

import numpy as np
import pytest

from bugsieve.explanation.patterns import searched
from bugsieve.explanation.patterns.features import Decision
from bugsieve.explanation.patterns.mining import ExactRegrets
from bugsieve.explanation.patterns.searched import SearchedRegrets, Solved
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.objectives import make_objective
from bugsieve.tasks.search import ExactCosts, exact_costs
from tests.depth import examples
from tests.property.strategies import LONG, seeded_task
from tests.unit.bugs.samples import TablePolicy
from tests.unit.policies.line import as_task


def made(seed: int, objective: str) -> tuple[Bench, ExactCosts, list[Solved]]:
    """A policy that mostly does right, the costs of its task, and its runs that reach the goal."""
    task, random = as_task(seeded_task(seed, LONG)), Random(seed)
    costs, table = exact_costs(task), {}
    for row, state in enumerate(costs.states):
        plan, choices = costs.plan(row), task.applicable(state).operators.tolist()
        if choices:
            table[tuple(state.tolist())] = (
                random.choice(choices) if random.random() < 0.2 or not plan else plan[0]
            )
    bench = Bench(task, TablePolicy(table), make_objective(objective, task), step_limit=1000)
    solved = [
        Solved(Decision(state.tobytes(), table[tuple(state.tolist())]), int(runs.costs[0]))
        for state in costs.states
        for runs in [bench.runs(state)]
        if runs.solved[0] and not task.is_goal(state)[0]
    ]
    return bench, costs, solved


@pytest.mark.parametrize("objective", ["quantitative", "qualitative"])
def test_searches_say_what_exact_costs_say(objective: str) -> None:
    right = wrong = 0
    for seed in range(examples(300, quick=40)):
        bench, costs, solved = made(seed, objective)
        some = solved[: searched.MOST_STATES]
        told = SearchedRegrets(bench, some).right(range(bench.task.num_operators)) or ()
        table = ExactRegrets(bench, costs)
        known = {
            one.decision.state: table.of_all(np.frombuffer(one.decision.state, dtype=np.uint16))
            for one in some
            if not bench.objective.costs_count or one.cost == cost_of(costs, one)
        }
        assert {state.tobytes(): losses(found) for state, found in told} == {
            state: losses(found) for state, found in known.items()
        }
        right += sum(not lost for _, found in told for lost in found.values())
        wrong += sum(lost > 0 for _, found in told for lost in found.values())
    assert min(right, wrong) >= examples(300, quick=40)


def cost_of(costs: ExactCosts, one: Solved) -> float:
    return float(costs.to_go(np.frombuffer(one.decision.state, dtype=np.uint16)[None])[0])


def losses(regrets: Mapping[int, float]) -> dict[int, bool]:
    """Which operators lose anything."""
    return {operator: lost > 0 for operator, lost in regrets.items()}


def test_nothing_is_said_where_a_search_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its answer might have been the counterexample."""
    bench, _, solved = next(
        found for seed in range(20) for found in [made(seed, "quantitative")] if found[2]
    )
    operators = range(bench.task.num_operators)
    assert SearchedRegrets(bench, solved).right(operators)
    monkeypatch.setattr(searched, "MOST_EXPANSIONS", 0)
    assert SearchedRegrets(bench, solved).right(operators) is None
    assert SearchedRegrets(bench, []).right(operators) is None
