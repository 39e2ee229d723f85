"""Random benches of all kinds, and a check of every verdict of every oracle on them.

The truth comes from slow Python that looks at every state and shares nothing with the engine.
"""

from __future__ import annotations

import json
import math
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from random import Random

import numpy as np

from bugsieve.base.errors import UnsupportedError
from bugsieve.checkers.cost import Checker
from bugsieve.pipeline.bench import Bench, Origin, Suspects
from bugsieve.pipeline.biases import BIASES
from bugsieve.pipeline.bugs.certificate import certificate_of
from bugsieve.pipeline.bugs.verdict import Outcome, Verdict
from bugsieve.pipeline.objectives import make_objective
from bugsieve.pipeline.oracles.learning import LearningOracle
from bugsieve.pipeline.oracles.registry import make_oracle
from bugsieve.pipeline.pool.fuzzer import Fuzzer
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.policies.policy import Policy
from bugsieve.policies.registry import make_policy
from bugsieve.tasks.grounded.task import NO_ACTION, ActionArray, StateArray, Task
from bugsieve.tasks.search import Limits
from tests.property.condition_strategies import Formula, random_formula
from tests.property.engine import batch, rows, single
from tests.property.strategies import (
    ANY,
    CONDITIONAL,
    LONG,
    SMALL,
    Shape,
    domain_sizes,
    nth_state,
    seeded_task,
)
from tests.reference.sas import SasEffect, SasOperator, SasTask, State
from tests.reference.successors import simulate
from tests.reference.truth import Truth, no_condition
from tests.unit.judging.told import known_cases, last_words
from tests.unit.policies.line import as_task

MEMBERS = (
    "lookahead:1",
    "lookahead",
    "lookahead:3",
    "aras",
    "undo-qual",
    "inv-quant",
    "planner:astar-lmcut",
    "planner:astar-hmax",
    "planner:astar-blind",
    "planner:ehc",
    "planner:gbfs-3",
    "planner:gbfs-20",
    "bounds",
    "bounds:hmax,gbfs-20",
    "bounds:blind,aras",
    "aras-or-ehc",
    "split:planner:gbfs-20+lookahead:1",
    "morph",
    "morph:all:factors",
    "local",
    "bmo:0",
    "bmo:20",
    "bmo:5:as-published",
    "combined:bmo:3+planner:ehc",
)
COMBINATIONS = {
    "any:lookahead:1+undo-qual+aras+planner:ehc": (
        "lookahead:1",
        "undo-qual",
        "aras",
        "planner:ehc",
    ),
    "best-of:lookahead+inv-quant+any:(aras+planner:gbfs-20)+bounds": (
        "lookahead",
        "inv-quant",
        "aras",
        "planner:gbfs-20",
        "bounds",
    ),
}
PERFECT = "perfect"
ORACLES = (PERFECT, "exact", *MEMBERS, *COMBINATIONS)

HOME_MADE = ("good", "flawed", "bad", "erratic")
BUILT_IN = ("random", "greedy:hff", "greedy:hmax", "hill-climbing:hadd", "lazy", "ehc", "optimal")
OBJECTIVES = ("quantitative", "qualitative", "avoid")
STEP_LIMITS = (10_000, 10_000, 10_000, 2)

TWO_WAYS = Shape(max_operators=24, min_operators=16, conditional=0, contradictory=False)
SHAPES = (
    SMALL,
    replace(ANY, min_operators=12, max_operators=24),
    replace(CONDITIONAL, min_operators=12, max_operators=24),
    replace(LONG, max_variables=4, max_operators=24),
    replace(ANY, min_operators=12, max_operators=24, costs=(0, 0, 0, 1)),
    replace(ANY, min_operators=12, max_operators=24, costs=(1, 1000, 2**29, 2**30 - 1)),
    TWO_WAYS,
    TWO_WAYS,
    TWO_WAYS,
)

MOST_SUSPECTS = 14
ENOUGH = Limits(expansions=20_000)
GROWING_LIMITS = (0, 1, 2, 5, 20, 200)

CRASH = -3
"""In a table: the policy raises."""


class TableError(Exception):
    """What the table policy raises."""


class TablePolicy:
    """Looks its actions up, which may be wrong; raises where the table says CRASH."""

    spec = "table"

    def __init__(self, table: Mapping[State, int]) -> None:
        self.table = table

    def choose(self, states: StateArray) -> ActionArray:
        actions = [self.table[state] for state in rows(states)]
        if CRASH in actions:
            raise TableError
        return np.array(actions, dtype=np.int32)


@dataclass(frozen=True)
class Case:
    """Everything that a bench and its suspects are made from."""

    sas: SasTask
    objective: str
    policy: str
    seed: int

    def draw(self, purpose: str) -> Random:
        """A source of numbers for one purpose."""
        return Random(f"{self.seed} {purpose}")

    @cached_property
    def condition(self) -> Formula:
        """What the objective avoid is about; rarely something that is true already."""
        pick = self.draw("condition").randint
        formula = random_formula(pick, self.sas, depth=2)
        while formula.holds(self.sas.initial) and pick(0, 9):
            formula = random_formula(pick, self.sas, depth=2)
        return formula

    @cached_property
    def truth(self) -> Truth:
        """The true values of all states that matter."""
        holds = self.condition.holds if self.objective == "avoid" else no_condition
        return Truth(self.sas, (self.sas.initial, *self._strangers), self.objective, holds)

    @cached_property
    def _strangers(self) -> list[State]:
        """States that need not be reachable."""
        random, sizes = self.draw("strangers"), domain_sizes(self.sas)
        return [nth_state(sizes, random.randrange(math.prod(sizes))) for _ in range(2)]

    @cached_property
    def task(self) -> Task:
        """The task as the engine reads it."""
        return as_task(self.sas)

    @cached_property
    def bench(self) -> Bench:
        """The bench to judge on."""
        spec = f"avoid:{self.condition.text}" if self.objective == "avoid" else self.objective
        limit = self.draw("step limit").choice(STEP_LIMITS)
        objective = make_objective(spec, self.task)
        return Bench(self.task, self.tested_policy, objective, step_limit=limit)

    @cached_property
    def tested_policy(self) -> Policy:
        """The policy of the bench."""
        if self.policy in HOME_MADE:
            return TablePolicy(self.table)
        return make_policy(self.policy, self.task, seed=self.seed)

    @cached_property
    def table(self) -> dict[State, int]:
        """What the policy does in each state."""
        states = list(self.truth.graph)
        if self.policy not in HOME_MADE:
            actions = self.tested_policy.choose(batch(self.sas, states)).tolist()
            return dict(zip(states, actions, strict=True))
        return {state: self._action(state, self.draw(f"action in {state}")) for state in states}

    def _action(self, state: State, random: Random) -> int:
        edges = self.truth.graph[state]
        whim = random.random()
        if self.policy == "erratic" and whim < 0.15:
            wrong = len(self.sas.operators)
            return random.choice((NO_ACTION, wrong, random.randrange(wrong), CRASH))
        if not edges:
            return NO_ACTION
        if self.policy == "erratic" or (self.policy == "flawed" and whim < 0.2):
            return random.choice(list(edges))
        best = min if self.policy in ("good", "flawed") else max
        return best(edges, key=lambda operator: self._promise(operator, edges[operator]))

    def _promise(self, operator: int, after: State) -> tuple[float, int]:
        """The cost of going on optimally after an operator, and how many steps that takes."""
        distance, steps = self._optimal[after]
        return self.sas.cost(operator) + distance, steps

    @cached_property
    def _optimal(self) -> dict[State, tuple[float, int]]:
        """Of each state h* and the fewest steps of a cheapest plan: free loops lead nowhere."""
        one_more = 1 + len(self.truth.graph)
        scaled = replace(
            self.sas,
            metric=True,
            operators=tuple(
                replace(operator, cost=self.sas.cost(number) * one_more + 1)
                for number, operator in enumerate(self.sas.operators)
            ),
        )
        distances = Truth(scaled, self.truth.starts, "quantitative").distances
        return {
            state: (math.inf, 0) if distance is None else divmod(distance, one_more)
            for state, distance in distances.items()
        }

    @cached_property
    def suspects(self) -> Suspects:
        """The states to judge: every reachable one or a fuzzed pool, and a few strangers."""
        random = self.draw("suspects")
        known = self._fuzzed() if random.random() < 0.5 else self._explored()
        states = random.sample(list(known), min(MOST_SUSPECTS, len(known)))
        origins = [known[state] for state in states] + [None] * len(self._strangers)
        return self.bench.suspects(batch(self.sas, [*states, *self._strangers]), origins)

    def _explored(self) -> dict[State, Origin | None]:
        """All reachable states with a shortest way, taken as a walk from a state on it."""
        ways: dict[State, tuple[int, ...]] = {self.sas.initial: ()}
        queue = deque(ways)
        while queue:
            state = queue.popleft()
            for operator, after in self.truth.graph[state].items():
                if after not in ways:
                    ways[after] = (*ways[state], operator)
                    queue.append(after)
        return {state: self._origin(state, way) for state, way in ways.items()}

    def _origin(self, state: State, way: tuple[int, ...]) -> Origin | None:
        random = self.draw(f"origin of {state}")
        if random.random() < 0.1:
            return None
        cut = random.randint(0, len(way))
        start, _ = simulate(self.sas, self.sas.initial, way[:cut])
        return Origin(single(start), way[cut:], way if random.random() < 0.9 else None)

    def _fuzzed(self) -> dict[State, Origin | None]:
        """The pool of a short campaign."""
        random = self.draw("fuzzing")
        options = FuzzOptions(
            pool_size=30,
            walk_length=random.randint(1, 5),
            novelty=random.randint(0, 3),
            bias=random.choice(list(BIASES)),
            round_walks=random.randint(1, 8),
            seed=self.seed,
            prune_dead_ends=random.random() < 0.5,
        )
        fuzzer = Fuzzer(self.bench, options)
        for _ in range(12):
            fuzzer.round()
        states = rows(fuzzer.pool.states())
        return {state: fuzzer.pool.origin(number) for number, state in enumerate(states)}


def make_case(seed: int, objective: str, sas: SasTask | None = None) -> Case:
    """The case that a seed stands for, perhaps on a given task."""
    random = Random(f"{seed} {objective}")
    policy = random.choice((*HOME_MADE, *HOME_MADE, *BUILT_IN))
    number = random.getrandbits(32)
    return Case(sas or some_task(number), objective, policy, number)


def some_task(seed: int) -> SasTask:
    """A random task of one of the shapes."""
    shape = SHAPES[seed % len(SHAPES)]
    task = seeded_task(seed, shape)
    return with_ways_back(task) if shape is TWO_WAYS else task


def with_ways_back(task: SasTask) -> SasTask:
    """Only the operators that know what they change, each with its inverse."""
    there = [
        operator
        for operator in task.operators
        if all(effect.before >= 0 for effect in operator.effects)
        and len({effect.variable for effect in operator.effects}) == len(operator.effects)
    ]
    back = [_inverse(operator, cost) for cost, operator in enumerate(there)]
    return replace(task, operators=(*there, *back))


def _inverse(operator: SasOperator, cost: int) -> SasOperator:
    effects = tuple(SasEffect((), e.variable, e.after, e.before) for e in operator.effects)
    return replace(operator, name=f"{operator.name} back", effects=effects, cost=cost)


def check(case: Case) -> Counter[str]:
    """Assert that all oracles tell nothing but the truth; returns what was seen."""
    check_origins(case)
    check_values(case)
    verdicts = {spec: judged(case, spec, ENOUGH) for spec in ORACLES}
    seen: Counter[str] = Counter(tasks=1, states=len(case.suspects))
    seen["solvable tasks"] += case.truth.distances[case.sas.initial] is not None
    seen[f"policy {case.policy}"] += 1
    for spec, given in verdicts.items():
        if given is not None:
            check_verdicts(case, given)
            seen.update(f"{spec} {verdict.outcome.value}" for verdict in given)
            seen.update(verdict.outcome.value for verdict in given)
    check_agreement(case, verdicts)
    check_certificates(case, verdicts)
    check_larger_limits(case, case.draw("limits").choice(ORACLES))
    return seen


def judged(case: Case, spec: str, limits: Limits) -> list[Verdict] | None:
    """The verdicts of an oracle, or None if it does not apply."""
    try:
        oracle = make_oracle(spec, case.bench, limits=limits)
    except UnsupportedError:
        return None
    if isinstance(oracle, LearningOracle) and oracle.learns:
        said = last_words(oracle, known_cases(case.bench, case.suspects.states))
        return [said[row] for row in range(len(case.suspects))]
    return oracle.judge(case.suspects)


def check_origins(case: Case) -> None:
    """The walks lead where they are said to lead."""
    for state, origin in zip(rows(case.suspects.states), case.suspects.origins, strict=True):
        assert state in case.truth.graph
        if origin is None:
            continue
        (start,) = rows(origin.start[None])
        assert simulate(case.sas, start, origin.actions)[0] == state
        if origin.from_initial is not None:
            assert simulate(case.sas, case.sas.initial, origin.from_initial)[0] == state


def check_values(case: Case) -> None:
    """The policy's values are the true ones; unknown only where the step limit cuts the run."""
    values = case.suspects.values.tolist()
    for state, value in zip(rows(case.suspects.states), values, strict=True):
        if math.isnan(value):
            path, _, _ = case.truth.run(case.table, state)
            assert len(path) > case.bench.step_limit
        else:
            assert value == case.truth.policy_value(case.table, state)


def check_verdicts(case: Case, verdicts: list[Verdict]) -> None:
    """Bugs are bugs, passes are none, and gaps are bounds."""
    truth = case.truth
    for row, (state, verdict) in enumerate(zip(rows(case.suspects.states), verdicts, strict=True)):
        value = truth.policy_value(case.table, state)
        gap = truth.gap(value, truth.optimum[state])
        assert verdict.reason
        if verdict.outcome is Outcome.BUG:
            assert verdict.plan is not None
            assert verdict.value == truth.plan_value(state, verdict.plan)
            # A run that was cut counts with what it had cost by then.
            is_cut = math.isnan(case.suspects.values[row])
            known = float(case.suspects.runs.costs[row]) if is_cut else value
            assert 0 < truth.gap(known, verdict.value) == verdict.gap <= gap
            assert not verdict.exact or verdict.value == truth.optimum[state]
        else:
            assert (verdict.plan, verdict.value, verdict.exact) == (None, None, False)
        if verdict.outcome is Outcome.IMPLIED:
            assert 0 < verdict.gap <= gap
        if verdict.outcome is Outcome.PASS:
            assert gap <= 0


def check_agreement(case: Case, verdicts: Mapping[str, list[Verdict] | None]) -> None:
    """`perfect` finds all bugs there are, and combinations all that their members find."""
    perfect = verdicts[PERFECT]
    assert perfect is not None
    for state, value, verdict in zip(
        rows(case.suspects.states), case.suspects.values.tolist(), perfect, strict=True
    ):
        if not math.isnan(value):
            is_bug = case.truth.gap(value, case.truth.optimum[state]) > 0
            assert verdict.outcome is (Outcome.BUG if is_bug else Outcome.PASS)
            assert verdict.exact == is_bug
    for spec in (*MEMBERS, *COMBINATIONS):
        assert_finds_more(perfect, verdicts[spec], gaps=True)
    for spec, members in COMBINATIONS.items():
        joined = verdicts[spec]
        assert joined is not None
        for member in members:
            assert_finds_more(joined, verdicts[member], gaps=spec.startswith("best-of"))


def assert_finds_more(more: list[Verdict], fewer: list[Verdict] | None, *, gaps: bool) -> None:
    """The first finds all bugs of the second, with gaps at least as large."""
    for one, other in zip(more, fewer or more, strict=True):
        # Only bounds say more where the run was cut: it had cost more already.
        is_cut = one.reason == "the value of the policy's run is unknown (step limit)"
        assert one.is_bug or not other.is_bug or is_cut
        assert one.gap >= other.gap or not gaps or one.outcome is Outcome.INCONCLUSIVE


def check_certificates(case: Case, verdicts: Mapping[str, list[Verdict] | None]) -> None:
    """The certificate of each bug convinces the checker, also after a journey through JSON."""
    checker = Checker(case.task.to_sas())
    done = set()
    for given in verdicts.values():
        for row, verdict in enumerate(given or ()):
            if verdict.is_bug and (row, verdict.plan) not in done:
                certificate = certificate_of(case.bench, case.suspects.states[row], verdict)
                checker.check(json.loads(json.dumps(certificate)))
                done.add((row, verdict.plan))


def check_larger_limits(case: Case, spec: str) -> None:
    """No limit makes an oracle lie, and a larger one never loses a bug."""
    series = [judged(case, spec, Limits(expansions=most)) for most in GROWING_LIMITS]
    for verdicts in series:
        if verdicts is not None:
            check_verdicts(case, verdicts)
    for fewer, more in pairwise(series):
        if more is not None:
            assert_finds_more(more, fewer, gaps=False)
