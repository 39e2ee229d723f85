"""Certificates of true bugs are accepted; forged ones only where they happen to be true too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache, lru_cache
from random import Random
from typing import Any

import pytest

from bugsieve.checkers.cost import CertificateError, Checker
from bugsieve.pipeline.bugs.certificate import certificate_of
from bugsieve.pipeline.oracles.registry import make_oracle
from bugsieve.tasks.search import exact_goal_distances
from tests.depth import examples
from tests.reference.certificates import proves_bug
from tests.unit.bugs.mutations import MUTATIONS, forge, misshapen
from tests.unit.bugs.samples import LONG, SMALL, make_sample
from tests.unit.policies.chances.samples import chance_bench

SEEDS = examples(220)
FORGED = examples(500)  # certificates for each mutation
FEWEST_REJECTED = {
    "objective: condition": 10,
    "run: chosen": 30,
    **{name: 20 for name in MUTATIONS if name.startswith("chances")},
}
OBJECTIVES = ("quantitative", "qualitative", "avoid")

Signed = tuple[str, dict[str, Any]]


@cache
def all_certificates() -> list[Signed]:
    """Certificates with the texts of their tasks."""
    by_cost = [signed for objective in OBJECTIVES for signed in _certificates(objective)]
    return [*by_cost, *_uncertain_certificates()]


def _certificates(objective: str) -> Iterator[Signed]:
    for seed in range(SEEDS if objective != "avoid" else 4 * SEEDS):
        shape = LONG if seed % 2 else SMALL
        sample = make_sample(seed, shape=shape, objective=objective)
        text = sample.bench.task.to_sas()
        for state, verdict in sample.bugs():
            yield text, certificate_of(sample.bench, state, verdict)


def _uncertain_certificates() -> Iterator[Signed]:
    """Those of the objective `probability`."""
    for seed in range(4 * SEEDS):
        _, bench = chance_bench(seed)
        states = exact_goal_distances(bench.task)[0][:8]
        verdicts = make_oracle("perfect", bench).judge(bench.suspects(states))
        for state, verdict in zip(states, verdicts, strict=True):
            if verdict.is_bug:
                yield bench.task.to_sas(), certificate_of(bench, state, verdict)


checker_of = lru_cache(maxsize=1024)(Checker)


def is_accepted(text: str, certificate: dict[str, Any]) -> bool:
    try:
        checker_of(text).check(certificate)
    except CertificateError:
        return False
    return True


def test_true_certificates_are_accepted_and_all_kinds_occur() -> None:
    seen: Counter[tuple[str, str]] = Counter()
    for text, certificate in all_certificates():
        checker_of(text).check(certificate)
        assert proves_bug(text, certificate)
        seen[certificate["kind"], certificate["run"]["ending"]] += 1
    stuck = ("loop", "no action", "illegal action", "policy crash")
    wanted = [("unsolved", ending) for ending in stuck]
    wanted += [("costly", "solved"), ("avoidable", "condition met")]
    wanted += [("uncertain", ending) for ending in ("loop", "no action")]
    assert min(seen[what] for what in wanted) >= examples(10)
    assert sum(seen.values()) >= examples(2000)


@pytest.mark.parametrize("name", MUTATIONS)
def test_a_forged_certificate_is_accepted_only_if_it_is_true(name: str) -> None:
    random = Random(name)
    rejected = accepted = 0
    for text, certificate in random.sample(all_certificates(), FORGED):
        forged = forge(name, text, certificate, random)
        if forged is None:
            continue
        expected = proves_bug(*forged)
        assert is_accepted(*forged) == expected, forged[1]
        rejected += not expected
        accepted += expected
    assert rejected >= examples(FEWEST_REJECTED.get(name, 100))
    assert name in CAN_BE_TRUE or not accepted


CAN_BE_TRUE = {
    name
    for name in MUTATIONS
    if "cost" in name
    or any(word in name for word in ("swapped", "replaced", "added", "dropped", "cut short"))
    or name in ("run: ending", "run: chosen", "objective", "objective: condition")
    or name in ("state: a value with its fact", "task: goal, hash put right")
    or name == "task: an effect, hash put right"
    or name.startswith("chances")
}
"""Another way to the goal, another policy's run, a change elsewhere: these may prove a bug too."""


def test_certificates_of_the_wrong_shape_are_rejected_with_a_sentence() -> None:
    random = Random(0)
    count = 0
    # Another weight may be as good, so that distributions have forgeries of their own.
    plain = [it for it in all_certificates() if "chances" not in it[1]["run"]]
    for text, certificate in random.sample(plain, examples(60)):
        checker = Checker(text)
        for wrong in misshapen(certificate, random):
            with pytest.raises(CertificateError, match=r"\S+ \S+ \S+"):
                checker.check(wrong)
            count += 1
    assert count > examples(5000)


def test_what_no_simulation_can_tell_is_taken_as_claimed() -> None:
    """The checker knows neither the policy nor what the task is called."""
    for text, certificate in all_certificates()[:50]:
        renamed = {**certificate, "policy": "another"}
        renamed["task"] = {**certificate["task"], "name": "another"}
        renamed["run"] = {**certificate["run"], "detail": "another"}
        Checker(text).check(renamed)
