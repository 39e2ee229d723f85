"""A connection to a policy server: one call after the other, each with a deadline.

The published tools ask one state at a time and their servers expect no more, so neither do we. A
call gives the bytes of the answer or raises what the server did instead.
"""

from __future__ import annotations

from typing import Any

from bugsieve.base.current_activity import doing
from bugsieve.base.files_and_processes.closing import Closing
from bugsieve.base.stopping import check_stop, seconds_left
from bugsieve.policies.worker import printable
from bugsieve.rooms.formats.servers.addresses import Address
from bugsieve.rooms.formats.servers.grpc_loading import load_grpc
from bugsieve.rooms.formats.servers.messages import METHODS, SERVICE, TASK
from bugsieve.tasks.grounded.loading import MAX_SAS_BYTES

_POLL_SECONDS = 0.25
_MOST_ANSWER_BYTES = 16 << 20  # a distribution over a million operators


class ServerError(Exception):
    """The server answered by an error, or its answer cannot be read; the sentence says which."""


class NoSuchMethodError(ServerError):
    """The server does not offer what it was asked for."""


class ServerHangError(Exception):
    """There was no answer before the deadline."""


class ServerGoneError(Exception):
    """No server answers at the address, or the connection broke."""


class ServerConnection(Closing):
    """Connects when it is first asked; after `close` it connects anew."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self._grpc = load_grpc()
        self._channels: dict[int, Any] = {}
        """By the most bytes that an answer may have."""

    def ask(self, method: str, request: bytes, *, deadline: float, patient: bool = False) -> bytes:
        """The answer to a call; `patient` waits for a server that is not there yet."""
        check_stop()  # before the deadline of the server: the end of our time is not a hang
        call = self._call(method)
        try:
            with doing(f"waiting for the policy server at {self.address.text}"):
                future = call.future(request, timeout=deadline, wait_for_ready=patient)
                return self._waited(future)
        except self._grpc.RpcError as error:
            raise self._meaning(method, error, deadline) from None

    def close(self) -> None:
        """End the connection."""
        channels, self._channels = self._channels, {}
        for channel in channels.values():
            channel.close()

    def _waited(self, future: Any) -> bytes:
        """In short portions, so that Ctrl-C and the end of our time are heeded meanwhile."""
        try:
            while True:
                try:
                    answer: bytes = future.result(timeout=min(_POLL_SECONDS, seconds_left()))
                    return answer
                except self._grpc.FutureTimeoutError:
                    check_stop()
        except BaseException:
            future.cancel()
            raise

    def _call(self, method: str) -> Any:
        assert method in METHODS
        most = MAX_SAS_BYTES if method == TASK else _MOST_ANSWER_BYTES
        if most not in self._channels:
            options = [
                ("grpc.max_receive_message_length", most),
                ("grpc.max_send_message_length", -1),
                ("grpc.enable_http_proxy", 0),  # to the address that was typed, no other
                ("grpc.use_local_subchannel_pool", 1),  # else `close` would not connect anew
            ]
            self._channels[most] = self._grpc.insecure_channel(self.address.target, options)
        # Bytes in, bytes out: gRPC would print what our own readers raise.
        return self._channels[most].unary_unary(f"/{SERVICE}/{method}")

    def _meaning(self, method: str, error: Any, deadline: float) -> Exception:
        """The error that a status stands for."""
        code, status = error.code(), self._grpc.StatusCode
        said = printable(error.details() or "")
        if code is status.DEADLINE_EXCEEDED:
            return ServerHangError(f"no answer within {deadline:g} s")
        if code is status.UNAVAILABLE:
            return ServerGoneError(said)
        if code is status.UNIMPLEMENTED:
            return NoSuchMethodError(f"it has no {method}")
        return ServerError(f"it answered {code.name}{said and f': {said}'}")
