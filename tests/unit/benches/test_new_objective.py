"""An objective that this file alone defines is tested like the built-in ones.

It looks at the actions of runs and brings a compiled task. Besides its own file a new objective
needs a line in the table of objectives and a rule in the checker; both are patched in here.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from bugsieve._native import DEAD_END
from bugsieve.base.registry import families
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.cost.wording import FoundStates
from bugsieve.campaigns.options import CostOptions
from bugsieve.campaigns.python_calls.find import find_bugs
from bugsieve.checkers import cost as checker
from bugsieve.checkers.cost import CertificateError, check
from bugsieve.explanation.blame.blame import blame
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.certificate import certificate_of
from bugsieve.pipeline.bugs.replay import ReplayStatus, replay
from bugsieve.pipeline.objectives import make_objective, objective_class
from bugsieve.pipeline.objectives.objective import (
    UNSOLVED,
    Alternatives,
    BugKind,
    Objective,
    Values,
    certain_failures,
)
from bugsieve.pipeline.oracles.aras import ArasOracle
from bugsieve.pipeline.oracles.registry import make_oracle
from bugsieve.policies.run_table import RunTable
from bugsieve.tasks.grounded.loading import native_task
from bugsieve.tasks.grounded.task import StateArray, Task
from bugsieve.tasks.search import exact_goal_distances
from tests.property.strategies import LONG, seeded_task
from tests.reference.sas import SasTask
from tests.unit.bugs.samples import ErraticPolicy, TablePolicy, fork_task
from tests.unit.policies.line import as_task

SEEDS = range(12)


class FewestOdd(Objective):
    """Minimise how many operators of odd number a run applies on its way to the goal."""

    spec = "fewest-odd"
    minimise = True
    worst = math.inf
    kinds: ClassVar = {
        "unsolved": UNSOLVED,
        "odd": BugKind("Odd bugs: odd actions that nobody needs", "{policy_value} for {value}"),
    }
    possible = "odd actions could be spared"

    def policy_values(self, runs: RunTable) -> Values:
        odd = [np.count_nonzero(actions % 2) for actions in runs.actions()]
        values = np.where(runs.solved, np.array(odd, dtype=np.float64), np.nan)
        values[certain_failures(runs)] = math.inf
        return values

    def plan_value(self, state: StateArray, plan: tuple[int, ...]) -> float:
        return float(sum(operator % 2 for operator in plan))

    def kind(self, policy_value: float) -> str:
        return "odd" if math.isfinite(policy_value) else "unsolved"

    def alternatives(self) -> Alternatives:
        return self._alternatives

    @cached_property
    def _alternatives(self) -> Alternatives:
        """A task in which odd operators cost 1 and the others nothing."""
        head, *operators = self.task.to_sas().split("begin_operator\n")
        for number, text in enumerate(operators):
            lines = text.split("\n")
            lines[lines.index("end_operator") - 1] = str(number % 2)
            operators[number] = "\n".join(lines)
        text = "begin_operator\n".join([head, *operators])
        return Alternatives(Task(native_task(text.encode(), "odd"), name="odd"))


class OddProof(checker._Proof):
    """The checker with a rule for the new objective."""

    def check(self) -> None:
        if self.claim.objective != FewestOdd.spec:
            return super().check()
        self._check_state()
        run, plan = (self._states(path) for path in (self.claim.run, self.claim.plan))
        if not checker._holds(self.task.goal, plan[-1]):
            checker._fail("the plan does not end in a goal state")
        self._check_ending(run)
        policy, other = (
            sum(number % 2 for number in path.operators)
            for path in (self.claim.run, self.claim.plan)
        )
        if self.claim.ending != "solved":
            self._check_unsolved((None, other, None))
            return None
        if other >= policy:
            checker._fail("the plan is no less odd")
        self._check_verdict("odd", (policy, other, policy - other))
        return None


@pytest.fixture(autouse=True)
def _in_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(families.OBJECTIVES.builtin, FewestOdd.spec, f"{__name__}:FewestOdd")


@pytest.fixture
def known_to_the_checker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checker, "_Proof", OddProof)


def straying_bench() -> Bench:
    """The policy goes the long way: by operators 1 and 2 instead of 0."""
    task = fork_task()
    policy = TablePolicy({(0,): 1, (1,): 2})
    return Bench(task, policy, make_objective("fewest-odd", task))


def random_benches() -> Iterator[tuple[Bench, StateArray, dict[bytes, float]]]:
    """Benches of erratic policies, with all states and the fewest odd operators from each."""
    for seed in SEEDS:
        sas = seeded_task(seed, LONG)
        task = as_task(sas)
        states, fewest = exact_goal_distances(as_task(_odd_costs(sas)))
        truth = {
            state.tobytes(): math.inf if value == DEAD_END else float(value)
            for state, value in zip(states, fewest.tolist(), strict=True)
        }
        bench = Bench(task, ErraticPolicy(task, seed), make_objective("fewest-odd", task))
        yield bench, states[:30], truth


def _odd_costs(sas: SasTask) -> SasTask:
    operators = (replace(op, cost=number % 2) for number, op in enumerate(sas.operators))
    return replace(sas, metric=True, operators=tuple(operators))


def test_it_says_itself_what_others_need_to_know() -> None:
    assert objective_class("fewest-odd") is FewestOdd
    options = CostOptions(task=(), policy="random", objective="fewest-odd")
    assert options.oracles == ("lookahead", "planner:gbfs-20000")
    assert ArasOracle.objection(straying_bench()) == (
        "it improves costs, which the objective fewest-odd ignores"
    )


def test_the_values_of_runs_come_from_their_actions() -> None:
    bench = straying_bench()
    states = np.array([[0], [1], [2]], dtype=np.uint16)
    assert bench.suspects(states).values.tolist() == [1, 0, 0]


@pytest.mark.usefixtures("known_to_the_checker")
@pytest.mark.parametrize("spec", ["lookahead", "planner:astar-lmcut", "perfect", "bounds"])
def test_all_oracles_are_right_about_it(spec: str) -> None:
    kinds: dict[str, int] = {}
    for bench, states, truth in random_benches():
        suspects = bench.suspects(states)
        verdicts = make_oracle(spec, bench).judge(suspects)
        for state, value, verdict in zip(states, suspects.values, verdicts, strict=True):
            fewest = truth[state.tobytes()]
            if verdict.is_bug:
                certificate = certificate_of(bench, state, verdict)
                check(bench.task.to_sas(), certificate)
                kinds[certificate["kind"]] = kinds.get(certificate["kind"], 0) + 1
                assert verdict.value is not None and verdict.value >= fewest
                assert not verdict.exact or verdict.value == fewest
            elif verdict.outcome.value == "pass":
                assert value <= fewest or math.isinf(fewest)
            elif verdict.outcome.value == "implied":
                assert value > fewest
    assert kinds.keys() == FewestOdd.kinds.keys()


@pytest.mark.usefixtures("known_to_the_checker")
def test_a_campaign_finds_replays_explains_and_words_its_bugs(tmp_path: Path) -> None:
    bench = straying_bench()
    folder = tmp_path / "campaign"
    (bug,) = find_bugs(bench.task, bench.policy, folder=folder, objective="fewest-odd")
    assert (bug.kind, bug.gap) == ("odd", 1)
    assert replay(bench, bug.certificate).status is ReplayStatus.STILL_FAILS
    found = blame(bench, bug.certificate)
    assert (found.index, found.action, found.better) == (0, 1, 0)
    assert found.sentence == (
        "odd actions could be spared before this decision, but not after it, "
        "as far as the searches could tell"
    )
    with CostRecords(folder) as records:
        (line,) = FoundStates(records, records.ranked()).lines(1)
    assert line.split(maxsplit=2)[1:] == ["odd", "1 for 0  lookahead, planner:gbfs-20000"]


def test_nothing_counts_before_the_checker_has_a_rule_for_it() -> None:
    bench = straying_bench()
    assert find_bugs(bench.task, bench.policy, objective="fewest-odd") == []
    (verdict,) = make_oracle("lookahead", bench).judge(bench.suspects(bench.task.initial_state))
    with pytest.raises(CertificateError, match="there is no objective 'fewest-odd'"):
        check(bench.task.to_sas(), certificate_of(bench, bench.task.initial_state, verdict))
