"""The main program of a process that teaches: answers questions until its socket closes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from bugsieve.base.files_and_processes.process_pool import serve_orders
from bugsieve.rooms.training.asnets.teacher import Taught, Teacher, TeacherQuestion, TeacherSetup


def main(descriptor: int) -> None:
    """Serve the socket with this descriptor."""
    serve_orders(descriptor, _teaching)


@contextmanager
def _teaching(setup: TeacherSetup) -> Iterator[Callable[[TeacherQuestion], Taught]]:
    yield Teacher([task.load() for task in setup.tasks], setup).teach
