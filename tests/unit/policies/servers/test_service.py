"""Policies of ours as servers: what the published tools ask is answered, mistakes are refused."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import grpc
import numpy as np
import pytest

from bugsieve.base.errors import UnsupportedError, UsageError
from bugsieve.base.stopping import check_stop
from bugsieve.policies.decisions import Decisions, Ending, Failure
from bugsieve.policies.policy import Policy
from bugsieve.policies.registry import make_policy
from bugsieve.rooms.formats.servers.addresses import Address
from bugsieve.rooms.formats.servers.service import PolicyService
from bugsieve.tasks.grounded.task import ActionArray, StateArray, Task
from tests.unit.policies.line import at, line_task
from tests.unit.policies.servers.published import message
from tests.unit.policies.servers.serving import SERVICE

LINE = line_task(4)
LOCAL = Address.parse("127.0.0.1:0", listening=True)


def served(policy: Policy | str, task: Task = LINE, address: Address = LOCAL) -> PolicyService:
    made = make_policy(policy, task) if isinstance(policy, str) else policy
    return PolicyService(task, made, address)


def test_what_needs_the_whole_run_is_not_served() -> None:
    class Avoiding:
        spec = "avoiding"
        avoids_visited = True

        def choose(self, states: StateArray) -> ActionArray:
            raise AssertionError("nobody may ask")

    with pytest.raises(UnsupportedError, match="policy avoiding avoids the states that its run"):
        served(Avoiding())


def ask(service: PolicyService, method: str, values: list[int] | None = None) -> Any:
    """What a client gets that was made by Google's library."""
    request = message("RequestFDRStateOperator")
    request.state.val.extend(values or ())
    request.state.SetInParent()
    data = b"" if values is None else request.SerializeToString()
    with grpc.insecure_channel(service.address.target) as channel:
        reply = message(f"Response{method.removeprefix('Get')}")
        reply.ParseFromString(channel.unary_unary(f"/{SERVICE}/{method}")(data, timeout=100))
        return reply


def refusal(service: PolicyService, values: list[int] | None) -> tuple[str, str]:
    with pytest.raises(grpc.RpcError) as error:
        ask(service, "GetFDRStateOperator", values)
    return error.value.code().name, error.value.details()


def test_what_clients_ask() -> None:
    with served("greedy:hff") as service:
        assert ask(service, "GetFDRTaskFD").task == LINE.to_sas()
        assert ask(service, "GetFDRStateOperator", [2]).operator == 2
        (row,) = ask(service, "GetFDRStateOperatorsProb", [1]).operator
        assert (row.operator, row.prob) == (1, 1.0)
        assert service.requests == {
            "GetFDRTaskFD": 1,
            "GetFDRStateOperator": 1,
            "GetFDRStateOperatorsProb": 1,
        }


class Stubborn:
    """Does nothing, or worse."""

    def __init__(self, failure: Failure | None) -> None:
        self._failure = failure

    def decide(self, states: StateArray) -> Decisions:
        return Decisions.of([self._failure or -1] * len(states))

    def choose(self, states: StateArray) -> ActionArray:
        return np.full(len(states), -1, dtype=np.int32)


def test_no_action() -> None:
    with served(Stubborn(None)) as service:
        assert ask(service, "GetFDRStateOperator", [2]).operator == -1
        assert len(ask(service, "GetFDRStateOperatorsProb", [2]).operator) == 0


@pytest.mark.parametrize(
    ("ending", "code"),
    [(Ending.POLICY_CRASH, "INTERNAL"), (Ending.POLICY_HANG, "DEADLINE_EXCEEDED")],
)
def test_failures_of_the_policy(ending: Ending, code: str) -> None:
    with served(Stubborn(Failure(ending, "alas"))) as service:
        assert refusal(service, [0]) == (code, f"{ending.label}: alas")


@pytest.mark.parametrize("values", [None, [], [1, 1], [4], [-1], [1 << 30]])
def test_what_is_no_state(values: list[int] | None) -> None:
    with served("greedy:hff") as service:
        code, sentence = refusal(service, values)
        assert code == "INVALID_ARGUMENT" and sentence
        assert ask(service, "GetFDRStateOperator", [0]).operator == 0  # and it goes on


def test_a_policy_of_another_server() -> None:
    with served("greedy:hff") as first, served(f"phrm:{first.address.text}") as second:
        assert ask(second, "GetFDRStateOperator", [1]).operator == 1


def test_a_socket(tmp_path: Path) -> None:
    address = Address.parse(f"unix:{tmp_path}/a b#c.sock")
    with served("greedy:hff", address=address) as service:
        assert (tmp_path / "a b#c.sock").is_socket()
        with make_policy(f"phrm:{service.address.text}", LINE) as policy:
            assert policy.choose(at(1)).tolist() == [1]
    assert not (tmp_path / "a b#c.sock").exists()


def test_a_place_that_is_taken(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("keep me")
    with served("greedy:hff") as service:
        for place in (service.address, Address.parse(f"unix:{tmp_path}/file")):
            with pytest.raises(UsageError, match="cannot listen at .* --listen"):
                served("greedy:hff", address=place)
    assert (tmp_path / "file").read_text() == "keep me"


class Endless:
    """Thinks until it is stopped."""

    def __init__(self) -> None:
        self.asked = threading.Event()

    def choose(self, states: StateArray) -> ActionArray:
        self.asked.set()
        while True:
            check_stop()


def test_closing_drops_what_is_under_way() -> None:
    policy = Endless()
    answers: list[tuple[str, str]] = []
    service = served(policy)
    client = threading.Thread(target=lambda: answers.append(refusal(service, [0])))
    with service:
        client.start()
        policy.asked.wait()
    client.join()
    assert answers[0][0] in ("UNAVAILABLE", "CANCELLED")
