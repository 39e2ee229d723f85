"""The simplest policy of all: the first applicable action in alphabetical order.

Use it as `--policy python:bugsieve.policies.examples.first:choose`.
"""

from __future__ import annotations


def choose(facts: frozenset[str], applicable: list[str]) -> str | None:
    """The first action, or None if there is none."""
    return min(applicable, default=None)
