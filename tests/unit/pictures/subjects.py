"""Small tasks and models of all domains, each loaded once."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from bugsieve.pictures.scene import Scene, Subject, TaskScene, scene_source, scenes_of
from bugsieve.rooms.jani.model.loading import load_model
from bugsieve.rooms.jani.model.model import JaniModel
from bugsieve.rooms.zoo.domains import DOMAINS, generate
from bugsieve.rooms.zoo.model_domains import MODEL_DOMAINS, generate_model
from bugsieve.tasks.grounded.loading import load_task, native_task
from bugsieve.tasks.grounded.task import Task
from bugsieve.testing.pictures import walk

DRAWN_BY = {
    "matching-blocksworld": "blocks",
    "beluga": "bars",
    "bouncing-ball": "ball",
    "cartpole": "pendulum",
    "follow-car": "cars",
    "inverted-pendulum": "pendulum",
    "n-puzzle": "puzzle",
    "nd-blocksworld": "block-model",
    "one-way-line": "line",
    "two-way-line": "line",
    "blocksworld": "blocks",
}
"""Domain to its picture, where they have different names."""
NAMES = (*DOMAINS, *MODEL_DOMAINS)


@cache
def task_of(domain: str) -> Task:
    made = generate(domain, seed=1)
    return task_from(made.domain, made.problem)


def task_from(domain: str, problem: str) -> Task:
    with TemporaryDirectory() as folder:
        paths = [Path(folder, name) for name in ("domain.pddl", "problem.pddl")]
        for path, text in zip(paths, (domain, problem), strict=True):
            path.write_text(text)
        return load_task(*paths)


@cache
def model_of(domain: str, **options: int | str) -> JaniModel:
    with TemporaryDirectory() as folder:
        path = Path(folder, "model.jani")
        path.write_text(generate_model(domain, seed=1, **options).text)
        return load_model(path)


def subject_of(domain: str) -> Subject:
    return task_of(domain) if domain in DOMAINS else model_of(domain)


def from_sas(task: Task) -> Task:
    """The task without what its PDDL adds."""
    return Task(native_task(task.to_sas().encode(), task.name), name=task.name)


def walks(subject: Subject, *, steps: int = 40) -> Iterator[Any]:
    """Runs with always the first choice, always the last one, and others; until there is none."""
    source = scene_source(subject)
    for first, turn in ((0, 0), (-1, 0), (0, 1), (1, 2)):
        states = [walk(subject)[0]]
        while len(states) <= steps and len(after := source.next_states(subject, states[-1])):
            states.append(after[(first + turn * len(states)) % len(after)])
        yield np.stack(states)


def scene_after(task: Task, *actions: str) -> TaskScene:
    """The scene after these actions from the initial state."""
    states = [task.initial_state]
    for action in actions:
        states.append(task.successors(states[-1], [task.operator_id(action)])[0])
    scene: Scene = scenes_of(task, states)[-1]
    assert isinstance(scene, TaskScene)
    return scene
