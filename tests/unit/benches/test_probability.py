"""The objective `probability`: true bugs, proofs that cannot be forged, campaigns and commands."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bugsieve._native import DEAD_END
from bugsieve.base.errors import UnsupportedError, UsageError
from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.options import CostOptions
from bugsieve.campaigns.python_calls.find import find_bugs
from bugsieve.checkers.cost import CertificateError, check, read_json
from bugsieve.explanation.blame.blame import blame
from bugsieve.explanation.examples.smallest import smallest_example
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.biases.loopiness import Loopiness
from bugsieve.pipeline.bugs.bug import bug_from_json, make_bug
from bugsieve.pipeline.bugs.certificate import certificate_of
from bugsieve.pipeline.bugs.replay import ReplayStatus, replay
from bugsieve.pipeline.objectives import make_objective
from bugsieve.pipeline.oracles.registry import make_oracle
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.policies.decisions import Failure
from bugsieve.policies.distributions import Distributions, Weights
from bugsieve.rooms.stochastic.certificate_distributions import weighed
from bugsieve.tasks.grounded.task import StateArray, Task
from bugsieve.tasks.search import exact_goal_distances
from tests.depth import examples
from tests.property.strategies import seeded_task
from tests.reference.chances import probabilities
from tests.reference.sas import SasTask, State
from tests.unit.benches.test_run_sources import PlanFollower
from tests.unit.bugs.samples import LONG, ErraticPolicy
from tests.unit.campaigns.contents import contents
from tests.unit.campaigns.interrupting import interrupted
from tests.unit.policies.chances.samples import ErraticWeights, WeightTable, chance_bench
from tests.unit.policies.line import as_task, line_task

SCALE = 10**12
ORACLES = ("perfect", "combined:bmo:100+aras-or-ehc", "lookahead:2", "planner:ehc")
QUICK = tuple(spec for spec in ORACLES if not spec.startswith("combined"))


@lru_cache(maxsize=1)
def samples() -> list[tuple[SasTask, Bench, dict[str, Any]]]:
    """Proven bugs of random policies; most of them may reach the goal all the same."""
    found: list[tuple[SasTask, Bench, dict[str, Any]]] = []
    for seed in range(400):
        sas, bench = chance_bench(seed)
        state = bench.task.initial_state
        (verdict,) = make_oracle("perfect", bench).judge(bench.suspects(state))
        if verdict.is_bug and (verdict.gap < 1 or seed % 5 == 0):
            found.append((sas, bench, certificate_of(bench, state, verdict)))
    return found[:20]


def test_every_bug_is_true_and_none_is_missed() -> None:
    kinds: dict[str, int] = {}
    for seed in range(examples(300)):
        sas, bench = chance_bench(seed)
        states, distances = exact_goal_distances(bench.task)
        states = states[:8]
        suspects = bench.suspects(states)
        assert isinstance(bench.policy, ErraticWeights)
        for spec in QUICK:
            for row, verdict in enumerate(make_oracle(spec, bench).judge(suspects)):
                start = tuple(states[row].tolist())
                true = probabilities(sas, start, bench.policy.chances)[start]
                can = distances[row] != DEAD_END
                if verdict.is_bug:
                    certificate = certificate_of(bench, states[row], verdict)
                    check(bench.task.to_sas(), certificate)
                    claimed = Fraction(str(certificate["policy_value"]))
                    assert true <= claimed < 1 and can
                    assert certificate["gap"] == pytest.approx(1 - float(true), abs=1e-9)
                    kinds[certificate["kind"]] = kinds.get(certificate["kind"], 0) + 1
                elif verdict.outcome.value == "pass":
                    assert true == 1 or not can
                elif spec == "perfect":
                    raise AssertionError(verdict)
    assert kinds.keys() == {"unsolved", "uncertain"} and kinds["uncertain"] >= examples(100)


@pytest.mark.parametrize("spec", ORACLES)
def test_deterministic_policies_get_the_verdicts_of_qualitative(spec: str) -> None:
    bugs = 0
    for seed in range(examples(40)):
        task = as_task(seeded_task(seed, LONG))
        policy = ErraticPolicy(task, seed)
        one, other = (
            _judged(Bench(task, policy, make_objective(objective, task)), spec)
            for objective in ("qualitative", "probability")
        )
        assert one == other
        bugs += sum(outcome == "bug" for outcome, *_ in one)
    assert bugs >= examples(20)


def _judged(bench: Bench, spec: str) -> list[tuple[Any, ...]]:
    from bugsieve.pipeline.judging.cases import Parcel
    from bugsieve.pipeline.judging.examiner import Examiner

    states = exact_goal_distances(bench.task)[0][:6]
    with Examiner(bench, [make_oracle(spec, bench)]) as examiner:
        findings = examiner.examine(Parcel.given(states, 0))
    said = [finding.verdicts[0].verdict for finding in findings]
    assert not any(finding.rejected for finding in findings)
    return [(verdict.outcome.value, verdict.gap, verdict.plan) for verdict in said]


Forgery = Callable[[dict[str, Any]], None]


def _rows(certificate: dict[str, Any]) -> list[dict[str, Any]]:
    rows = certificate["run"]["chances"]
    return [row for row in rows if row is not None and "weights" in row]


def _first(certificate: dict[str, Any]) -> dict[str, Any]:
    row: dict[str, Any] = certificate["run"]["chances"][0]
    return row


def _lower(certificate: dict[str, Any]) -> None:
    """The last state that may reach the goal seems to do so more rarely."""
    row = [row for row in _rows(certificate) if row["value"]][-1]
    row["value"] = row["value"] // 2


def _lower_all(certificate: dict[str, Any]) -> None:
    for row in _rows(certificate):
        row["value"] = row["value"] // 2
    certificate["policy_value"] = _first(certificate)["value"] / SCALE
    certificate["gap"] = round(1 - certificate["policy_value"], 12)


def _weight(value: Any) -> Forgery:
    return lambda certificate: _rows(certificate)[0]["weights"][0].__setitem__(1, value)


def _pair(value: Any) -> Forgery:
    return lambda certificate: _rows(certificate)[0]["weights"].append(value)


def _repeat_pair(certificate: dict[str, Any]) -> None:
    weights = _rows(certificate)[0]["weights"]
    weights.append(list(weights[0]))


def _set(*path: Any, value: Any) -> Forgery:
    def forge(certificate: dict[str, Any]) -> None:
        place: Any = certificate
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value

    return forge


FORGERIES: dict[str, tuple[Forgery, str]] = {
    "a value lowered": (_lower, "less than its successors give"),
    "all values lowered": (_lower_all, "less than its successors give"),
    "a value above 1": (_set("run", "chances", 0, "value", value=SCALE + 1), "must be from 0"),
    "a value below 0": (_set("run", "chances", 0, "value", value=-1), "must be from 0"),
    "a value that is no whole number": (
        _set("run", "chances", 0, "value", value=0.5),
        "must be a whole number",
    ),
    "a weight of 0": (_weight(0), "must be positive"),
    "a negative weight": (_weight(-0.5), "must be positive"),
    "NaN": (_weight(math.nan), "must be a number"),
    "an infinite weight": (_weight(math.inf), "must be a number"),
    "a text as weight": (_weight("1"), "must be a whole number"),
    "true as weight": (_weight(True), "must be a whole number"),
    "two weights for one operator": (_repeat_pair, "has two weights"),
    "no operator": (_pair([10**6, 1]), "there is no operator"),
    "half a pair": (_pair([0]), "must be pairs"),
    "a row too few": (lambda c: c["run"]["chances"].pop(), "lacks the row|no bound|must show"),
    "a row too many": (lambda c: c["run"]["chances"].append(None), "more rows than states"),
    "no first row": (_set("run", "chances", 0, value=None), "more rows than states|no bound"),
    "no rows": (lambda c: c["run"].pop("chances"), "lacks the row"),
    "rows that are none": (_set("run", "chances", value={}), "must be a list"),
    "a loop in a state": (
        _set("run", "chances", 0, value={"value": 0, "ending": "loop"}),
        "by which a policy fails",
    ),
    "weights and an ending": (
        lambda c: _first(c).__setitem__("ending", "no action"),
        "either 'weights' or 'ending'",
    ),
    "another key": (_set("run", "chances", 0, "more", value=1), "unknown key"),
    "the policy's value": (_set("policy_value", value=0.123), "policy_value must be"),
    "NaN as value": (_set("policy_value", value=math.nan), "must be a number"),
    "the gap": (_set("gap", value=1.5), "gap must be"),
    "the plan": (lambda c: c["plan"]["operators"].pop(), "operators but"),
    "the kind": (_set("kind", value="costly"), "the bug is"),
    "a run that follows a plan": (_set("run", "follows_plan", value=True), "loop|must show"),
    "a hang": (_set("run", "ending", value="policy hang"), "proves nothing|loop"),
    "another objective": (
        _set("objective", value="qualitative"),
        "distributions count only|whole",
    ),
    "no objective": (_set("objective", value="probability:0"), "whole number|no objective|count"),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_forged_proofs_are_refused(name: str) -> None:
    forge, reason = FORGERIES[name]
    refused = 0
    for _, bench, certificate in samples()[:12]:
        text = bench.task.to_sas()
        check(text, certificate)
        forged = copy.deepcopy(certificate)
        is_lowered = "lowered" in name
        if is_lowered and not any(row["value"] for row in _rows(forged)):
            continue
        if "weights" not in _first(forged):
            continue
        forge(forged)
        with pytest.raises(CertificateError, match=reason):
            check(text, forged)
        refused += 1
    assert refused >= 5


def test_whatever_weights_are_changed_to_what_is_accepted_is_true_of_them() -> None:
    refused = accepted = 0
    for sas, bench, certificate in samples():
        for number, row in enumerate(certificate["run"]["chances"]):
            for place in range(len(row["weights"]) if row and "weights" in row else 0):
                forged = copy.deepcopy(certificate)
                pair = forged["run"]["chances"][number]["weights"][place]
                pair[1] = pair[1] * 1000
                try:
                    check(bench.task.to_sas(), forged)
                except CertificateError:
                    refused += 1
                else:
                    accepted += 1
                    assert _true(sas, bench, forged) <= Fraction(str(forged["policy_value"]))
    assert refused >= 10 and accepted >= 10


def _true(sas: SasTask, bench: Bench, certificate: dict[str, Any]) -> Fraction:
    """The probability under the weights of a certificate, and the policy's where it has none."""
    policy = bench.policy
    assert isinstance(policy, ErraticWeights)
    states, answers = weighed(bench.task, certificate)
    said = dict(zip(map(tuple, states.tolist()), answers, strict=True))

    def chances(state: State) -> Mapping[int, Fraction]:
        answer = said.get(state)
        if answer is None:
            return policy.chances(state)
        if isinstance(answer, Failure):
            return {}
        total = sum(Fraction(repr(weight)) for _, weight in answer)
        return {action: Fraction(repr(weight)) / total for action, weight in answer}

    start = tuple(certificate["state"])
    return probabilities(sas, start, chances)[start]


def test_repeated_keys_are_refused() -> None:
    _, _, certificate = samples()[0]
    text = json.dumps(certificate)
    forged = text.replace('"value": ', '"value": 0, "value": ', 1)
    with pytest.raises(CertificateError, match="the key 'value' is there twice"):
        read_json(forged)


def fork(chance: float = 0.75) -> tuple[Task, WeightTable]:
    """At p1 of a line of three places the policy goes on with this probability, or stays away.

    From p2 nothing but the goal at p3 can be reached; at p0 it has no action.
    """
    task = line_task(4)
    name = {operator: number for number, operator in enumerate(task.operator_names)}
    table: dict[tuple[int, ...], Weights] = {
        (1,): ((name["(right p1)"], chance), (name["(left p1)"], 1 - chance)),
        (2,): ((name["(right p2)"], 1.0),),
    }
    return task, WeightTable(table)


def test_the_whole_way_of_a_bug(tmp_path: Path) -> None:
    task, policy = fork()
    state = np.array([1], dtype=np.uint16)
    bench = Bench(task, policy, make_objective("probability", task))
    oracle = make_oracle("perfect", bench)
    (verdict,) = oracle.judge(bench.suspects(state))
    assert (verdict.gap, verdict.exact) == (0.25, False)
    bug = make_bug(bench, state, verdict, oracle="perfect")
    assert (bug.kind, bug.certificate["policy_value"]) == ("uncertain", 0.75)
    assert bug.in_words == (
        "reaches the goal with probability at most 0.75, a plan of cost 2 for certain"
    )
    assert bug_from_json(json.loads(json.dumps(bug.to_json())), source="b") == bug
    again = replay(bench, bug.certificate)
    assert (again.status, again.sentence) == (
        ReplayStatus.STILL_FAILS,
        "the policy reaches the goal with probability at most 0.75, as before",
    )
    found = blame(bench, bug.certificate)
    assert found.index == 1 and found.sentence.startswith("the goal could be reached for certain")
    smaller = smallest_example(bench, bug, "bound to its task")
    assert smaller.steps_later == 0, "the rest of one run says little of the others"
    check(task.to_sas(), smaller.bug.certificate)
    _, better = fork(chance=0.9)
    worse = replay(Bench(task, better, make_objective("probability", task)), bug.certificate)
    assert worse.sentence.endswith("at most 0.9, before it was 0.75")
    sure = WeightTable({**policy.table, (1,): ((task.operator_id("(right p1)"), 1.0),)})
    fixed = replay(Bench(task, sure, make_objective("probability", task)), bug.certificate)
    assert fixed.status is ReplayStatus.FIXED


class Fickle(WeightTable):
    """Its probabilities change with every question."""

    asked = 0

    def distributions(self, states: StateArray) -> Distributions:
        self.asked += 1
        made = super().distributions(states)
        return Distributions(made.actions, made.weights + 0.01 * self.asked, made.offsets)


def test_probabilities_that_change_are_no_bug(tmp_path: Path) -> None:
    task, steady = fork()
    fickle = Fickle(steady.table)
    bugs = find_bugs(task, fickle, folder=tmp_path / "fickle", objective="probability")
    assert [bug.kind for bug in bugs] == ["unsolved"]  # at p0, where nothing changes
    with CostRecords(tmp_path / "fickle") as records:
        unstable = records.unstable()
    assert unstable and all("(right p1) 0." in row.first + row.second for row in unstable)
    result = replay(
        Bench(task, Fickle(steady.table), make_objective("probability", task)),
        _certificate(task, steady),
    )
    assert result.status is ReplayStatus.FLAKY


def _certificate(task: Task, policy: WeightTable) -> dict[str, Any]:
    bench = Bench(task, policy, make_objective("probability", task))
    state = np.array([1], dtype=np.uint16)
    (verdict,) = make_oracle("perfect", bench).judge(bench.suspects(state))
    return certificate_of(bench, state, verdict)


@pytest.mark.parametrize("oracles", [("perfect",), ("combined:bmo:10+planner:ehc",)])
def test_a_campaign_that_is_interrupted_ends_the_same(
    tmp_path: Path, oracles: tuple[str, ...]
) -> None:
    task = as_task(seeded_task(6, LONG))
    policy = ErraticWeights(task, 5, mischief=0.05)
    options = CostOptions(
        task=(),
        policy="erratic-weights",
        objective="probability:20",
        oracles=oracles,
        fuzz=FuzzOptions(pool_size=25, round_walks=4, seed=2),
        batch_size=3,
    )
    Campaign.create(tmp_path / "whole", options, task, policy=policy).run()
    expected = contents(tmp_path / "whole")
    assert len(expected["bugs"]) >= 5
    for cut in (2, 5, 9):
        folder = tmp_path / str(cut)
        interrupted(Campaign.create(folder, options, task, policy=policy), cut)
        Campaign.open(folder, policy=ErraticWeights(task, 5, mischief=0.05)).run()
        assert contents(folder) == expected


def test_specs_and_what_does_not_apply() -> None:
    task, policy = fork()
    assert make_objective("probability", task).spec == "probability"
    assert make_objective("probability:1000", task).spec == "probability"
    assert make_objective("probability:7", task).spec == "probability:7"
    for wrong in ("0", "5001", "x", "", "-1", "٣"):
        with pytest.raises(UsageError, match="STATES of the objective"):
            make_objective(f"probability:{wrong}", task)
    bench = Bench(task, policy, make_objective("probability", task))
    assert Loopiness.objection(bench) == (
        "it needs the policy's graph, but here distributions count, by which a state has several "
        "successors"
    )
    with pytest.raises(UnsupportedError, match="looks at the state alone, and this one does not"):
        Bench(task, PlanFollower(task), make_objective("probability", task))
