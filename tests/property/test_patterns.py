"""The search for patterns of decisions against all sets of features, on random ones."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from bugsieve.explanation.blame.exact_costs import costs_for
from bugsieve.explanation.patterns import mining
from bugsieve.explanation.patterns.cover import Cover, Option
from bugsieve.explanation.patterns.features import Decision, Feature, FeatureVocabulary
from bugsieve.explanation.patterns.mining import ExactRegrets, mined
from tests.depth import examples
from tests.reference import patterns
from tests.unit.bugs.samples import SMALL, make_sample

FEATURES = [Feature(kind, name) for kind in range(3) for name in "abc"]


def drawn(random: Random) -> tuple[list[set[Feature]], list[list[Option]]]:
    density = random.choice([0.3, 0.5, 0.8])

    def features() -> set[Feature]:
        return {feature for feature in FEATURES if random.random() < density}

    def option() -> Option:
        return Option(features(), random.random() < 0.3)

    wrong = [features() for _ in range(random.randint(1, 12))]
    right = [[option() for _ in range(random.randint(1, 4))] for _ in range(random.randint(0, 12))]
    return wrong, right


def test_the_search_finds_what_all_sets_would() -> None:
    sizes = set()
    for seed in range(examples(3000)):
        wrong, right = drawn(Random(seed))
        found = list(Cover(wrong, right).explained())
        assert found == patterns.explained(wrong, right)
        sizes |= {None if one.features is None else len(one.features) for one in found}
    assert sizes == {None, 0, 1, 2, 3}


def test_regrets_are_those_of_the_definition_and_no_order_matters() -> None:
    """What is mined from random policies covers all blamed decisions, each once."""
    several = 0
    for seed in range(examples(500)):
        sample = make_sample(seed, shape=SMALL, objective="quantitative")
        costs, task = costs_for(sample.bench), sample.bench.task
        assert costs is not None
        regrets = ExactRegrets(sample.bench, costs)
        wrong, done = set(), set()
        for key, distance in sample.distances.items():
            state = np.frombuffer(key, dtype=np.uint16)
            if np.isnan(costs.to_go(state[None])[0]):
                continue
            known = regrets.of_all(state)
            assert bool(known) <= (distance < np.inf)
            for operator, regret in known.items():
                after = task.successors(state, [operator])[0]
                cost = float(task.operator_costs[operator])
                assert regret == cost + sample.distances[after.tobytes()] - distance
            if known:
                chosen = sorted(known)[seed % len(known)]
                done.add(Decision(key, chosen))
                wrong |= {Decision(key, chosen)} if known[chosen] else set()
        found = list(mined(sample.bench, costs, wrong, done))
        assert sorted(d for one in found for d in one.decisions) == sorted(wrong)
        assert found == list(mined(sample.bench, costs, sorted(wrong)[::-1], sorted(done)[::-1]))
        several += any(len(one.decisions) > 1 for one in found)
    assert several >= examples(10)


def test_rules_of_a_sample_explain_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every wrong decision is in one line, and each rule holds of all of its line."""
    several = 0
    for seed in range(examples(500)):
        sample = make_sample(seed, shape=SMALL, objective="quantitative")
        costs, task = costs_for(sample.bench), sample.bench.task
        assert costs is not None
        wrong = set()
        for key in sample.distances:
            state = np.frombuffer(key, dtype=np.uint16)
            if not np.isnan(costs.to_go(state[None])[0]):
                known = ExactRegrets(sample.bench, costs).of_all(state)
                wrong |= {Decision(key, one) for one, lost in [*known.items()][:1] if lost}
        monkeypatch.setattr(mining, "MOST_WRONG", 2)
        found = list(mined(sample.bench, costs, wrong, wrong))
        assert sorted(d for one in found for d in one.decisions) == sorted(wrong)
        for one in found:
            words = FeatureVocabulary(task, [])
            for row, operator in one.decisions:
                facts = words.of_state(np.frombuffer(row, dtype=np.uint16))
                assert {*(one.features or ())} <= words.of_decision(facts, operator)
        several += any(len(one.decisions) > 2 for one in found)
    assert several >= examples(10)
