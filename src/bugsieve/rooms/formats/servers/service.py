"""A policy as a server: what the published C++ tools ask over gRPC, answered by any of ours."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from bugsieve.base.errors import BugsieveError, UnsupportedError, UsageError
from bugsieve.base.files_and_processes.closing import Closing
from bugsieve.base.stopping import Stopped, StopToken
from bugsieve.policies.asking import decide, weigh
from bugsieve.policies.decisions import Ending, Failure
from bugsieve.policies.distributions import probabilities
from bugsieve.policies.policy import Policy, policy_name
from bugsieve.rooms.formats.networks.protobuf import WireError
from bugsieve.rooms.formats.servers.addresses import Address
from bugsieve.rooms.formats.servers.grpc_loading import load_grpc
from bugsieve.rooms.formats.servers.messages import (
    DISTRIBUTION,
    METHODS,
    OPERATOR,
    SERVICE,
    TASK,
    distribution_reply,
    operator_reply,
    read_state,
    task_reply,
)
from bugsieve.tasks.grounded.task import StateArray, Task

Answer = Callable[[bytes, Any], bytes]


class _FailureError(Exception):
    """The policy has no answer."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(f"{failure.ending.label}: {failure.detail}")
        self.failure = failure


class PolicyService(Closing):
    """Answers from a thread of its own, one request after the other, until it is closed."""

    def __init__(self, task: Task, policy: Policy, address: Address) -> None:
        if getattr(policy, "avoids_visited", False):
            raise UnsupportedError(
                f"policy {policy_name(policy)} avoids the states that its run has visited, but a "
                "server is asked about single states: serve one that looks at the state alone"
            )
        self._task = task
        self._policy = policy
        self._grpc = load_grpc()
        self._token = StopToken()
        self._threads = ThreadPoolExecutor(max_workers=1)
        self.requests = Counter(dict.fromkeys(METHODS, 0))
        """The number of calls of each method."""
        # Without the option, two servers could share a port, and each get half of the questions.
        self._server = self._grpc.server(self._threads, options=[("grpc.so_reuseport", 0)])
        text = task_reply(task.to_sas().encode())
        answers: dict[str, Answer] = {
            TASK: self._counted(TASK, lambda request: text),
            OPERATOR: self._counted(OPERATOR, self._operator),
            DISTRIBUTION: self._counted(DISTRIBUTION, self._distribution),
        }
        handlers = {
            name: self._grpc.unary_unary_rpc_method_handler(answer)
            for name, answer in answers.items()
        }
        self._server.add_generic_rpc_handlers(
            (self._grpc.method_handlers_generic_handler(SERVICE, handlers),)
        )
        self.address = self._listening(address)
        self._server.start()

    def wait(self) -> None:
        """Serve until it is interrupted."""
        self._server.wait_for_termination()

    def close(self) -> None:
        """Drop what is under way and stop listening."""
        self._token.stop()
        self._server.stop(None).wait()
        self._threads.shutdown()

    def _listening(self, address: Address) -> Address:
        try:
            port = self._server.add_insecure_port(address.listening)
        except RuntimeError:
            port = 0
        if port == 0:
            self._threads.shutdown()
            raise UsageError(
                f"cannot listen at {address.text}: another program does, or it is no address of "
                "this machine; name another one by --listen"
            )
        return address.at_port(port)

    def _counted(self, name: str, answer: Callable[[bytes], bytes]) -> Answer:
        def reply(request: bytes, context: Any) -> bytes:
            self.requests[name] += 1
            with self._refusing(context), self._token.active():
                return answer(request)
            raise AssertionError("a refusal raises")

        return reply

    @contextlib.contextmanager
    def _refusing(self, context: Any) -> Iterator[None]:
        """Turn what goes wrong into the status of the call."""
        codes = self._grpc.StatusCode
        try:
            yield
        except (WireError, UsageError) as error:
            context.abort(codes.INVALID_ARGUMENT, str(error))
        except _FailureError as error:
            hung = error.failure.ending is Ending.POLICY_HANG
            context.abort(codes.DEADLINE_EXCEEDED if hung else codes.INTERNAL, str(error))
        except BugsieveError as error:
            context.abort(codes.INTERNAL, str(error))
        except Stopped:
            context.abort(codes.UNAVAILABLE, "the server is stopping")

    def _operator(self, request: bytes) -> bytes:
        return operator_reply(self._chosen(request))

    def _distribution(self, request: bytes) -> bytes:
        weights = weigh(self._policy, self._state(request)).row(0)
        if isinstance(weights, Failure):
            raise _FailureError(weights)
        actions = (action for action, _ in weights)
        return distribution_reply(list(zip(actions, probabilities(weights), strict=True)))

    def _chosen(self, request: bytes) -> int:
        """The policy's action in the state of a request; _FailureError if there is none."""
        decisions = decide(self._policy, self._state(request))
        for failure in decisions.failures.values():
            raise _FailureError(failure)
        return int(decisions.actions[0])

    def _state(self, request: bytes) -> StateArray:
        values = np.array(read_state(request), dtype=np.int64)
        return self._task.checked_state(values)[None]
