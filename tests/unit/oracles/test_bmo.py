"""Bound maintenance against a twin without short cuts: bounds, words, memory and lessons."""

from __future__ import annotations

from collections import Counter
from math import inf
from random import Random

import pytest

from bugsieve.base.errors import InputError, UsageError
from bugsieve.checkers.cost import check
from bugsieve.explanation.blame.blame import blame
from bugsieve.pipeline.bugs.bug import make_bug
from bugsieve.pipeline.bugs.replay import ReplayStatus, replay
from bugsieve.pipeline.bugs.verdict import Outcome, Verdict, inconclusive
from bugsieve.pipeline.oracles.combined import CombinedBounds
from bugsieve.pipeline.oracles.learning import KnownCase, LearningOracle, Learnt
from bugsieve.pipeline.oracles.registry import check_oracle_spec, make_oracle
from bugsieve.rooms.dominance.oracles.bmo import BoundMaintenance
from bugsieve.tasks.search import Limits, greedy
from tests.depth import examples
from tests.unit.dominance.naive import State
from tests.unit.dominance.plans import cost_of
from tests.unit.judging.told import bugs, known_cases, last_words
from tests.unit.oracles.benches import places, road_bench, road_map
from tests.unit.oracles.bound_cases import BoundCase, assert_true, bound_case
from tests.unit.oracles.naive_bounds import NaiveBounds
from tests.unit.oracles.naive_greedy import NaiveGreedy

SPECS = (
    "bmo:0",
    "bmo:10",
    "bmo:100",
    "bmo:3:as-published",
    "combined:bmo:0+planner:gbfs-5",
    "combined:bmo:3:as-published+planner:ehc",
)

ONCE_WRONG = (124, 241, 249, 256, 292)
"""Cases in which a state told nobody what it had from one that had not told it either."""


def state_of(case: KnownCase) -> State:
    return tuple(case.state.tolist())


def keeper(oracle: LearningOracle) -> BoundMaintenance:
    """The oracle that keeps the bounds, which may be a member of another."""
    found = oracle.members[0] if isinstance(oracle, CombinedBounds) else oracle
    assert isinstance(found, BoundMaintenance)
    return found


def bounds_of(oracle: LearningOracle, number: int) -> list[float]:
    """The bounds of the first cases."""
    found = [keeper(oracle)._bounds.bound(at) for at in range(number)]
    return [inf if bound < 0 else bound for bound in found]


def policy_cost(oracle: LearningOracle, case: KnownCase) -> float:
    cost = keeper(oracle)._policy_cost(case)
    return inf if cost < 0 else cost


# The twins.


def test_the_search_expands_what_its_twin_expands() -> None:
    for number in range(examples(300, quick=40)):
        case = bound_case(number)
        for known, bound, most in zip(
            case.cases, (None, 2, 3, 5, 8, None, 4), (1, 2, 5, 50, 1000, 1000, 1000), strict=False
        ):
            limits = Limits(expansions=most)
            found = greedy(case.task, known.state, limits=limits, cost_bound=bound)
            met = list(NaiveGreedy(case.task, state_of(known), bound).expansions(most))
            assert len(met) == found.expanded + (found.plan is not None)
            assert found.plan is None or met[-1][1] == list(found.plan)


def told(case: BoundCase, twin: NaiveBounds, oracle: LearningOracle, known: KnownCase) -> None:
    """Tell the twin what the oracle is told, which looks ahead only where it decides nothing."""
    expansions = keeper(oracle)._lookahead
    state, cost = state_of(known), policy_cost(oracle, known)
    twin.learn(state, known.run["operators"])
    if expansions and cost and twin.u[state] >= cost:
        twin.look_ahead(state, case.bench.objective.cost_bound(known.value), expansions)


@pytest.mark.parametrize("spec", ["bmo:0", "bmo:4", "bmo:100", "bmo:4:as-published"])
def test_bounds_are_those_of_the_twin(spec: str) -> None:
    """All that may differ is what redundant sources leave out where triangles are broken.

    Lookaheads begin from fewer states where more is known, so later bounds may differ then.
    """
    seen: Counter[str] = Counter()
    for number in (*ONCE_WRONG, *range(examples(1000, quick=40))):
        case = bound_case(number)
        published = spec.endswith("published")
        twin = NaiveBounds(case.task, case.function, pushes_again=not published)
        triangles = "triangles" if twin.has_triangles() else "broken"
        with case.compared():
            oracle = case.make(spec)
            for count, known in enumerate(case.cases, 1):
                oracle.learn(known)
                told(case, twin, oracle, known)
                for other, bound in zip(case.cases, bounds_of(oracle, count), strict=False):
                    of_twin = twin.u[state_of(other)]
                    assert case.h[state_of(other)] <= min(bound, of_twin)
                    seen[f"{triangles} equal"] += bound == of_twin
                    seen[f"{triangles} above"] += bound > of_twin
                    seen[f"{triangles} below"] += bound < of_twin
    print(spec, dict(seen))
    assert seen["triangles equal"] > 1000
    if spec == "bmo:0":
        assert seen["triangles above"] == seen["triangles below"] == seen["broken below"] == 0
    differing = sum(count for name, count in seen.items() if not name.endswith("equal"))
    assert differing <= 0.002 * seen.total()


def test_plans_that_are_heard_of_reach_those_whom_the_twin_tells() -> None:
    heard = 0
    for number in range(examples(500, quick=30)):
        case = bound_case(number)
        twin = NaiveBounds(case.task, case.function, pushes_again=True)
        with case.compared():
            oracle = case.make("bmo:0")
            for count, known in enumerate(case.cases, 1):
                oracle.learn(known)
                twin.learn(state_of(known), known.run["operators"])
                plan = greedy(case.task, known.state).plan
                if plan is not None and number % 2 == count % 2:
                    heard += cost_of(case.task, plan) < twin.u[state_of(known)]
                    oracle.hear(known, Verdict(Outcome.BUG, "elsewhere", plan, 0.0))
                    twin.hear(state_of(known), plan)
                if twin.has_triangles():
                    expected = [twin.u[state_of(other)] for other in case.cases[:count]]
                    assert bounds_of(oracle, count) == expected
    assert heard > examples(200, quick=5)


# What is said, and what is remembered.


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("objective", ["quantitative", "qualitative"])
def test_bounds_only_fall_and_whatever_they_prove_is_said(spec: str, objective: str) -> None:
    fallen = 0
    for number in range(examples(300, quick=24)):
        case = bound_case(number, objective)
        said: dict[int, Verdict] = {}
        before: list[float] = []
        with case.compared():
            oracle = case.make(spec)
            for count, known in enumerate(case.cases, 1):
                learnt = oracle.learn(known)
                said.update((r.case, r.verdict) for r in learnt.revisions)
                if learnt.verdict.outcome is not Outcome.INCONCLUSIVE or known.number not in said:
                    said[known.number] = learnt.verdict
                now = bounds_of(oracle, count)
                assert all(new <= old for new, old in zip(now, before, strict=False))
                fallen += now[:-1] != before
                before = now
                for other, bound in zip(case.cases, now, strict=False):
                    if bound < policy_cost(oracle, other):
                        outcome = said[other.number].outcome
                        assert outcome in (Outcome.BUG, Outcome.IMPLIED), (number, other.number)
    assert fallen > 1


def lessons_of(oracle: LearningOracle, cases: list[KnownCase]) -> list[Learnt]:
    return [oracle.learn(case) for case in cases]


@pytest.mark.parametrize("spec", SPECS)
def test_who_recalls_goes_on_as_if_never_interrupted(spec: str) -> None:
    with_lessons = 0
    for number in range(examples(400, quick=24)):
        case, random = bound_case(number), Random(number)
        with case.compared():
            whole = case.make(spec)
            expected = lessons_of(whole, case.cases)
            cut = random.randrange(len(case.cases) + 1)
            again = case.make(spec)
            known = [(c, learnt.lesson) for c, learnt in zip(case.cases, expected, strict=True)]
            again.recall(known[:cut])
            with_lessons += any(lesson for _, lesson in known[:cut])
            assert lessons_of(again, case.cases[cut:]) == expected[cut:]
            assert bounds_of(again, len(known)) == bounds_of(whole, len(known))
    assert with_lessons > 1 or spec == "bmo:0"


def test_nobody_says_otherwise_in_another_order() -> None:
    """Which bugs are found depends on the order, but not what is true of them."""
    found: Counter[int] = Counter()
    for number in range(examples(300, quick=24)):
        case = bound_case(number)
        states = list(case.states)
        for order in range(3):
            Random(order).shuffle(states)
            with case.compared():
                known = case.cases_of(states)
                said = last_words(case.make("bmo:10"), known)
            for item in known:
                assert_true(case, item, said[item.number])
            found[order] += len(bugs(said))
    assert min(found.values()) > 0


def test_a_state_met_before_is_a_bug_as_soon_as_it_is_a_case() -> None:
    flagged = 0
    for number in range(examples(200, quick=30)):
        case = bound_case(number)
        with case.compared():
            oracle = case.make("bmo:0")
            twin = NaiveBounds(case.task, case.function, pushes_again=True)
            for known in case.cases:
                before = twin.u.get(state_of(known), inf)
                learnt = oracle.learn(known)
                twin.learn(state_of(known), known.run["operators"])
                if before < policy_cost(oracle, known):
                    flagged += 1
                    assert learnt.verdict.outcome in (Outcome.BUG, Outcome.IMPLIED)
    assert flagged > 0


# From 0 the policy goes the long way 0-1-2-3, from 4 the short one.
MAP = road_map(
    ((0, 1, 2), (1, 2, 2), (2, 3, 2), (0, 3, 1), (4, 3, 1), (0, 4, 1)), places=5, goal=3
)
LONG_WAY = {0: 0, 1: 1, 2: 2, 4: 4}


def on_the_map(*numbers: int, step_limit: int = 1000) -> list[Learnt]:
    """What is learnt of these places, one after the other."""
    bench = road_bench(MAP, LONG_WAY, step_limit=step_limit)
    oracle = make_oracle("bmo:0", bench)
    assert isinstance(oracle, LearningOracle)
    return lessons_of(oracle, known_cases(bench, places(*numbers)))


def test_a_run_shows_by_its_goal_how_cheap_a_plan_must_be() -> None:
    (learnt,) = on_the_map(0)
    assert learnt.verdict.is_bug and learnt.verdict.plan == (3,)
    assert (learnt.verdict.value, learnt.verdict.gap) == (1.0, 5.0)


def test_a_run_that_was_cut_counts_with_what_it_had_cost() -> None:
    first, second = on_the_map(0, 4, step_limit=2)
    assert first.verdict == inconclusive("the value of the policy's run is unknown (step limit)")
    (revision,) = second.revisions
    assert revision.case == 0
    assert revision.verdict.is_bug and revision.verdict.plan == (3,)
    assert (revision.verdict.value, revision.verdict.gap) == (1.0, 4 - 1)


def test_a_run_that_was_cut_is_a_bug_when_a_lookahead_finds_a_cheaper_plan() -> None:
    bench = road_bench(MAP, LONG_WAY, step_limit=2)
    oracle = make_oracle("bmo:10", bench)
    assert isinstance(oracle, LearningOracle)
    (learnt,) = lessons_of(oracle, known_cases(bench, places(0)))
    bug = make_bug(bench, places(0)[0], learnt.verdict, oracle="bmo:10")
    assert (bug.kind, bug.certificate["run"]["ending"], bug.gap) == ("costly", "step limit", 3)
    check(bench.task.to_sas(), bug.certificate)
    assert bug.in_words == "cost 4 when the step limit cut the run, instead of at most 1 in all"
    assert replay(bench, bug.certificate).status is ReplayStatus.STILL_FAILS
    assert blame(bench, bug.certificate).index == 0
    shorter = road_bench(MAP, LONG_WAY, step_limit=1)
    assert replay(shorter, bug.certificate).status is ReplayStatus.STILL_FAILS
    assert replay(road_bench(MAP, {0: 3}), bug.certificate).status is ReplayStatus.FIXED


def test_a_run_that_was_cut_never_passes_for_a_plan_that_costs_as_much() -> None:
    """The only way costs 2, of which the run had made half when it was cut."""
    bench = road_bench(
        road_map(((0, 1, 1), (1, 2, 1)), places=3, goal=2), {0: 0, 1: 1}, step_limit=1
    )
    oracle = make_oracle("bmo:10", bench)
    assert isinstance(oracle, LearningOracle)
    (learnt,) = lessons_of(oracle, known_cases(bench, places(0)))
    assert learnt.verdict.outcome is Outcome.INCONCLUSIVE


# Specs and lessons.


@pytest.mark.parametrize(
    "spec", ["bmo", "bmo:0", "bmo:1000", "bmo:10:as-published", "bmo::as-published"]
)
def test_good_specs(spec: str) -> None:
    check_oracle_spec(spec)


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("bmo:-1", "a number of expansions from 0 to 1000000000"),
        ("bmo:ten", "a number of expansions from 0 to 1000000000"),
        ("bmo:1000000001", "a number of expansions from 0 to 1000000000"),
        ("bmo:" + "9" * 5000, "a number of expansions"),
        ("bmo:10:published", "'as-published'"),
        ("combined", "joined by +"),
        ("combined:bmo:10", "one oracle that keeps bounds, and another one"),
        ("combined:perfect+bmo:10", "one oracle that keeps bounds, and another one"),
        ("combined:bmo:10+perfect+aras", "one oracle that keeps bounds, and another one"),
        ("combined:bmo:x+perfect", "a number of expansions"),
        ("combined:bmo:10+perfekt", "did you mean 'perfect'?"),
    ],
)
def test_wrong_specs(spec: str, sentence: str) -> None:
    with pytest.raises(UsageError) as caught:
        check_oracle_spec(spec)
    assert sentence in str(caught.value)


def words(*numbers: int) -> bytes:
    return b"".join(number.to_bytes(4, "little", signed=True) for number in numbers)


BAD_LESSONS = {
    "bytes": b"\xff\x00\xff",
    "too-long": words(1, 2**31 - 1, 0),
    "negative-length": words(1, -5, 0),
    "short": words(1, 3, 0, 0),
    "no-such-operator": words(1, 1, 10**6),
    "negative-operator": words(1, 1, -1),
}


@pytest.mark.parametrize("name", BAD_LESSONS)
@pytest.mark.parametrize("spec", ["bmo:10", "combined:bmo:10+perfect"])
def test_damaged_lessons_are_refused_by_the_state(spec: str, name: str) -> None:
    case = bound_case(0)
    content = BAD_LESSONS[name]
    if spec.startswith("combined"):
        content = b'{"bmo:10": ["%s"]}' % content.hex().encode()
    with case.compared():
        known = case.cases
        with pytest.raises(InputError, match=r"the lesson of oracle bmo:10 on state 1 is no such"):
            case.make(spec).recall([(known[0], b""), (known[1], content)])


@pytest.mark.parametrize(
    "content",
    [b"\xff", b"{", b"[]", b"3", b'{"bmo:10": 3}', b'{"bmo:10": ["xy"]}', b'{"bmo:10": [3]}'],
)
def test_damaged_lessons_of_combinations_are_refused_by_the_state(content: bytes) -> None:
    case = bound_case(0)
    stored = [(case.cases[0], b""), (case.cases[1], content)]
    sentence = r"the lesson of oracle combined:\S+ on state 1 is no such"
    with case.compared(), pytest.raises(InputError, match=sentence):
        case.make("combined:bmo:10+perfect").recall(stored)


def test_steps_that_do_not_apply_are_refused() -> None:
    case = bound_case(0)
    known = case.cases[0]
    applicable = case.task.applicable(known.state).operators.tolist()
    wrong = next(o for o in range(case.task.num_operators) if o not in applicable)
    with (
        case.compared(),
        pytest.raises(InputError, match=f"state 0 is no such: operator {wrong} does not apply"),
    ):
        case.make("bmo:10").recall([(known, words(1, 1, wrong))])


def test_what_says_nothing_of_plans_changes_nothing() -> None:
    case = bound_case(0)
    with case.compared():
        oracle = case.make("bmo:0")
        oracle.learn(case.cases[0])
        heard = oracle.hear(case.cases[0], inconclusive("nothing"))
        assert (heard.lesson, heard.revisions) == (b"", ())
