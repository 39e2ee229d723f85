"""Processes of our own that live no longer than we do, and the sockets to talk to them.

A child ends when its end of the socket closes, at any point of its work and however we end. It is
in a session of its own, so that Ctrl-C on the terminal is for us to handle.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any

from bugsieve.base import threads
from bugsieve.base.files_and_processes.interpreters import NEUTRAL_FOLDER, own_command

_PROGRAM = "from importlib import import_module; import_module(sys.argv[1]).main(int(sys.argv[2]))"
_CHILD_CLEANUP_SECONDS = 1.0

Inbox = queue.SimpleQueue[Any]
"""The messages a child has received and not yet read."""


class ChildDiedError(Exception):
    """A child ended without an answer; `code` is its exit code, negative for a signal."""

    def __init__(self, code: int) -> None:
        super().__init__(f"exit code {code}")
        self.code = code


class Child:
    """A process that runs `main` of a module, which calls `serve`."""

    def __init__(
        self,
        module: str,
        *,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Start it with this environment, by default with ours."""
        ours, theirs = socket.socketpair()
        # Our copy of the child's end is closed at once: otherwise we would keep the socket open
        # ourselves and never see that the child is gone.
        with theirs:
            try:
                self.process = _start(module, theirs.fileno(), environment or os.environ)
            except BaseException:
                ours.close()
                raise
        self.connection: Connection[Any, Any] = Connection(ours.detach())

    def send(self, message: object) -> None:
        """Hand over a message; ChildDiedError if the process is gone."""
        try:
            self.connection.send(message)
        except (BrokenPipeError, ConnectionResetError):
            raise ChildDiedError(self.process.wait()) from None

    def receive(self) -> Any:
        """Wait for the next message of the child; ChildDiedError if none can come."""
        try:
            return self.connection.recv()
        except (EOFError, ConnectionResetError):
            raise ChildDiedError(self.process.wait()) from None

    def dismiss(self) -> None:
        """Tell the process to end: closing the socket is the order it cannot overhear."""
        self.connection.close()

    def reap(self, end: float) -> None:
        """Wait for the process until `end` on the monotonic clock, then kill it."""
        try:
            self.process.wait(max(0.0, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        finally:
            self.connection.close()


def _start(
    module: str, descriptor: int, environment: Mapping[str, str]
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        own_command(_PROGRAM, module, str(descriptor)),
        cwd=NEUTRAL_FOLDER,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        # There is one process for each core: threads of the native core would get in the way.
        env={**environment, threads.VARIABLE: "1"},
        pass_fds=(descriptor,),
        start_new_session=True,
    )


def serve(descriptor: int, work: Callable[[Connection[Any, Any], Inbox], None]) -> None:
    """Run in the child: do the work, which reads the inbox and answers; ends the process."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # it may have been ignored before us
    sys.excepthook = _say_unless_interrupted
    connection: Connection[Any, Any] = Connection(descriptor)
    inbox: Inbox = queue.SimpleQueue()
    try:
        threading.Thread(target=_receive, args=(connection, inbox), daemon=True).start()
        work(connection, inbox)
    except (KeyboardInterrupt, BrokenPipeError, ConnectionResetError):
        pass  # the other side no longer waits for us
    finally:
        os._exit(0)  # the other thread is still reading: an orderly end would wait for it


def _say_unless_interrupted(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """The interrupt may come at any moment, also when the work is just done."""
    if not issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)


def _receive(connection: Connection[Any, Any], inbox: Inbox) -> None:
    """Pass messages on. When the socket closes, interrupt the work and end."""
    with contextlib.suppress(EOFError, OSError):
        while True:
            inbox.put(connection.recv())
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(_CHILD_CLEANUP_SECONDS)
    os._exit(1)
