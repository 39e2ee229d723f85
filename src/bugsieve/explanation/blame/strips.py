"""A cost bug as pictures, for `explain` and notebooks: the policy's run, below it a better one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bugsieve.explanation.blame.blame import Blame
from bugsieve.pictures.strips import Strip, run_strip, when
from bugsieve.pipeline.objectives.objective import path_states
from bugsieve.tasks.grounded.task import Task


def bug_strips(
    task: Task,
    certificate: Mapping[str, Any],
    known: Blame | None = None,
    *,
    policy: str = "",
    picture: str | None = None,
) -> list[Strip]:
    """Both runs from the bug's state on, around the decision to blame where that is known.

    Without it the better run is the plan that proves the bug.
    """
    start = np.array(certificate["state"], dtype=np.uint16)
    plan = certificate["plan"]["operators"] if known is None else known.better_run
    rows = (
        (f"the policy {policy}".strip(), certificate["run"]["operators"], _ending(certificate)),
        ("a better run", plan, "goal"),
    )
    return [
        run_strip(
            title,
            task,
            path_states(task, start, tuple(run)),
            _doings(task, run, ending),
            focus=0 if known is None else known.index,
            is_marked=known is not None and known.is_one_decision,
            picture=picture,
        )
        for title, run, ending in rows
    ]


def _doings(task: Task, run: Sequence[int], ending: str) -> list[str]:
    """The actions in each state, and the ending in the last one."""
    return [*(task.operator_names[operator] for operator in run), f"[{ending}]"]


def _ending(certificate: Mapping[str, Any]) -> str:
    ending, first = (certificate["run"][key] for key in ("ending", "loop_start"))
    return str(ending) if first is None else f"{ending}: the same state as {when(first)}"
