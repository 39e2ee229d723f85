"""The links of facts and actions of several tasks, joined for mini-batches of their states.

The states of a mini-batch form one graph: the facts of all states in one column, by predicate,
then by state, then as in the grounding; actions likewise by schema. So a layer takes a few
operations for all states of all tasks at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bugsieve.rooms.formats.asnets.grounding import Grounding

Numbers = NDArray[np.int64]
Reals = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class BatchLayout:
    """The places of the facts and actions of some states, with the links of each of them."""

    fact_counts: Numbers
    """(predicates, states)"""
    action_counts: Numbers
    """(schemas, states)"""
    related: tuple[Numbers, ...]
    """For each schema, (actions, positions): places among all facts; the last + 1 if missing."""
    goals: tuple[Reals, ...]
    """For each schema, (actions, positions): 1 where the related fact is a goal."""
    behind: Numbers
    """For each fact and each slot of its predicate, the places of the actions behind it; where
    there is none, the last + 1 stands alone."""
    lengths: Numbers
    """The number of them; by predicate, then by fact, then by slot."""

    @property
    def action_states(self) -> Numbers:
        """The state of each action, by its place among the states."""
        states = np.tile(np.arange(self.action_counts.shape[1]), len(self.action_counts))
        return np.repeat(states, self.action_counts.ravel())

    @property
    def action_bases(self) -> Numbers:
        """(schemas, states): where the actions of a schema in a state begin."""
        return _starts(self.action_counts)


class Structure:
    """The groundings of several tasks of one domain, ready to be laid out."""

    def __init__(self, groundings: Sequence[Grounding]) -> None:
        signature = groundings[0].signature
        self.signature = signature
        self.fact_starts = np.array([g.fact_starts for g in groundings], dtype=np.int64)
        """(tasks, predicates + 1)"""
        self.action_starts = np.array([g.action_starts for g in groundings], dtype=np.int64)
        """(tasks, schemas + 1)"""
        numbers = {name: number for number, name in enumerate(signature.predicates)}
        self._predicates = [
            np.array([numbers[atom.predicate] for atom in schema.related], dtype=np.int64)
            for schema in signature.schemas
        ]
        schemas = range(len(signature.schemas))
        self._related = [
            np.concatenate([_local(g, s, self._predicates[s]) for g in groundings])
            for s in schemas
        ]
        self._goals = [np.concatenate([_goal_flags(g, s) for g in groundings]) for s in schemas]
        self._join_segments(groundings)

    def _join_segments(self, groundings: Sequence[Grounding]) -> None:
        """Join the actions behind facts of all tasks in one column: by task, then predicate."""
        parts = [_behind(g, p) for g in groundings for p in range(len(self.signature.predicates))]
        shape = (len(groundings), len(self.signature.predicates))
        self._behind = np.concatenate([actions for actions, _ in parts])
        """(schema, place within the schema) of an action; the schema is -1 where there is none."""
        self._lengths = np.concatenate([lengths for _, lengths in parts])
        self._behind_counts = np.array([len(actions) for actions, _ in parts]).reshape(shape)
        self._length_counts = np.array([len(lengths) for _, lengths in parts]).reshape(shape)

    def layout(self, tasks: Numbers) -> BatchLayout:
        """The layout of states that belong to these tasks."""
        fact_counts = np.diff(self.fact_starts, axis=1)[tasks].T
        action_counts = np.diff(self.action_starts, axis=1)[tasks].T
        fact_bases, action_bases = _starts(fact_counts), _starts(action_counts)
        missing = int(fact_counts.sum())
        related, goals = [], []
        totals = _starts(np.diff(self.action_starts, axis=1).T)
        totals -= totals[:, :1]  # the actions' first place in the table of a schema
        for schema, counts in enumerate(action_counts):
            rows = ragged(totals[schema][tasks], counts)
            local = self._related[schema][rows]
            states = np.repeat(np.arange(len(tasks)), counts)
            places = local + fact_bases[self._predicates[schema]].T[states]
            related.append(np.where(local < 0, missing, places))
            goals.append(self._goals[schema][rows])
        behind, lengths = self._laid_segments(tasks, action_bases, int(action_counts.sum()))
        return BatchLayout(
            fact_counts, action_counts, tuple(related), tuple(goals), behind, lengths
        )

    def _laid_segments(
        self, tasks: Numbers, action_bases: Numbers, missing: int
    ) -> tuple[Numbers, Numbers]:
        counts = self._behind_counts[tasks].T
        rows = ragged(_starts(self._behind_counts)[tasks].T.ravel(), counts.ravel())
        schemas, places = self._behind[rows].T
        states = np.repeat(np.tile(np.arange(len(tasks)), len(counts)), counts.ravel())
        length_rows = ragged(
            _starts(self._length_counts)[tasks].T.ravel(), self._length_counts[tasks].T.ravel()
        )
        found = np.where(schemas < 0, missing, action_bases[schemas, states] + places)
        return found, self._lengths[length_rows]


def ragged(starts: Numbers, counts: Numbers) -> Numbers:
    """The numbers from each start on, as many as its count says, in one column."""
    ends = np.cumsum(counts)
    return np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - ends + counts, counts)


def _starts(counts: Numbers) -> Numbers:
    """The beginning of each part if parts of these sizes follow each other, row by row."""
    return (np.cumsum(counts.ravel()) - counts.ravel()).reshape(counts.shape)


def _local(grounding: Grounding, schema: int, predicates: Numbers) -> Numbers:
    """The related facts of a schema's actions, counted within their predicates; -1: missing."""
    table = grounding.related[schema].astype(np.int64)
    return np.where(table == grounding.missing, -1, table - grounding.fact_starts[predicates])


def _goal_flags(grounding: Grounding, schema: int) -> Reals:
    flags = np.append(grounding.goal, False)[grounding.related[schema]]
    return flags.astype(np.float32)


def _behind(grounding: Grounding, predicate: int) -> tuple[Numbers, Numbers]:
    """The actions behind each fact of a predicate and each slot, and how many they are."""
    slots = list(grounding.signature.slots.values())[predicate]
    facts = int(np.diff(grounding.fact_starts)[predicate])
    keys, actions = [np.zeros(0, np.int64)], [np.zeros((0, 2), np.int64)]
    for number, (slot, part) in enumerate(zip(slots, grounding.segments[predicate], strict=True)):
        counts = np.diff(part.offsets)
        empty = np.flatnonzero(counts == 0)
        keys += [np.repeat(np.arange(facts), counts) * len(slots) + number]
        keys += [empty * len(slots) + number]
        schemas = np.full(len(part.actions), slot.schema, dtype=np.int64)
        actions += [np.stack([schemas, part.actions.astype(np.int64)], axis=1)]
        actions += [np.tile([-1, 0], (len(empty), 1))]
    column = np.concatenate(keys)
    order = np.argsort(column, kind="stable")
    lengths = np.bincount(column, minlength=facts * len(slots)).astype(np.int64)
    return np.concatenate(actions)[order], lengths
