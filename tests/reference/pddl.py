"""A plan simulator that works on PDDL files, not on a grounded task.

States are frozen sets of atoms written "(on a b)". Actions are evaluated when they are named,
nothing is grounded beforehand. All conditions are evaluated in the state before the action; an
atom that is both deleted and added is true afterwards. Without a metric each action costs 1,
with one it costs what it increases, 0 if nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path

from tests.reference.pddl_parser import parse_domain, parse_problem
from tests.reference.pddl_syntax import (
    Action,
    And,
    Atom,
    Change,
    Condition,
    Domain,
    Effect,
    Equals,
    Exists,
    ForAll,
    ForEach,
    Increase,
    Not,
    OneOf,
    Or,
    Problem,
    Together,
    Typed,
    Types,
    When,
)

PddlState = frozenset[str]
Binding = Mapping[str, str]


class PlanError(ValueError):
    """A plan names an action that does not exist or is not applicable, or misses the goal."""


@dataclass(frozen=True)
class PddlTask:
    """A domain with one of its problems."""

    domain: Domain
    problem: Problem

    @cached_property
    def objects(self) -> dict[str, Types]:
        """All objects and constants with their declared types."""
        return {o.name: o.types for o in (*self.domain.constants, *self.problem.objects)}

    @cached_property
    def initial_state(self) -> PddlState:
        """The atoms of the initial state."""
        return frozenset(ground(atom, {}) for atom in self.problem.initial)

    def applicable(self, state: PddlState, name: str) -> bool:
        """Whether the named action may be applied; PlanError if there is no such action."""
        action, binding = self._resolve(name)
        return self._holds(action.precondition, binding, state)

    def apply(self, state: PddlState, name: str) -> PddlState:
        """The state after the named action; PlanError if it is not applicable."""
        (after,) = self.outcomes(state, name)
        return after

    def outcomes(self, state: PddlState, name: str) -> set[PddlState]:
        """The states that the named action may lead to; PlanError if it is not applicable."""
        action, binding = self._resolve(name)
        if not self._holds(action.precondition, binding, state):
            raise PlanError(f"{name} is not applicable")
        found = set()
        for effect in determined(action.effect):
            changes = list(self._changes(effect, binding, state))
            deleted = {atom for atom, value in changes if not value}
            added = {atom for atom, value in changes if value}
            found.add((state - deleted) | added)
        return found

    def holds(self, condition: Condition, state: PddlState) -> bool:
        """Whether a condition without free variables is true."""
        return self._holds(condition, {}, state)

    def holds_goal(self, state: PddlState) -> bool:
        """Whether the goal is true."""
        return self._holds(self.problem.goal, {}, state)

    def cost(self, name: str) -> int:
        """What the named action costs."""
        action, binding = self._resolve(name)
        if not self.problem.minimises_cost:
            return 1
        return sum(self._increases(action.effect, binding))

    def objects_of(self, types: Types) -> list[str]:
        """The objects of any of the types or of types below them, in order of declaration."""
        return [name for name, own in self.objects.items() if self._below(own, types)]

    def bindings(self, variables: Sequence[Typed]) -> Iterator[dict[str, str]]:
        """All assignments of objects to the variables that respect their types."""
        names = [variable.name for variable in variables]
        for choice in product(*(self.objects_of(variable.types) for variable in variables)):
            yield dict(zip(names, choice, strict=True))

    def _below(self, types: Types, wanted: Types) -> bool:
        """Whether one of the types is, or descends from, one of the wanted ones."""
        seen = {"object"}
        waiting = list(types)
        while waiting:
            current = waiting.pop()
            if current not in seen:
                seen.add(current)
                waiting += self.domain.parents.get(current, ())
        return not seen.isdisjoint(wanted)

    def _resolve(self, name: str) -> tuple[Action, Binding]:
        words = name.strip().lower().removeprefix("(").removesuffix(")").split()
        if not words or words[0] not in self.domain.actions:
            raise PlanError(f"{name} names no action of the domain")
        action = self.domain.actions[words[0]]
        if len(words) - 1 != len(action.parameters):
            raise PlanError(f"{name} has {len(words) - 1} arguments, not {len(action.parameters)}")
        for parameter, word in zip(action.parameters, words[1:], strict=True):
            if word not in self.objects:
                raise PlanError(f"{name} mentions {word}, which is no object")
            if not self._below(self.objects[word], parameter.types):
                raise PlanError(f"{name} has {word} where {parameter.types} is wanted")
        return action, dict(zip((p.name for p in action.parameters), words[1:], strict=True))

    def _holds(self, condition: Condition, binding: Binding, state: PddlState) -> bool:
        match condition:
            case Atom():
                return ground(condition, binding) in state
            case Equals(left, right):
                return binding.get(left, left) == binding.get(right, right)
            case Not(part):
                return not self._holds(part, binding, state)
            case And(parts):
                return all(self._holds(part, binding, state) for part in parts)
            case Or(parts):
                return any(self._holds(part, binding, state) for part in parts)
            case Exists(variables, part):
                choices = self.bindings(variables)
                return any(self._holds(part, {**binding, **more}, state) for more in choices)
            case ForAll(variables, part):
                choices = self.bindings(variables)
                return all(self._holds(part, {**binding, **more}, state) for more in choices)

    def _changes(
        self, effect: Effect, binding: Binding, state: PddlState
    ) -> Iterator[tuple[str, bool]]:
        """The atoms that the effect sets in the state, with the truth values they get."""
        match effect:
            case Change(atom, value):
                yield ground(atom, binding), value
            case Increase():
                return
            case Together(parts):
                for part in parts:
                    yield from self._changes(part, binding, state)
            case When(condition, part):
                if self._holds(condition, binding, state):
                    yield from self._changes(part, binding, state)
            case ForEach(variables, part):
                for more in self.bindings(variables):
                    yield from self._changes(part, {**binding, **more}, state)
            case OneOf():
                raise ValueError("a choice is left inside a universal effect")

    def _increases(self, effect: Effect, binding: Binding) -> Iterator[int]:
        """The amounts added to the total cost; they stand outside conditions and quantifiers."""
        if isinstance(effect, Together):
            for part in effect.parts:
                yield from self._increases(part, binding)
        elif isinstance(effect, Increase):
            amount = effect.amount
            if isinstance(amount, int):
                yield amount
            else:
                terms = tuple(binding.get(term, term) for term in amount.terms)
                yield self.problem.values[Atom(amount.name, terms)]


def determined(effect: Effect) -> Iterator[Effect]:
    """The effects without choices that the effect may turn out to be."""
    match effect:
        case OneOf(parts):
            for part in parts:
                yield from determined(part)
        case Together(parts):
            yield from map(Together, product(*(list(determined(part)) for part in parts)))
        case When(condition, part):
            yield from (When(condition, one) for one in determined(part))
        case _:
            yield effect


def ground(atom: Atom, binding: Binding) -> str:
    """The atom as text, variables replaced by their objects."""
    terms = []
    for term in atom.terms:
        if term.startswith("?") and term not in binding:
            raise ValueError(f"{atom} has the unbound variable {term}")
        terms.append(binding.get(term, term))
    return f"({' '.join([atom.name, *terms])})"


def load(domain_path: Path | str, problem_path: Path | str) -> PddlTask:
    """Read a domain file and a problem file."""
    return parse_task(
        Path(domain_path).read_text(encoding="utf-8"),
        Path(problem_path).read_text(encoding="utf-8"),
    )


def parse_task(domain: str, problem: str) -> PddlTask:
    """Read the texts of a domain and a problem; ValueError if they do not belong together."""
    task = PddlTask(parse_domain(domain), parse_problem(problem))
    if task.domain.name != task.problem.domain:
        raise ValueError(f"the problem is for {task.problem.domain}, not {task.domain.name}")
    return task


def validate_plan(task: PddlTask, plan: Iterable[str], *, state: PddlState | None = None) -> int:
    """Cost of a plan from the state (default: the initial one); PlanError if it is not a plan."""
    current = task.initial_state if state is None else state
    cost = 0
    for step, name in enumerate(plan, start=1):
        try:
            current = task.apply(current, name)
        except PlanError as error:
            raise PlanError(f"step {step}: {error}") from None
        cost += task.cost(name)
    if not task.holds_goal(current):
        raise PlanError("the goal is not true at the end of the plan")
    return cost


def ground_actions(task: PddlTask, state: PddlState) -> list[str]:
    """Names of all applicable actions, by trying every argument; for small tasks."""
    names = []
    for action in task.domain.actions.values():
        for binding in task.bindings(action.parameters):
            arguments = [binding[parameter.name] for parameter in action.parameters]
            names.append(f"({' '.join([action.name, *arguments])})")
    return [name for name in names if task.applicable(state, name)]
