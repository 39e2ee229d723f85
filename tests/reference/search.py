"""Exact goal distances and bounded enumeration by plain exploration; for small tasks only."""

from __future__ import annotations

import heapq
from collections import deque

from tests.reference.sas import SasTask, State
from tests.reference.successors import is_goal, successors


def reachable(task: SasTask, *starts: State) -> dict[State, list[tuple[int, State]]]:
    """All states reachable from the starts, breadth first, each with its successors."""
    graph: dict[State, list[tuple[int, State]]] = {}
    queue = deque(starts)
    while queue:
        state = queue.popleft()
        if state in graph:
            continue
        graph[state] = successors(task, state)
        queue.extend(after for _, after in graph[state])
    return graph


def goal_distances(task: SasTask, *starts: State) -> dict[State, int | None]:
    """h* of every state reachable from the starts, None where no goal state can be reached."""
    graph = reachable(task, *starts)
    before: dict[State, list[tuple[int, State]]] = {state: [] for state in graph}
    for state, edges in graph.items():
        for operator, after in edges:
            before[after].append((task.cost(operator), state))
    distances: dict[State, int | None] = dict.fromkeys(graph)
    queue = [(0, state) for state in graph if is_goal(task, state)]
    while queue:
        distance, state = heapq.heappop(queue)
        if distances[state] is not None:
            continue
        distances[state] = distance
        for cost, predecessor in before[state]:
            heapq.heappush(queue, (distance + cost, predecessor))
    return distances


def optimal_cost(task: SasTask, start: State) -> int | None:
    """Cost of a cheapest plan from the start by forward search, None if there is no plan."""
    done: set[State] = set()
    queue = [(0, start)]
    while queue:
        cost, state = heapq.heappop(queue)
        if is_goal(task, state):
            return cost
        if state in done:
            continue
        done.add(state)
        for operator, after in successors(task, state):
            heapq.heappush(queue, (cost + task.cost(operator), after))
    return None


def within_depth(task: SasTask, start: State, depth: int) -> dict[State, int]:
    """The states met by sequences of at most `depth` operators, with the cheapest cost of each.

    A sequence ends in the first goal state it meets.
    """
    layer = {start: 0}
    best = dict(layer)
    for _ in range(depth):
        following: dict[State, int] = {}
        for state, cost in layer.items():
            if is_goal(task, state):
                continue
            for operator, after in successors(task, state):
                total = cost + task.cost(operator)
                following[after] = min(following.get(after, total), total)
        for state, cost in following.items():
            best[state] = min(best.get(state, cost), cost)
        layer = following
    return best
