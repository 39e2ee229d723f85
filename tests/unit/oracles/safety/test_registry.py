"""Names of safety oracles."""

from __future__ import annotations

import pytest

from bugsieve import _native
from bugsieve.base.errors import UsageError
from bugsieve.rooms.safety.oracles.algorithms import LARGEST_RADIUS
from bugsieve.rooms.safety.oracles.registry import (
    SAFETY_ORACLES,
    SafetySpec,
    check_safety_spec,
    parse_safety_spec,
)


def test_the_names_are_those_of_the_core() -> None:
    assert set(SAFETY_ORACLES) == set(_native.SAFETY_ALGORITHMS)


@pytest.mark.parametrize(("spec", "algorithm", "radius"), [
    ("tarjan", "tarjan", None), ("tarjan:inf", "tarjan", None), ("lao:∞", "lao", None),
    ("vi:0", "vi", 0), (" lrtdp : 12 ", "lrtdp", 12), (f"vi:{LARGEST_RADIUS}", "vi", 2**30),
])  # fmt: skip
def test_specs(spec: str, algorithm: str, radius: int | None) -> None:
    parsed = parse_safety_spec(spec)
    assert parsed == SafetySpec(algorithm, radius)
    assert parse_safety_spec(str(parsed)) == parsed


@pytest.mark.parametrize(("spec", "sentence"), [
    ("aras", "oracle 'aras' is for planning tasks, not for models; for models there are tarjan"),
    ("tarjn", "did you mean 'tarjan'"), ("", "there is no safety oracle ''"),
    ("tarjan:", "oracle 'tarjan:': a radius is a whole number"), ("vi:-1", "not '-1'"),
    ("vi:1.5", "not '1.5'"), ("vi:²", "not '²'"), (f"vi:{LARGEST_RADIUS + 1}", "at most"),
    ("vi:" + "9" * 5000, "up to 1073741824"),
])  # fmt: skip
def test_wrong_specs(spec: str, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence) as caught:
        check_safety_spec(spec)
    assert len(str(caught.value)) < 6000
