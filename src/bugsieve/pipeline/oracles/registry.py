"""Oracles for planning tasks by their specs; `base.registry.families` names them."""

from __future__ import annotations

from bugsieve.base.errors import UnsupportedError, UsageError
from bugsieve.base.registry import families
from bugsieve.base.registry.members import MemberTable
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.oracles.limits import DEFAULT_LIMITS
from bugsieve.pipeline.oracles.oracle import Oracle
from bugsieve.tasks.search import Limits

ORACLES: MemberTable[type[Oracle]] = MemberTable(families.ORACLES)


def make_oracle(spec: str, bench: Bench, *, limits: Limits = DEFAULT_LIMITS) -> Oracle:
    """The oracle that a spec like `lookahead:3` or `any:aras+planner:ehc` names, on the bench."""
    check_oracle_spec(spec)
    name, member, _ = ORACLES.parse(spec)
    reason = member.objection(bench)
    if reason is not None:
        raise UnsupportedError(f"oracle {name!r} cannot be used on {bench.task.name}: {reason}")
    return member(bench, spec, limits=limits)


def check_oracle_spec(spec: str) -> None:
    """Raise the UsageError of a spec that is wrong on every bench, before there is a bench."""
    _, member, argument = ORACLES.parse(spec)
    try:
        member.check_argument(argument)
    except UsageError as error:
        raise UsageError(f"oracle {spec!r}: {error}") from None
