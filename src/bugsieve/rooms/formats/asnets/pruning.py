"""The ground actions that an ASNet knows: forward h² reaches them, and they change something."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bugsieve import _native
from bugsieve.base.errors import UnsupportedError
from bugsieve.tasks.grounded.arrays import ask_core

MAX_FACTS = 60_000
"""Of a task; h² needs the square of it in bits."""


class GroundAction(NamedTuple):
    """The effect of an action on the facts that can change, by their numbers."""

    needs: tuple[int, ...]
    refuses: tuple[int, ...]
    """Facts that must be false."""
    adds: tuple[int, ...]
    deletes: tuple[int, ...]

    @property
    def has_effect(self) -> bool:
        """Return true if it changes a state in which it is applicable; adding follows deleting."""
        gone = set(self.deletes) - set(self.adds) - set(self.refuses)
        return bool(gone or set(self.adds) - set(self.needs))


@dataclass(frozen=True)
class GroundTask:
    """Facts that can change, and actions on them."""

    name: str
    num_facts: int
    initial: Sequence[int]
    actions: Sequence[GroundAction]


def kept_actions(task: GroundTask) -> NDArray[np.bool_]:
    """The actions that forward h² reaches and that have a net effect."""
    effective = np.array([action.has_effect for action in task.actions], dtype=np.bool_)
    return effective & reached_actions(task)


def reached_actions(task: GroundTask) -> NDArray[np.bool_]:
    """The actions that forward h² reaches.

    Where an action needs a fact to be false, that is a fact of its own.
    """
    refused = sorted({fact for action in task.actions for fact in action.refuses})
    num_facts = task.num_facts + len(refused)
    if num_facts > MAX_FACTS:
        raise UnsupportedError(
            f"{task.name}: has {num_facts} facts, and ASNets can be used up to {MAX_FACTS}; take "
            "a smaller problem"
        )
    negation = {fact: task.num_facts + place for place, fact in enumerate(refused)}
    true = set(task.initial)
    initial = [*task.initial, *(negation[fact] for fact in refused if fact not in true)]
    parts = [_with_negations(action, negation) for action in task.actions]
    needs, adds, deletes = (_flat(part[kind] for part in parts) for kind in range(3))
    numbers = np.array(initial, dtype=np.int32)
    reached = ask_core(_native.reached_by_pairs, num_facts, numbers, *needs, *adds, *deletes)
    return reached.astype(np.bool_)


def _with_negations(
    action: GroundAction, negation: dict[int, int]
) -> tuple[list[int], list[int], list[int]]:
    """The facts that it needs, adds and deletes, with negated facts."""
    gone = [fact for fact in action.deletes if fact not in action.adds]
    return (
        [*action.needs, *(negation[fact] for fact in action.refuses)],
        [*action.adds, *(negation[fact] for fact in gone if fact in negation)],
        [*gone, *(negation[fact] for fact in action.adds if fact in negation)],
    )


def _flat(lists: Iterable[Sequence[int]]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Starts and items of lists, as the core takes them."""
    given = list(lists)
    starts = np.cumsum([0, *map(len, given)], dtype=np.int64).astype(np.int32)
    return starts, np.array([item for items in given for item in items], dtype=np.int32)
