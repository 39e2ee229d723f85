"""Replay of safety bugs against policies that have changed, or not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from bugsieve.pipeline.bugs.replay import ReplayStatus
from bugsieve.rooms.jani.model.loading import load_document
from bugsieve.rooms.jani.model.model import JaniModel, Valuations
from bugsieve.rooms.jani.policies.policy import ActionArray
from bugsieve.rooms.safety.bugs.replay import replay_safety
from bugsieve.rooms.safety.walks.run_examiner import RunExaminer
from tests.property.safety_models import Case, ListedPolicy, document
from tests.reference.safety import GOAL, ORDINARY, UNSAFE, System

# In 1, a leads to 2 (lost), b to 6, c to 2 or 6; from 2 on, there is only one way, into danger;
# from 6, both actions lead to the goal 5.
SYSTEM = System(
    (ORDINARY, ORDINARY, ORDINARY, ORDINARY, UNSAFE, GOAL, ORDINARY),
    (
        {0: (1,)}, {0: (2,), 1: (6,), 2: (2, 6)}, {0: (3,), 1: (3,)}, {0: (4,)}, {}, {},
        {0: (5,), 1: (5,)},
    ),
    (0, 0, 0, 0, -1, -1, 0),
)  # fmt: skip


class Wavering(ListedPolicy):
    """Another answer at every second question."""

    def choose(self, states: Valuations) -> ActionArray:
        before = self.asked
        return super().choose(states) + (before > 0)


@pytest.fixture
def loaded() -> JaniModel:
    return load_document(document(SYSTEM), name="system")


def certificate(loaded: JaniModel, spec: str = "tarjan", **options: Any) -> Mapping[str, Any]:
    policy = ListedPolicy(loaded, SYSTEM.policy)
    case = Case(0, SYSTEM, loaded, policy, ())
    run = case.unsafe_run((0, 1, 2, 3, 4))
    (bug,) = RunExaminer(policy, [spec], **options).analyse(run).bugs
    return bug.certificate


def avoidable(loaded: JaniModel) -> Mapping[str, Any]:
    made = certificate(loaded, proof_rows=6)
    assert made["kind"] == "avoidable"
    return made


@pytest.mark.parametrize(("policy", "status", "words"), [
    ((0, 0, 0, 0, -1, -1, 0), ReplayStatus.STILL_FAILS, "still chooses 'a'"),
    ((0, 0, 1, 0, -1, -1, 0), ReplayStatus.STILL_FAILS, "still chooses 'a'"),
    ((0, 1, 0, 0, -1, -1, 0), ReplayStatus.FIXED, "now chooses 'b', which leads to no state"),
    ((0, 2, 0, 0, -1, -1, 0), ReplayStatus.STILL_FAILS, "now chooses 'c', but that may lead"),
    ((0, -1, 0, 0, -1, -1, 0), ReplayStatus.FIXED, "now chooses no action"),
])  # fmt: skip
def test_faults(
    loaded: JaniModel, policy: tuple[int, ...], status: ReplayStatus, words: str
) -> None:
    made = certificate(loaded)
    assert (made["kind"], made["state"]) == ("fault", [1])
    result = replay_safety(ListedPolicy(loaded, policy), made)
    assert result.status is status
    assert words in result.sentence
    assert result.differs_at == (None if policy[1] == 0 else 0)


def test_faults_with_a_radius(loaded: JaniModel) -> None:
    made = certificate(loaded, "tarjan:1")
    same = replay_safety(ListedPolicy(loaded, SYSTEM.policy), made)
    assert same.status is ReplayStatus.STILL_FAILS
    elsewhere = replay_safety(ListedPolicy(loaded, (0, 0, 0, 0, -1, -1, 1)), made)
    assert elsewhere.status is ReplayStatus.CANNOT_REPLAY
    assert "the proof for 1 divergence is void" in elsewhere.sentence


@pytest.mark.parametrize(("policy", "status", "place", "words"), [
    ((0, 0, 0, 0, -1, -1, 0), ReplayStatus.STILL_FAILS, None, "danger after 3 steps"),
    ((0, 2, 0, 0, -1, -1, 0), ReplayStatus.STILL_FAILS, 0, "but the run into danger remains"),
    ((0, 0, 1, 0, -1, -1, 0), ReplayStatus.STILL_FAILS, 1, "differently at step 1"),
    ((0, 1, 0, 0, -1, -1, 0), ReplayStatus.FIXED, 0, "now chooses 'b', which leaves the run"),
    ((0, 2, 0, -1, -1, -1, 0), ReplayStatus.FIXED, 2, "at step 2 the policy now chooses no"),
])  # fmt: skip
def test_avoidable_bugs(
    loaded: JaniModel,
    policy: tuple[int, ...],
    status: ReplayStatus,
    place: int | None,
    words: str,
) -> None:
    result = replay_safety(ListedPolicy(loaded, policy), avoidable(loaded))
    assert (result.status, result.differs_at) == (status, place)
    assert words in result.sentence


def test_policies_that_waver_are_flaky(loaded: JaniModel) -> None:
    for made in (certificate(loaded), avoidable(loaded)):
        result = replay_safety(Wavering(loaded, SYSTEM.policy), made)
        assert result.status is ReplayStatus.FLAKY


def test_a_certificate_that_does_not_hold(loaded: JaniModel) -> None:
    made = {**certificate(loaded), "action": 1}
    result = replay_safety(ListedPolicy(loaded, SYSTEM.policy), made)
    assert result.status is ReplayStatus.CANNOT_REPLAY
    assert "the certificate does not hold" in result.sentence
