"""What oracles that keep bounds say is true by the exact values of all states, and is proven."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from bugsieve.checkers.cost import Checker
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.certificate import certificate_of
from bugsieve.pipeline.bugs.verdict import Outcome, Verdict
from bugsieve.pipeline.objectives import make_objective
from bugsieve.pipeline.oracles.learning import LearningOracle
from bugsieve.pipeline.oracles.registry import make_oracle
from bugsieve.policies.registry import make_policy
from bugsieve.rooms.dominance.function import DominanceFunction
from bugsieve.rooms.dominance.options import DominanceOptions
from bugsieve.rooms.zoo.domains import DOMAINS, generate
from bugsieve.tasks.grounded.loading import load_task
from bugsieve.tasks.grounded.task import StateArray, Task
from bugsieve.tasks.search import Limits, exact_goal_distances
from tests.depth import examples
from tests.unit.dominance.test_domains import SMALL
from tests.unit.judging.told import bugs, known_cases, last_words
from tests.unit.oracles.bound_cases import BoundCase, assert_true, bound_case

SPECS = (
    "bmo:0",
    "bmo:10",
    "bmo:100",
    "bmo:10:as-published",
    "combined:bmo:10+planner:ehc",
    "combined:bmo:0+any:(lookahead:1+planner:gbfs-5)",
)
LIMITS = Limits(expansions=20_000)
TASKS = examples(2000, quick=200)
PARTS = 4


def check_certificates(case: BoundCase, said: Mapping[int, Verdict]) -> None:
    """The checker accepts each bug, as it would read it from a file."""
    checker = Checker(case.task.to_sas())
    for known in case.cases:
        verdict = said[known.number]
        if verdict.is_bug:
            certificate = certificate_of(case.bench, known.state, verdict)
            checker.check(json.loads(json.dumps(certificate)))


@pytest.mark.parametrize("part", range(PARTS))
def test_every_word_is_true_and_every_bug_is_proven(part: int) -> None:
    seen: Counter[str] = Counter()
    for number in range(part, TASKS, PARTS):
        case = bound_case(number, "qualitative" if number // PARTS % 3 == 2 else "quantitative")
        for spec in SPECS:
            with case.compared():
                oracle = case.make(spec)
                said: dict[int, Verdict] = {}
                for known in case.cases:
                    learnt = oracle.learn(known)
                    words = [(known.number, learnt.verdict)]
                    words += [(r.case, r.verdict) for r in learnt.revisions]
                    for at, verdict in words:
                        assert_true(case, case.cases[at], verdict)
                        seen[f"{spec} {verdict.outcome.value}"] += 1
                        seen["revised"] += at != known.number
                        if verdict.is_bug or at not in said:
                            said[at] = verdict
            check_certificates(case, said)
            seen.update(f"{case.task.name.partition('-')[0]} bug" for _ in bugs(said))
    print(dict(seen))
    assert seen["revised"] and all(seen[f"{spec} bug"] for spec in SPECS)


def found(case: BoundCase, spec: str) -> set[int]:
    """The bugs of an oracle, with or without memory."""
    oracle = make_oracle(spec, case.bench, limits=LIMITS)
    if isinstance(oracle, LearningOracle) and oracle.learns:
        with case.compared():
            return bugs(last_words(oracle, case.cases))
    states = np.array(case.states, dtype=np.uint16)
    verdicts = oracle.judge(case.bench.suspects(states))
    return {number for number, verdict in enumerate(verdicts) if verdict.is_bug}


EXTERNAL = ("planner:gbfs-5", "planner:ehc", "lookahead:1", "perfect", "best-of:(aras+undo-qual)")


def test_no_bug_of_what_they_contain_is_missed() -> None:
    """Of greedy search by lookaheads as long, and of the other oracle by combinations."""
    more: Counter[str] = Counter()
    for number in range(examples(800, quick=80)):
        case = bound_case(number, "qualitative" if number % 5 == 4 else "quantitative")
        for expansions in (1, 7, 1000):
            less, all_of_it = (
                found(case, spec) for spec in (f"planner:gbfs-{expansions}", f"bmo:{expansions}")
            )
            assert less <= all_of_it, (number, expansions)
            more[f"bmo:{expansions}"] += len(all_of_it - less)
        other = EXTERNAL[number % (4 if case.objective == "qualitative" else 5)]
        for kept in ("bmo:0", "bmo:10"):
            joined = found(case, f"combined:{kept}+({other})")
            assert found(case, other) <= joined, (number, other)
            more[other] += len(joined - found(case, other))
    print(dict(more))
    assert more["bmo:1"] and more["planner:gbfs-5"]


POLICIES = ("random", "hill-climbing:hadd")


def some_states(task: Task) -> StateArray:
    states, _ = exact_goal_distances(task, max_states=2500)
    rows = np.random.default_rng(1).permutation(len(states))[: examples(60, quick=25)]
    return states[rows]


def judged(bench: Bench, spec: str, states: StateArray) -> dict[int, Verdict]:
    oracle = make_oracle(spec, bench, limits=LIMITS)
    if isinstance(oracle, LearningOracle) and oracle.learns:
        return last_words(oracle, known_cases(bench, states))
    return dict(enumerate(oracle.judge(bench.suspects(states))))


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("domain", DOMAINS)
def test_no_bug_is_missed_on_domains(
    domain: str, policy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Small merged factors, since one factor for all would know every distance."""
    options = DominanceOptions(max_transitions=100)
    monkeypatch.setattr(
        DominanceFunction, "of", lambda t, _=None: DominanceFunction.compute(t, options)
    )
    drawn = generate(domain, seed=1, **SMALL[domain])
    (tmp_path / "domain.pddl").write_text(drawn.domain)
    (tmp_path / "problem.pddl").write_text(drawn.problem)
    task = load_task(tmp_path, cache=False)
    bench = Bench(task, make_policy(policy, task, seed=1), make_objective("quantitative", task))
    states = some_states(task)
    specs = ("perfect", "planner:gbfs-1000", "planner:ehc", "bmo:100", "bmo:1000")
    said = {s: judged(bench, s, states) for s in (*specs, "combined:bmo:100+planner:ehc")}
    all_bugs, greedy, climbing, short, long, joined = (bugs(given) for given in said.values())
    assert greedy <= long <= all_bugs
    assert climbing <= joined <= all_bugs and short <= all_bugs
    print(domain, policy, "bmo:100 without the combination:", states[sorted(short - joined)])
    assert len(joined) >= len(short)
    implied = {n for v in said.values() for n in v if v[n].outcome is Outcome.IMPLIED}
    assert implied <= all_bugs
