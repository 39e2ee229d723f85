"""Carries the endings of a policy graph back to every state that leads to them.

Pointer jumping: each state's pointer is doubled until it leaves the set of open states. So a path
of n steps takes log n array operations in every graph.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bugsieve.policies.decisions import Ending
from bugsieve.policies.nodes import OPEN, Nodes

Ids = NDArray[np.int64]


def resolve_endings(nodes: Nodes, ids: Ids, operator_costs: NDArray[np.int64]) -> None:
    """Fill in the endings of the given states, which all have a successor; ids are distinct.

    States whose path runs into an open state outside `ids` stay open.
    """
    rest = _absorb(nodes, np.sort(ids), operator_costs)
    if len(rest.ids):
        # Each `far` state is the same number of steps, at least as many as there are states, down
        # the path. So it lies behind the tail, on the cycle. Moving by a fixed number of steps
        # maps a cycle onto itself, so every state of a cycle is the `far` state of one of it.
        on_cycle = np.unique(rest.far)
        _close_cycles(nodes, on_cycle, operator_costs)
        # With the cycles closed, the tails that lead into them are paths that leave the set.
        _absorb(nodes, np.setdiff1d(rest.ids, on_cycle, assume_unique=True), operator_costs)


@dataclass(frozen=True)
class _Circling:
    """States that never leave the set, each with a state so far down its path that it repeats."""

    ids: Ids
    far: Ids


def _absorb(nodes: Nodes, ids: Ids, operator_costs: NDArray[np.int64]) -> _Circling:
    """Resolve the states whose path leaves the sorted `ids`; returns those that circle in it."""
    successor = nodes.successor[ids]
    jump, inside = _positions(successor, ids)
    exits = np.where(inside, -1, successor)
    steps = np.ones(len(ids), dtype=np.int64)
    costs = operator_costs[nodes.action[ids]]
    # Invariant: a state that is `inside` gets to ids[jump] by `steps` steps that never leave the
    # set; for any other, `exits` is the first state outside, `steps` away. After k rounds, `steps`
    # of those inside is 2^k. After as many rounds as the number of states has binary digits, it is
    # more than there are states: those still inside go in a circle.
    for _ in range(max(1, len(ids)).bit_length()):
        live = np.flatnonzero(inside)
        if not len(live):
            break
        over = jump[live]
        # All is read before anything is written: the state that is jumped to may itself jump in
        # this round.
        more_steps, more_costs = steps[over], costs[over]
        jump[live], inside[live], exits[live] = jump[over], inside[over], exits[over]
        steps[live] += more_steps
        costs[live] += more_costs
    left = ~inside
    _inherit(nodes, ids[left], exits[left], steps[left], costs[left])
    return _Circling(ids[inside], ids[jump[inside]])


def _positions(wanted: Ids, ids: Ids) -> tuple[Ids, NDArray[np.bool_]]:
    """The place of each wanted id in the sorted `ids`, and true for those that are there."""
    position = np.minimum(np.searchsorted(ids, wanted), max(0, len(ids) - 1))
    return position, ids[position] == wanted if len(ids) else np.zeros(0, dtype=bool)


def _inherit(
    nodes: Nodes, ids: Ids, heirs_of: Ids, steps: NDArray[np.int64], costs: NDArray[np.int64]
) -> None:
    # An exit may be open itself, where a step limit ended the exploration: then nothing is known
    # yet of the states before it.
    known = nodes.ending[heirs_of] != OPEN
    ids, source = ids[known], heirs_of[known]
    nodes.ending[ids] = nodes.ending[source]
    nodes.last[ids] = nodes.last[source]
    nodes.cycle[ids] = nodes.cycle[source]
    nodes.tail[ids] = steps[known] + nodes.tail[source]
    nodes.cost[ids] = costs[known] + nodes.cost[source]


def _close_cycles(nodes: Nodes, ids: Ids, operator_costs: NDArray[np.int64]) -> None:
    """Mark the sorted `ids`, which are the union of some cycles, as looping."""
    jump, _ = _positions(nodes.successor[ids], ids)
    label = np.arange(len(ids))
    # Doubling as above: after k rounds a label is the least among the next 2^k states, in the end
    # the least of the whole cycle, which names it.
    for _ in range(len(ids).bit_length()):
        label = np.minimum(label, label[jump])
        jump = jump[jump]
    _, which, lengths = np.unique(label, return_inverse=True, return_counts=True)
    costs = np.zeros(len(lengths), dtype=np.int64)
    np.add.at(costs, which, operator_costs[nodes.action[ids]])
    nodes.stop(ids, Ending.LOOP)
    nodes.cycle[ids] = lengths[which]
    nodes.cost[ids] = costs[which]
