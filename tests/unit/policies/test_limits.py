"""Limits that make no sense are refused where they are made, not where they are used."""

from __future__ import annotations

from typing import Any

import pytest

from bugsieve.base.errors import UsageError
from bugsieve.policies.built_in.lazy import LazyPolicy
from bugsieve.policies.built_in.optimal import OptimalPolicy
from bugsieve.policies.limits import MAX_MEMORY_MB, WorkerLimits
from bugsieve.policies.registry import make_policy
from tests.unit.policies.line import at, line_task


@pytest.mark.parametrize(
    ("limits", "sentence"),
    [
        ({"deadline": 0.0}, "deadline of a policy's limits must be a number above 0, got 0.0"),
        ({"deadline": float("nan")}, "deadline of a policy's limits must be a number above 0"),
        ({"startup": -1.0}, "startup of a policy's limits must be a number above 0, got -1.0"),
        ({"memory_mb": 0}, "memory_mb of a policy's limits must be at least 1 and at most"),
        ({"memory_mb": 10**30}, "memory_mb of a policy's limits must be at least 1 and at most"),
        ({"batch_size": 0}, "batch_size of a policy's limits must be at least 1, got 0"),
    ],
)
def test_refused(limits: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError) as caught:
        WorkerLimits(**limits)
    assert sentence in str(caught.value)


@pytest.mark.parametrize("memory_mb", [1, MAX_MEMORY_MB, None])
@pytest.mark.parametrize("spec", ["optimal", "lazy", "ehc"])
def test_accepted(spec: str, memory_mb: int | None) -> None:
    limits = WorkerLimits(deadline=float("inf"), memory_mb=memory_mb)
    with make_policy(spec, line_task(4), limits=limits) as policy:
        assert policy.choose(at(1)).tolist() == [1]


@pytest.mark.parametrize("make", [OptimalPolicy, LazyPolicy])
def test_searches_take_any_number(make: type[OptimalPolicy] | type[LazyPolicy]) -> None:
    assert make(line_task(4), memory_mb=10**30).choose(at(1)).tolist() == [1]
