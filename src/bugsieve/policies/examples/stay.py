"""The shortest planner of all: the empty plan, right wherever nothing is left to do.

Use it as `--policy plans:python:bugsieve.policies.examples.stay:get_plan`.
"""

from __future__ import annotations


def get_plan(objects: set[object], init: set[object], goal: set[object]) -> list[str]:
    """No action at all."""
    return []
