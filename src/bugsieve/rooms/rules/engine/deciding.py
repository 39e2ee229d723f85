"""Decide if a task has a trace that satisfies a formula: a trace, a proof of none, or neither."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, TypeVar

from numpy.typing import ArrayLike

from bugsieve.base.errors import UsageError
from bugsieve.base.stopping import Stopped, StopToken, check_stop
from bugsieve.rooms.rules.engine.conditions import Condition, letter
from bugsieve.rooms.rules.engine.folding import folded_automaton
from bugsieve.rooms.rules.engine.product import Product, ProductTooLargeError, compile_product
from bugsieve.rooms.rules.engine.relaxations import reaches_by_pairs
from bugsieve.rooms.rules.ltl.automaton import TooManyStatesError, automaton_of
from bugsieve.rooms.rules.ltl.formula import Formula, atoms_of
from bugsieve.tasks.grounded.task import Task
from bugsieve.tasks.search.searches import SearchResult, astar, greedy
from bugsieve.tasks.search_limits import NO_LIMITS, Limits

_FIRST_PORTION = 500
_GROWTH = 4

Result = TypeVar("Result")
How: TypeAlias = Literal["start", "relaxation", "pairs", "search"]


@dataclass(frozen=True)
class Trace:
    """The task has a trace: these operators, from the state that was asked about."""

    operators: tuple[int, ...]
    expanded: int = 0


@dataclass(frozen=True)
class NoTrace:
    """The task provably has none.

    - `how`: by the first state alone; because the relaxation or pairs of facts do not get there;
      or because a search has seen all that can be reached.
    """

    how: How
    expanded: int = 0


@dataclass(frozen=True)
class Empty:
    """No trace of any task satisfies the formula: it is logically infeasible."""


@dataclass(frozen=True)
class Inconclusive:
    """A limit was met first; `reason` says which."""

    reason: str
    expanded: int = 0


Decision: TypeAlias = Trace | NoTrace | Empty | Inconclusive


def decide(
    task: Task,
    formula: Formula,
    atoms: Mapping[str, Condition],
    *,
    with_goal: bool = False,
    limits: Limits = NO_LIMITS,
    state: ArrayLike | None = None,
) -> Decision:
    """Decide if a trace of the task from the state satisfies the formula on finite traces.

    With `with_goal` only traces count that end in a goal state. The limits are those of all
    searches together; `seconds` bounds everything.
    """
    require_atoms(formula, atoms)
    decider = _Decider(task, formula, atoms, with_goal, limits, state)
    return in_time(decider.decision, limits) or Inconclusive(spent_reason("time", limits))


def require_atoms(formula: Formula, atoms: Mapping[str, Condition]) -> None:
    """Raise a UsageError for a formula with an atom that has no condition."""
    missing = [name for name in atoms_of(formula) if name not in atoms]
    if missing:
        raise UsageError(f"the formula has the atom {missing[0]!r}, but no condition is given")


def in_time(work: Callable[[], Result], limits: Limits) -> Result | None:
    """The result of the work, or None if the limit on seconds ended it."""
    if limits.seconds is None:
        return work()
    try:
        with StopToken(time.monotonic() + limits.seconds).active():
            return work()
    except Stopped:
        check_stop()  # was it this limit, or does a caller want to stop more than this?
        return None


def spent_reason(status: str, limits: Limits) -> str:
    """The words for a limit that was met."""
    if status == "time":
        return f"the time was spent ({limits.seconds:g} s)"
    if status == "memory":
        return f"the memory was spent ({limits.bytes} bytes)"
    return f"the expansions were spent ({limits.expansions})"


class _Decider:
    def __init__(
        self,
        task: Task,
        formula: Formula,
        atoms: Mapping[str, Condition],
        with_goal: bool,
        limits: Limits,
        state: ArrayLike | None,
    ) -> None:
        self._task = task
        self._formula = formula
        self._atoms = {name: atoms[name] for name in atoms_of(formula)}
        self._with_goal = with_goal
        self._limits = limits
        self._end = None if limits.seconds is None else time.monotonic() + limits.seconds
        chosen = task.initial_state if state is None else task.checked_state(state)
        self._state: list[int] = chosen.tolist()
        self._expanded = 0

    def decision(self) -> Decision:
        try:
            automaton = folded_automaton(self._task, self._formula, self._atoms, self._state)
            if automaton.is_empty:
                return Empty() if automaton_of(self._formula).is_empty else NoTrace("start")
            first = automaton.step(automaton.initial, letter(self._atoms, self._state))
            if first in automaton.rejecting_sinks:
                return NoTrace("start")
            if first in automaton.accepting and not self._with_goal:
                return Trace(())
            return self._in_product(
                compile_product(
                    self._task,
                    automaton,
                    self._atoms,
                    with_goal=self._with_goal,
                    state=self._state,
                )
            )
        except (ProductTooLargeError, TooManyStatesError) as error:
            return Inconclusive(str(error))

    def _in_product(self, product: Product) -> Decision:
        if (product.done, 1) not in product.reached:
            return NoTrace("relaxation")
        start = product.initial_state
        portion = _FIRST_PORTION
        while True:
            for search, heuristic in ((greedy, "hff"), (astar, "hmax")):
                result = search(product.task, start, heuristic, limits=self._left(portion))
                decision = self._judged(result, product)
                if decision is not None:
                    return decision
                if search is greedy and portion == _FIRST_PORTION and _is_lost(product):
                    return NoTrace("pairs", self._expanded)
            portion *= _GROWTH

    def _judged(self, result: SearchResult, product: Product) -> Decision | None:
        self._expanded += result.expanded
        if result.plan is not None:
            return Trace(product.trace(result.plan), self._expanded)
        if result.status == "unsolvable":
            return NoTrace("search", self._expanded)
        most = self._limits.expansions
        if result.status != "expansions" or (most is not None and self._expanded >= most):
            return Inconclusive(spent_reason(result.status, self._limits), self._expanded)
        return None

    def _left(self, portion: int) -> Limits:
        most = self._limits.expansions
        seconds = None if self._end is None else max(0.0, self._end - time.monotonic())
        expansions = portion if most is None else min(portion, most - self._expanded)
        return Limits(expansions=expansions, seconds=seconds, bytes=self._limits.bytes)


def _is_lost(product: Product) -> bool:
    """Return true if no pair of facts that can be reached lets a trace end."""
    return reaches_by_pairs(product.sas, (product.done, 1)) is False
