"""The options of a training: the command line and the Python call give these."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any

from bugsieve.base.errors import UsageError
from bugsieve.base.option_fields import option, places

REWARDS, LEARNING, EVALUATION, MACHINE = "rewards", "learning", "evaluation", "machine"
"""Titles of the options of commands."""

SHARE: dict[str, Any] = {"least": 0, "most": 1}
_REWARD: dict[str, Any] = {"least": -1e6, "most": 1e6, "metavar": "R"}
_MOST = 10**9
_WIDEST = 4096


@dataclass(frozen=True)
class QOptions:
    """What deep Q-learning may spend, and what it strives for."""

    hidden: tuple[int, ...] = (64, 64)
    """Neurons of each hidden layer."""
    steps: int = option(
        1_000_000, "steps of the model, all environments together", most=_MOST, group=LEARNING
    )
    goal_reward: float = option(1.0, "for reaching the goal", group=REWARDS, **_REWARD)
    unsafe_penalty: float = option(1.0, "taken away for reaching danger", group=REWARDS, **_REWARD)
    step_reward: float = option(0.0, "for every step", group=REWARDS, **_REWARD)
    progress_reward: float = option(
        1.0,
        "for the whole way to the goal, paid in parts as its distance shrinks; 0 rewards the goal "
        "alone",
        least=0,
        most=1e6,
        metavar="R",
        group=REWARDS,
    )
    discount: float = option(
        0.99, "what a reward one step later is worth", metavar="G", group=REWARDS, **SHARE
    )
    learning_rate: float = option(
        5e-4, "of the optimiser Adam", metavar="A", group=LEARNING, **SHARE
    )
    epsilon_start: float = option(
        1.0, "share of random actions at the beginning", metavar="E", group=LEARNING, **SHARE
    )
    epsilon_end: float = option(
        0.02, "share of random actions in the end", metavar="E", group=LEARNING, **SHARE
    )
    epsilon_decay: int = option(300_000, "steps from one to the other", most=_MOST, group=LEARNING)
    buffer: int = option(200_000, "transitions that are remembered", most=_MOST, group=LEARNING)
    batch: int = option(256, "transitions of one update", most=1 << 20, group=LEARNING)
    warmup: int = option(
        5_000, "steps before the first update", least=0, most=_MOST, group=LEARNING
    )
    target_every: int = option(
        500, "updates between copies to the target network", most=_MOST, group=LEARNING
    )
    envs: int = option(
        32, "environments in lockstep; one update per step", most=1 << 16, group=LEARNING
    )
    episode_limit: int = option(
        1_200, "steps after which a run is cut", most=_MOST, group=LEARNING
    )
    evaluate_every: int = option(
        50_000, "steps between two evaluations", most=_MOST, group=EVALUATION
    )
    evaluation_runs: int = option(
        200, "greedy runs of an evaluation", most=1 << 20, group=EVALUATION
    )
    stop_at: float = option(
        1.0,
        "stop when this share of them reaches the goal; more than 1 never stops early",
        least=0,
        most=1e6,
        metavar="SHARE",
        group=EVALUATION,
    )
    normalise: bool = True
    """Scale the inputs while training; the written network takes raw values all the same."""
    threads: int = option(1, "threads of PyTorch", most=1024, group=MACHINE)
    seed: int = option(0, "seed of every random choice", least=0, most=2**63 - 1, group=MACHINE)

    def __post_init__(self) -> None:
        object.__setattr__(self, "hidden", tuple(self.hidden))
        for width in self.hidden:
            require_whole("hidden", width, 1, _WIDEST)
        require_ranges(self, _OF_PYTHON)
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


_OF_PYTHON = {"seed": (-(2**63), 2**63 - 1), "stop_at": (0, math.inf)}
"""Wider ranges than those of the options."""


def require_ranges(
    options: Any, wider: Mapping[str, tuple[float, float]] = MappingProxyType({})
) -> None:
    """UsageError unless numbers are in the ranges of their options; whole numbers come first."""
    for kind, require in ((int, require_whole), (float, require_real)):
        for place in places(type(options)):
            if place.type is kind and place.option is not None:
                usual = (place.option.least, place.option.most)
                require(place.path[-1], place.value_in(options), *wider.get(place.path[-1], usual))


def require_whole(name: str, value: object, low: float, high: float) -> None:
    """UsageError unless the value is a whole number from `low` to `high`."""
    if type(value) is not int or not low <= value <= high:
        raise UsageError(f"{name} must be a whole number from {low} to {high}, got {value!r}")


def require_real(name: str, value: object, low: float, high: float) -> None:
    """UsageError unless the value is a number from `low` to `high`."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
        raise UsageError(f"{name} must be a number from {low:g} to {high:g}, got {value!r}")
