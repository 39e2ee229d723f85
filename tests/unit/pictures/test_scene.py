"""What pictures are told of a state: what holds, what changed, what is wanted."""

from __future__ import annotations

import numpy as np
import pytest

from bugsieve.base.errors import UsageError
from bugsieve.pictures.scene import TaskScene, Words, scenes_of
from bugsieve.rooms.jani.pictures.scene import ModelScene
from bugsieve.testing.pictures import walk
from tests.unit.pictures.subjects import from_sas, model_of, scene_after, task_of


def atoms(facts: frozenset[str]) -> set[tuple[str, ...]]:
    return {tuple(fact.strip("()").split()) for fact in facts}


@pytest.mark.parametrize("domain", ["blocksworld", "transport", "visitall"])
def test_scenes_say_what_the_task_says(domain: str) -> None:
    task = task_of(domain)
    states = walk(task)
    known = [atoms(task.facts(state)) for state in states]
    for index, scene in enumerate(scenes_of(task, states)):
        assert isinstance(scene, TaskScene)
        assert scene.true == known[index]
        if index:
            assert set(scene.added) == known[index] - known[index - 1]
            assert set(scene.deleted) == known[index - 1] - known[index]
        else:
            assert (scene.before, scene.added, scene.deleted) == (None, (), ())
        goals = atoms(frozenset(task.goal_facts))
        assert scene.goals == goals
        wanted = {(name, *rest) for name in {g[0] for g in goals} for rest in scene.wanted(name)}
        assert wanted == goals - known[index]


def test_roles() -> None:
    task = task_of("gripper")
    ball = next(goal[1] for goal in scene_after(task).goals)
    scene = scene_after(task, "(move room1 room2)", f"(pick {ball} room2 gripper1)")
    assert scene.role(("carry", ball, "gripper1")) == "moved"
    assert scene.role(("at", ball, "room1")) == "open goal"
    assert scene.role(("at-robby", "room2")) == ""
    assert scene.role() == ""


def test_a_task_from_sas_has_the_objects_of_its_atoms() -> None:
    task = from_sas(task_of("blocksworld"))
    assert not task.objects
    assert set(Words(task).objects) == set(task_of("blocksworld").objects)


def test_scenes_of_models() -> None:
    model = model_of("one-way-line", starts=3)
    states = walk(model)
    scenes = scenes_of(model, states)
    for index, scene in enumerate(scenes):
        assert isinstance(scene, ModelScene)
        assert dict(scene.values) == model.values(states[index])
        assert scene.is_unsafe == model.is_unsafe(states)[index]
        assert scene.is_goal == model.is_goal(states)[index]
        assert scene.course("position").tolist() == states[:, 0].tolist()
        for name in scene.values:
            before = scene.before
            assert scene.changed(name) == (
                before is not None and before[name] != scene.values[name]
            )


def test_one_state_is_a_run_of_one() -> None:
    task = task_of("gripper")
    assert len(scenes_of(task, task.initial_state)) == 1


@pytest.mark.parametrize("subject", [None, "gripper", 7])
def test_scenes_of_something_else(subject: object) -> None:
    with pytest.raises(UsageError, match="subject must be a Task or a JaniModel"):
        scenes_of(subject, np.zeros(3))  # type: ignore[arg-type]
