"""A violated rule as campaigns keep it: the trace that proves it, and what it is about."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bugsieve.base.files_and_processes.foreign_json import FixedList, fitting

VIOLATED = "violated"
ENGINE = "product"
"""The one oracle: search in the product of task and automaton."""
_ID_LENGTH = 12
_HEAD = {
    "kind": str,
    "task": {"name": str, "sha256": str},
    "rule": str,
    "formula": str,
    "with_goal": bool,
    "lasso": bool,
}
_STEPS = {"operators": [int], "actions": [str], "loop_start": (int, None)}
_SHAPES = {"trace": {**_HEAD, "trace": _STEPS}, "none": {**_HEAD, "proof": {"by": str}}}
_PLAN = {**_HEAD, "plan": {"horizon": FixedList(int, int), "tokens": [dict], "letters": [[str]]}}
_PROOFS = ("facts", "pairs", "states", "rerun", "slots")
_SHAPE = {**dict.fromkeys(("id", "kind", "oracle", "rule", "literal"), str), "certificate": dict}


def require_shape(certificate: Any) -> str:
    """The kind of a certificate that looks like one of ours; ValueError for anything else.

    Whether it proves anything is for the checkers to say.
    """
    kind = fitting(certificate, {"kind": str})["kind"]
    if kind not in _SHAPES:
        raise ValueError("no certificate of ours")
    if kind == "trace" and "plan" in certificate:  # on timelines
        plan = fitting(certificate, _PLAN)["plan"]
        if certificate["lasso"] or len(range(*plan["horizon"])) != len(plan["letters"]):
            raise ValueError("no plan of ours")
        return "trace"
    fitting(certificate, _SHAPES[kind])
    if kind == "none":
        if certificate["proof"]["by"] not in _PROOFS:
            raise ValueError("no proof of ours")
        if certificate["proof"]["by"] == "slots":
            fitting(certificate["proof"], {"slots": int, "is_complete": bool})
        return "none"
    trace = certificate["trace"]
    length, start = len(trace["operators"]), trace["loop_start"]
    if len(trace["actions"]) != length or (start is not None) != certificate["lasso"]:
        raise ValueError("no trace of ours")
    if start is not None and not 0 <= start < length:
        raise ValueError("a loop that begins nowhere")
    return "trace"


def steps_of(certificate: Mapping[str, Any]) -> int:
    """The number of steps; for a plan on timelines, the times of its horizon."""
    if "plan" in certificate:
        return len(certificate["plan"]["letters"])
    return len(certificate["trace"]["operators"])


@dataclass(frozen=True)
class RuleBug:
    """A trace of the domain that violates a rule; a checker has accepted it."""

    rule: str
    """The instance, as in `FR-2[rover1]`."""
    certificate: Mapping[str, Any] = field(repr=False)
    literal: str = ""
    """The literal that caused the violation, where that is known."""
    oracle: str = ENGINE

    @property
    def id(self) -> str:
        """The same for every trace that violates the rule in this task."""
        parts = [self.certificate["task"]["sha256"], self.rule, self.certificate["rule"]]
        text = json.dumps(parts, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:_ID_LENGTH]

    @property
    def kind(self) -> str:
        """There is only one."""
        return VIOLATED

    @property
    def gap(self) -> float:
        """A rule is kept or not: there is nothing between."""
        return math.inf

    @property
    def steps(self) -> int:
        """The length of the trace."""
        return steps_of(self.certificate)

    def to_json(self) -> dict[str, Any]:
        """The bug as JSON data."""
        return {
            "id": self.id,
            "kind": self.kind,
            "oracle": self.oracle,
            "rule": self.rule,
            "literal": self.literal,
            "certificate": dict(self.certificate),
        }

    @classmethod
    def from_json(cls, data: Any) -> RuleBug:
        """The inverse; ValueError for anything else."""
        fitting(data, _SHAPE)
        if require_shape(data["certificate"]) != "trace":
            raise ValueError("the certificate of a violated rule is a trace")
        bug = cls(data["rule"], data["certificate"], data["literal"], data["oracle"])
        if bug.id != data["id"]:
            raise ValueError(f"the id of the bug must be {bug.id}")
        return bug
