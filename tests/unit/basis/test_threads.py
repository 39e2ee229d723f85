"""How many threads the native core may use: one for each core, and one in our own processes."""

from __future__ import annotations

import os

import pytest

from bugsieve.base.errors import UsageError
from bugsieve.base.files_and_processes.processes import Child, Inbox, serve
from bugsieve.base.threads import VARIABLE, num_threads


def main(descriptor: int) -> None:
    """The program of the child below."""

    def answer(connection: object, inbox: Inbox) -> None:
        inbox.get()
        connection.send(num_threads())  # type: ignore[attr-defined]

    serve(descriptor, answer)


def test_one_for_each_core(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    for cores, threads in ((1, 1), (2, 2), (16, 16), (200, 16)):
        monkeypatch.setattr(os, "sched_getaffinity", lambda _, cores=cores: set(range(cores)))
        assert num_threads() == threads


def test_the_environment_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    for named, threads in (("1", 1), ("3", 3), ("100", 16)):
        monkeypatch.setenv(VARIABLE, named)
        assert num_threads() == threads
    for wrong in ("", "0", "-1", "two", "1.5", "9" * 5000):
        monkeypatch.setenv(VARIABLE, wrong)
        with pytest.raises(UsageError, match=f"{VARIABLE} is .* number of threads from 1 on"):
            num_threads()


@pytest.mark.parametrize("ours", [None, "4"])
def test_processes_of_our_own_have_one(monkeypatch: pytest.MonkeyPatch, ours: str | None) -> None:
    """They are one for each core already."""
    if ours is None:
        monkeypatch.delenv(VARIABLE, raising=False)
    else:
        monkeypatch.setenv(VARIABLE, ours)
    child = Child("tests.unit.basis.test_threads")
    try:
        child.send("go")
        assert child.receive() == 1
    finally:
        child.dismiss()
        child.reap(0.0)
