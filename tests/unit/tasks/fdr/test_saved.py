"""A saved task is the task it was made from."""

from __future__ import annotations

import pickle
from pathlib import Path

from bugsieve.tasks.grounded.saved import SavedTask
from tests.unit.policies.generated import generated_task
from tests.unit.policies.line import line_task


def test_a_saved_task_is_the_same_task(tmp_path: Path) -> None:
    task = generated_task(tmp_path, "transport", seed=3)
    saved = pickle.loads(pickle.dumps(SavedTask.of(task)))
    again = saved.load()
    assert again.to_sas() == task.to_sas() and again.name == task.name
    assert again.sha256 == task.sha256 == saved.sha256
    assert task.static_facts and again.static_facts == task.static_facts
    assert list(again.objects.items()) == list(task.objects.items())
    assert again.facts(again.initial_state) == task.facts(task.initial_state)
    assert SavedTask.of(again) == saved
    assert task.pddl is not None and again.pddl == task.pddl
    assert again.pddl_texts == task.pddl_texts == (saved.domain, saved.problem)


def test_a_task_from_sas_has_no_pddl() -> None:
    saved = SavedTask.of(line_task(4))
    assert (saved.domain, saved.problem) == (None, None)
    assert saved.load().pddl_texts is None and saved.load().pddl is None
