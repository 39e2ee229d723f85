"""Policies that are wrong in many ways have few lines all the same."""

from __future__ import annotations

from bugsieve.explanation.causes.pattern import Pattern
from bugsieve.explanation.patterns.features import FACT, Decision, Feature
from bugsieve.explanation.patterns.mining import Mined
from bugsieve.explanation.patterns.naming import _of_decisions
from tests.unit.policies.line import line_task

TASK = line_task(4)
LEFT = TASK.operator_id("left p2")


def decision(number: int) -> Decision:
    return Decision(number.to_bytes(2, "little"), LEFT)


def single(number: int) -> Mined:
    return Mined("left", None, (decision(number),))


def rule(number: int, size: int) -> Mined:
    decisions = tuple(decision(100 * number + place) for place in range(size))
    return Mined("left", (Feature(FACT, f"(f{number})"),), decisions)


def test_few_single_decisions_have_lines_of_their_own() -> None:
    found = _of_decisions(TASK, "left", [*map(single, range(10)), rule(1, 3)])
    assert len(set(found.values())) == 11
    assert str(found[decision(0)]) == "(left p2) in one state"
    assert str(found[decision(100)]) == "left where (f1)"


def test_many_are_one_line() -> None:
    found = _of_decisions(TASK, "left", [*map(single, range(11)), rule(1, 3)])
    assert set(found.values()) == {Pattern("left", ("(f1)",)), Pattern("left", states=11)}
    assert str(found[decision(0)]) == "left in 11 states that no rule explains"


def test_the_rules_that_explain_most_are_listed() -> None:
    rules = [rule(number, 2 + number % 3) for number in range(1, 25)]
    found = _of_decisions(TASK, "left", rules)
    left = Pattern("left", states=8)
    assert len(set(found.values())) == 21 and sum(one == left for one in found.values()) == 8
    assert len(found) == sum(len(one.decisions) for one in rules)
    assert str(Pattern("left")) == "left wherever it applies"
