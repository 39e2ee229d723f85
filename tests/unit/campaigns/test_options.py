"""Options are the same as Python objects and as TOML, and mistakes in them are named."""

from __future__ import annotations

import math
from typing import Any

import pytest

from bugsieve.base.errors import InputError, UsageError
from bugsieve.campaigns.options import CostOptions
from bugsieve.campaigns.stop_rules import StopRules
from bugsieve.pipeline.objectives.objective import FOR_PLANS, Objective
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.policies.limits import WorkerLimits
from bugsieve.tasks.search import Limits


def options(**changes: Any) -> CostOptions:
    return CostOptions(**{"task": ("d.pddl", "p.pddl"), "policy": "greedy:hff", **changes})


@pytest.mark.parametrize(
    "given",
    [
        options(),
        options(task=("a b\"'\\.sas",), policy="cmd:./run 'ä' \t\x7f"),
        options(limits=Limits()),
        options(limits=Limits(expansions=None, seconds=1.5, bytes=7)),
        options(policy_limits=WorkerLimits(memory_mb=None, startup=2.0)),
        options(stop=StopRules(max_time=60.0, max_bugs=3, until_stale=1.0, stale_rounds=9)),
        options(oracles=("lookahead:3", "any:aras+planner:ehc"), mode="separate", workers=2),
        options(
            fuzz=FuzzOptions(
                insert="all", bias="uniform", seed=2**40, novelty=0, prune_dead_ends=False
            )
        ),
        options(from_states="states.json", batch_size=1, policy_seed=-3),
    ],
)
def test_toml_round_trip(given: CostOptions) -> None:
    assert CostOptions.from_toml(given.to_toml(), name="x") == given


def test_usual_oracles_depend_on_the_objective() -> None:
    assert options().oracles == options(objective="qualitative").oracles == FOR_PLANS
    assert options(objective="avoid:(at p0)").oracles == Objective.usual_oracles
    assert options(oracles=("perfect",)).oracles == ("perfect",)


def test_what_a_file_leaves_out_has_its_default() -> None:
    text = 'task = ["t.sas"]\npolicy = "random"\n[stop]\nmax_time = 5\n[limits]\nexpansions = 9\n'
    read = CostOptions.from_toml(text, name="x")
    assert read.stop == StopRules(max_time=5.0)
    assert read.limits.expansions == 9
    assert read.limits.bytes == options().limits.bytes
    assert read.fuzz == FuzzOptions()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('policy = "x"', "x.toml: lacks 'task'"),
        ('task = "t.sas"', "x.toml: lacks 'policy'"),
        ('task = ["t"]\npolicy = "x"\nworker = 2', "no option 'worker' .did you mean 'workers'"),
        ('task = ["t"]\npolicy = "x"\nworkers = "two"', "workers must be a whole number"),
        ('task = ["t"]\npolicy = "x"\nworkers = true', "workers must be a whole number"),
        ('task = ["t"]\npolicy = 3', "policy must be a text, got 3"),
        ('task = "t"\npolicy = "x"', "task must be a list"),
        ('task = [1]\npolicy = "x"', "task must be a text, got 1"),
        ('task = ["t"]\npolicy = "x"\nfuzz = 3', "fuzz must be a table"),
        ('task = ["t"]\npolicy = "x"\n[stop]\nmax_tim = 3', "no option 'max_tim' .did you mean"),
        ("task = [", "x.toml: is no TOML"),
    ],
)
def test_mistakes_in_a_file(text: str, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        CostOptions.from_toml(text, name="x.toml")


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"task": ("a", "b", "c")}, "not more"),
        ({"mode": "seperate"}, "no mode 'seperate' .did you mean 'separate'"),
        ({"oracles": ("aras", "lookahead", "aras")}, "'aras' is named twice"),
        ({"workers": 0}, "workers must be a whole number of at least 1, got 0"),
        ({"workers": 2.0}, "workers must be a whole number, got 2.0"),
        ({"workers": 5000}, "workers must be at most 1024"),
        ({"batch_size": -1}, "batch_size must be a whole number of at least 1"),
        ({"step_limit": 0}, "step_limit must be a whole number"),
        ({"task": ("\udcff.sas",)}, r"\\xff.sas: the name is no valid UTF-8"),
        ({"mode": "separate", "stop": StopRules(stale_rounds=1)}, "needs the interleaved mode"),
    ],
)
def test_mistakes_in_a_call(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        options(**changes)


@pytest.mark.parametrize("value", [0, -1.0, math.nan, "5", True])
def test_stop_rules_are_positive(value: Any) -> None:
    for name in ("max_time", "until_stale"):
        with pytest.raises(UsageError, match=f"{name} must be a number of seconds above 0"):
            StopRules(**{name: value})
    for name in ("max_bugs", "stale_rounds"):
        if value is not True:
            with pytest.raises(UsageError, match=f"{name} must be a whole number of at least 1"):
                StopRules(**{name: value})
