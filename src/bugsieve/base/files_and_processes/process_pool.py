"""Several processes of our own that work through orders, with answers in the order of the orders.

A process is set up once, by the first message it gets; each further one is an order.
"""

from __future__ import annotations

import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from itertools import islice, zip_longest
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, TypeVar

from bugsieve.base.current_activity import doing
from bugsieve.base.errors import BudgetError, BugsieveError, InternalError
from bugsieve.base.files_and_processes.processes import Child, ChildDiedError, Inbox, serve
from bugsieve.base.stopping import check_stop
from bugsieve.base.wording import counted

_POLITE_SECONDS = 2.0
_CLEANUP_SECONDS = 0.15
_KILLED = (-signal.SIGKILL, -signal.SIGTERM)
MOST_DEATHS = 2
"""The number of times that an order may cost a process before it is given up."""

Order = TypeVar("Order")
Answer = TypeVar("Answer")
Setup = TypeVar("Setup")


class ProcessPool(Generic[Order, Answer]):
    """Up to `count` processes that run `module`; each gets the next order when it is done.

    `words` say what they do, as in "judging states".
    """

    def __init__(self, module: str, setup: object, count: int, words: str) -> None:
        self.count = count
        self._module = module
        self._setup = setup
        self._words = words
        self._workers: list[_Worker[Order]] = []
        """The workers that have had work; they start when there is some."""

    def work(
        self, orders: Iterator[Order], *, until: float | None
    ) -> Iterator[tuple[Order, Answer]]:
        """All orders at the same time, as far as there are workers; answers in order.

        None after `until` on the monotonic clock.
        """
        # Orders are numbered as they are handed out. Answers come in any order and wait in `done`
        # until all before them are there: what follows must not depend on who was quick. At most
        # one answer per worker is unread and one order per worker under way. So a slow one holds
        # up the order, but never the other workers.
        tickets = enumerate(orders)
        first = list(islice(tickets, self.count))
        self._start(len(first) - len(self._workers))
        for worker, order in zip_longest(self._workers, first):
            worker.give(order)
        done: dict[int, tuple[Order, Answer]] = {}
        following = 0
        while any(worker.order is not None for worker in self._workers):
            with doing(f"{self._words} with {counted(len(self._workers), 'worker')}"):
                ready = self._ready(until)
            if not ready:
                return
            for worker in ready:
                answered = worker.take()
                if answered is not None:
                    worker.give(next(tickets, None))
                    done[answered[0]] = answered[1]
            while following in done:
                yield done.pop(following)
                following += 1

    def close(self, *, at_once: bool) -> None:
        """End the processes; they get little time to clean up if there is no time."""
        for worker in self._workers:
            worker.child.dismiss()
        end = time.monotonic() + (_CLEANUP_SECONDS if at_once else _POLITE_SECONDS)
        for worker in self._workers:
            worker.child.reap(end)
        self._workers = []

    def _start(self, missing: int) -> None:
        """Start so many more, all at the same time: the setup is sent while others boot."""
        before = len(self._workers)
        try:
            for _ in range(missing):
                check_stop()
                self._workers.append(_Worker(self._module, self._setup))
            for worker in self._workers[before:]:
                check_stop()
                worker.set_up()
        except BaseException:  # none without a setup is left behind
            self.close(at_once=True)
            raise

    def _ready(self, until: float | None) -> list[_Worker[Order]]:
        """Workers with an answer; none of them when the time is up."""
        timeout = None if until is None else until - time.monotonic()
        if timeout is not None and timeout <= 0:
            return []
        busy = {
            worker.child.connection: worker for worker in self._workers if worker.order is not None
        }
        return [busy[connection] for connection in wait(list(busy), timeout)]  # type: ignore[index]


class _Worker(Generic[Order]):
    """One process, and the order it is working on, with its ticket.

    A process that a user kills, or the system for want of memory, is started again and gets its
    order again: answers depend on orders alone. It is not the fault of the order for ever, so each
    has a limit.
    """

    def __init__(self, module: str, setup: object) -> None:
        self.child = Child(module)
        self.order: tuple[int, Order] | None = None
        self._module = module
        self._setup = setup
        self._deaths = 0

    def set_up(self) -> None:
        """Hand over the setup."""
        try:
            self._send(self._setup)
        except ChildDiedError as death:
            self._start_again(death)

    def give(self, order: tuple[int, Order] | None) -> None:
        """Hand over the next order, if there is one."""
        self.order = order
        if order is not None:
            try:
                self._send(order[1])
            except ChildDiedError as death:
                self._start_again(death)

    def take(self) -> tuple[int, tuple[Order, Any]] | None:
        """The ticket, the order and the answer; None if the order is worked on again.

        Raises the error that the worker met instead.
        """
        assert self.order is not None
        ticket, order = self.order
        try:
            answer = self._receive()
        except ChildDiedError as death:
            self._start_again(death)
            return None
        self._deaths = 0
        return ticket, (order, answer)

    def _send(self, message: object) -> None:
        """Hand over a message; raises the last words of the process if it is gone."""
        try:
            self.child.send(message)
        except ChildDiedError:
            self._receive()  # its last words, or why there are none
            raise

    def _receive(self) -> Any:
        answer = self.child.receive()
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def _start_again(self, death: ChildDiedError) -> None:
        """Put a new process in place of one that was killed, with the order of that."""
        while True:
            self._deaths += 1
            if death.code not in _KILLED or self._deaths > MOST_DEATHS:
                raise _explained(death) from None
            check_stop()
            self.child.reap(time.monotonic())
            self.child = Child(self._module)
            try:
                self._send(self._setup)
                if self.order is not None:
                    self._send(self.order[1])
                return
            except ChildDiedError as next_death:
                death = next_death


def _explained(death: ChildDiedError) -> BudgetError | InternalError:
    """The error for a process that ended without an answer."""
    if death.code in _KILLED:
        return BudgetError(
            f"a worker process was killed, {MOST_DEATHS + 1} times over the same work, perhaps "
            "because the memory ran out: use fewer workers; what was stored is kept"
        )
    return InternalError(f"a worker process ended unexpectedly (exit code {death.code})")


def serve_orders(
    descriptor: int,
    prepare: Callable[[Setup], AbstractContextManager[Callable[[Any], object]]],
) -> None:
    """Run in the child: prepare for the setup, then answer orders until the socket closes.

    Errors are answers, too, and the last ones.
    """

    def work(connection: Connection[Any, Any], inbox: Inbox) -> None:
        try:
            with prepare(inbox.get()) as answer:
                while True:
                    connection.send(answer(inbox.get()))
        except BugsieveError as error:
            _report(connection, error)
        except MemoryError:
            sentence = "the memory of a worker ran out: use fewer workers or tighter limits"
            _report(connection, BudgetError(sentence))
        except Exception as error:  # the last line of defence of this process
            _report(connection, InternalError(f"{type(error).__name__} in a worker: {error}"))

    serve(descriptor, work)


def _report(connection: Connection[Any, Any], error: BugsieveError) -> None:
    if os.environ.get("BUGSIEVE_TRACEBACK"):
        traceback.print_exc(file=sys.stderr)
    connection.send(error)
