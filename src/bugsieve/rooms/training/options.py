"""The options of a training: the command line and the Python call give these."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from bugsieve.base.errors import UsageError

_MOST = 10**9
_WIDEST = 4096


@dataclass(frozen=True)
class QOptions:
    """What deep Q-learning may spend, and what it strives for."""

    hidden: tuple[int, ...] = (64, 64)
    """Neurons of each hidden layer."""
    steps: int = 1_000_000
    """Steps of the model, all environments together."""
    goal_reward: float = 1.0
    unsafe_penalty: float = 1.0
    step_reward: float = 0.0
    progress_reward: float = 1.0
    """What the whole way to the goal is worth, paid in parts; 0 rewards the goal alone."""
    discount: float = 0.99
    learning_rate: float = 5e-4
    epsilon_start: float = 1.0
    epsilon_end: float = 0.02
    epsilon_decay: int = 300_000
    """Steps after which the share of random actions has come down to its end."""
    buffer: int = 200_000
    """Transitions that are remembered."""
    batch: int = 256
    """Transitions of one update."""
    warmup: int = 5_000
    """Steps before the first update."""
    target_every: int = 500
    """Updates between two copies of the network to the target network."""
    envs: int = 32
    """Environments in lockstep; after each of their steps there is one update."""
    episode_limit: int = 1_200
    """Steps after which a run is cut."""
    evaluate_every: int = 50_000
    """Steps between two evaluations."""
    evaluation_runs: int = 200
    stop_at: float = 1.0
    """Stop when this share of the evaluation's runs reaches the goal."""
    normalise: bool = True
    """Scale the inputs while training; the written network takes raw values all the same."""
    threads: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "hidden", tuple(self.hidden))
        for width in self.hidden:
            require_whole("hidden", width, 1, _WIDEST)
        for name, (low, high) in _COUNTS.items():
            require_whole(name, getattr(self, name), low, high)
        for name, (lower, upper) in _REALS.items():
            require_real(name, getattr(self, name), lower, upper)
        if not self.learning_rate > 0:
            raise UsageError("learning_rate must be greater than 0")
        if self.epsilon_end > self.epsilon_start:
            raise UsageError(
                f"epsilon_end must be at most epsilon_start, "
                f"but {self.epsilon_end} is greater than {self.epsilon_start}"
            )
        if self.batch > self.buffer:
            raise UsageError(
                f"batch must be at most buffer, but {self.batch} is greater than {self.buffer}"
            )

    def epsilon(self, step: int) -> float:
        """The share of random actions after so many steps."""
        done = min(step / self.epsilon_decay, 1.0)
        return self.epsilon_start + (self.epsilon_end - self.epsilon_start) * done

    def to_json(self) -> dict[str, object]:
        """The options by name, as JSON data."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {**values, "hidden": list(self.hidden)}


_COUNTS = {
    "steps": (1, _MOST),
    "epsilon_decay": (1, _MOST),
    "buffer": (1, _MOST),
    "batch": (1, 1 << 20),
    "warmup": (0, _MOST),
    "target_every": (1, _MOST),
    "envs": (1, 1 << 16),
    "episode_limit": (1, _MOST),
    "evaluate_every": (1, _MOST),
    "evaluation_runs": (1, 1 << 20),
    "threads": (1, 1024),
    "seed": (-(2**63), 2**63 - 1),
}
_ANY = (-1e6, 1e6)
_SHARE = (0.0, 1.0)
_REALS = {
    "goal_reward": _ANY,
    "unsafe_penalty": _ANY,
    "step_reward": _ANY,
    "progress_reward": (0.0, 1e6),
    "discount": _SHARE,
    "learning_rate": (0.0, 1.0),
    "epsilon_start": _SHARE,
    "epsilon_end": _SHARE,
    "stop_at": (0.0, math.inf),
}


def require_whole(name: str, value: object, low: int, high: int) -> None:
    """UsageError unless the value is a whole number from `low` to `high`."""
    if type(value) is not int or not low <= value <= high:
        raise UsageError(f"{name} must be a whole number from {low} to {high}, got {value!r}")


def require_real(name: str, value: object, low: float, high: float) -> None:
    """UsageError unless the value is a number from `low` to `high`."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
        raise UsageError(f"{name} must be a number from {low:g} to {high:g}, got {value!r}")
