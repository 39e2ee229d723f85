"""A policy server whose answers the test writes, over the messages of Google's library."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import grpc

from bugsieve.tasks.grounded.task import Task
from tests.unit.policies.servers.published import message

SERVICE = "phrm.policy.Policy"


@dataclass
class Answers:
    """What a server says; a test may change it while it runs. None: it lacks the method."""

    task: Callable[[], str | bytes] | None
    operator: Callable[[list[int]], int | bytes] | None
    distribution: Callable[[list[int]], list[tuple[int, float]] | bytes] | None = None

    def task_reply(self, request: bytes, context: Any) -> bytes:
        """GetFDRTaskFD; bytes are sent as they are."""
        assert self.task is not None
        text = self.task()
        if isinstance(text, bytes):
            return text
        reply = message("ResponseFDRTaskFD")
        reply.task = text
        return bytes(reply.SerializeToString())

    def operator_reply(self, request: bytes, context: Any) -> bytes:
        """GetFDRStateOperator."""
        assert self.operator is not None
        answer = self.operator(_state(request))
        if isinstance(answer, bytes):
            return answer
        reply = message("ResponseFDRStateOperator")
        reply.operator = answer
        return bytes(reply.SerializeToString())

    def distribution_reply(self, request: bytes, context: Any) -> bytes:
        """GetFDRStateOperatorsProb."""
        assert self.distribution is not None
        answer = self.distribution(_state(request))
        if isinstance(answer, bytes):
            return answer
        reply = message("ResponseFDRStateOperatorsProb")
        for operator, probability in answer:
            reply.operator.add(operator=operator, prob=probability)
        return bytes(reply.SerializeToString())

    def handlers(self) -> dict[str, Any]:
        """By the names of the methods."""
        offered = {
            "GetFDRTaskFD": (self.task, self.task_reply),
            "GetFDRStateOperator": (self.operator, self.operator_reply),
            "GetFDRStateOperatorsProb": (self.distribution, self.distribution_reply),
        }
        return {
            name: grpc.unary_unary_rpc_method_handler(reply)
            for name, (answer, reply) in offered.items()
            if answer is not None
        }


def _state(request: bytes) -> list[int]:
    found = message("RequestFDRStateOperator")
    found.ParseFromString(request)
    return list(found.state.val)


def walking(task: Task) -> Answers:
    """Serves a line and walks to the right."""
    last = int(task.domain_sizes[0]) - 1
    return Answers(task.to_sas, lambda state: state[0] if state[0] < last else -1)


def free_address() -> str:
    """An address at which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as place:
        return f"127.0.0.1:{place.getsockname()[1]}"


@contextlib.contextmanager
def serving(answers: Answers, address: str = "127.0.0.1:0") -> Iterator[str]:
    """Where the server listens."""
    with ThreadPoolExecutor(max_workers=10) as threads:
        server = grpc.server(threads, options=[("grpc.so_reuseport", 0)])
        handlers = grpc.method_handlers_generic_handler(SERVICE, answers.handlers())
        server.add_generic_rpc_handlers((handlers,))
        port = server.add_insecure_port(address)
        server.start()
        try:
            yield address if address.startswith("unix:") else f"127.0.0.1:{port}"
        finally:
            server.stop(None).wait()
