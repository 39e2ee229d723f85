"""TarjanSafe takes linear time also where it would search the same states again and again."""

from __future__ import annotations

import numpy as np
import pytest

from bugsieve.rooms.safety.oracles.decide import SafetyDecider
from tests.unit.oracles.safety.retries import retry_system


@pytest.mark.parametrize("radius", [None, 1])
@pytest.mark.parametrize("size", [100, 1000, 4000])
def test_steps_grow_with_the_system(size: int, radius: int | None) -> None:
    states = 3 * size + 2
    decider = SafetyDecider(retry_system(size, size), np.zeros(states, dtype=np.int32),
                            radius=radius)  # fmt: skip
    safety = decider.decide(range(states)).safety
    if radius is None:
        assert np.flatnonzero(safety).tolist() == [0, *range(size + 1, 2 * size + 1)]
    else:  # each round through the ring costs a divergence
        assert not safety.any()
    assert decider.num_turns < 40 * (1 + (radius or 0)) * states


def test_the_first_question_alone_is_linear() -> None:
    decider = SafetyDecider(retry_system(3000, 3000))
    assert decider.decide([0]).safety.tolist() == [1]
    assert decider.num_turns < 30 * decider.num_states
    # The ring was found safe with state 0: no more work.
    turns = decider.num_turns
    assert decider.decide(range(3001, 6001)).safety.all()
    assert decider.num_turns == turns
