"""Exact, quick criteria for "there is a plan" in domains whose dead ends are understood.

A decider knows a domain by what its operators do, not by names alone, and answers None where its
theory does not reach; it never guesses.
"""

from __future__ import annotations

from bugsieve.pipeline.oracles.deciders.decider import Decider
from bugsieve.rooms.zoo.floortile.decider import FloortileDecider
from bugsieve.rooms.zoo.matching_blocksworld.decider import MatchingBlocksworldDecider
from bugsieve.rooms.zoo.spanner.decider import SpannerDecider
from bugsieve.tasks.grounded.task import Task


def decider_for(task: Task) -> Decider | None:
    """The decider of the task's domain, if there is one."""
    return (
        SpannerDecider.recognise(task)
        or MatchingBlocksworldDecider.recognise(task)
        or FloortileDecider.recognise(task)
    )


__all__ = ["Decider", "decider_for"]
