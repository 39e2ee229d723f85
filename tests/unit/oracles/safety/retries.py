"""Systems on which a search that forgets what it found would search the same states again."""

from __future__ import annotations

from bugsieve import _native
from tests.unit.oracles.safety.graphs import Kind, graph_system


def retry_system(ladder: int, ring: int) -> _native.ExplicitSystem:
    """A ladder of states 1, 2, … above state 0, each of which fails late; the ring stays possible.

    State i leads to the next one, or else to the ring and to a trap. The ring, a component that
    relies on state 0, is searched first and looks safe; then the trap shows that state i is lost.
    State 0 has the ring as its last resort, and is safe.
    """
    first_ring, first_trap = ladder + 1, ladder + 1 + ring
    danger = first_trap + ladder
    transitions: list[dict[int, list[int]]] = [{0: [1], 1: [first_ring]}]
    for rung in range(1, ladder + 1):
        retry = [first_trap + rung - 1, first_ring]  # the last outcome is searched first
        transitions.append({0: [rung + 1], 1: retry} if rung < ladder else {1: retry})
    transitions += [{0: [first_ring + i + 1]} for i in range(ring - 1)] + [{0: [0]}]
    transitions += [{0: [danger]} for _ in range(ladder)] + [{}]
    kinds = [Kind.ORDINARY] * danger + [Kind.UNSAFE]
    return graph_system(kinds, transitions)
