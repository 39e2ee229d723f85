"""The main program of a process that tests models on its share of the tasks."""

from __future__ import annotations

from multiprocessing.connection import Connection
from typing import Any

from bugsieve.base.errors import BudgetError, BugsieveError, InternalError
from bugsieve.base.files_and_processes.processes import Inbox, serve
from bugsieve.rooms.formats.asnets.weights import Weights
from bugsieve.rooms.training.model_tests import ModelTestPlan, PooledTask, TaskTester


def main(descriptor: int) -> None:
    """Serve the socket with this descriptor."""
    serve(descriptor, _serve)


def _serve(connection: Connection[Any, Any], inbox: Inbox) -> None:
    try:
        _test_all(connection, inbox)
    except BugsieveError as error:
        connection.send(error)
    except MemoryError:
        sentence = "the memory of a process that tests models ran out: use fewer workers"
        connection.send(BudgetError(sentence))
    except Exception as error:  # the last line of defence of this process
        connection.send(InternalError(f"{type(error).__name__} in a test of models: {error}"))


def _test_all(connection: Connection[Any, Any], inbox: Inbox) -> None:
    tasks: dict[int, PooledTask]
    plan: ModelTestPlan
    tasks, plan = inbox.get()
    testers: dict[int, TaskTester] = {}
    while True:
        weights: Weights = inbox.get()
        for number, pooled in tasks.items():
            if number not in testers:
                testers[number] = TaskTester(pooled, plan)
            connection.send((number, testers[number].test(weights)))
