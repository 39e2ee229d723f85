"""The places of a graph where infinite words can begin that put nothing off for ever."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from bugsieve.rooms.rules.engine.components import components
from bugsieve.rooms.rules.engine.tableau import Obligations
from bugsieve.rooms.rules.ltl.formula import Formula


class ObligedStep(Protocol):
    """The target of a step, and the obligations that it puts off."""

    @property
    def target(self) -> int:
        """The place it leads to."""

    @property
    def put_off(self) -> Obligations:
        """The obligations that must be met some day, and are not yet."""


def accepting_places(
    edges: Sequence[Sequence[ObligedStep]], eventual: Collection[Formula]
) -> list[bool]:
    """Return true per place if words can go round it for ever and put nothing off."""
    component = components([[edge.target for edge in row] for row in edges])
    inside: dict[int, list[Obligations]] = {}
    for number, row in enumerate(edges):
        for edge in row:
            if component[edge.target] == component[number]:
                inside.setdefault(component[number], []).append(edge.put_off)
    fair = {c for c, late in inside.items() if not frozenset(eventual).intersection(*late)}
    return [number in fair for number in component]


def live_places(
    edges: Sequence[Sequence[ObligedStep]], eventual: Collection[Formula]
) -> list[bool]:
    """Return true per place if some infinite word can begin there."""
    return leading_to(
        accepting_places(edges, eventual), [[edge.target for edge in row] for row in edges]
    )


def leading_to(wanted: Sequence[bool], targets: Sequence[Sequence[int]]) -> list[bool]:
    """Return true per place with a way to a wanted one, or that is wanted itself."""
    before: list[list[int]] = [[] for _ in targets]
    for number, row in enumerate(targets):
        for target in row:
            before[target].append(number)
    found = list(wanted)
    pending = [number for number, is_wanted in enumerate(found) if is_wanted]
    while pending:
        new = [number for number in before[pending.pop()] if not found[number]]
        for number in new:
            found[number] = True
        pending += new
    return found
