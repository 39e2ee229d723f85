"""Grounds small STRIPS problems in memory, one two-valued variable per atom.

Quicker than the translator on tiny problems, and another encoding than the translator's.
"""

from __future__ import annotations

from bugsieve import _native
from bugsieve.tasks.grounded.task import Task
from tests.reference.pddl import Binding, PddlTask, ground, parse_task
from tests.reference.pddl_syntax import And, Atom, Change, Condition, Effect, Together
from tests.reference.sas import Fact, SasEffect, SasOperator, SasTask, SasVariable, render

FALSE = 0
TRUE = 1


def grounded_task(domain: str, problem: str, *, with_pddl: bool = True) -> Task:
    """The task of a STRIPS problem; without its PDDL, static atoms are unknown as in SAS files."""
    pddl = parse_task(domain, problem)
    sas = _ground(pddl)
    return Task(
        _native.Task.from_sas(render(sas).encode()),
        name="small",
        objects={name: types[0] for name, types in pddl.objects.items()} if with_pddl else {},
        initial_atoms=pddl.initial_state if with_pddl else frozenset(),
    )


class _Instance:
    """An action with its arguments: what it needs, adds and deletes."""

    def __init__(self, name: str, needs: set[str], changes: set[tuple[str, bool]]) -> None:
        self.name = name
        self.needs = needs
        self.adds = {atom for atom, value in changes if value}
        self.deletes = {atom for atom, value in changes if not value} - self.adds


def _ground(task: PddlTask) -> SasTask:
    """All actions that the relaxation can reach, over the atoms that they change."""
    instances = [
        _Instance(
            " ".join([action.name, *(binding[p.name] for p in action.parameters)]),
            set(_atoms(action.precondition, binding)),
            set(_changes(action.effect, binding)),
        )
        for action in task.domain.actions.values()
        for binding in task.bindings(action.parameters)
    ]
    reached = set(task.initial_state)
    usable: list[_Instance] = []
    while new := [i for i in instances if i not in usable and i.needs <= reached]:
        usable += new
        reached |= {atom for instance in new for atom in instance.adds}
    changed = {
        atom
        for instance in usable
        for atom in (instance.adds - task.initial_state) | (instance.deletes & reached)
    }
    goal = _atoms(task.problem.goal, {})
    return _sas(sorted(changed | (set(goal) - task.initial_state)), usable, task, goal)


def _sas(order: list[str], usable: list[_Instance], task: PddlTask, goal: list[str]) -> SasTask:
    number = {atom: i for i, atom in enumerate(order)}

    def facts(atoms: set[str]) -> tuple[Fact, ...]:
        return tuple((number[atom], TRUE) for atom in sorted(atoms) if atom in number)

    return SasTask(
        metric=False,
        variables=tuple(
            SasVariable(f"var{i}", (f"Negated{_sas_name(atom)}", _sas_name(atom)))
            for i, atom in enumerate(order)
        ),
        mutexes=(),
        initial=tuple(TRUE if atom in task.initial_state else FALSE for atom in order),
        goal=facts(set(goal)),
        operators=tuple(
            SasOperator(
                instance.name,
                facts(instance.needs),
                tuple(
                    SasEffect((), variable, -1, value)
                    for atoms, value in ((instance.adds, TRUE), (instance.deletes, FALSE))
                    for variable, _ in facts(atoms)
                ),
                cost=1,
            )
            for instance in usable
        ),
    )


def _sas_name(atom: str) -> str:
    predicate, *arguments = atom[1:-1].split()
    return f"Atom {predicate}({', '.join(arguments)})"


def _atoms(condition: Condition, binding: Binding) -> list[str]:
    if isinstance(condition, And):
        return [atom for part in condition.parts for atom in _atoms(part, binding)]
    assert isinstance(condition, Atom)
    return [ground(condition, binding)]


def _changes(effect: Effect, binding: Binding) -> list[tuple[str, bool]]:
    if isinstance(effect, Together):
        return [change for part in effect.parts for change in _changes(part, binding)]
    return [(ground(effect.atom, binding), effect.value)] if isinstance(effect, Change) else []
