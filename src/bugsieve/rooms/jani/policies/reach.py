"""Explores the states that a policy, or any policy, can reach in a model, with all outcomes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bugsieve.base.errors import BudgetError
from bugsieve.base.stopping import check_stop
from bugsieve.rooms.jani.model.model import JaniModel, Valuations, WordArray
from bugsieve.rooms.jani.policies.policy import NO_ACTION, ActionArray, ModelPolicy
from bugsieve.rooms.jani.policies.runs import UnsafeRun

MOST_STATES = 200_000

_BATCH = 512
_GOAL, _UNSAFE = 1, 2


@dataclass(frozen=True, eq=False)
class Reach:
    """The reached states, in the order of the exploration; start states are first."""

    words: WordArray
    """A packed state in each row."""
    actions: ActionArray
    """The policy's answers; NO_ACTION where it is not asked."""
    is_asked: NDArray[np.bool_]
    """True where the run does not end by itself."""
    acts: NDArray[np.bool_]
    """True where some action is taken."""
    is_goal: NDArray[np.bool_]
    way: UnsafeRun | None = None
    """A shortest way into danger, with which the exploration ends; None if there is none."""

    @property
    def ends(self) -> int:
        """In how many states the policy gives no applicable action where there is one."""
        return int((self.is_asked & ~self.acts).sum())


def explore(
    model: JaniModel,
    starts: Valuations,
    policy: ModelPolicy | None,
    *,
    most: int = MOST_STATES,
) -> Reach:
    """Follow the policy from all start states, or without one every action.

    BudgetError where it comes to more states than `most`.
    """
    return _Exploration(model, policy, most).run(starts)


class _Exploration:
    def __init__(self, model: JaniModel, policy: ModelPolicy | None, most: int) -> None:
        self._model, self._policy, self._most = model, policy, most
        self._rows: dict[bytes, int] = {}
        self._words: list[WordArray] = []
        self._from: list[tuple[int, int]] = []
        """For each state one from which it is reached, and the action."""
        self._columns: list[tuple[NDArray[Any], ...]] = []

    def run(self, starts: Valuations) -> Reach:
        self._add(self._model.pack(starts), [(-1, NO_ACTION)] * len(starts))
        done = 0
        while done < len(self._words):
            check_stop()
            words = np.array(self._words[done : done + _BATCH])
            danger = self._step(words, done)
            if danger is not None:
                return self._reach(danger)
            done += len(words)
        return self._reach(None)

    def _add(self, words: WordArray, origins: list[tuple[int, int]]) -> None:
        for row, origin in zip(words, origins, strict=True):
            if self._rows.setdefault(row.tobytes(), len(self._words)) == len(self._words):
                self._words.append(row)
                self._from.append(origin)
        if len(self._words) > self._most:
            raise BudgetError(f"more than {self._most} states can be reached")

    def _step(self, words: WordArray, first: int) -> int | None:
        """Note a batch of states and add their successors; the row of an unsafe one, if any."""
        states = self._model.unpack(words)
        kinds, flags = self._model.observe(states)
        asked: NDArray[np.bool_] = np.asarray(flags.any(axis=1))
        actions = np.full(len(words), NO_ACTION, dtype=np.int32)
        allowed = flags
        if self._policy is not None:
            actions[asked] = self._policy.choose(states[asked]) if asked.any() else NO_ACTION
            # A number beyond the model's actions is an action that is not applicable.
            allowed = flags & (np.arange(flags.shape[1]) == actions[:, None])
        acts: NDArray[np.bool_] = np.asarray(allowed.any(axis=1))
        self._columns.append((actions, asked, acts, kinds == _GOAL))
        unsafe = np.flatnonzero(kinds == _UNSAFE)
        if len(unsafe):
            return first + int(unsafe[0])
        self._add_outcomes(states[acts], allowed[acts], first + np.flatnonzero(acts))
        return None

    def _add_outcomes(
        self, states: Valuations, allowed: NDArray[np.bool_], rows: NDArray[np.int64]
    ) -> None:
        if not len(states):
            return
        found = self._model.expand(states)
        owners = np.repeat(np.arange(len(states)), np.diff(found.action_offsets))
        is_taken = allowed[owners, found.actions]
        counts = np.diff(found.outcome_offsets)
        wanted = np.repeat(is_taken, counts)
        origins = zip(
            rows[np.repeat(owners, counts)[wanted]].tolist(),
            np.repeat(found.actions, counts)[wanted].tolist(),
            strict=True,
        )
        self._add(self._model.pack(found.outcomes[wanted]), list(origins))

    def _reach(self, danger: int | None) -> Reach:
        width = self._model.system.words
        words = np.array(self._words, dtype=np.uint64).reshape(-1, width)
        columns = zip(*self._columns, strict=True)
        actions, asked, acts, goals = (np.concatenate(parts) for parts in columns)
        way = None if danger is None else self._way(words, danger)
        return Reach(words, actions, asked, acts, goals, way)

    def _way(self, words: WordArray, danger: int) -> UnsafeRun:
        rows, actions = [danger], []
        while (origin := self._from[rows[-1]])[0] >= 0:
            rows.append(origin[0])
            actions.append(origin[1])
        return UnsafeRun(words[rows[::-1]], np.array(actions[::-1], dtype=np.int32))
