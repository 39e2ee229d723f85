"""Puts definitions that refer to each other in an order in which they can be computed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


class CycleError(ValueError):
    """Definitions that need each other; `cycle` lists them in a circle."""

    def __init__(self, cycle: list[str]) -> None:
        super().__init__(" → ".join([*cycle, cycle[0]]))
        self.cycle = cycle


def dependency_order(needs: Mapping[str, Iterable[str]]) -> list[str]:
    """The names, each after those it needs; names that are not keys are ignored."""
    order: list[str] = []
    is_done: dict[str, bool] = {}  # False while it is on the way
    for start in needs:
        if start in is_done:
            continue
        way = [(start, iter(sorted(needs[start])))]
        is_done[start] = False
        while way:
            name, rest = way[-1]
            other = next((n for n in rest if n in needs and not is_done.get(n, False)), None)
            if other is None:
                way.pop()
                is_done[name] = True
                order.append(name)
            elif other in is_done:
                names = [n for n, _ in way]
                raise CycleError(names[names.index(other) :])
            else:
                is_done[other] = False
                way.append((other, iter(sorted(needs[other]))))
    return order
