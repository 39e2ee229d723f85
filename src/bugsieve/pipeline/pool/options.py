"""How test states are sought: options of campaigns, which parsers of commands import, too."""

from __future__ import annotations

from dataclasses import dataclass

from bugsieve.base.arguments import check_fields
from bugsieve.base.errors import UsageError
from bugsieve.base.names import no_such
from bugsieve.base.option_fields import option

TEST_STATES = "test states"
"""Title of the options of commands."""

DEFAULT_WALK_LENGTH = 50
"""Of walks whose ends are tests of a measurement."""

MAX_NOVELTY = 3
LOOSER = (2, 3, 0)
"""The depths of a filter whose depth nobody chose: the next one where walks find nothing new."""

INSERT_ONE = "one"
INSERT_ALL = "all"
INSERTS = (INSERT_ONE, INSERT_ALL)


@dataclass(frozen=True)
class FuzzOptions:
    """How test states are sought; letters are those of Algorithm 1."""

    pool_size: int = option(200, "test states", group=TEST_STATES, rank=2)  # N
    walk_length: int = option(5, "longest walk", metavar="L", group=TEST_STATES, rank=2)  # L
    novelty: int | None = option(  # D; 0 switches the filter off
        None,
        "a new state must have a new combination of D facts; 0 takes all (2, then 3, then 0 where "
        "walks find nothing new)",
        least=0,
        most=MAX_NOVELTY,
        metavar="D",
        group=TEST_STATES,
        rank=2,
    )
    """None: 2, and looser (3, then no filter) where walks find nothing new."""
    bias: str | None = option(
        None,
        "where walks go (policy-quality, or uniform where one answer of the policy takes 10 ms or "
        "more). See 'bugsieve list biases'",
        metavar="NAME",
        group=TEST_STATES,
        rank=2,
    )
    """None: the usual one, or in a campaign one that suits how fast the policy answers."""
    insert: str = option(
        INSERT_ONE,
        "of the unsolved states beside a walk, one enters the pool (one, the default) or all",
        metavar="HOW",
        group=TEST_STATES,
        rank=2,
    )
    """Of the states that a bias offers beside a walk, one per walk or ("all") as in papers/000."""
    round_walks: int = option(
        64,
        "walks that start together from the pool as it stands",
        most=1 << 20,
        metavar="W",
        group=TEST_STATES,
        rank=2,
    )
    """Walks that start from the pool as it stands and enter it together; 1 in Algorithm 1."""
    seed: int = option(0)
    prune_dead_ends: bool = True
    patience: int = option(
        5000,
        "walks in a row that may find nothing new before fuzzing ends",
        group=TEST_STATES,
        rank=2,
    )
    """Walks in a row that may find nothing new before the pool counts as all there is to find."""
    along_runs: bool = option(
        False,
        "the states that the policy's runs from test states pass are test states, too; bugs among "
        "them are carried back along the runs",
        group=TEST_STATES,
        rank=5,
    )
    """Whether the states that the policy's runs from test states pass are test states, too."""
    test_states: str | None = option(
        None,
        "only states in which a condition holds, as in '(empty-ferry)' or '(forall (?g - gripper) "
        "(free ?g))'",
        metavar="CONDITION",
        group=TEST_STATES,
        rank=4,
    )
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
