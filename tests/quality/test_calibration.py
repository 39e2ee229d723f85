"""Limits of measurements hold as often as they promise, and the usual ways do not."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.options import CostOptions
from bugsieve.campaigns.stop_rules import StopRules
from bugsieve.pipeline.measuring.binomial import at_least, at_most
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.pipeline.pool.sample import ALL_TESTS, Sample, SampleFuzzer, sampling
from tests.depth import examples
from tests.quality.calibration import (
    PAIRS,
    PROMISED,
    TESTS,
    calibrated,
    campaigns,
    kept,
    normal_interval,
    plain_interval,
)
from tests.quality.exact_sample import Pair

CAMPAIGNS = examples(1000, quick=50)
RARE = PAIRS[5:]


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_share_and_risk_hold_at_all_looks(pair: Pair) -> None:
    found = calibrated(pair, campaigns(pair, CAMPAIGNS))
    print(f"{pair}: share held in {found.share:.3f}, risk in {found.risk:.3f} of the campaigns")
    assert found.share >= PROMISED
    assert found.risk >= PROMISED
    assert found.limits
    assert found.median_limit <= 0.02


def test_pairs_are_of_all_kinds() -> None:
    assert len(PAIRS) >= 8
    assert sum(not pair.share for pair in PAIRS) == 1
    for pair in RARE:
        assert min(pair.risk(set(pair_causes(pair)) - {c}) for c in pair_causes(pair)) < 0.005


@pytest.mark.parametrize("pair", [PAIRS[0], PAIRS[3]], ids=str)
def test_an_interval_that_is_read_every_ten_tests_does_not_hold(pair: Pair) -> None:
    assert kept(pair, campaigns(pair, CAMPAIGNS), plain_interval) < PROMISED


@pytest.mark.parametrize("pair", RARE, ids=str)
def test_the_usual_interval_around_the_estimate_does_not_hold(pair: Pair) -> None:
    assert kept(pair, campaigns(pair, CAMPAIGNS), normal_interval) < PROMISED


def test_a_pool_is_no_sample(tmp_path: Path) -> None:
    pair = PAIRS[0]
    wrong = 0
    for size in (25, 50, 100):
        fuzz = FuzzOptions(pool_size=size, novelty=0, bias="uniform", prune_dead_ends=False)
        options = CostOptions(task=(), policy=pair.policy, oracles=("perfect",), fuzz=fuzz)
        with Campaign.create(tmp_path / str(size), options, pair.task) as campaign:
            found = campaign.run()
        tails = [tail(found.bugs, found.judged, pair.share) for tail in (at_least, at_most)]
        wrong += min(tails) < 0.025
    assert wrong


@pytest.mark.parametrize("pair", PAIRS[::4], ids=str)
def test_walks_end_where_the_exact_distribution_says(pair: Pair) -> None:
    tests = 20_000
    fuzz = sampling(walk_length=pair.walk_length, seed=5)
    sampler = SampleFuzzer(pair.bench, fuzz, ALL_TESTS, tests, pool=Sample(pair.task))
    while sampler.finished is None:
        sampler.round()
    counts = Counter(map(tuple, sampler.pool.states().tolist()))
    assert counts.keys() <= pair.ends.keys()
    assert chi_square_tail(counts, pair.ends, tests) > 1e-4


@pytest.mark.parametrize("pair", [PAIRS[1], PAIRS[3]], ids=str)
def test_tests_of_a_campaign_show_what_their_states_do(pair: Pair, tmp_path: Path) -> None:
    options = CostOptions(
        task=(),
        policy=pair.policy,
        oracles=("perfect",),
        sample="1/1",
        fuzz=sampling(walk_length=pair.walk_length),
        stop=StopRules(tests=400),
    )
    with Campaign.create(tmp_path / "campaign", options, pair.task) as campaign:
        campaign.run()
    with CostRecords(tmp_path / "campaign") as records:
        shown = [test for _, test in records.tests()]
        states = [tuple(state) for state in records.pool().states.tolist()]
    assert len(shown) == 400
    assert shown == [pair.shown[state] for state in states]
    assert len(set(states)) < 400  # states that come again count again


def test_simulated_campaigns_are_long_enough() -> None:
    assert all(len(tests) == TESTS for tests in campaigns(PAIRS[0], 3))
    assert campaigns(PAIRS[0], 2, seed=1) != campaigns(PAIRS[0], 2, seed=2)


def pair_causes(pair: Pair) -> list[str]:
    return [cause for shown in pair.classes for cause in shown.causes]


def chi_square_tail(
    counts: Counter[tuple[int, ...]], chances: dict[tuple[int, ...], float], tests: int
) -> float:
    """How likely counts are at least so far from what is expected (Wilson and Hilferty)."""
    common = [state for state, chance in chances.items() if chance * tests >= 5]
    rest = 1 - sum(chances[state] for state in common)
    expected = np.array([*(chances[state] for state in common), rest]) * tests
    observed = [counts[state] for state in common]
    seen = np.array([*observed, tests - sum(observed)])
    expected, seen = expected[expected > 1e-9], seen[expected > 1e-9]
    statistic = float(((seen - expected) ** 2 / expected).sum())
    degrees = len(expected) - 1
    spread = 2 / (9 * degrees)
    normal = ((statistic / degrees) ** (1 / 3) - (1 - spread)) / math.sqrt(spread)
    return 0.5 * math.erfc(normal / math.sqrt(2))


def test_a_wrong_distribution_is_noticed() -> None:
    pair = PAIRS[0]
    states = list(pair.ends)
    wrong = dict(zip(states, np.roll(list(pair.ends.values()), 1).tolist(), strict=True))
    counts = Counter({state: round(20_000 * wrong[state]) for state in states})
    assert chi_square_tail(counts, pair.ends, 20_000) < 1e-4
