"""Every listed member keeps its contract: a new one is tested by being listed."""

from __future__ import annotations

import pytest

from bugsieve.pipeline.biases import BIASES
from bugsieve.pipeline.oracles.registry import ORACLES
from bugsieve.policies.registry import POLICIES
from bugsieve.testing import check_bias, check_oracle, check_policy


@pytest.mark.parametrize("spec", ORACLES.examples())
def test_oracles(spec: str) -> None:
    check_oracle(spec)


@pytest.mark.parametrize("spec", BIASES.examples())
def test_biases(spec: str) -> None:
    check_bias(spec)


@pytest.mark.parametrize("spec", POLICIES.examples())
def test_policies(spec: str) -> None:
    check_policy(spec)
