"""The functional graph of a deterministic policy: each state has one successor, computed once.

Runs, walks, biases and oracles share one `PolicyGraph` per task and policy. It grows lazily; what
it answers depends on the policy and the step limit alone, never on what was asked before.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from operator import index
from typing import cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bugsieve._native import StateRegistry
from bugsieve.base.errors import UsageError
from bugsieve.base.stopping import check_stop
from bugsieve.policies.asking import check_policy, decide, no_such_action
from bugsieve.policies.call_counter import CallCounter
from bugsieve.policies.decisions import Decisions, Ending, Failure, Recorded
from bugsieve.policies.endings import resolve_endings
from bugsieve.policies.limits import DEFAULT_STEP_LIMIT
from bugsieve.policies.nodes import NOWHERE, OPEN, UNASKED, Nodes
from bugsieve.policies.policy import Policy
from bugsieve.policies.run_table import NOT_WITHIN, Ids, RunSource, RunTable
from bugsieve.tasks.grounded.arrays import ask_core
from bugsieve.tasks.grounded.task import NO_ACTION, ActionArray, StateArray, Task, require_task

Progress = Callable[[int, int], None]
"""Called after each joint step with the number of steps made and of decisions taken so far."""
Hopeless = Callable[[StateArray], "NDArray[np.bool_]"]
"""Of each state, whether no run from there can reach the goal."""

_NO_RUN_IS_LONGER = 2**62  # arrays compare with 64 bits
_SOLVED, _LOOP = int(Ending.SOLVED), int(Ending.LOOP)  # arrays are slow to compare with enums


class PolicyGraph:
    """Actions, successors and endings of a policy for every state it was ever asked about."""

    def __init__(self, task: Task, policy: Policy) -> None:
        check_policy(policy, require_task(task))
        self.task = task
        self.policy = policy
        self.calls = CallCounter()
        self._registry = StateRegistry(task.native)
        self._nodes = Nodes()
        self._failures: dict[int, Failure] = {}
        self._explorations = 0
        self._costs = task.operator_costs.astype(np.int64)

    def __len__(self) -> int:
        return len(self._registry)

    @property
    def decisions_taken(self) -> int:
        """The number of times that the policy was asked so far."""
        return self.calls.made

    @property
    def memory_bytes(self) -> int:
        """The memory of its states and their columns."""
        columns = sum(column.nbytes for column in vars(self._nodes).values())
        return self._registry.memory_bytes + int(columns)

    def table(
        self,
        states: ArrayLike,
        *,
        step_limit: int = DEFAULT_STEP_LIMIT,
        progress: Progress | None = None,
    ) -> RunTable:
        """The runs from the states, each asking the policy at most `step_limit` times."""
        step_limit = _checked_limit(step_limit)
        ids = self._register(self.task.checked_states(states))
        self._explore(ids, step_limit, progress)
        nodes = self._nodes
        steps = nodes.tail[ids] + nodes.cycle[ids]
        endings, costs = nodes.ending[ids], nodes.cost[ids]
        cut = _beyond(endings, steps, step_limit)
        endings[cut], steps[cut] = Ending.STEP_LIMIT, step_limit
        costs[cut] = self._cost_of_steps(ids[cut], step_limit)
        return RunTable(ids, endings, steps, costs, self)

    def costs_within(
        self,
        states: StateArray,
        limits: NDArray[np.int64],
        *,
        step_limit: int,
        is_hopeless: Hopeless | None = None,
    ) -> NDArray[np.int64]:
        """The costs of runs that reach the goal for less than their limits; NOT_WITHIN elsewhere.

        A run is followed until its cost reaches its limit, or to a hopeless state. Nothing is
        remembered of the rest, so that it is never taken for a run that fails.
        """
        ids = self._register(self.task.checked_states(states))
        self._explore(ids, _checked_limit(step_limit), None, limits, is_hopeless)
        nodes = self._nodes
        steps = nodes.tail[ids] + nodes.cycle[ids]
        within = (nodes.ending[ids] == Ending.SOLVED) & (steps <= step_limit)
        return np.where(within & (nodes.cost[ids] < limits), nodes.cost[ids], NOT_WITHIN)

    def endings(
        self, states: StateArray, *, step_limit: int = DEFAULT_STEP_LIMIT
    ) -> NDArray[np.int8]:
        """The ending of the run from each state, as codes of `Ending`."""
        return self.table(states, step_limit=step_limit).endings

    def lengths(
        self, states: StateArray, *, step_limit: int = DEFAULT_STEP_LIMIT
    ) -> NDArray[np.int64]:
        """Number of actions in the run from each state."""
        return self.table(states, step_limit=step_limit).steps

    def costs(
        self, states: StateArray, *, step_limit: int = DEFAULT_STEP_LIMIT
    ) -> NDArray[np.int64]:
        """Cost of the run from each state, whether or not it reaches the goal."""
        return self.table(states, step_limit=step_limit).costs

    def decide(self, states: StateArray) -> Decisions:
        """The policy's decisions, from the cache where it knows them; NO_ACTION in goal states."""
        ids = self._register(self.task.checked_states(states))
        self._ask(np.unique(ids[self._is_unasked(ids)]))
        actions = self._nodes.action[ids]
        actions[actions == UNASKED] = NO_ACTION  # goal states: no run asks there
        failures = {row: self._failures[i] for row, i in enumerate(ids) if i in self._failures}
        return Decisions(actions, failures)

    def recall(self, recorded: Recorded) -> None:
        """Take over what the policy decided before: it is not asked about these states again."""
        states = self.task.checked_states(recorded.states)
        ids = self._register(states)
        _, rows = np.unique(ids, return_index=True)
        rows = rows[self._is_unasked(ids[rows])]
        if len(rows):
            self._note(ids[rows], states[rows], recorded.decisions.rows(rows.tolist()))

    def paths(self, table: RunTable) -> list[Ids]:
        """The states of each run of the table as ids, from its start to its end."""
        offsets = np.concatenate([[0], np.cumsum(table.steps + 1)])
        flat = np.empty(offsets[-1], dtype=np.int64)
        flat[offsets[:-1]] = table.ids
        # The longest runs first: those that still go on are a prefix of the rest, step after step.
        order = np.argsort(-table.steps, kind="stable")
        current, lengths = table.ids[order], table.steps[order]
        for step in range(1, int(lengths[0]) + 1 if len(lengths) else 0):
            going = int(np.searchsorted(-lengths, -step, side="right"))
            current = self._nodes.successor[current[:going]]
            flat[offsets[:-1][order[:going]] + step] = current
        return [flat[low:high] for low, high in pairwise(offsets.tolist())]

    def answered(self, ids: Ids) -> tuple[StateArray, list[int | Failure]]:
        """The states among these in which the policy was asked, and its answers there."""
        asked = ids[self._nodes.action[ids] != UNASKED]
        failures = (self._failures.get(state) for state in asked.tolist())
        # An action that is not applicable is an answer; only its run calls it a failure.
        answers = [
            action if failure is None or failure.action != NO_ACTION else failure
            for action, failure in zip(self._nodes.action[asked].tolist(), failures, strict=True)
        ]
        return self.states(asked), answers

    def actions_at(self, ids: Ids) -> ActionArray:
        """The actions taken in states that runs have gone through."""
        return self._nodes.action[ids]

    def step_costs_at(self, ids: Ids) -> NDArray[np.int64]:
        """The cost of the actions taken in such states."""
        return self._costs[self._nodes.action[ids]]

    def successors_at(self, ids: Ids) -> Ids:
        """The states that these actions lead to."""
        return self._nodes.successor[ids]

    def steps_at(self, ids: Ids) -> NDArray[np.int64]:
        """The steps of the runs from these states; 0 where none was followed to its end."""
        return self._nodes.tail[ids] + self._nodes.cycle[ids]

    def actions(self, table: RunTable) -> list[ActionArray]:
        """The actions of each run of the table."""
        if len(table) == 1:  # as oracles ask for plans; columns of one row are slow to follow
            return [self._first_actions(int(table.ids[0]), int(table.steps[0]))]
        return [self._nodes.action[path[:-1]] for path in table.paths]

    def states(self, ids: Ids) -> StateArray:
        """The states behind ids of this graph."""
        return self._registry.states(ids)

    def failure(self, state_id: int) -> Failure | None:
        """The failure of the policy in which the run through this state ended, if it did."""
        return self._failures.get(int(self._nodes.last[state_id]))

    def loop_start(self, state_id: int) -> int:
        """The number of steps after which a looping run from this state first meets its loop."""
        return int(self._nodes.tail[state_id])

    def _register(self, states: StateArray) -> Ids:
        known = len(self._registry)
        ids = ask_core(self._registry.insert, states)
        self._nodes.make_room(len(self._registry))
        if len(self._registry) > known:
            # A goal ends a run before the policy is asked there, so goals have an ending from the
            # start. `_advance` never meets them as open.
            goals = self.task.native.is_goal(states)
            if goals.any():
                self._nodes.stop(ids[goals], Ending.SOLVED)
        return ids

    def _is_unasked(self, ids: Ids) -> NDArray[np.bool_]:
        nodes = self._nodes
        unasked: NDArray[np.bool_] = (nodes.action[ids] == UNASKED) & (nodes.ending[ids] == OPEN)
        return unasked

    def _explore(
        self,
        starts: Ids,
        step_limit: int,
        progress: Progress | None,
        limits: NDArray[np.int64] | None = None,
        is_hopeless: Hopeless | None = None,
    ) -> None:
        """Advance all runs in lockstep until each has ended, made its steps or met its limit."""
        self._explorations += 1
        trail: list[Ids] = []
        front, left = starts, limits
        try:
            for step in range(step_limit):
                check_stop()
                if is_hopeless is not None and left is not None:
                    left = np.where(is_hopeless(self.states(front)), 0, left)
                rows = self._advance(front, left)
                if not len(rows):
                    break
                front = front[rows]
                trail.append(front)
                if left is not None:
                    left = left[rows] - self._costs[self._nodes.action[front]]
                front = self._nodes.successor[front]
                if progress is not None:
                    progress(step + 1, self.decisions_taken)
        finally:
            # For every end of the loop (Ctrl-C, a policy that fails), what its steps have shown is
            # kept. `resolve_endings` wants distinct ids; without limits they are, as no state is
            # followed twice in one exploration.
            if trail:
                ids = np.concatenate(trail)
                ids = ids if limits is None else np.unique(ids)
                resolve_endings(self._nodes, ids, self._costs)

    def _advance(self, front: Ids, left: NDArray[np.int64] | None) -> Ids:
        """Ask the policy where needed; returns the rows of the front that runs pass through.

        A state met before in the same exploration is dropped: the run that met it first is ahead
        and has more steps left, so it follows the common path further than any later one. Where
        costs are limited, that holds if the other run also had as much left to spend.
        """
        nodes = self._nodes
        # An ending that is known needs no steps: `resolve_endings` passes it on to the states
        # before it. A state that an earlier, lower step limit left open is followed again, from
        # memory; only its unasked states cost a decision. Dropping what this exploration has
        # followed is also what ends loops.
        is_known = nodes.followed[front] == self._explorations
        if left is not None:
            is_known = is_known & (nodes.left[front] >= left) | (left <= 0)
        rows = np.flatnonzero((nodes.ending[front] == OPEN) & ~is_known)
        if not len(rows):
            return rows
        if left is not None:
            rows = rows[np.argsort(left[rows], kind="stable")]
        # Of equal ids, the last to leave its mark stays, which has most left; quicker than
        # np.unique. Marks are negative, as no number of an exploration is: a question that fails
        # leaves no state behind that counts as followed.
        ids, marks = front[rows], -1 - np.arange(len(rows))
        nodes.followed[ids] = marks
        kept = nodes.followed[ids] == marks
        rows, ids = rows[kept], ids[kept]
        self._ask(ids[nodes.action[ids] == UNASKED])
        nodes.followed[ids] = self._explorations
        if left is not None:
            nodes.left[ids] = left[rows]
        passed: Ids = rows[nodes.successor[ids] != NOWHERE]
        return passed

    def _ask(self, ids: Ids) -> None:
        if not len(ids):
            return
        self.calls.claim(len(ids))
        states = self._registry.states(ids)
        self._note(ids, states, decide(self.policy, states))
        self.calls.add(len(ids))

    def _note(self, ids: Ids, states: StateArray, decisions: Decisions) -> None:
        """Keep the decisions in states that have none yet."""
        successors = None if decisions.failures else self._go(states, decisions.actions)
        if successors is not None:
            self._nodes.successor[ids] = self._register(successors)
        else:
            self._note_endings(ids, states, decisions)
        # Last of all: until it has an action, a state counts as unasked, so an interrupt before
        # this line has it asked again. An action without a successor would keep its runs open.
        self._nodes.action[ids] = decisions.actions

    def _go(self, states: StateArray, actions: ActionArray) -> StateArray | None:
        """The successors if all actions are applicable, as they mostly are; None otherwise."""
        try:
            return self.task.native.successors(states, actions)
        except (ValueError, IndexError):
            return None

    def _note_endings(self, ids: Ids, states: StateArray, decisions: Decisions) -> None:
        """Go on where there is an applicable action and note the endings elsewhere."""
        actions = decisions.actions
        failures = {**decisions.failures, **self._illegal(states, decisions)}
        legal = actions != NO_ACTION
        legal[list(failures)] = False
        successors = self._register(self.task.successors(states[legal], actions[legal]))
        self._nodes.successor[ids[legal]] = successors
        # Failures are stopped along with the rest, for the sake of `last`; their own endings
        # follow.
        self._nodes.stop(ids[~legal], Ending.NO_ACTION)
        for row, failure in failures.items():
            self._failures[int(ids[row])] = failure
            self._nodes.ending[ids[row]] = failure.ending

    def _illegal(self, states: StateArray, decisions: Decisions) -> dict[int, Failure]:
        actions = decisions.actions
        wrong = (actions != NO_ACTION) & ~self.task.is_applicable(states, actions)
        return {
            int(row): replace(self._illegal_action(int(actions[row])), action=int(actions[row]))
            for row in np.flatnonzero(wrong)
            if row not in decisions.failures
        }

    def _illegal_action(self, action: int) -> Failure:
        if not 0 <= action < self.task.num_operators:
            return no_such_action(action)
        name = self.task.operator_names[action]
        return Failure(Ending.ILLEGAL_ACTION, f'"{name}" is not applicable')

    def _first_actions(self, state_id: int, steps: int) -> ActionArray:
        successor, action = self._nodes.successor, self._nodes.action
        plan = np.empty(steps, dtype=np.int32)
        for step in range(steps):
            plan[step] = action[state_id]
            state_id = successor[state_id]
        return plan

    def _cost_of_steps(self, ids: Ids, steps: int) -> NDArray[np.int64]:
        total = np.zeros(len(ids), dtype=np.int64)
        for _ in range(steps if len(ids) else 0):
            total += self._costs[self._nodes.action[ids]]
            ids = self._nodes.successor[ids]
        return total


def source_of(task: Task, policy: Policy) -> RunSource:
    """The source of a policy's runs: its graph, or the result of its `run_source(task)`."""
    bring = getattr(policy, "run_source", None)
    return PolicyGraph(task, policy) if bring is None else cast("RunSource", bring(task))


def _checked_limit(step_limit: int) -> int:
    try:
        limit = index(step_limit)
    except TypeError:
        raise UsageError(f"the step limit must be a whole number, got {step_limit!r}") from None
    if limit < 1:
        raise UsageError(f"the step limit must be at least 1, but is {limit}")
    return min(limit, _NO_RUN_IS_LONGER)


def _beyond(
    endings: NDArray[np.int8], steps: NDArray[np.int64], step_limit: int
) -> NDArray[np.bool_]:
    """True for each run that does not end within the limit.

    Arriving in a goal or a repeated state needs no decision, so `step_limit` steps may lead there;
    every other ending is seen only by asking the policy once more.
    """
    asks_again = (endings != _SOLVED) & (endings != _LOOP)
    beyond: NDArray[np.bool_] = (endings == OPEN) | (steps + asks_again > step_limit)
    return beyond
