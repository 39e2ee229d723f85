"""The options of a training of ASNets."""

from __future__ import annotations

from dataclasses import dataclass, fields

from bugsieve.base.errors import UsageError
from bugsieve.base.names import no_such
from bugsieve.rooms.formats.asnets.weights import (
    DEFAULT_HIDDEN,
    DEFAULT_LAYERS,
    MAX_HIDDEN,
    MAX_LAYERS,
)
from bugsieve.rooms.training.options import require_real, require_whole

TEACHERS = ("astar", "greedy", "fast-downward")
LOSSES = ("bce", "ce")
_MOST = 10**9


@dataclass(frozen=True, kw_only=True)
class AsnetOptions:
    """The network, how it learns, and who teaches it (Section 2 of papers/003)."""

    hidden: int = DEFAULT_HIDDEN
    """Numbers per fact and action."""
    layers: int = DEFAULT_LAYERS
    """Layers of facts; there is one more of actions."""
    steps: int = 700
    """Steps of the optimiser per epoch."""
    batch: int = 64
    """States of one step."""
    learning_rate: float = 1e-3
    weight_decay: float = 2e-4
    dropout: float = 0.1
    """The share of numbers that a step of learning leaves out, except in action layer 0."""
    rollout_limit: int = 1000
    """Steps after which a run on a training task is cut."""
    teacher: str = "astar"
    """astar: A* with LM-cut; greedy: greedy search with h^FF; fast-downward: its A* with LM-cut,
    10 seconds for each state, so that another training need not give the same model."""
    teacher_expansions: int = 100_000
    """Expansions for each state; work, not seconds, so that training can be repeated."""
    loss: str = "bce"
    """bce: binary cross-entropy, summed over the actions; ce: cross-entropy."""

    def __post_init__(self) -> None:
        for name, (low, high) in _COUNTS.items():
            require_whole(name, getattr(self, name), low, high)
        for name, (lower, upper) in _REALS.items():
            require_real(name, getattr(self, name), lower, upper)
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


_COUNTS = {
    "hidden": (1, MAX_HIDDEN),
    "layers": (1, MAX_LAYERS),
    "steps": (1, _MOST),
    "batch": (1, 1 << 16),
    "rollout_limit": (1, _MOST),
    "teacher_expansions": (1, 10**12),
}
_REALS = {
    "learning_rate": (0.0, 1.0),
    "weight_decay": (0.0, 1.0),
    "dropout": (0.0, 1.0),
}
