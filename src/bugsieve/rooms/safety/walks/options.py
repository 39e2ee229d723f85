"""How unsafe runs are sought, and how large the proofs of what they show may be."""

from __future__ import annotations

from dataclasses import dataclass

from bugsieve.base.arguments import check_fields
from bugsieve.base.errors import UsageError
from bugsieve.base.names import no_such
from bugsieve.base.option_fields import option

WALKS = "walks"
"""Title of the options of commands."""

CHOICES = ("uniform", "greedy", "sampling")
DEFAULT_PROOF_ROWS = 50_000
"""Some megabytes of JSON."""


@dataclass(frozen=True)
class SafetyFuzzOptions:
    """How unsafe runs are sought."""

    lookahead: int | None = option(  # D_limit; None: ∞
        None,
        "steps to look ahead where several outcomes are equally near to danger, or inf (inf; 1 "
        "for --choice uniform)",
        group=WALKS,
        rank=3,
    )
    choice: str = option(
        "greedy",
        "where walks go if an action has several outcomes: nearest to danger (greedy, the "
        "default), there more likely (sampling), or anywhere (uniform)",
        metavar="NAME",
        group=WALKS,
        rank=2,
    )
    """Which successor a walk takes: one nearest to danger (greedy), one that is the likelier the
    nearer it is (sampling), or any (uniform, which looks one step ahead only)."""
    walks: int = option(1000, "walks to make", group=WALKS, rank=1)
    round_walks: int = 256
    """Most walks that are made together; results do not depend on it."""
    seed: int = option(0)
    lookahead_states: int = 1_000_000
    """A lookahead that has seen so many states goes no deeper; so memory stays bounded."""

    def __post_init__(self) -> None:
        check_fields(self)
        if self.choice not in CHOICES:
            raise UsageError(no_such("choice of successors", self.choice, CHOICES))
        for name in ("lookahead", "walks", "round_walks", "lookahead_states"):
            value = getattr(self, name)
            if value is not None and value < 1:
                what = name.replace("_", " ")
                raise UsageError(f"the {what} must be at least 1, got {value}")
        if self.choice == "uniform" and self.lookahead != 1:
            raise UsageError("the uniform choice looks one step ahead: set the lookahead to 1")
