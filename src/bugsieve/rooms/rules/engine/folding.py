"""The automaton of a formula in a task: atoms that no operator changes are their truth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bugsieve.rooms.rules.engine.conditions import Condition, simplified
from bugsieve.rooms.rules.engine.parts import plain_task_of
from bugsieve.rooms.rules.engine.product import static_values
from bugsieve.rooms.rules.ltl.automaton import MAX_STATES, Automaton, automaton_of
from bugsieve.rooms.rules.ltl.formula import FALSE, TRUE, Formula, fold
from bugsieve.tasks.grounded.task import Task


def folded_automaton(
    task: Task, formula: Formula, atoms: Mapping[str, Condition], state: Sequence[int]
) -> Automaton:
    """The automaton of the formula for traces of the task from the state on."""
    return automaton_of(folded(task, formula, atoms, state), max_states=MAX_STATES)


def folded(
    task: Task, formula: Formula, atoms: Mapping[str, Condition], state: Sequence[int]
) -> Formula:
    """The formula with atoms that are the same in all states from this one on as constants."""
    known = static_values(plain_task_of(task), state)
    simple = {name: simplified(condition, known) for name, condition in atoms.items()}
    truths = {name: item for name, item in simple.items() if isinstance(item, bool)}
    return substituted(formula, truths)


def substituted(formula: Formula, truths: Mapping[str, bool]) -> Formula:
    """The formula with these atoms as constants."""

    def joined(item: Formula, parts: Sequence[Formula]) -> Formula:
        if item.operator != "atom":
            return Formula(item.operator, tuple(parts)) if parts else item
        truth = truths.get(item.name)
        return item if truth is None else TRUE if truth else FALSE

    return fold(formula, joined) if truths else formula
