"""Exact, quick criteria for "there is a plan" in domains whose dead ends are understood.

A decider knows a domain by what its operators do, not by names alone, and answers None where its
theory does not reach; it never guesses.
"""

from __future__ import annotations

from bugsieve.base.registry import families
from bugsieve.base.registry.members import MemberTable
from bugsieve.pipeline.oracles.deciders.decider import Decider
from bugsieve.tasks.grounded.task import Task

DECIDERS: MemberTable[type[Decider]] = MemberTable(families.DECIDERS)


def decider_for(task: Task) -> Decider | None:
    """The decider of the task's domain, if there is one."""
    found = (decider.recognise(task) for decider in DECIDERS.values())
    return next(filter(None, found), None)


__all__ = ["Decider", "decider_for"]
