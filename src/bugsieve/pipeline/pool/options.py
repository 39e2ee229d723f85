"""How test states are sought: options of campaigns, which parsers of commands import, too."""

from __future__ import annotations

from dataclasses import dataclass

from bugsieve.base.arguments import check_fields
from bugsieve.base.errors import UsageError
from bugsieve.base.names import no_such

MAX_NOVELTY = 3
LOOSER = (2, 3, 0)
"""The depths of a filter whose depth nobody chose: the next one where walks find nothing new."""

INSERT_ONE = "one"
INSERT_ALL = "all"
INSERTS = (INSERT_ONE, INSERT_ALL)


@dataclass(frozen=True)
class FuzzOptions:
    """How test states are sought; letters are those of Algorithm 1."""

    pool_size: int = 200  # N
    walk_length: int = 5  # L
    novelty: int | None = None  # D; 0 switches the filter off
    """None: 2, and looser (3, then no filter) where walks find nothing new."""
    bias: str | None = None
    """None: the usual one, or in a campaign one that suits how fast the policy answers."""
    insert: str = INSERT_ONE
    """Of the states that a bias offers beside a walk, one per walk or ("all") as in papers/000."""
    round_walks: int = 64
    """Walks that start from the pool as it stands and enter it together; 1 in Algorithm 1."""
    seed: int = 0
    prune_dead_ends: bool = True
    patience: int = 5000
    """Walks in a row that may find nothing new before the pool counts as all there is to find."""
    along_runs: bool = False
    """Whether the states that the policy's runs from test states pass are test states, too."""
    test_states: str | None = None
    """A condition that holds in all test states; None for any states."""

    def __post_init__(self) -> None:
        from bugsieve.pipeline.biases import check_bias

        check_fields(self)
        for name in ("pool_size", "walk_length", "round_walks", "patience"):
            if getattr(self, name) < 1:
                what = name.replace("_", " ")
                raise UsageError(f"the {what} must be at least 1, not {getattr(self, name)}")
        if not 0 <= self.first_novelty <= MAX_NOVELTY:
            raise UsageError(
                f"the novelty must be 0 (no filter) or 1 to {MAX_NOVELTY}, not {self.novelty}"
            )
        check_bias(self.used_bias)
        if self.insert not in INSERTS:
            raise UsageError(no_such("insert", self.insert, INSERTS))

    @property
    def used_bias(self) -> str:
        """The bias that walks have."""
        from bugsieve.pipeline.biases import DEFAULT_BIAS

        return DEFAULT_BIAS if self.bias is None else self.bias

    @property
    def first_novelty(self) -> int:
        """The depth of the filter before it is loosened."""
        return LOOSER[0] if self.novelty is None else self.novelty
