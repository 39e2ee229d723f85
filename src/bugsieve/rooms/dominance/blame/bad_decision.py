"""A decision of a bug's run that is bad by itself, for `explain` to name beside the blame."""

from __future__ import annotations

from bugsieve.explanation.blame.blame import Blame
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.objectives.objective import path_states
from bugsieve.rooms.dominance.decisions import bad_decisions, in_words
from bugsieve.rooms.dominance.function import DominanceFunction
from bugsieve.rooms.dominance.options import DominanceOptions
from bugsieve.rooms.dominance.oracles.local import LocalOracle
from bugsieve.tasks.grounded.task import StateArray, Task

QUICK = DominanceOptions(max_work=100_000_000, max_bytes=100 << 20)
"""Well below a second; where that is not enough, the function says less, never what is wrong."""


def bad_by_itself(bench: Bench, state: StateArray, found: Blame) -> str | None:
    """The blamed decision if dominance proves it bad, else the worst of those it does; or None.

    Only for runs that reach the goal, since it must be known that the state after a decision has
    a plan.
    """
    if LocalOracle.objection(bench) is not None:
        return None
    states = path_states(bench.task, state, found.run)
    if not bench.task.is_goal(states[-1:])[0]:
        return None
    bad = bad_decisions(_known_or_quick(bench.task), states, found.run)
    if not bad:
        return None
    worst = max(bad, key=lambda one: (one.index == found.index, one.loss))
    words = in_words(worst, bench.task, found.run)
    return f"{words}, whatever comes after it: proven by dominance"


def _known_or_quick(task: Task) -> DominanceFunction:
    if DominanceFunction.seconds_on_disk(task):
        return DominanceFunction.of(task)
    return DominanceFunction.compute(task, QUICK)
