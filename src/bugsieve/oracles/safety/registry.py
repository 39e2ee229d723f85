"""Names of the safety oracles: an algorithm, with a radius or without."""

from __future__ import annotations

from dataclasses import dataclass

from bugsieve.basis.errors import UsageError
from bugsieve.basis.names import for_others, no_such

MODELS, TASKS = "models", "planning tasks"
"""What oracles are for."""
LARGEST_RADIUS = 2**30
"""More divergences than any run has."""

SAFETY_ORACLES = {
    "tarjan": "tarjan[:RADIUS], a search for a safe policy that closes cycles as it meets them",
    "lrtdp": "lrtdp[:RADIUS], labelled trials on the Bellman operator of safety",
    "lao": "lao[:RADIUS], LAO*: value updates along the best alternative found so far",
    "vi": "vi[:RADIUS], value iteration on all states that can be reached",
}
"""What each oracle does, for lists; the text before the comma is its form."""


@dataclass(frozen=True)
class SafetySpec:
    """An algorithm, and how often alternatives may differ from the policy (None: always)."""

    algorithm: str
    radius: int | None = None

    def __str__(self) -> str:
        return self.algorithm if self.radius is None else f"{self.algorithm}:{self.radius}"


def parse_safety_spec(spec: str) -> SafetySpec:
    """The oracle that a spec like `tarjan`, `lao:2` or `vi:inf` names."""
    name, colon, argument = spec.partition(":")
    name = name.strip()
    if name not in SAFETY_ORACLES:
        raise UsageError(_no_such_oracle(name))
    try:
        return SafetySpec(name, parse_radius(argument) if colon else None)
    except UsageError as error:
        raise UsageError(f"oracle {spec!r}: {error}") from None


def _no_such_oracle(name: str) -> str:
    from bugsieve.oracles.registry import ORACLES  # which reads the names here

    names = list(SAFETY_ORACLES)
    if name in ORACLES:
        return for_others("oracle", name, ours=MODELS, theirs=TASKS, choices=names)
    return no_such("safety oracle", name, names)


def check_safety_spec(spec: str) -> None:
    """Raise the UsageError of a spec that is wrong."""
    parse_safety_spec(spec)


def parse_radius(text: str) -> int | None:
    """A whole number, or None for `inf` and `∞`."""
    text = text.strip()
    if text in ("inf", "∞"):
        return None
    if not (text.isascii() and text.isdigit()) or len(text) > len(str(LARGEST_RADIUS)):
        raise UsageError(
            f"a radius is a whole number up to {LARGEST_RADIUS}, or inf, not {text[:40]!r}"
        )
    if int(text) > LARGEST_RADIUS:
        raise UsageError(f"a radius is at most {LARGEST_RADIUS}, not {text}")
    return int(text)
