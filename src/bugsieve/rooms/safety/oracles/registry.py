"""Safety oracles by their specs: an algorithm, with a radius or without."""

from __future__ import annotations

from dataclasses import dataclass

from bugsieve.base.errors import UsageError
from bugsieve.base.registry.families import FAMILIES
from bugsieve.base.registry.members import MemberTable
from bugsieve.rooms.safety.oracles.algorithms import SafetyAlgorithm, parse_radius

SAFETY_ORACLES: MemberTable[type[SafetyAlgorithm]] = MemberTable(FAMILIES["safety-oracles"])


@dataclass(frozen=True)
class SafetySpec:
    """An algorithm, and how often alternatives may differ from the policy (None: always)."""

    algorithm: str
    radius: int | None = None

    def __str__(self) -> str:
        return self.algorithm if self.radius is None else f"{self.algorithm}:{self.radius}"


def parse_safety_spec(spec: str) -> SafetySpec:
    """The oracle that a spec like `tarjan`, `lao:2` or `vi:inf` names."""
    name, _, argument = SAFETY_ORACLES.parse(spec)
    try:
        return SafetySpec(name, None if argument is None else parse_radius(argument))
    except UsageError as error:
        raise UsageError(f"oracle {spec!r}: {error}") from None


def check_safety_spec(spec: str) -> None:
    """Raise the UsageError of a spec that is wrong."""
    parse_safety_spec(spec)
