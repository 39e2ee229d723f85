"""A bug as campaigns keep it: its certificate, and who found it how."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from bugsieve.base.errors import InputError
from bugsieve.base.files_and_processes.foreign_json import fitting
from bugsieve.base.wording import counted
from bugsieve.checkers.cost import bug_id
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.certificate import (
    SHAPE,
    KnownRun,
    certificate_of,
    from_json_number,
    same_policy,
)
from bugsieve.pipeline.bugs.verdict import Verdict
from bugsieve.pipeline.objectives import objective_class
from bugsieve.tasks.grounded.task import StateArray

_HAS_BEST_PLANS = "exact"
"""The oracle whose plans are the cheapest under every objective."""

_FOUND_SHAPE = {"index": int, "walk": (int, None), "path": ([int], None)}
_SHAPE = {
    "id": str,
    "oracle": str,
    "reason": str,
    "exact": bool,
    "found_by": (_FOUND_SHAPE, None),
    "certificate": SHAPE,
}


@dataclass(frozen=True)
class FoundBy:
    """The place of the bug's state in the pool, and the walk that put it there."""

    number: int
    walk: int | None = None
    """None for the states the pool began with."""
    path: tuple[int, ...] | None = None
    """Operators that lead from the task's initial state to the bug's, where they are known."""


@dataclass(frozen=True, repr=False)
class Bug:
    """A proven bug; `id` names the state, the policy, the task and the objective together."""

    id: str
    certificate: Mapping[str, Any]
    oracle: str
    """The spec of the oracle that found it."""
    reason: str = ""
    exact: bool = False
    """True if the oracle proved that no run is better still, hence that the gap is exact."""
    found_by: FoundBy | None = None

    def __str__(self) -> str:
        """The mistake and its place, as in "unsolved bug 5baf8bd613e8: loop instead of a plan of
        at most 6, 3 steps from the initial state of gripper-1"."""
        found = self.found_by
        steps = None if found is None or found.path is None else len(found.path)
        start = f"the initial state of {self.task}"
        place = f"in a state of {self.task}" if steps is None else f"in {start}"
        if steps:
            place = f"{counted(steps, 'step')} from {start}"
        return f"{self.kind} bug {self.id}: {self.in_words}, {place}"

    def __repr__(self) -> str:
        return f"<{self}>"

    @property
    def task(self) -> str:
        """The name of its task."""
        return str(self.certificate["task"]["name"])

    @property
    def kind(self) -> str:
        """One of the kinds that its objective declares, such as "unsolved" or "costly"."""
        return str(self.certificate["kind"])

    @property
    def gap(self) -> float:
        """How much better the plan is than the policy's run; infinite where only it succeeds."""
        return from_json_number(self.certificate["gap"])

    @property
    def in_words(self) -> str:
        """What is wrong, as in "loop instead of a plan of at most 7"."""
        kinds = objective_class(self.certificate["objective"]).kinds
        return kinds[self.kind].describe(self.certificate, is_optimal=self.is_optimal)

    @property
    def is_optimal(self) -> bool:
        """Return true if the plan is proven to be a cheapest one."""
        # Where costs do not count, an exact value says nothing of them, unless the oracle has
        # best plans of all states.
        costs_count = objective_class(self.certificate["objective"]).costs_count
        return self.exact and (costs_count or self.oracle == _HAS_BEST_PLANS)

    @property
    def steps(self) -> int:
        """How long the policy's run is; shorter ones are easier to read."""
        return len(self.certificate["run"]["operators"])

    def to_json(self) -> dict[str, Any]:
        """The bug as JSON data."""
        found = self.found_by
        return {
            "id": self.id,
            "kind": self.kind,
            "oracle": self.oracle,
            "reason": self.reason,
            "exact": self.exact,
            "found_by": None
            if found is None
            else {
                "index": found.number,
                "walk": found.walk,
                "path": None if found.path is None else list(found.path),
            },
            "certificate": dict(self.certificate),
        }


def with_policy_of(known: Bug, bug: Bug) -> Bug:
    """Return the bug with the policy as a known one names it, so that both have one id."""
    certificate = same_policy(bug.certificate, known.certificate)
    return replace(bug, id=bug_id(certificate), certificate=certificate)


def make_bug(
    bench: Bench,
    state: StateArray,
    verdict: Verdict,
    *,
    oracle: str,
    found_by: FoundBy | None = None,
    run: KnownRun | None = None,
) -> Bug:
    """The bug that a verdict of an oracle proves; `run` is the policy's run, where it is known."""
    certificate = certificate_of(bench, state, verdict, run=run)
    return Bug(bug_id(certificate), certificate, oracle, verdict.reason, verdict.exact, found_by)


def bug_from_json(data: Mapping[str, Any], *, source: str) -> Bug:
    """The inverse of `Bug.to_json`; `source` names the file in errors.

    What the certificate claims is the checker's business.
    """
    try:
        fitting(data, _SHAPE)
        found = data["found_by"]
        return Bug(
            id=str(data["id"]),
            certificate=dict(data["certificate"]),
            oracle=str(data["oracle"]),
            reason=str(data["reason"]),
            exact=bool(data["exact"]),
            found_by=None if found is None else _found_by(found),
        )
    except (KeyError, TypeError, ValueError):
        raise InputError(f"{source}: is not a bug as Bugsieve writes it") from None


def _found_by(data: Mapping[str, Any]) -> FoundBy:
    path = data["path"]
    return FoundBy(
        number=int(data["index"]),
        walk=None if data["walk"] is None else int(data["walk"]),
        path=None if path is None else tuple(int(operator) for operator in path),
    )
