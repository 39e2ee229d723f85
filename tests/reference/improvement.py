"""Naive plan improvement: action elimination and plan neighbourhood graph search with dicts.

The rules that make the outcome unique: states are numbered when they are first seen, successors in
the order of the operators; of equally cheap states the one of the lowest number goes first; the
way to a state changes only for a cheaper one; only cheaper plans are taken up.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from tests.reference.sas import SasTask, State
from tests.reference.successors import is_applicable, is_goal, simulate, successor, successors

FIRST_LIMIT = 16

Plan = list[int]


@dataclass
class Improvement:
    """The state of an improvement: what is known of the state space, and what was spent."""

    task: SasTask
    expansions: int | None
    edges: dict[State, list[tuple[int, State]]] = field(default_factory=dict)
    numbers: dict[State, int] = field(default_factory=dict)

    def see(self, state: State) -> None:
        """Give the state its number."""
        self.numbers.setdefault(state, len(self.numbers))

    def surround(self, path: Sequence[State], limit: int) -> str:
        """Expand up to `limit` states around the path; "full", "all" if no more, or "spent"."""
        queue = list(dict.fromkeys(path))
        members = 0
        for state in queue:  # grows meanwhile
            if members == limit:
                return "full"
            if is_goal(self.task, state):
                continue
            if state not in self.edges:
                if len(self.edges) == self.expansions:
                    return "spent"
                self.edges[state] = successors(self.task, state)
                for _, after in self.edges[state]:
                    self.see(after)
            members += 1
            known = set(queue)
            queue += dict.fromkeys(a for _, a in self.edges[state] if a not in known)
        return "all"

    def path(self, start: State, plan: Plan) -> list[State]:
        """The states that the plan goes through, first and last included."""
        states = [simulate(self.task, start, plan[:step])[0] for step in range(len(plan) + 1)]
        for state in states:
            self.see(state)
        return states

    def cheaper(self, start: State, plan: Plan) -> Plan:
        """A cheapest plan among known transitions, or the plan itself if there is none cheaper."""
        other = self.cheapest(self.path(start, plan), plan)
        costs = [sum(map(self.task.cost, either)) for either in (other, plan)]
        return other if costs[0] < costs[1] else plan

    def cheapest(self, path: Sequence[State], plan: Plan) -> Plan:
        """The cheapest plan that is made up of known transitions and steps of the plan."""
        steps: dict[State, list[tuple[int, State]]] = {}
        for state, action, after in zip(path, plan, path[1:], strict=False):
            steps.setdefault(state, []).append((action, after))
        steps.update(self.edges)
        cost, way = {path[0]: 0}, {path[0]: list[int]()}
        queue = [(0, 0, path[0])]
        while True:
            least, _, state = heapq.heappop(queue)
            if is_goal(self.task, state):
                return way[state]
            if least > cost[state]:
                continue
            for operator, after in steps.get(state, []):
                through = least + self.task.cost(operator)
                if after not in cost or through < cost[after]:
                    cost[after], way[after] = through, [*way[state], operator]
                    heapq.heappush(queue, (through, self.numbers[after], after))


def improve(
    task: SasTask, start: State, plan: Sequence[int], expansions: int | None = None
) -> tuple[Plan, int]:
    """The improved plan and how many states were expanded."""
    matters = relevant_variables(task)
    small, kept = relevant_part(task, matters)
    start = tuple(value if v in matters else 0 for v, value in enumerate(start))
    search = Improvement(small, expansions)
    best = search.cheaper(start, [kept.index(action) for action in plan if action in kept])
    best = eliminate(small, start, best)
    limit = FIRST_LIMIT
    while True:
        outcome = search.surround(search.path(start, best), limit)
        other = search.cheaper(start, best)
        if outcome != "full":
            return [kept[action] for action in other], len(search.edges)
        if other is best:
            limit *= 2
        else:
            best = eliminate(small, start, other)


def relevant_variables(task: SasTask) -> set[int]:
    """Those of the goal, and those in conditions for changing a relevant one."""
    matters = {variable for variable, _ in task.goal}
    while True:
        needed = {
            variable
            for operator in task.operators
            for effect in operator.effects
            if effect.variable in matters
            for variable, _ in (*operator.preconditions, *effect.conditions)
        }
        if needed <= matters:
            return matters
        matters |= needed


def relevant_part(task: SasTask, matters: set[int]) -> tuple[SasTask, list[int]]:
    """The task without effects on other variables, and the operators that still have some."""
    operators = [
        replace(operator, effects=tuple(e for e in operator.effects if e.variable in matters))
        for operator in task.operators
    ]
    kept = [number for number, operator in enumerate(operators) if operator.effects]
    return replace(task, operators=tuple(operators[number] for number in kept)), kept


def eliminate(task: SasTask, start: State, plan: Plan) -> Plan:
    """Leave out, from front to back, each action that the rest can do without."""
    at = 0
    while at < len(plan):
        before, _ = simulate(task, start, plan[:at])
        rest = what_is_left(task, before, plan[at + 1 :])
        if rest is None:
            at += 1
        else:
            plan = [*plan[:at], *rest]
    return plan


def what_is_left(task: SasTask, state: State, actions: Plan) -> Plan | None:
    """Those of the actions that can be applied, up to the goal; None if they do not reach it."""
    done: Plan = []
    for action in actions:
        if is_goal(task, state):
            break
        if is_applicable(task, state, action):
            state = successor(task, state, action)
            done.append(action)
    return done if is_goal(task, state) else None
