"""Green certificates are accepted exactly where brute force says that all they say is true."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from bugsieve._native import DEAD_END
from bugsieve.checkers.cost import CertificateError
from bugsieve.checkers.green import check_green
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.green import GreenAnswers, green_certificate
from bugsieve.pipeline.objectives import make_objective
from bugsieve.tasks.search import exact_goal_distances
from tests.depth import examples
from tests.property.green_claims import (
    best_policy,
    claim_of,
    forged,
    run_of,
    some_policy,
    some_task,
    spoiled,
    unreadable,
)
from tests.reference.greens import decoded, encoded, is_true
from tests.reference.sas import render
from tests.unit.bugs.samples import TablePolicy
from tests.unit.policies.line import as_task

TASKS = examples(2000, quick=100)
FORGED_TASKS = examples(1500, quick=60)


def is_accepted(text: str, certificate: dict[str, Any]) -> bool:
    try:
        check_green(text, certificate)
    except CertificateError:
        return False
    return True


@pytest.mark.parametrize("objective", ["quantitative", "qualitative"])
def test_a_policy_is_certified_exactly_if_it_is_fine_from_everywhere(objective: str) -> None:
    seen: Counter[bool] = Counter()
    for seed in range(TASKS):
        sas = some_task(seed)
        policy = some_policy(sas, seed)
        task = as_task(sas)
        states, values = exact_goal_distances(task)
        bench = Bench(task, TablePolicy(policy), make_objective(objective, task))
        is_lost = values == DEAD_END
        made = green_certificate(bench, states, is_lost, values.astype(np.int64))
        claim = claim_of(sas, policy, objective=objective)
        is_green = claim is not None and is_true(sas, claim)
        seen[is_green] += 1
        assert (made is not None) == is_green, seed
        if claim is not None:
            assert is_accepted(render(sas), encoded(sas, claim)) == is_green, seed
        if made is not None:
            proven = check_green(task.to_sas(), made)
            assert (proven.states, proven.with_plan) == (len(states), int((~is_lost).sum()))
            answers = GreenAnswers.of(task, made)
            told = zip(map(tuple, answers.asked.tolist()), answers.actions.tolist(), strict=True)
            assert all(policy[state] == action for state, action in told)
    assert min(seen.values()) > TASKS // 20


@pytest.mark.parametrize("objective", ["quantitative", "qualitative"])
@pytest.mark.parametrize("follows_plans", [False, True])
def test_forged_certificates_are_refused_unless_they_are_true(
    objective: str, follows_plans: bool
) -> None:
    seen: Counter[bool] = Counter()
    for seed in range(FORGED_TASKS):
        sas = some_task(seed)
        policy = best_policy(sas)
        claim = claim_of(sas, policy, objective=objective, follows_plans=follows_plans)
        if claim is None:
            continue
        text = render(sas)
        assert is_accepted(text, encoded(sas, claim)), seed
        for number in range(8):
            changed = forged(sas, claim, 8 * seed + number)
            truth = is_true(sas, changed)
            assert is_accepted(text, encoded(sas, changed)) == truth, (seed, number)
            seen[truth] += 1
    assert seen[False] > FORGED_TASKS and seen[True]


def test_spoiled_certificates_are_refused_unless_they_are_true() -> None:
    seen: Counter[bool] = Counter()
    for seed in range(FORGED_TASKS):
        sas = some_task(seed)
        claim = claim_of(sas, best_policy(sas), objective="quantitative")
        if claim is None:
            continue
        text, right = render(sas), encoded(sas, claim)
        for number in range(8):
            certificate = spoiled(right, 8 * seed + number)
            found = decoded(sas, certificate)
            is_same_task = certificate["task"] == right["task"]
            truth = is_same_task and found is not None and is_true(sas, found)
            assert is_accepted(text, certificate) == truth, (seed, number)
            seen[truth] += 1
    assert seen[False] > FORGED_TASKS and seen[True]


def test_columns_are_packed_in_one_way() -> None:
    for seed in range(examples(100, quick=10)):
        sas = some_task(seed)
        claim = claim_of(sas, best_policy(sas), objective="quantitative")
        if claim is not None:
            for certificate in unreadable(encoded(sas, claim)):
                with pytest.raises(CertificateError):
                    check_green(render(sas), certificate)


def test_runs_are_what_the_twins_follow() -> None:
    """The best policy reaches the goal from everywhere; without it the tests above say little."""
    for seed in range(examples(100, quick=10)):
        sas = some_task(seed)
        policy = best_policy(sas)
        assert all(run_of(sas, policy, state) for state in policy)
