"""Options of safety campaigns are the same as objects and as TOML; mistakes are named."""

from __future__ import annotations

from typing import Any

import pytest

from bugsieve.base.errors import InputError, UsageError
from bugsieve.campaigns.stop_rules import StopRules
from bugsieve.policies.limits import WorkerLimits
from bugsieve.rooms.safety.campaign.options import SafetyOptions
from bugsieve.rooms.safety.walks.options import SafetyFuzzOptions
from bugsieve.tasks.search import Limits


def options(**changes: Any) -> SafetyOptions:
    return SafetyOptions(**{"model": ("m.jani", "p.jani"), "policy": "random", **changes})


@pytest.mark.parametrize(
    "given",
    [
        options(),
        options(model=(), constants=("N=5", "b=true"), property_name="safety"),
        options(limits=Limits()),
        options(limits=Limits(expansions=None, seconds=1.5, bytes=7)),
        options(policy="cmd:./run 'ä'", policy_limits=WorkerLimits(memory_mb=None)),
        options(stop=StopRules(max_time=60.0, max_bugs=3, until_stale=1.0)),
        options(oracles=("tarjan:1", "vi", "lao:0"), proof_rows=7, shared_runs=1, alone=9),
        options(fuzz=SafetyFuzzOptions(lookahead=3, choice="sampling", walks=5, seed=2**40)),
        options(
            fuzz=SafetyFuzzOptions(lookahead=1, choice="uniform", round_walks=1), step_limit=7
        ),
    ],
)
def test_toml_round_trip(given: SafetyOptions) -> None:
    assert SafetyOptions.from_toml(given.to_toml(), name="x") == given


def test_oracles_have_one_spelling() -> None:
    assert options(oracles=()).oracles == ("tarjan",)
    assert options(oracles=("tarjan:inf", "vi:01")).oracles == ("tarjan", "vi:1")


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"oracles": ("tarian",)}, "no safety oracle 'tarian' .did you mean 'tarjan'"),
        ({"oracles": ("vi:-1",)}, "oracle 'vi:-1': a radius is a whole number"),
        ({"oracles": ("vi", "vi:inf")}, "the oracle 'vi' is named twice"),
        ({"stop": StopRules(stale_rounds=3)}, "stale_rounds is for cost testing"),
        ({"proof_rows": 0}, "proof_rows must be a whole number of at least 1, got 0"),
        ({"shared_runs": 0}, "shared_runs must be a whole number of at least 1"),
        ({"step_limit": 0}, "step_limit must be a whole number of at least 1, got 0"),
        ({"workers": 2}, "runs in one process: workers must be 1"),
        ({"alone": -1}, "alone must be at least 0, got -1"),
        ({"model": ("\udcff.jani",)}, "no valid UTF-8"),
    ],
)
def test_mistakes(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        options(**changes)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('policy = "x"', "x.toml: lacks 'model'"),
        ('model = []\npolicy = "x"\n[fuzz]\nwalk = 2', "no option 'walk' .did you mean 'walks'"),
        ('model = []\npolicy = "x"\noracles = "vi"', "oracles must be a list, got 'vi'"),
    ],
)
def test_mistakes_in_a_file(text: str, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        SafetyOptions.from_toml(text, name="x.toml")
