"""The options of a training of ASNets."""

from __future__ import annotations

from dataclasses import dataclass, fields

from bugsieve.base.errors import UsageError
from bugsieve.base.names import no_such
from bugsieve.base.option_fields import option
from bugsieve.rooms.formats.asnets.sizes import (
    DEFAULT_HIDDEN,
    DEFAULT_LAYERS,
    MAX_HIDDEN,
    MAX_LAYERS,
)
from bugsieve.rooms.training.options import LEARNING, SHARE, require_ranges

TEACHER = "teacher"
"""Title of the options of commands."""

TEACHERS = ("astar", "greedy", "fast-downward")
LOSSES = ("bce", "ce")
_MOST = 10**9


@dataclass(frozen=True, kw_only=True)
class AsnetOptions:
    """The network, how it learns, and who teaches it (Section 2 of papers/003)."""

    hidden: int = option(
        DEFAULT_HIDDEN, "numbers per fact and action", most=MAX_HIDDEN, group=LEARNING
    )
    layers: int = option(DEFAULT_LAYERS, "layers of facts", most=MAX_LAYERS, group=LEARNING)
    """Layers of facts; there is one more of actions."""
    steps: int = option(700, "steps of the optimiser per epoch", most=_MOST, group=LEARNING)
    batch: int = option(64, "states of one step", most=1 << 16, group=LEARNING)
    learning_rate: float = option(
        1e-3, "of the optimiser Adam", metavar="A", group=LEARNING, **SHARE
    )
    weight_decay: float = option(
        2e-4, "what it takes off the weights", metavar="W", group=LEARNING, **SHARE
    )
    dropout: float = option(
        0.1, "share of numbers left out in a step", metavar="P", group=LEARNING, **SHARE
    )
    """The share of numbers that a step of learning leaves out, except in action layer 0."""
    rollout_limit: int = option(
        1000, "longest run on a training task", most=_MOST, group=LEARNING, rank=2
    )
    """Steps after which a run on a training task is cut."""
    teacher: str = option(
        "astar",
        "astar (with LM-cut), greedy or fast-downward",
        metavar="NAME",
        group=TEACHER,
        is_default_told=True,
    )
    """astar: A* with LM-cut; greedy: greedy search with h^FF; fast-downward: its A* with LM-cut,
    10 seconds for each state, so that another training need not give the same model."""
    teacher_expansions: int = option(100_000, "states it may expand for one state", group=TEACHER)
    """Expansions for each state; work, not seconds, so that training can be repeated."""
    loss: str = option(
        "bce",
        "bce (binary cross-entropy) or ce",
        metavar="NAME",
        group=LEARNING,
        rank=1,
        is_default_told=True,
    )
    """bce: binary cross-entropy, summed over the actions; ce: cross-entropy."""

    def __post_init__(self) -> None:
        require_ranges(self)
        if not self.learning_rate > 0:
            raise UsageError("learning_rate must be greater than 0")
        if not self.dropout < 1:
            raise UsageError("dropout must be less than 1")
        for noun, value, known in (
            ("teacher", self.teacher, TEACHERS),
            ("loss", self.loss, LOSSES),
        ):
            if value not in known:
                raise UsageError(no_such(noun, str(value), known))

    def to_json(self) -> dict[str, object]:
        """The options by name, as JSON data."""
        return {field.name: getattr(self, field.name) for field in fields(self)}
