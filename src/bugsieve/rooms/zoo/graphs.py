"""Small directed graphs of names, as the deciders need them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import TypeAlias

Graph: TypeAlias = dict[str, set[str]]
"""The nodes that each node leads to."""


def closure(start: str, graph: Mapping[str, AbstractSet[str]]) -> set[str]:
    """The nodes that can be reached from the start, itself among them."""
    seen, waiting = {start}, [start]
    while waiting:
        new = graph.get(waiting.pop(), set()) - seen
        seen |= new
        waiting += new
    return seen


def components(nodes: AbstractSet[str], graph: Graph) -> list[set[str]]:
    """The connected components of some nodes of a symmetric graph."""
    inside = {node: graph.get(node, set()) & nodes for node in nodes}
    found: list[set[str]] = []
    left = set(nodes)
    while left:
        found.append(closure(min(left), inside))
        left -= found[-1]
    return found


def source_parts(graph: Graph) -> list[set[str]]:
    """The strongly connected parts that no other part leads into; every node must be a key."""
    backward: Graph = {node: set() for node in graph}
    for node, following in graph.items():
        for other in following:
            backward[other].add(node)
    # Of the nodes not reached from those taken before, the one that a depth-first search leaves
    # last lies in such a part (the idea of Kosaraju's algorithm).
    reached: set[str] = set()
    parts = []
    for node in reversed(_leaving_order(sorted(graph), graph)):
        if node not in reached:
            reached |= closure(node, graph)
            parts.append(closure(node, backward))
    return parts


def _leaving_order(nodes: Iterable[str], graph: Graph) -> list[str]:
    """The nodes in the order in which a depth-first search has left them."""
    entered: set[str] = set()
    order = []
    for root in nodes:
        if root in entered:
            continue
        entered.add(root)
        stack = [(root, iter(sorted(graph[root])))]
        while stack:
            node, following = stack[-1]
            child = next((other for other in following if other not in entered), None)
            if child is None:
                order.append(node)
                stack.pop()
            else:
                entered.add(child)
                stack.append((child, iter(sorted(graph[child]))))
    return order
