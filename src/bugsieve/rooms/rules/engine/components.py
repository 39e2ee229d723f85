"""Strongly connected components of graphs."""

from __future__ import annotations

from collections.abc import Sequence


def components(edges: Sequence[Sequence[int]]) -> list[int]:
    """A number for the strongly connected component of each place (Tarjan, without recursion)."""
    count = len(edges)
    order, low, found = [-1] * count, [0] * count, [-1] * count
    stack: list[int] = []
    clock = number = 0
    for root in range(count):
        if order[root] >= 0:
            continue
        calls = [(root, 0)]
        while calls:
            place, at = calls.pop()
            if at == 0:
                order[place] = low[place] = clock
                clock += 1
                stack.append(place)
            else:
                low[place] = min(low[place], low[edges[place][at - 1]])
            for index in range(at, len(edges[place])):
                target = edges[place][index]
                if order[target] < 0:
                    calls += [(place, index + 1), (target, 0)]
                    break
                if found[target] < 0:
                    low[place] = min(low[place], order[target])
            else:
                if low[place] == order[place]:
                    while found[place] < 0:
                        found[stack.pop()] = number
                    number += 1
    return found
