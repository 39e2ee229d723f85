"""The patterns of a campaign's bugs, from what it has stored.

They depend on the task, the bugs and the policy's stored decisions alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from itertools import groupby, islice
from typing import Any, NamedTuple

import numpy as np

from bugsieve.base.errors import UnsupportedError
from bugsieve.explanation.blame.blame import EXACT, blame
from bugsieve.explanation.blame.exact_costs import costs_for, exact_culprit
from bugsieve.explanation.causes.cost import LIMITS
from bugsieve.explanation.causes.pattern import Pattern
from bugsieve.explanation.patterns.features import Decision, words_of
from bugsieve.explanation.patterns.mining import (
    Mined,
    by_schema,
    mined,
    mined_of_schema,
    operators_of,
)
from bugsieve.explanation.patterns.searched import SearchedRegrets, Solved
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.cause import Cause
from bugsieve.pipeline.objectives.objective import path_states
from bugsieve.tasks.grounded.task import Task
from bugsieve.tasks.search import ExactCosts

_DIGEST_LENGTH = 8
_MOST_ALONE = 10
"""The most decisions of one schema with lines of their own that share nothing with others."""
_MOST_RULES = 20
"""The most rules of one schema that are listed, those that explain most."""
_MOST_STEPS = 1_000
"""The runs of so many bugs, the first ones, are looked at for right decisions on them."""
_MOST_BLAMED = 500
"""The most bugs, the first ones, that are blamed by searches."""


class FailingRun(NamedTuple):
    """The run of a bug, which the checker has accepted."""

    bug: str
    cause: Cause
    certificate: Mapping[str, Any]
    """The state, and how the policy's run goes; of bugs blamed by searches, all of it."""


class Answers(NamedTuple):
    """The actions of a policy in the states that were judged."""

    decisions: Sequence[Decision]
    solved: Sequence[Solved]
    """The states among them from which its run reaches the goal."""


def patterns_of(
    bench: Bench, runs: Iterable[FailingRun], answers: Answers, *, search: bool = True
) -> dict[str, Pattern]:
    """The patterns of bugs by their ids, of those that have one.

    Without exact costs of the task, nothing is found unless it may `search`.
    """
    with suppress(UnsupportedError):  # the task within the condition is too large to search in
        blamed = filter(_is_by_decision, runs)
        if bench.objective.alternatives().task is not bench.task:
            return {}
        costs = costs_for(bench)
        if costs is not None:
            return _by_costs(bench, costs, blamed, answers)
        if search:
            return _by_searches(bench, blamed, answers)
    return {}


def _is_by_decision(run: FailingRun) -> bool:
    """Return true if one decision is to blame, as far as the cause tells."""
    return len(run.cause.steps) == 1 and not run.cause.details


def _by_costs(
    bench: Bench, costs: ExactCosts, runs: Iterable[FailingRun], answers: Answers
) -> dict[str, Pattern]:
    wrong, done = {}, [*answers.decisions]
    for number, run in enumerate(runs):
        steps = run.certificate["run"]
        start = np.array(run.certificate["state"], dtype=np.uint16)
        states = path_states(bench.task, start, tuple(steps["operators"]))
        decisions = zip(states, steps["operators"], strict=False)
        if number < _MOST_STEPS:
            done += [Decision(state.tobytes(), operator) for state, operator in decisions]
        index = exact_culprit(bench, steps, states, costs)
        if index is not None and index < len(steps["operators"]):
            wrong[run.bug] = Decision(states[index].tobytes(), steps["operators"][index])
    return _named(bench.task, wrong, mined(bench, costs, wrong.values(), done))


def _by_searches(
    bench: Bench, found: Iterable[FailingRun], answers: Answers
) -> dict[str, Pattern]:
    runs = [*islice(found, _MOST_BLAMED)]
    task, regrets = bench.task, SearchedRegrets(bench, answers.solved)
    schemas = sorted({run.cause.steps[0].schema for run in runs})
    right = {schema: regrets.right(operators_of(task, schema)) for schema in schemas}
    known = [run for run in runs if right[run.cause.steps[0].schema] is not None]
    wrong = dict(_blamed(bench, known))
    lines = (
        line
        for schema, decisions in by_schema(task, wrong.values()).items()
        for line in mined_of_schema(task, schema, decisions, right[schema] or ())
    )
    return _named(task, wrong, lines)


def _blamed(bench: Bench, runs: Iterable[FailingRun]) -> Iterator[tuple[str, Decision]]:
    """The decisions to blame, where few expansions prove which these are."""
    for run in runs:
        found = blame(bench, run.certificate, limits=LIMITS, thorough=False)
        if found.sure == EXACT and found.index < len(found.run):
            yield run.bug, Decision(found.state.tobytes(), found.run[found.index])


def _named(
    task: Task, wrong: Mapping[str, Decision], lines: Iterable[Mined]
) -> dict[str, Pattern]:
    patterns: dict[Decision, Pattern] = {}
    for schema, found in groupby(lines, key=lambda line: line.schema):
        patterns |= _of_decisions(task, schema, [*found])
    return {bug: patterns[one] for bug, one in wrong.items() if one in patterns}


def _of_decisions(task: Task, schema: str, lines: Sequence[Mined]) -> dict[Decision, Pattern]:
    """The patterns of all decisions of a schema.

    A policy that is wrong in many ways would have hundreds of lines; what is left beside the rules
    that explain most is one.
    """
    alone = [line for line in lines if line.features is None]
    rules = [line for line in lines if line.features is not None]
    rules.sort(key=lambda line: -len(line.decisions))  # of equal ones those found first
    rest = [*alone, *rules[_MOST_RULES:]]
    found = {one: _rule(line) for line in rules[:_MOST_RULES] for one in line.decisions}
    left = [one for line in rest for one in line.decisions]
    if rest == alone and len(alone) <= _MOST_ALONE:
        return found | {one: _single(task, one) for one in left}
    return found | dict.fromkeys(left, Pattern(schema, states=len(left)))


def _rule(line: Mined) -> Pattern:
    return Pattern(line.schema, tuple(feature.text for feature in line.features or ()))


def _single(task: Task, decision: Decision) -> Pattern:
    action = " ".join(words_of(task.operator_names[decision.operator]))
    return Pattern(action, state=sha256(decision.state).hexdigest()[:_DIGEST_LENGTH], states=1)
