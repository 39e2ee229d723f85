"""The names that `bugsieve.tasks` offers."""

from __future__ import annotations

import pytest

import bugsieve
from bugsieve import tasks


@pytest.mark.parametrize("name", tasks.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(tasks, name) is not None
    assert name in dir(tasks)


def test_they_are_those_of_the_package() -> None:
    assert tasks.load_task is bugsieve.load_task
    assert tasks.Task is bugsieve.Task


def test_other_names_are_not() -> None:
    with pytest.raises(AttributeError, match="module 'bugsieve.tasks' has no attribute 'tusk'"):
        tasks.tusk  # noqa: B018
