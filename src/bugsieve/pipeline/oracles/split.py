"""`split:A+B` and `aras-or-ehc`: one oracle for runs that fail, another for runs that solve.

Some oracles need a plan of the policy, others are good where there is none. Members are written as
in `any:A+B`; one that does not apply to the bench leaves its runs open.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bugsieve.base.errors import UnsupportedError, UsageError
from bugsieve.base.registry.outside_access import NOTHING, OutsideAccess, together
from bugsieve.pipeline.bench import Bench, Suspects
from bugsieve.pipeline.bugs.verdict import Verdict, inconclusive
from bugsieve.pipeline.oracles.combined import split_specs
from bugsieve.pipeline.oracles.limits import DEFAULT_LIMITS
from bugsieve.pipeline.oracles.oracle import Oracle
from bugsieve.pipeline.oracles.registry import ORACLES, check_oracle_spec, make_oracle
from bugsieve.tasks.search import Limits


class SplitOracle(Oracle):
    """Asks A about runs that fail, B about runs that reach the goal."""

    usage = "split:A+B"
    examples = ("split:planner:gbfs-20+lookahead:1",)

    def __init__(self, bench: Bench, spec: str, *, limits: Limits = DEFAULT_LIMITS) -> None:
        super().__init__(bench, spec, limits=limits)
        specs = self.member_specs(spec.partition(":")[2])
        self._members = tuple(_made(member, bench, limits) for member in specs)
        objections = [member for member in self._members if isinstance(member, UnsupportedError)]
        made = [member for member in self._members if isinstance(member, Oracle)]
        if not made:
            raise UnsupportedError("; ".join(map(str, objections)))

    @property
    def prepared_seconds(self) -> float:
        """The seconds of both members."""
        return sum(m.prepared_seconds for m in self._members if isinstance(m, Oracle))

    @classmethod
    def member_specs(cls, argument: str | None) -> tuple[str, str]:
        """The oracles for runs that fail and for runs that solve."""
        specs = split_specs(argument or "")
        if len(specs) != 2:
            raise UsageError(
                f"it takes two oracles, one for runs that fail and one for runs that reach the "
                f"goal, as in split:planner:ehc+aras, got {len(specs)}"
            )
        return specs[0], specs[1]

    @classmethod
    def check_argument(cls, argument: str | None) -> None:
        """The argument names two oracles, each of them rightly."""
        for spec in cls.member_specs(argument):
            check_oracle_spec(spec)

    @classmethod
    def reach(cls, argument: str | None) -> OutsideAccess:
        """All that any of the oracles would touch."""
        return together(map(ORACLES.reach_of, cls.member_specs(argument)))

    def close(self) -> None:
        """Close both oracles."""
        for member in self._members:
            if isinstance(member, Oracle):
                member.close()

    def judge(self, suspects: Suspects) -> list[Verdict]:
        """One verdict per suspect, in order; each oracle gets its runs in one batch."""
        verdicts = [inconclusive("")] * len(suspects)
        for member, mine in zip(
            self._members, (~suspects.runs.solved, suspects.runs.solved), strict=True
        ):
            rows = np.flatnonzero(mine).tolist()
            for row, verdict in zip(rows, _judged(member, suspects, rows), strict=True):
                verdicts[row] = verdict
        return verdicts


class ArasOrEhc(SplitOracle):
    """Aras where the policy has a plan, enforced hill-climbing where it has none."""

    usage = "aras-or-ehc"
    examples = ("aras-or-ehc",)

    @classmethod
    def member_specs(cls, argument: str | None) -> tuple[str, str]:
        """The specs that it is short for."""
        return "planner:ehc", "aras"

    @classmethod
    def check_argument(cls, argument: str | None) -> None:
        """Refuse every argument."""
        Oracle.check_argument(argument)

    @classmethod
    def reach(cls, argument: str | None) -> OutsideAccess:
        """Both are our own."""
        return NOTHING


def _made(spec: str, bench: Bench, limits: Limits) -> Oracle | UnsupportedError:
    """The oracle, or why it does not apply; UsageError if it learns."""
    try:
        member = make_oracle(spec, bench, limits=limits)
    except UnsupportedError as error:
        return error
    if member.learns:
        raise UsageError(
            f"oracle {spec!r} learns from every case, so it cannot be asked about some of them "
            "only: list it beside the others, or take best-of:A+B"
        )
    return member


def _judged(
    member: Oracle | UnsupportedError, suspects: Suspects, rows: list[int]
) -> list[Verdict]:
    if isinstance(member, UnsupportedError):
        return [inconclusive(str(member))] * len(rows)
    verdicts = member.judge(suspects.rows(rows)) if rows else []
    return [replace(said, reason=f"{member.spec}: {said.reason}") for said in verdicts]
