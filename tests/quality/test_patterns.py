"""Planted patterns of wrong decisions are found again; the figures are printed.

A pattern is planted into an optimal policy of a generated task: where a fact holds, it takes the
first action of a schema, or a certain operator, right or wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pytest

from bugsieve.basis.seeds import Stream
from bugsieve.benches.objectives.objective import path_states
from bugsieve.faults.causes.cost import cause_of
from bugsieve.faults.exact_costs import costs_for, exact_culprit
from bugsieve.faults.patterns.features import Decision, words_of
from bugsieve.faults.patterns.mining import Mined, mined
from tests.depth import IS_DEEP, examples
from tests.quality.planted_patterns import (
    DOMAINS,
    Patterned,
    Tabled,
    drawn,
    with_single_mistakes,
)

EACH = examples(16, quick=1)
TWO = examples(7, quick=1)
SMALL = sorted({*DOMAINS, "spanner"} - {"satellite", "visitall"})
"""Of the others the first has too many states to test all, and the second one schema alone: in
every state some `move` is right, so that nothing is a counterexample."""


class Told(NamedTuple):
    """What is said of the bugs of a policy."""

    blamed: Sequence[Decision]
    named: int
    """Bugs whose cause is the schema of the blamed decision."""
    lines: Sequence[Mined]


def told(made: Tabled, rows: list[int]) -> Told:
    """The blamed decisions of the bugs among these states, and their patterns."""
    task, bench = made.habitat.task, made.bench
    costs = costs_for(bench)
    assert costs is not None
    blamed, done, named = [], [], 0
    done += [Decision(made.habitat.states[row].tobytes(), int(made.actions[row])) for row in rows]
    for certificate in made.certificates(rows):
        run, start = certificate["run"], np.array(certificate["state"], dtype=np.uint16)
        states = path_states(task, start, tuple(run["operators"]))
        steps = zip(states, run["operators"], strict=False)
        decisions = [Decision(state.tobytes(), operator) for state, operator in steps]
        index = exact_culprit(bench, run, states, costs)
        assert index is not None
        blamed.append(decisions[index])
        done += decisions
        schema = words_of(task.operator_names[run["operators"][index]])[0]
        named += [step.schema for step in cause_of(bench, certificate).steps] == [schema]
    return Told(blamed, named, [*mined(bench, costs, blamed, done)])


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
    planted = sum(
        words_of(made.habitat.task.operator_names[decision.operator])[0] == made.patterns[0].schema
        for made, one in found
        for decision in one.blamed
    )
    with capsys.disabled():
        what = "operator" if by_operator else "schema"
        print(
            f"\n{what} patterns: {lines} lines for {len(found)} policies, "
            f"{lines / len(found):.2f} each; schema named in {named / bugs:.1%} of {bugs} bugs"
        )
    assert len(found) >= examples(140, quick=9)
    assert planted == bugs
    assert named >= 0.99 * bugs
    assert lines <= most * len(found)


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


def planted_in(made: Patterned, line: Mined) -> set[int]:
    """The patterns that made the decisions of a line."""
    states = np.array([np.frombuffer(one.state, dtype=np.uint16) for one in line.decisions])
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
