"""Is there a plan of a model whose word of steps satisfies a formula?

Step t of the horizon lies between the times t and t + 1; an atom on tokens holds there if some
token covers the step. Plans have at most so many tokens per object (the slots): "none" is said of
these, and is complete where no plan could have more.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from bugsieve.basis.errors import InputError, InternalError, UsageError
from bugsieve.basis.stopping import check_stop
from bugsieve.checkers import timelines as checker
from bugsieve.rules.file.timeline_atoms import LevelAtom, TimelineAtom
from bugsieve.rules.ltl.automaton import Automaton, TooManyStatesError, automaton_of
from bugsieve.rules.ltl.formula import TRUE, Formula, atoms_of
from bugsieve.rules.ltl.printer import to_text
from bugsieve.timelines.encoding.letters import Letters
from bugsieve.timelines.encoding.reservoirs import Reservoirs
from bugsieve.timelines.encoding.rules import Rules
from bugsieve.timelines.encoding.slots import Times, make_slots
from bugsieve.timelines.encoding.solutions import extract_plan
from bugsieve.timelines.encoding.variables import Constraints
from bugsieve.timelines.models.atoms import AtomCondition, resolve
from bugsieve.timelines.models.loading import check_horizon, duration_bounds
from bugsieve.timelines.models.model import Model, Object
from bugsieve.timelines.nddl.packages import load_cp_model
from bugsieve.timelines.plans.plan import Plan

DEFAULT_SLOTS = 12
MAX_SLOTS = 2000
_LOOK_SECONDS = 0.02


@dataclass(frozen=True)
class Limits:
    """What a search for a plan may spend; CP-SAT's deterministic time is about seconds."""

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
    """No word satisfies the formula, whatever the model is."""

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
    slots: int | Mapping[str, int] = DEFAULT_SLOTS,
    limits: Limits | None = None,
) -> Decision:
    """Search for a plan that holds the model's goals and facts and satisfies the formula.

    `slots` is the number of tokens per object, or such numbers by class with a default at "".
    The plan's letters tell of all atoms that are given, also of those that the formula lacks.
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
    room = _slots(model, times, slots)
    if automaton.is_empty:
        return NoPlan((times.start, times.end), room.asked_for, False, is_logical=True)
    searched = _Search(model, times, room.by_object, automaton, conditions)
    status, solution = searched.solve(limits or Limits())
    if status == "none":
        return NoPlan((times.start, times.end), room.asked_for, room.is_complete)
    if solution is None:
        return Inconclusive(f"no answer after {(limits or Limits()).deterministic_time:g} units")
    plan = searched.plan(solution)
    _confirm(model, plan, formula, given)
    return PlanFound(plan)


def are_complete(model: Model, slots: int) -> bool:
    """Return true if no plan within the model's horizon has more tokens per timeline."""
    return _slots(model, _times(model, None), slots).is_complete


def _confirm(
    model: Model, plan: Plan, formula: Formula, atoms: Mapping[str, TimelineAtom]
) -> None:
    """A plan counts only if the checker, which shares no code with us, accepts it."""
    texts = [text for _, text in model.texts]
    meanings = {name: atom_text(atom) for name, atom in atoms.items()}
    try:
        checker.check_plan(texts, plan.to_json(), to_text(formula), meanings)
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


def _carries(model: Model, thing: Object) -> bool:
    """Whether an object has tokens that lie in slots."""
    has_tokens = bool(model.classes[thing.class_name].predicates)
    return has_tokens and model.kind(thing) in ("timeline", "object")


@dataclass(frozen=True)
class _Room:
    by_object: Mapping[int, int]
    asked_for: int
    is_complete: bool


def _slots(model: Model, times: Times, slots: int | Mapping[str, int]) -> _Room:
    """For each object as many slots as asked for, and no more than could be filled."""
    given = {"": slots} if isinstance(slots, int) else slots
    by_object, is_complete = {}, True
    for thing in model.objects:
        if not _carries(model, thing):
            continue
        wanted = given.get(thing.class_name, given.get("", DEFAULT_SLOTS))
        if not 1 <= wanted <= MAX_SLOTS:
            raise UsageError(f"slots must be between 1 and {MAX_SLOTS}, not {wanted}")
        predicates = model.classes[thing.class_name].predicates.values()
        shortest = min(duration_bounds(predicate)[0] for predicate in predicates)
        most = math.ceil((times.end - times.start) / shortest)
        is_timeline = model.kind(thing) == "timeline"
        is_complete &= is_timeline and wanted >= most
        by_object[thing.number] = min(wanted, most) if is_timeline else wanted
    return _Room(by_object, given.get("", DEFAULT_SLOTS), is_complete)


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

    def solve(self, limits: Limits) -> tuple[str, Callable[[Any], int] | None]:
        """ "plan", "none" or "unknown", and the value of each expression if there is a plan."""
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
        if status == cp.INFEASIBLE:
            return "none", None
        if status not in (cp.OPTIMAL, cp.FEASIBLE):
            return "unknown", None
        return "plan", lambda item: item if isinstance(item, int) else solver.value(item)

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
