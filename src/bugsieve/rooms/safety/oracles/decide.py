"""Typed front of the native deciders: verdicts on states, faults of runs, and their proofs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import ParamSpec, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bugsieve import _native
from bugsieve.base.arguments import whole_number_or_none
from bugsieve.base.errors import BudgetError, UsageError
from bugsieve.rooms.safety.oracles.algorithms import LARGEST_RADIUS
from bugsieve.tasks.grounded.arrays import ask_core, operator_column
from bugsieve.tasks.search.searches import core_limits
from bugsieve.tasks.search_limits import NO_LIMITS, Limits

WordArray: TypeAlias = NDArray[np.uint64]
PolicyFunction: TypeAlias = Callable[[WordArray], NDArray[np.int32]]
Policy: TypeAlias = "_native.PolicyView | PolicyFunction | ArrayLike"

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")

_LIMITS = (None, "expansions", "time", "memory")


class Safety(IntEnum):
    """Answers: danger can be avoided from a state, for a radius r with at most r divergences."""

    UNKNOWN = -1
    LOST = 0
    SAFE = 1


@dataclass(frozen=True, eq=False)
class Verdicts:
    """`safety` has a `Safety` per state; `limits` names the limit reached where it is unknown."""

    safety: NDArray[np.int8]
    limits: tuple[str | None, ...]

    def __len__(self) -> int:
        return len(self.safety)

    def __getitem__(self, row: int) -> Safety:
        return Safety(int(self.safety[row]))


@dataclass(frozen=True)
class Fault:
    """The policy's decision in state `position` of a run leads from safety to `outcome`."""

    position: int
    state: tuple[int, ...]
    outcome: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class RunFaults:
    """The states of a run, the faults among them, and the positions where a limit came first."""

    safety: NDArray[np.int8]
    faults: tuple[Fault, ...]
    unknown: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Proof:
    """Rows of a safe state: state, action, divergences; of a lost one: state, budget, rank."""

    is_safe: bool
    states: WordArray
    first: NDArray[np.int32]
    second: NDArray[np.int32]


class SafetyDecider:
    """Decides states of one system by one algorithm for one radius; may be asked from any thread.

    - `policy`: an action per state of a graph, a function from rows of states to actions, or a
      native policy; -1 stands for no action. A finite radius and faults need one.
    - `algorithm`: "tarjan", "lrtdp", "lao" or "vi". All give the same verdicts.
    - `radius`: how often an alternative may differ from the policy along a run; None: always.
    - `limits`: what one state may cost.

    All questions share what earlier ones found out. A state without actions ends the run safely.
    Where the policy has no applicable action, every action differs from it.
    """

    def __init__(
        self,
        system: _native.TransitionSystem,
        policy: Policy | None = None,
        *,
        algorithm: str = "tarjan",
        radius: int | None = None,
        limits: Limits = NO_LIMITS,
    ) -> None:
        if algorithm not in _native.SAFETY_ALGORITHMS:
            names = ", ".join(_native.SAFETY_ALGORITHMS)
            raise UsageError(f"no algorithm is called {algorithm!r}; there are {names}")
        whole_number_or_none(radius, "a radius", least=0)
        if radius is not None and radius > LARGEST_RADIUS:
            raise UsageError(f"a radius must be at most {LARGEST_RADIUS}, got {radius}")
        self.system = system
        self.algorithm = algorithm
        self.radius = radius
        self._limits = core_limits(limits, None)
        view = None if policy is None else _policy_view(policy, system.words)
        self._native = ask_core(_native.SafetyAnalysis, system, view, algorithm, radius)

    def __repr__(self) -> str:
        radius = "∞" if self.radius is None else self.radius
        return f"<SafetyDecider {self.algorithm}, radius {radius}>"

    @property
    def num_states(self) -> int:
        """The number of states it has met."""
        return self._native.num_states

    @property
    def num_expanded(self) -> int:
        """The number of states whose outcomes it has asked for."""
        return self._native.num_expanded

    @property
    def num_turns(self) -> int:
        """The number of steps the algorithm took, for all questions together."""
        return self._native.num_turns

    @property
    def memory_bytes(self) -> int:
        """The bytes of memory that its knowledge takes."""
        return self._native.memory_bytes

    def decide(self, states: ArrayLike) -> Verdicts:
        """Decide if each state is safe."""
        safety, limits = _ask(self._native.decide, self._rows(states), **self._limits)
        return Verdicts(safety, tuple(_LIMITS[limit] for limit in limits))

    def faults(self, run: ArrayLike) -> RunFaults:
        """The policy's decisions on the run that lead from a safe state to an unsafe one."""
        rows = self._rows(run)
        safety, faults, outcomes = _ask(self._native.faults, rows, **self._limits)
        found = [
            Fault(position, _state(rows[position]), _state(outcomes[position]))
            for position in np.flatnonzero(faults == 1).tolist()
        ]
        unknown = np.flatnonzero((faults < 0) | (safety < 0))
        return RunFaults(safety, tuple(found), tuple(unknown.tolist()))

    def proof(self, state: ArrayLike) -> Proof:
        """The proof of a verdict on one state.

        BudgetError if the verdict is unknown, or if the proof exceeds the limits.
        """
        rows = self._rows(state)
        if len(rows) != 1:
            raise UsageError(f"one state was expected, not a batch of {len(rows)}")
        verdict = self.decide(rows)[0]
        if verdict is Safety.UNKNOWN:
            raise BudgetError("a limit was reached before the state was decided")
        is_safe = verdict is Safety.SAFE
        prove = self._native.alternative if is_safe else self._native.ranking
        columns = _ask(prove, rows, **self._limits)
        if columns is None:
            raise BudgetError("a limit was reached before the proof was written down")
        return Proof(is_safe, *columns)

    def _rows(self, states: ArrayLike) -> WordArray:
        array = np.asarray(states)
        if array.ndim < 2:
            array = array.reshape(-1, self.system.words)
        if array.ndim != 2 or array.shape[1] != self.system.words:
            raise UsageError(
                f"states of this system are rows of {self.system.words} words, "
                f"but the array has shape {np.shape(states)}"
            )
        if array.dtype.kind not in "iu" and array.size:
            raise UsageError(f"states are rows of words, but the array has type {array.dtype}")
        if array.dtype.kind == "i" and array.size and array.min() < 0:
            raise UsageError("words of states are never negative")
        return np.ascontiguousarray(array, dtype=np.uint64)


def _ask(
    function: Callable[_Arguments, _Result], *args: _Arguments.args, **kwargs: _Arguments.kwargs
) -> _Result:
    """Like `ask_core`, but what a model does wrong is for those to explain who know the model."""
    try:
        return function(*args, **kwargs)
    except _native.JaniFaultError:
        raise
    except (ValueError, IndexError) as error:
        raise UsageError(str(error)) from None


def _policy_view(policy: Policy, words: int) -> _native.PolicyView:
    if isinstance(policy, _native.PolicyView):
        return policy
    if callable(policy):
        function = policy
        return _native.PythonPolicy(lambda rows: operator_column(function(rows), len(rows)), words)
    if words != 1:
        raise UsageError("a policy is an array only where states are numbers; give a function")
    actions = np.asarray(policy)
    if actions.ndim != 1 or (actions.dtype.kind not in "iu" and actions.size):
        raise UsageError("a policy of a graph is a list with one action per state")
    return _native.TablePolicy(np.ascontiguousarray(actions, dtype=np.int32))


def _state(row: WordArray) -> tuple[int, ...]:
    return tuple(row.tolist())
