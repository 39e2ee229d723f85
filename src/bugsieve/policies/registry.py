"""Policies for planning tasks by their specs; `base.registry.families` names them."""

from __future__ import annotations

from typing import Protocol

from bugsieve.base.errors import PolicyError, UnsupportedError, UsageError
from bugsieve.base.registry import families
from bugsieve.base.registry.members import MemberInfo, MemberTable
from bugsieve.base.trust.trust import remember
from bugsieve.policies.limits import WorkerLimits
from bugsieve.policies.policy import BoundPolicy, PolicySettings
from bugsieve.tasks.grounded.task import Task, require_task


class PolicyClass(Protocol):
    """A class that can be created from a spec."""

    def from_spec(self, task: Task, argument: str | None, settings: PolicySettings) -> BoundPolicy:
        """The policy for the spec `name:argument`."""
        ...

    def objection(self, task: Task) -> str | None:
        """None, or the reason why it cannot be bound to the task."""
        ...


POLICIES: MemberTable[PolicyClass] = MemberTable(families.POLICIES, error=PolicyError)


def make_policy(
    spec: str, task: Task, *, seed: int = 0, limits: WorkerLimits | None = None
) -> BoundPolicy:
    """The policy that a spec like `greedy:hff` or `cmd:./program -v` names, bound to the task.

    It counts as typed by the user: whoever takes it from a file calls `require_trusted` first.
    """
    name, member, argument = POLICIES.parse(spec)
    objection = member.objection(require_task(task))
    if objection is not None:
        raise UnsupportedError(f"policy {name!r} cannot be used on {task.name}: {objection}")
    settings = PolicySettings.of(seed, limits)
    remember(POLICIES, spec)
    return member.from_spec(task, argument, settings)


def brings_task(spec: str) -> bool:
    """Return true if the policy comes with its task, as a server does."""
    _, member, _ = POLICIES.parse(spec)
    return hasattr(member, "brought_task")


def brought_task(spec: str, *, limits: WorkerLimits | None = None) -> Task:
    """The task that the policy comes with; UsageError if it needs to be told one.

    As for `make_policy`, the spec counts as typed by the user.
    """
    name, member, argument = POLICIES.parse(spec)
    bring = getattr(member, "brought_task", None)
    if bring is None:
        raise UsageError(
            f"policy {name!r} needs a task: a domain and a problem file, or one .sas file"
        )
    POLICIES.check(spec)
    remember(POLICIES, spec)
    return require_task(bring(argument, PolicySettings.of(0, limits)))


def check_spec(spec: str) -> None:
    """Raise the error of a spec that is wrong for every task, before there is a task."""
    POLICIES.check(spec)


def list_policies() -> list[MemberInfo]:
    """All members that can be named in a spec, built-in ones first."""
    return POLICIES.infos()
