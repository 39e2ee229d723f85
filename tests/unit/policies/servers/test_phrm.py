"""Policy servers as policies: decisions, tasks, sockets, probabilities."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from bugsieve.base.errors import PolicyError, UsageError
from bugsieve.policies.decisions import Ending
from bugsieve.policies.registry import POLICIES, brings_task, brought_task, make_policy
from bugsieve.policies.runs import run_policy
from bugsieve.rooms.formats.servers.phrm import PhrmPolicy
from bugsieve.tasks.grounded.task import Task
from tests.unit.policies.line import as_task, at, line_task
from tests.unit.policies.servers.serving import Answers, free_address, serving, walking
from tests.unit.policies.servers.test_matching import BASE, shuffled


@pytest.fixture(autouse=True)
def _own_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def test_the_server_brings_its_task() -> None:
    line = line_task(5)
    with serving(walking(line)) as address:
        task = brought_task(f"phrm:{address}")
        assert task.to_sas() == line.to_sas()
        assert task.name == address
        with make_policy(f"phrm:{address}", task) as policy:
            assert isinstance(policy, PhrmPolicy)
            (run,) = run_policy(task, policy, task.initial_state)
    assert run.ending is Ending.SOLVED
    assert run.actions == (0, 1, 2, 3)


def test_a_socket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    line = line_task(4)
    with (
        serving(walking(line), f"unix:{tmp_path}/policy.sock"),
        make_policy("phrm:unix:policy.sock", line) as policy,
    ):
        assert policy.choose(at(0, 1, 2, 3)).tolist() == [0, 1, 2, -1]
        assert policy.spec == f"phrm:unix:{tmp_path}/policy.sock"


def test_only_some_policies_bring_tasks() -> None:
    assert brings_task("phrm:localhost:7")
    assert not brings_task("greedy:hff")
    with pytest.raises(UsageError, match="policy 'greedy' needs a task: a domain and a problem"):
        brought_task("greedy:hff")


@pytest.mark.parametrize("seed", range(6))
def test_another_order_of_the_task_is_translated(seed: int) -> None:
    ours, theirs = as_task(BASE), as_task(shuffled(BASE, seed))
    ((variable, b),) = theirs.places("(at b)")

    def answer(state: list[int]) -> int:
        return theirs.operator_id("light" if state[variable] == b else "go a b")

    with (
        serving(Answers(theirs.to_sas, answer)) as address,
        make_policy(f"phrm:{address}", ours) as policy,
    ):
        (run,) = run_policy(ours, policy, ours.initial_state)
    assert run.solved and run.actions == (0, 1)


def test_another_task_is_refused() -> None:
    refused = pytest.raises(PolicyError, match="serves another task than line: no variable has")
    with serving(walking(line_task(5))) as address, refused:
        make_policy(f"phrm:{address}", line_task(6))


def test_most_probable_operators() -> None:
    line = line_task(4)

    def chances(state: list[int]) -> list[tuple[int, float]]:
        right, left = state[0], 3 + state[0] - 1
        return [[(right, 1.0)], [(left, 0.4), (right, 0.6)], [(left, 0.5), (right, 0.5)], []][
            state[0]
        ]

    with serving(Answers(line.to_sas, None, chances)) as address:
        with make_policy(f"phrm:{address},probabilities", line) as policy:
            assert policy.choose(at(0, 1, 2, 3)).tolist() == [0, 1, 2, -1]
            assert policy.spec.endswith(",probabilities")
        refused = pytest.raises(PolicyError, match="has no GetFDRStateOperator; 'phrm:.*,proba")
        with make_policy(f"phrm:{address}", line) as policy, refused:
            policy.choose(at(0))


def test_fingerprints_know_the_task() -> None:
    def fingerprint(task: Task, address: str) -> str:
        with serving(walking(task), address), make_policy(f"phrm:{address}", task) as policy:
            return policy.fingerprint()

    address = free_address()
    first, again, other = (fingerprint(line_task(n), address) for n in (4, 4, 5))
    assert first == again != other


def test_specs() -> None:
    assert POLICIES.reach_of("phrm:localhost:50051").connections == ("localhost:50051",)
    assert POLICIES.reach_of("phrm:localhost:50051,probabilities").needs_trust
    POLICIES.check("phrm:localhost:50051,probabilities")
    for spec, sentence in (
        ("phrm", "followed by HOST:PORT"),
        ("phrm:,probabilities", "followed by HOST:PORT"),
        ("phrm:localhost", "write HOST:PORT"),
        ("phrm:localhost:7,loudly", "write HOST:PORT"),
    ):
        with pytest.raises(UsageError, match=sentence):
            POLICIES.check(spec)


def test_without_grpc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "grpc", None)
    with pytest.raises(UsageError, match=r"policy servers need gRPC, .*bugsieve\[grpc\]"):
        brought_task("phrm:localhost:7")


def test_large_batches_and_states_in_all_orders() -> None:
    line = line_task(300)
    states = np.arange(299, dtype=np.uint16)[::-1, np.newaxis]
    with (
        serving(walking(line)) as address,
        make_policy(f"phrm:{address}", line) as policy,
    ):
        assert isinstance(policy, PhrmPolicy)
        assert policy.choose(states).tolist() == states[:, 0].tolist()
        assert policy.decide_anew(states[:3]).actions.tolist() == [298, 297, 296]
