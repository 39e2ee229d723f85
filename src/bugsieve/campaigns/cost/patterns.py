"""The patterns of a campaign's bugs, found from its store whenever a session ends.

They are kept beside the bugs. So who reads the campaign searches nothing, and a campaign that was
cut and resumed has the same as one that was not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.store.schema import damaged
from bugsieve.explanation.patterns.features import Decision
from bugsieve.explanation.patterns.naming import Answers, FailingRun, patterns_of
from bugsieve.explanation.patterns.searched import Solved
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.bug import Bug
from bugsieve.policies.decisions import Ending
from bugsieve.tasks.grounded.task import Task


def pattern_notes(records: CostRecords, bench: Bench, *, search: bool) -> dict[str, Any]:
    """What to keep of each bug that has a pattern, by its id.

    Measurements have none: what is new to them must not depend on other bugs.
    """
    if records.is_sample or not records.bug_kinds():
        return {}
    runs = _failing_runs(records, bench.task)
    found = patterns_of(bench, runs, _answers(records), search=search)
    return {bug: pattern.to_json() for bug, pattern in found.items()}


def _failing_runs(records: CostRecords, task: Task) -> Iterator[FailingRun]:
    for row in records.each_bug():
        if not _is_of(task, row.bug):
            raise damaged(records.directory, f"table bugs, row {row.id}: is none of the task")
        yield FailingRun(row.id, row.cause, row.bug.certificate)


def _is_of(task: Task, bug: Bug) -> bool:
    """Return true if the run of a bug can be followed; whether it holds, the checker tells."""
    run, state = bug.certificate["run"], bug.certificate["state"]
    loop = run["loop_start"]
    return (
        len(state) == task.num_variables
        and all(0 <= value < size for value, size in zip(state, task.domain_sizes, strict=True))
        and all(0 <= operator < task.num_operators for operator in run["operators"])
        and (loop is None or 0 <= loop < len(run["operators"]))
    )


def _answers(records: CostRecords) -> Answers:
    """What the policy did in judged states; nothing where it looks at more than the state."""
    runs, actions = records.runs(), records.first_actions().tolist()
    states = records.pool().states[runs.numbers]
    decisions = [Decision(s.tobytes(), a) for s, a in zip(states, actions, strict=True)]
    known = zip(decisions, runs.endings.tolist(), runs.costs.tolist(), strict=True)
    solved = [
        Solved(one, cost)
        for one, ending, cost in known
        if ending == Ending.SOLVED and one.operator >= 0
    ]
    return Answers([one for one in decisions if one.operator >= 0], solved)
