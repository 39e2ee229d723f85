"""A zoo of policies of models that are safe but for planted faults.

Such a policy takes the first safe action. Where a fault applies, it takes another one that leaves
safety: everywhere, or where a certain action would be the first safe one, or where a variable has
some values. Where danger cannot be avoided it takes the first action there is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from bugsieve import load_model
from bugsieve.rooms.jani.model.model import JaniModel, Valuations
from bugsieve.rooms.jani.policies.policy import ActionArray
from bugsieve.rooms.safety.oracles.decide import Safety, SafetyDecider
from bugsieve.rooms.zoo.model_domains import generate_model
from bugsieve.tasks.search_limits import Limits

NO_FAULT = -1


@dataclass(frozen=True)
class UnsafeHabit:
    """Takes an action that leaves safety, under conditions."""

    action: str
    instead_of: str | None = None
    """Only where this is the first safe action."""
    variable: str | None = None
    """Only where this one is at least `least`."""
    least: float = 0


@dataclass(frozen=True)
class SafetyExhibit:
    """A generated model, and a safe policy with faults; of two that apply, the first counts."""

    domain: str
    habits: tuple[UnsafeHabit, ...]

    @property
    def name(self) -> str:
        """What it is called in reports."""
        return f"{self.domain} {' + '.join(habit.action for habit in self.habits)}"


@cache
def model_of(domain: str) -> JaniModel:
    """The model of a domain's generator."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "model.jani")
        file.write_text(generate_model(domain, seed=1).text)
        return load_model(file)


class HabitualPolicy:
    """The policy of an exhibit, for `find_safety_bugs`."""

    def __init__(self, exhibit: SafetyExhibit) -> None:
        self.model = model_of(exhibit.domain)
        self.spec = f"zoo:{exhibit.name}"
        self._habits = exhibit.habits
        self._decider = SafetyDecider(self.model.system, limits=Limits(expansions=5_000))
        self._known: dict[bytes, tuple[int, int]] = {}

    def choose(self, states: Valuations) -> ActionArray:
        """An action for each state."""
        return np.array([self._answer(state)[0] for state in states], dtype=np.int32)

    def fault_in(self, state: Valuations) -> int:
        """The number of the fault that decides in a state."""
        return self._answer(state)[1]

    def _answer(self, state: Valuations) -> tuple[int, int]:
        key = state.tobytes()
        if key not in self._known:
            self._known[key] = self._decision(state)
        return self._known[key]

    def _decision(self, state: Valuations) -> tuple[int, int]:
        expansion = self.model.expand([state])
        actions = expansion.actions.tolist()
        safe = [
            action
            for place, action in enumerate(actions)
            if self._is_safe(expansion.outcomes[slice(*expansion.outcome_offsets[place:][:2])])
        ]
        for number, habit in enumerate(self._habits):
            action = self.model.actions.index(habit.action)
            is_possible = safe and action in actions and action not in safe
            if is_possible and self._applies(habit, state, safe[0]):
                return action, number
        return (safe or actions or [-1])[0], NO_FAULT

    def _is_safe(self, outcomes: Valuations) -> bool:
        return bool((self._decider.decide(self.model.pack(outcomes)).safety == Safety.SAFE).all())

    def _applies(self, habit: UnsafeHabit, state: Valuations, first: int) -> bool:
        values = self.model.values(state)
        is_there = habit.variable is None or values[habit.variable] >= habit.least
        return is_there and habit.instead_of in (None, self.model.actions[first])


SAFETY_EXHIBITS = [
    SafetyExhibit("one-way-line", (UnsafeHabit("acc", None, "load", 1), UnsafeHabit("move"))),
    SafetyExhibit("one-way-line", (UnsafeHabit("acc", None, "speed", 2),)),
    SafetyExhibit("two-way-line", (UnsafeHabit("acc"), UnsafeHabit("dec", "acc"))),
    SafetyExhibit("two-way-line", (UnsafeHabit("move", None, "load", 1), UnsafeHabit("dec"))),
    SafetyExhibit("n-puzzle", (UnsafeHabit("up"), UnsafeHabit("right"))),
    SafetyExhibit("n-puzzle", (UnsafeHabit("left"), UnsafeHabit("down"))),
    SafetyExhibit("bouncing-ball", (UnsafeHabit("push"), UnsafeHabit("skip"))),
    SafetyExhibit("nd-blocksworld", (UnsafeHabit("move_1_to_table", "move_3_to_1"),)),
    SafetyExhibit("nd-blocksworld", (UnsafeHabit("move_2_to_3"), UnsafeHabit("move_1_to_5"))),
    SafetyExhibit(
        "beluga",
        (
            UnsafeHabit("pop_front_rack_1", "pop_back_rack_1"),
            UnsafeHabit("push_front_rack_1", "push_front_rack_2"),
        ),
    ),
    SafetyExhibit("beluga", (UnsafeHabit("pop_front_rack_2"),)),
]
