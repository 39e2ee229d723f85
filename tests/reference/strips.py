"""Hand-written STRIPS actions as SAS tasks of two-valued variables, to keep examples readable."""

from __future__ import annotations

from dataclasses import dataclass

from tests.reference.sas import Fact, SasEffect, SasOperator, SasTask, SasVariable, State

FALSE = 0
TRUE = 1


@dataclass(frozen=True)
class Strips:
    """An action; atoms are separated by spaces. `when` holds pairs (condition, added atoms)."""

    cost: int
    needs: str = ""
    adds: str = ""
    deletes: str = ""
    when: tuple[tuple[str, str], ...] = ()


def strips_task(
    atoms: str, actions: tuple[Strips, ...], goal: str, *, initial: str = "", metric: bool = True
) -> SasTask:
    """A task with one variable per atom, in the order given; value 1 says that it is true."""
    order = atoms.split()
    return SasTask(
        metric=metric,
        variables=tuple(
            SasVariable(f"var{i}", (f"NegatedAtom {atom}()", f"Atom {atom}()"))
            for i, atom in enumerate(order)
        ),
        mutexes=(),
        initial=strips_state(atoms, initial),
        goal=_facts(order, goal),
        operators=tuple(_operator(order, i, action) for i, action in enumerate(actions)),
    )


def strips_state(atoms: str, true: str) -> State:
    """The state in which exactly the given atoms are true."""
    return tuple(TRUE if atom in true.split() else FALSE for atom in atoms.split())


def _facts(order: list[str], atoms: str) -> tuple[Fact, ...]:
    return tuple((order.index(atom), TRUE) for atom in atoms.split())


def _operator(order: list[str], number: int, action: Strips) -> SasOperator:
    effects = [SasEffect((), variable, -1, TRUE) for variable, _ in _facts(order, action.adds)]
    effects += [SasEffect((), v, -1, FALSE) for v, _ in _facts(order, action.deletes)]
    for condition, adds in action.when:
        conditions = _facts(order, condition)
        effects += [SasEffect(conditions, v, -1, TRUE) for v, _ in _facts(order, adds)]
    return SasOperator(f"o{number}", _facts(order, action.needs), tuple(effects), action.cost)
