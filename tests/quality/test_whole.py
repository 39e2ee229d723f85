"""One wrong state of a small task is found by a campaign with the defaults, and blamed."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from bugsieve.base.seeds import Stream
from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.options import CostOptions
from bugsieve.explanation.blame.blame import EXACT, blame
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.objectives import make_objective
from bugsieve.pipeline.objectives.objective import path_states
from bugsieve.tasks.grounded.task import NO_ACTION
from bugsieve.tasks.search import ExactCosts, exact_costs
from tests.depth import examples
from tests.quality.planted import ChangedPolicy, task_of


def optimal_but_for_one(exact: ExactCosts, stream: Stream) -> tuple[ChangedPolicy, int]:
    """A policy that follows cheapest plans but in one state, whose row is given as well."""
    task = exact.task
    plans = [exact.plan(row) or (NO_ACTION,) for row in range(len(exact))]
    table = {state.tobytes(): plan[0] for state, plan in zip(exact.states, plans, strict=True)}
    while True:
        row = stream.integer(0, len(exact) - 1)
        _, operators, _ = task.all_successors(exact.states[row])
        here = np.repeat(exact.states[[row]], len(operators), axis=0)
        wrong = operators[exact.regrets(here, operators) > 0]
        if exact.costs[row] > 0 and len(wrong):
            table[exact.states[row].tobytes()] = int(wrong[stream.integer(0, len(wrong) - 1)])
            return ChangedPolicy(table), row


def test_each_of_24_wrong_states_is_found_and_blamed(tmp_path: Path) -> None:
    """As gripper prob02: 1856 reachable states; walks found 13 of 24."""
    task = task_of("gripper", 1, balls=6, scattered=False)
    exact, objective = exact_costs(task), make_objective("quantitative", task)
    assert len(exact) == 1856
    for number in range(examples(24, quick=3)):
        policy, row = optimal_but_for_one(exact, Stream(number, "one wrong state"))
        folder, bench = tmp_path / str(number), Bench(task, policy, objective)
        options = CostOptions(task=(), policy=policy.spec)
        summary = Campaign.create(folder, options, task, policy=policy).run()
        assert summary.bugs >= 1 and summary.coverage.is_whole
        with CostRecords(folder) as records:
            bugs, (line,) = records.bugs(), records.causes()
        wrong = int(policy.table[exact.states[row].tobytes()])
        assert str(line.pattern) == f"({task.operator_names[wrong].strip('()')}) in one state"
        assert line.count == len(bugs)
        assert row in [bug.case for bug in bugs]
        for bug in bugs[:: max(1, len(bugs) // 5)]:
            certificate = bug.bug.certificate
            found = blame(bench, certificate)
            run = path_states(
                task, np.array(certificate["state"]), tuple(certificate["run"]["operators"])
            )
            assert found.sure == EXACT
            assert (run[found.index] == exact.states[row]).all()
