"""Planted patterns of wrong decisions are found again; the figures are printed.

A pattern is planted into an optimal policy of a generated task: where a fact holds, it takes the
first action of a schema, or a certain operator, right or wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest

from bugsieve.base.seeds import Stream
from bugsieve.explanation.blame.exact_costs import costs_for, exact_culprit
from bugsieve.explanation.causes.cost import cause_of
from bugsieve.explanation.causes.groups import BugInGroup, count_lines, grouped
from bugsieve.explanation.patterns.features import Decision, words_of
from bugsieve.explanation.patterns.naming import Answers, FailingRun, patterns_of
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.objectives.objective import path_states
from tests.depth import IS_DEEP, examples
from tests.quality.planted_patterns import (
    DOMAINS,
    Patterned,
    Tabled,
    drawn,
    with_single_mistakes,
)

HARD = ("childsnack", "matching-blocksworld")
EACH = examples(16, quick=1)
TWO = examples(7, quick=1)
SMALL = sorted({*DOMAINS, "spanner"} - {"satellite", "visitall"})
"""Of the others the first has too many states to test all, and the second one schema alone: in
every state some `move` is right, so that nothing is a counterexample."""


class Told(NamedTuple):
    """What is said of the bugs of a policy."""

    blamed: Sequence[Decision]
    """The decision of each bug."""
    named: int
    """Bugs whose cause is the schema of the blamed decision."""
    causes: int
    """How many causes the bugs have: what was listed before patterns were."""
    lines: Sequence[Sequence[Decision]]
    """The decisions of each line that is listed."""


def told(made: Tabled, rows: list[int]) -> Told:
    """What a campaign that judges these states lists."""
    task, bench = made.habitat.task, made.bench
    answers = [
        Decision(made.habitat.states[row].tobytes(), int(made.actions[row])) for row in rows
    ]
    runs: list[FailingRun] = []
    blamed, named = {}, 0
    for certificate in made.certificates(rows):
        decision = blamed_decision(bench, certificate)
        cause, bug = cause_of(bench, certificate), str(len(runs))
        runs.append(FailingRun(bug, cause, certificate))
        blamed[bug] = decision
        schema = words_of(task.operator_names[decision.operator])[0]
        named += [step.schema for step in cause.steps] == [schema]
    patterns = patterns_of(bench, runs, Answers(answers, []))
    members = [BugInGroup(run.bug, 0, run.cause, patterns.get(run.bug)) for run in runs]
    lines: dict[str, list[Decision]] = {}
    for member in members:
        lines.setdefault(member.line, []).append(blamed[member.id])
    assert len(lines) == count_lines(grouped(members))
    causes = {run.cause for run in runs}
    return Told([*blamed.values()], named, len(causes), [*lines.values()])


def blamed_decision(bench: Bench, certificate: Mapping[str, Any]) -> Decision:
    """The first decision with a regret; in a loop that costs something, of the cycle."""
    costs, run = costs_for(bench), certificate["run"]
    start = np.array(certificate["state"], dtype=np.uint16)
    states = path_states(bench.task, start, tuple(run["operators"]))
    assert costs is not None
    index = exact_culprit(bench, run, states, costs)
    assert index is not None
    return Decision(states[index].tobytes(), run["operators"][index])


def said_of(made: Patterned) -> Told:
    """What is said of the bugs among some random states."""
    return told(made, made.tests(Stream(1, "tests of patterns")))


@pytest.mark.parametrize(("by_operator", "most"), [(False, 1.05), (True, 1.02)])
def test_a_planted_pattern_is_one_line(
    by_operator: bool, most: float, capsys: pytest.CaptureFixture[str]
) -> None:
    policies = [made for d in DOMAINS for made in drawn(d, EACH, by_operator=by_operator)]
    said = [(made, said_of(made)) for made in policies]
    found = [(made, one) for made, one in said if one.blamed]
    bugs, named = (sum(n) for n in zip(*((len(o.blamed), o.named) for _, o in found), strict=True))
    lines = sum(len(one.lines) for _, one in found)
    causes = sum(one.causes for _, one in found)
    planted = sum(
        words_of(made.habitat.task.operator_names[decision.operator])[0] == made.patterns[0].schema
        for made, one in found
        for decision in one.blamed
    )
    with capsys.disabled():
        what = "operator" if by_operator else "schema"
        print(
            f"\n{what} patterns: {lines} lines for {len(found)} policies, "
            f"{lines / len(found):.2f} each (by causes alone {causes / len(found):.2f}); "
            f"schema named in {named / bugs:.1%} of {bugs} bugs"
        )
        for domain, (unnamed, all_bugs) in unnamed_of(found).items():
            print(f"  {domain}: {unnamed} of {all_bugs} bugs without the schema")
    assert len(found) >= examples(140, quick=9)
    assert planted == bugs
    assert named >= 0.99 * bugs
    assert lines <= most * len(found)


def unnamed_of(found: Sequence[tuple[Patterned, Told]]) -> dict[str, tuple[int, int]]:
    """Bugs whose cause lacks the planted schema, and all, in domains with dead ends that h^max
    does not see."""
    counts: dict[str, tuple[int, int]] = {}
    for made, one in found:
        domain = made.domain
        unnamed, bugs = counts.get(domain, (0, 0))
        counts[domain] = unnamed + len(one.blamed) - one.named, bugs + len(one.blamed)
    return {domain: counts[domain] for domain in HARD if domain in counts}


def test_no_line_has_patterns_of_two_schemas(capsys: pytest.CaptureFixture[str]) -> None:
    mixed = bugs = lines = 0
    for domain in DOMAINS:
        patterns = [made.patterns[0] for made in drawn(domain, 2 * TWO)]
        for one, two in zip(patterns[::2], patterns[1::2], strict=True):
            if one.schema == two.schema:
                continue
            made = Patterned(domain, (one, two))
            said = said_of(made)
            bugs += len(said.blamed)
            lines += len(said.lines)
            mixed += sum(len(planted_in(made, line)) > 1 for line in said.lines)
    with capsys.disabled():
        print(f"\ntwo patterns of different schemas: {mixed} of {lines} lines mixed, {bugs} bugs")
    assert lines > 8 * TWO
    assert mixed == 0


def planted_in(made: Patterned, line: Sequence[Decision]) -> set[int]:
    """The patterns that made the decisions of a line."""
    states = np.array([np.frombuffer(one.state, dtype=np.uint16) for one in line])
    return set(made.pattern_at[made.habitat.registry.find(states)].tolist())


@pytest.mark.parametrize(("alike", "fewest"), [(False, 0.8), (True, 0.65)])
def test_single_mistakes_stay_apart(
    alike: bool, fewest: float, capsys: pytest.CaptureFixture[str]
) -> None:
    blamed = lines = 0
    for domain in SMALL if IS_DEEP else SMALL[::2]:
        for number in range(examples(6, quick=1)):
            made = with_single_mistakes(domain, number, alike=alike)
            if made is not None:
                said = told(made, np.flatnonzero(made.habitat.alive).tolist())
                blamed += len(set(said.blamed))
                lines += len(said.lines)
    with capsys.disabled():
        where = "one schema" if alike else "any schema"
        print(f"\nsix wrong states, {where}: {lines} lines for {blamed} wrong decisions blamed")
    assert blamed >= examples(200, quick=20)
    assert lines >= fewest * blamed
