"""Biases: which successor a walk prefers; one file each, by name."""

from __future__ import annotations

from bugsieve.base.errors import UnsupportedError
from bugsieve.base.registry import families
from bugsieve.base.registry.members import MemberTable
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.biases.bias import Bias, BiasResult

DEFAULT_BIAS = "policy-quality"

BIASES: MemberTable[type[Bias]] = MemberTable(families.BIASES)


def make_bias(spec: str, bench: Bench) -> Bias:
    """The bias of this spec on the bench; UsageError with the nearest name otherwise."""
    check_bias(spec)
    name, member, argument = BIASES.parse(spec)
    reason = member.objection(bench)
    if reason is not None:
        raise UnsupportedError(f"bias {name!r} cannot be used on {bench.task.name}: {reason}")
    return member.from_spec(bench, argument)


def check_bias(spec: str) -> None:
    """Raise the error of a spec that names no bias, before there is a bench."""
    BIASES.check(spec)


__all__ = ["BIASES", "DEFAULT_BIAS", "Bias", "BiasResult", "check_bias", "make_bias"]
