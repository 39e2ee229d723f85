"""A child process that asks unified-planning and Fast Downward for plans under constraints.

Usage: python -m benchmarks.trajectory_constraints DOMAIN PROBLEM SECONDS SIZES ANSWERS. The
problem has PDDL3 constraints; SIZES says how many of them, in turn, belong to each question, as in
1,1,2. The goal of the problem does not count. ANSWERS is a file: its first line is the CPU seconds
of reading and grounding, each further one the status and the CPU seconds of a question.

The task is grounded once, by the grounder of Fast Downward. That is kind to the peer:
TrajectoryConstraintsRemover alone grounds anew for every question, over all objects, and the
grounder of unified-planning 1.3.0 that it calls fails on rovers (`list.remove(x): x not in list`).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from unified_planning.engines import CompilationKind
from unified_planning.engines.compilers.trajectory_constraints_remover import (
    TrajectoryConstraintsRemover,
)
from unified_planning.exceptions import UPProblemDefinitionError
from unified_planning.io import PDDLReader
from unified_planning.model.walkers import ExpressionQuantifiersRemover
from unified_planning.shortcuts import OneshotPlanner, get_environment
from up_fast_downward import FastDownwardReachabilityGrounder

from benchmarks.usage import cpu_seconds

UNSOLVABLE = "UNSOLVABLE_PROVEN"


class Questions:
    """A grounded task without a goal, and constraints to add to it."""

    def __init__(self, domain: str, problem: str) -> None:
        given = PDDLReader().parse_problem(domain, problem)
        # The remover knows no equality: with quantifiers expanded, that of objects is decided.
        remover = ExpressionQuantifiersRemover(get_environment())
        self.constraints: list[Any] = [
            remover.remove_quantifiers(part, given).simplify()
            for constraint in given.trajectory_constraints
            for part in (constraint.args if constraint.is_and() else [constraint])
        ]
        given.clear_trajectory_constraints()
        given.clear_goals()
        with FastDownwardReachabilityGrounder() as grounder:
            self._task = grounder.compile(given, CompilationKind.GROUNDING).problem

    def ask(self, constraints: Sequence[Any], seconds: int) -> str:
        """Whether there is a plan that keeps the constraints, as the planner's status."""
        task = self._task.clone()
        for constraint in constraints:
            task.add_trajectory_constraint(constraint)
        try:
            with TrajectoryConstraintsRemover() as compiler:
                kind = CompilationKind.TRAJECTORY_CONSTRAINTS_REMOVING
                compiled = compiler.compile(task, kind).problem
        except UPProblemDefinitionError:  # the initial state breaks one: said by raising this
            return UNSOLVABLE
        limit = {"fast_downward_search_time_limit": f"{seconds}s"}  # of CPU time
        with OneshotPlanner(name="fast-downward", params=limit) as planner:
            return str(planner.solve(compiled).status.name)


def main() -> None:
    """Answer all questions."""
    domain, problem, seconds, sizes, answers = sys.argv[1:]
    get_environment().credits_stream = None
    start = cpu_seconds()
    questions = Questions(domain, problem)
    ends = list(accumulate(map(int, sizes.split(","))))
    if ends[-1] != len(questions.constraints):
        raise SystemExit(f"{len(questions.constraints)} constraints were read, not {ends[-1]}")
    with open(answers, "w", encoding="utf-8") as file:
        print(cpu_seconds() - start, file=file, flush=True)
        for first, end in zip([0, *ends], ends, strict=False):
            start = cpu_seconds()
            status = questions.ask(questions.constraints[first:end], int(seconds))
            print(status, cpu_seconds() - start, file=file, flush=True)


if __name__ == "__main__":
    main()
