"""Finds the decision of the policy that is to blame for a bug.

Where costs count it is the first with a regret (`regret`), of the cycle if the run ends in one;
where only success counts, the first after which success is out of reach (`success`). The command
`explain` prints it. What is found depends on the task, the certificate and the limits alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bugsieve.explanation.blame import EXPANSIONS
from bugsieve.explanation.blame.regret import BlameQuestion, CulpritSearch, Suspect
from bugsieve.explanation.blame.success import LostSuccess
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.objectives.objective import path_states, plan_cost
from bugsieve.tasks.grounded.task import StateArray, Task
from bugsieve.tasks.search import Limits

EXACT = "exact"
BOUND = "bound"
NO_SINGLE_DECISION = "none: zero-cost loop"

DEFAULT_LIMITS = Limits(expansions=EXPANSIONS, bytes=1 << 30)


@dataclass(frozen=True, eq=False)
class Blame:
    """A decision, what the policy did there and what it should have done.

    For a loop that costs nothing no single decision is to blame: `index` is then the first one
    that leaves a way out of the loop aside.
    """

    index: int
    """The number of steps the policy took before the decision."""
    state: StateArray
    action: int | None
    """The policy's choice; None if it chose nothing, or nothing that exists."""
    better: int
    """The first action of `plan`."""
    sure: str
    """EXACT, BOUND (the searches hit their limits) or NO_SINGLE_DECISION."""
    sentence: str
    run: tuple[int, ...]
    """The policy's actions from the bug's state; the decision is number `index` of them."""
    plan: tuple[int, ...]
    """A better plan from the state of the decision."""
    plan_cost: int
    """The cost of the run up to the decision and the plan from there together."""
    suspects: tuple[Suspect, ...] = ()
    """The two decisions with the largest known regrets, where costs count."""

    @property
    def is_one_decision(self) -> bool:
        """Return true if a single decision is to blame."""
        return self.sure != NO_SINGLE_DECISION

    @property
    def better_run(self) -> tuple[int, ...]:
        """The policy's actions up to the decision, then the better plan."""
        return self.run[: self.index] + self.plan

    @property
    def named(self) -> tuple[int, ...]:
        """The decision to blame, then the others with the largest regrets."""
        others = (suspect.index for suspect in self.suspects)
        return tuple(dict.fromkeys((self.index, *others)))


def blame(
    bench: Bench,
    certificate: Mapping[str, Any],
    *,
    limits: Limits = DEFAULT_LIMITS,
    thorough: bool = True,
) -> Blame:
    """The decision to blame for the bug of a certificate, which must hold.

    All searches share the expansions of `limits`, and those of optimal search count as several on
    large tasks. Who is not `thorough` gets the same decision sooner where it is certain: states
    are not compared by dominance, and `suspects` need not have the largest regrets.
    """
    objective = bench.objective
    if objective.costs_count and objective.alternatives().task is bench.task:
        asked = BlameQuestion(sizes=thorough, compares=thorough)
        return _by_regret(
            bench, certificate, CulpritSearch(bench.task, certificate, limits, asked)
        )
    return _by_success(bench, certificate, limits)


def _by_regret(bench: Bench, certificate: Mapping[str, Any], search: CulpritSearch) -> Blame:
    found = search.culprit()
    run = search.course.run
    if found is None:
        index, plan = search.way_out()
        return made_blame(bench, certificate, BlameAnswer(index, NO_SINGLE_DECISION, run, plan))
    sure = EXACT if found.certain else BOUND
    plan = search.course.plan(found.index)
    return made_blame(
        bench, certificate, BlameAnswer(found.index, sure, run, plan, found.suspects)
    )


def _by_success(bench: Bench, certificate: Mapping[str, Any], limits: Limits) -> Blame:
    lost = LostSuccess(bench, certificate, limits)
    found = lost.culprit()
    if found is None:
        index, sure = lost.way_out(), NO_SINGLE_DECISION
    else:
        index, sure = found[0], EXACT if found[1] else BOUND
    return made_blame(bench, certificate, BlameAnswer(index, sure, lost.run, lost.plan(index)))


@dataclass(frozen=True)
class BlameAnswer:
    """The results of searches; the rest of a blame follows from them and the certificate."""

    index: int
    sure: str
    run: tuple[int, ...]
    plan: tuple[int, ...]
    suspects: tuple[Suspect, ...] = ()


def made_blame(bench: Bench, certificate: Mapping[str, Any], answer: BlameAnswer) -> Blame:
    """The blame that an answer stands for."""
    task, index, run = bench.task, answer.index, answer.run
    start = np.array(certificate["state"], dtype=np.uint16)
    return Blame(
        index=index,
        state=path_states(task, start, run[:index])[-1],
        action=run[index] if index < len(run) else _chosen(task, certificate),
        better=answer.plan[0],
        sure=answer.sure,
        sentence=_sentence(bench.objective.possible, answer),
        run=run,
        plan=answer.plan,
        plan_cost=plan_cost(task, run[:index]) + plan_cost(task, answer.plan),
        suspects=answer.suspects,
    )


def _chosen(task: Task, certificate: Mapping[str, Any]) -> int | None:
    chosen = certificate["run"]["chosen"]
    is_operator = chosen is not None and 0 <= chosen < task.num_operators
    return int(chosen) if is_operator else None


def _sentence(possible: str, answer: BlameAnswer) -> str:
    doubt = ", as far as the searches could tell" if answer.sure == BOUND else ""
    if answer.sure == NO_SINGLE_DECISION:
        return (
            "no single decision is to blame: each leaves the goal as near as it was, but "
            "together they go in a circle"
        )
    if answer.index == len(answer.run):
        return f"{possible} to the last, where the policy gave no usable action{doubt}"
    return f"{possible} before this decision, but not after it{doubt}"
