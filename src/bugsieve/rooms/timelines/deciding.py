"""Decide if a model has a plan whose word of steps satisfies a formula.

Step t of the horizon lies between the times t and t + 1; an atom on tokens holds there if some
token covers the step. Plans have at most so many tokens per object (the slots): "none" is said of
these, and is complete where no plan could have more.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from bugsieve.base.errors import InputError, InternalError, UsageError
from bugsieve.base.stopping import check_stop
from bugsieve.rooms.rules.ltl.automaton import Automaton, TooManyStatesError, automaton_of
from bugsieve.rooms.rules.ltl.formula import TRUE, Formula, atoms_of
from bugsieve.rooms.rules.ltl.printer import to_text
from bugsieve.rooms.timelines.checker import timelines as checker
from bugsieve.rooms.timelines.encoding.letters import Letters
from bugsieve.rooms.timelines.encoding.reservoirs import Reservoirs
from bugsieve.rooms.timelines.encoding.rules import Rules
from bugsieve.rooms.timelines.encoding.slots import Times, make_slots
from bugsieve.rooms.timelines.encoding.solutions import extract_plan
from bugsieve.rooms.timelines.encoding.variables import Constraints
from bugsieve.rooms.timelines.models.atoms import AtomCondition, resolve
from bugsieve.rooms.timelines.models.loading import check_horizon
from bugsieve.rooms.timelines.models.model import Model
from bugsieve.rooms.timelines.models.timeline_atoms import LevelAtom, TimelineAtom
from bugsieve.rooms.timelines.nddl.packages import load_cp_model
from bugsieve.rooms.timelines.plans.plan import Plan
from bugsieve.rooms.timelines.room import Room, rooms

_BUILT_PER_UNIT = 100_000
"""Variables: what making a model of CP-SAT costs, in the units of a search."""
_LOOK_SECONDS = 0.02


@dataclass(frozen=True)
class PlanLimits:
    """The limits of a search for a plan; CP-SAT's deterministic time is about seconds."""

    deterministic_time: float = 60.0


@dataclass(frozen=True)
class PlanFound:
    """A plan, which the checker has accepted."""

    plan: Plan


@dataclass(frozen=True)
class NoPlan:
    """No plan has at most so many tokens per object."""

    horizon: tuple[int, int]
    slots: int
    is_complete: bool
    """No plan at all: more tokens would not fit into the horizon."""
    is_logical: bool = False
    """No word satisfies the formula, for every model."""

    def __str__(self) -> str:
        start, end = self.horizon
        if self.is_logical:
            return "no trace at all satisfies the formula"
        scope = f"with at most {self.slots} tokens per timeline from {start} to {end}"
        return f"no plan {scope}" + (" (complete: no more would fit)" if self.is_complete else "")


@dataclass(frozen=True)
class Inconclusive:
    """The budget was spent, or a limit of our own was met."""

    reason: str


Decision: TypeAlias = PlanFound | NoPlan | Inconclusive


def decide(
    model: Model,
    formula: Formula = TRUE,
    atoms: Mapping[str, TimelineAtom] | None = None,
    *,
    horizon: tuple[int, int] | None = None,
    slots: int | Mapping[str, int] | None = None,
    limits: PlanLimits | None = None,
    on_none: Callable[[NoPlan], None] | None = None,
) -> Decision:
    """Search for a plan that holds the model's goals and facts and satisfies the formula.

    `slots` is the number of tokens per object, or such numbers by class with a default at "".
    None stands for more and more, until the answer is complete or the budget is spent; `on_none`
    is told what is known meanwhile. The plan's letters tell of all atoms that are given, also of
    those that the formula lacks.
    """
    given = {} if atoms is None else atoms
    for name in atoms_of(formula):
        if name not in given:
            raise UsageError(f"the formula has an atom {name!r}, whose meaning is not given")
    conditions = {name: resolve(name, atom, model) for name, atom in given.items()}
    times = _times(model, horizon)
    try:
        automaton = automaton_of(formula)
    except TooManyStatesError as error:
        return Inconclusive(str(error))
    search = _Raising(
        model, times, automaton, conditions, (limits or PlanLimits()).deterministic_time
    )
    decision = search.decide(rooms(model, times, slots), on_none)
    if isinstance(decision, PlanFound):
        _confirm(model, decision.plan, formula, given, horizon)
    return decision


class _Raising:
    """Searches with more and more room, within one budget."""

    def __init__(
        self,
        model: Model,
        times: Times,
        automaton: Automaton,
        conditions: Mapping[str, AtomCondition],
        budget: float,
    ) -> None:
        self.model = model
        self.times = times
        self.automaton = automaton
        self.conditions = conditions
        self.budget = budget
        self.spent = 0.0

    def decide(self, found: Iterable[Room], on_none: Callable[[NoPlan], None] | None) -> Decision:
        """The first plan, else the last "none" that the budget allows."""
        horizon = self.times.start, self.times.end
        none: NoPlan | None = None
        for room in found:
            if self.automaton.is_empty:
                return NoPlan(horizon, room.asked_for, False, is_logical=True)
            if none is not None and self.spent >= self.budget:
                return none
            try:
                decision = self._searched(room)
            except InputError:  # too many variables
                if none is None:
                    raise
                return none
            if not isinstance(decision, NoPlan):
                return (
                    none if none is not None and isinstance(decision, Inconclusive) else decision
                )
            none = decision
            if on_none is not None:
                on_none(none)
        assert none is not None
        return none

    def _searched(self, room: Room) -> Decision:
        searched = _Search(self.model, self.times, room.by_object, self.automaton, self.conditions)
        status, solution, spent = searched.solve(PlanLimits(self.budget - self.spent))
        self.spent += spent + searched.constraints.made / _BUILT_PER_UNIT
        if status == "none":
            return NoPlan((self.times.start, self.times.end), room.asked_for, room.is_complete)
        if solution is None:
            return Inconclusive(f"no answer after {self.budget:g} units")
        return PlanFound(searched.plan(solution))


def _confirm(
    model: Model,
    plan: Plan,
    formula: Formula,
    atoms: Mapping[str, TimelineAtom],
    horizon: tuple[int, int] | None,
) -> None:
    """A plan counts only if the checker, which shares no code with us, accepts it."""
    texts = [text for _, text in model.texts]
    meanings = {name: atom_text(atom) for name, atom in atoms.items()}
    try:
        checker.check_plan(texts, plan.to_json(), to_text(formula), meanings, horizon=horizon)
    except checker.PlanError as error:
        raise InternalError(f"the checker does not accept a plan: {error}") from None


def atom_text(atom: TimelineAtom) -> str:
    """An atom as rules files write it."""
    if isinstance(atom, LevelAtom):
        return f"level({atom.reservoir}) {atom.comparison} {atom.bound}"
    arguments = "".join(f", {name} = {value}" for name, value in atom.arguments)
    return f"token({atom.timeline}.{atom.predicate}{arguments})"


def _times(model: Model, horizon: tuple[int, int] | None) -> Times:
    if horizon is None and model.horizon is None:
        raise InputError("the model has no PlannerConfig, name a horizon")
    start, end = check_horizon(horizon or model.horizon or (0, 0))
    return Times(start, end)


class _Search:
    """One model of CP-SAT and its solution."""

    def __init__(
        self,
        model: Model,
        times: Times,
        slots: Mapping[int, int],
        automaton: Automaton,
        atoms: Mapping[str, AtomCondition],
    ) -> None:
        self.constraints = Constraints()
        self.model = model
        self.times = times
        self.slots = make_slots(self.constraints, model, times, slots)
        self.rules = Rules(self.constraints, model, times, self.slots)
        self.rules.add_all()
        reservoirs = Reservoirs(self.constraints, model, times, self.rules.transactions)
        if len(automaton) > 1:  # else it accepts every word; without atoms it may count steps
            letters = Letters(self.constraints, model, times, self.slots, reservoirs)
            letters.accept(automaton, atoms)
        for slot in self.slots:
            self.constraints.cp.add_hint(slot.active, False)  # plans with few tokens read better
        self.atoms = atoms

    def solve(self, limits: PlanLimits) -> tuple[str, Callable[[Any], int] | None, float]:
        """ "plan", "none" or "unknown", the value of each expression if there is a plan, and what
        was spent."""
        cp = load_cp_model()
        solver = cp.CpSolver()
        solver.parameters.num_workers = 1
        # Presolve takes three to ten times as long as the search itself on these models.
        solver.parameters.cp_model_presolve = False
        solver.parameters.random_seed = 1
        solver.parameters.max_deterministic_time = limits.deterministic_time
        # CP-SAT would take over Ctrl-C, and leave the program without our handler afterwards.
        solver.parameters.catch_sigint_signal = False
        status = _interruptible(solver, self.constraints.cp)
        spent = float(solver.response_proto.deterministic_time)
        if status == cp.INFEASIBLE:
            return "none", None, spent
        if status not in (cp.OPTIMAL, cp.FEASIBLE):
            return "unknown", None, spent
        return "plan", lambda item: item if isinstance(item, int) else solver.value(item), spent

    def plan(self, value: Callable[[Any], int]) -> Plan:
        """The plan that a solution stands for."""
        return extract_plan(
            self.model, self.times, self.slots, self.rules.instances, value, self.atoms
        )


def _interruptible(solver: Any, model: Any) -> Any:
    """The status of a search, in a thread of its own: signals and stop tokens are for this one."""
    found: list[Any] = []
    search = threading.Thread(target=lambda: found.append(solver.solve(model)), daemon=True)
    search.start()
    try:
        while search.is_alive():
            search.join(_LOOK_SECONDS)
            check_stop()
    except BaseException:
        solver.stop_search()
        search.join()
        raise
    return found[0]
