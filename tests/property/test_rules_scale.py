"""The verdicts on rules of random tasks are what their definitions say, in every reading."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any
from unittest.mock import patch

from hypothesis import given, settings

from bugsieve.rooms.rules.checker.rules import Checker
from bugsieve.rooms.rules.engine import refutations
from bugsieve.rooms.rules.file.binding import BoundRules, RuleInstance
from bugsieve.rooms.rules.file.grounding import GroundAtom
from bugsieve.rooms.rules.file.source import Position
from bugsieve.rooms.rules.ltl.constants import with_constants
from bugsieve.rooms.rules.ltl.formula import TRUE, Formula, negation
from bugsieve.rooms.rules.obligations.answers import NO_PLAN
from bugsieve.rooms.rules.obligations.grading import graded
from bugsieve.rooms.rules.obligations.judge import JudgeOptions, RuleJudge
from bugsieve.rooms.rules.obligations.obligation import FORBIDDEN, rule_obligations
from bugsieve.rooms.rules.obligations.task_world import TaskWorld
from bugsieve.rooms.rules.scale import HOLDS, NEVER, SAFETY, UNDECIDED, VIOLATED
from tests.depth import examples
from tests.property.rules_cases import RuleCase, RuleShape, random_rule
from tests.property.strategies import Shape, seeded_task, seeds
from tests.reference.refutations import Continuations, first_refutation
from tests.reference.rules import shortest_trace
from tests.reference.sas import SasTask
from tests.unit.policies.line import as_task

SHAPE = Shape(max_variables=2, max_size=3, max_operators=4, conditional=4)


def case(seed: int) -> tuple[SasTask, RuleCase, bool, JudgeOptions]:
    """A rule for a task, whether it is forbidden, and how it is read."""
    random = Random(seed)
    sas = seeded_task(seed, SHAPE)
    rule = random_rule(random, sas, RuleShape(max_atoms=2, depth=random.choice((2, 2, 3))))
    reading = random.randrange(4)
    options = JudgeOptions(with_goal=bool(reading & 1), lassos=bool(reading & 2))
    return sas, rule, random.random() < 0.4, options


def bound(rule: RuleCase, *, is_forbidden: bool) -> BoundRules:
    """The rule as a file would have it, atoms that never change folded."""
    ground = {name: GroundAtom(name, "", item) for name, item in rule.atoms.items()}
    known = {name: item for name, item in rule.atoms.items() if isinstance(item, bool)}
    kind: Any = FORBIDDEN if is_forbidden else "desired"
    plain = with_constants(rule.formula, known)
    position = Position("rules.toml", 1, 1)
    one = RuleInstance("R", "R", (), kind, plain, rule.formula, "ltl", "", position)
    return BoundRules((one,), ground, ())


def is_broken_for_ever(sas: SasTask, wanted: Formula, atoms: dict[str, Any]) -> bool:
    """Whether some trace without end breaks what is wanted."""
    rest = Continuations(sas, negation(wanted), atoms)
    here, _, labels = rest.start
    return any((here, one) in rest.lasting for one in labels)


def check_seed(seed: int) -> str:
    """One rule in one reading; its verdict."""
    sas, rule, is_forbidden, options = case(seed)
    rules = bound(rule, is_forbidden=is_forbidden)
    task = as_task(sas)
    judge = RuleJudge(TaskWorld(task, rules), options, Checker(task.to_sas()).check)
    answer = judge.judge(next(rule_obligations(rules.rules[0])))
    assert not judge.rejected, judge.rejected
    grade = graded(answer.verdict, is_forbidden=is_forbidden)
    wanted = negation(rule.formula) if is_forbidden else rule.formula
    broken_for_ever = is_broken_for_ever(sas, wanted, rule.atoms)
    if options.with_goal:
        plan = shortest_trace(sas, negation(wanted), rule.atoms, with_goal=True)
        is_broken = plan is not None
        has_plan = shortest_trace(sas, TRUE, {}, with_goal=True) is not None
    else:
        is_broken = first_refutation(sas, wanted, rule.atoms) is not None
        has_plan = True
    is_violated = is_broken or (options.lassos and broken_for_ever)
    is_unsure = grade == SAFETY and "no prefix was found" in answer.reason
    assert not is_unsure or refutations.MAX_PLACES == 1
    assert (grade == VIOLATED) == is_violated or (is_unsure and is_violated), (grade, answer)
    fine = NEVER if is_forbidden else HOLDS
    if grade == fine and not options.with_goal:
        assert not broken_for_ever, answer
    if grade == UNDECIDED:
        assert answer.reason == NO_PLAN and not has_plan, answer
    if not is_violated:
        wants = {SAFETY, fine} if not options.with_goal and not options.lassos else {fine}
        assert grade in wants or is_unsure or not has_plan, (grade, answer)
    return f"{grade}{' with-goal' * options.with_goal}{' lassos' * options.lassos}"


@given(seeds())
@settings(max_examples=examples(2000, quick=60))
def test_verdicts_are_those_of_brute_force(seed: int) -> None:
    check_seed(seed)


@given(seeds())
@settings(max_examples=examples(1000, quick=40))
def test_nothing_holds_in_vain_beyond_the_stated_size(seed: int) -> None:
    with patch.object(refutations, "MAX_PLACES", 1):
        check_seed(seed)


def test_all_verdicts_occur_in_all_readings() -> None:
    seen = Counter(check_seed(seed) for seed in range(examples(1000, quick=300)))
    for reading in ("", " with-goal", " lassos", " with-goal lassos"):
        assert {f"{grade}{reading}" for grade in (HOLDS, NEVER, VIOLATED)} <= set(seen), seen
    assert seen[SAFETY] and seen[f"{UNDECIDED} with-goal"], seen
    assert not any(name.startswith(SAFETY) and name != SAFETY for name in seen), seen
