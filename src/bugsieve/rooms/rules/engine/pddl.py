"""Products as grounded PDDL, for planners that read nothing else, and their plans read back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from bugsieve.base.errors import InputError
from bugsieve.rooms.rules.engine.product import Product
from bugsieve.tasks.grounded.sas_text import Fact, SasOperator

_REQUIREMENTS = ":strips :negative-preconditions :disjunctive-preconditions :conditional-effects"
_ACTION = re.compile(r"\(\s*o(\d+)(?:-[^\s()]*)?\s*\)", re.IGNORECASE)
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_]+")


def to_pddl(product: Product) -> tuple[str, str]:
    """A domain and a problem without objects: an atom per fact, an action per operator.

    Actions are called `o12-navigate-rover1-…`; the number is that of the product's operator.
    """
    return "\n".join(_domain(product)) + "\n", "\n".join(_problem(product)) + "\n"


def plan_of_pddl(product: Product, text: str) -> tuple[int, ...]:
    """The operators of the product in a plan that a planner found for `to_pddl`."""
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.partition(";")[0].strip()
        if not words:
            continue
        match = _ACTION.search(words)
        if match is None or int(match[1]) >= len(product.sas.operators):
            raise InputError(f"line {number} of the plan names no action of the product: {words}")
        found.append(int(match[1]))
    return tuple(found)


def _domain(product: Product) -> Iterator[str]:
    facts = [
        (variable, value)
        for variable, described in enumerate(product.sas.variables)
        for value in range(len(described.values))
    ]
    yield "(define (domain product)"
    yield f"  (:requirements {_REQUIREMENTS} :action-costs)"
    yield "  (:predicates"
    for variable, value in facts:
        name = product.sas.variables[variable].values[value]
        yield f"    {_atom((variable, value))} ; {_one_line(name)}"
    yield "  )"
    yield "  (:functions (total-cost) - number)"
    sizes = [len(described.values) for described in product.sas.variables]
    for number, operator in enumerate(product.sas.operators):
        yield f"  (:action {_action_name(number, operator)}"
        yield "    :parameters ()"
        yield f"    :precondition {_and(map(_atom, sorted(operator.precondition.items())))}"
        effects = [*_effects(operator, sizes), f"(increase (total-cost) {operator.cost})"]
        yield f"    :effect {_and(effects)}"
        yield "  )"
    yield ")"


def _problem(product: Product) -> Iterator[str]:
    yield "(define (problem product-1)"
    yield "  (:domain product)"
    yield "  (:init (= (total-cost) 0)"
    yield from (f"    {_atom(fact)}" for fact in enumerate(product.sas.initial))
    yield "  )"
    yield f"  (:goal {_and(map(_atom, product.sas.goal))})"
    yield "  (:metric minimize (total-cost))"
    yield ")"


def _effects(operator: SasOperator, sizes: Sequence[int]) -> Iterator[str]:
    for place, (conditions, variable, value) in enumerate(operator.effects):
        # In PDDL all effects that fire happen at once; here the last one on a variable wins.
        later = [dict(c) for c, v, _ in operator.effects[place + 1 :] if v == variable]
        if any(not other for other in later):
            continue
        before = operator.precondition.get(variable)
        others = (before,) if before is not None else range(sizes[variable])
        lost = [f"(not {_atom((variable, o))})" for o in others if o != value]
        done = _and([_atom((variable, value)), *lost])
        wanted = [_atom(fact) for fact in sorted(conditions.items())]
        wanted += [f"(not {_and(map(_atom, sorted(other.items())))})" for other in later]
        yield f"(when {_and(wanted)} {done})" if wanted else done


def _atom(fact: Fact) -> str:
    return f"(v{fact[0]}-{fact[1]})"


def _and(parts: Iterable[str]) -> str:
    return f"(and {' '.join(parts)})"


def _action_name(number: int, operator: SasOperator) -> str:
    return f"o{number}-{_NOT_IN_NAMES.sub('-', operator.name).strip('-').lower()}"


def _one_line(name: str) -> str:
    return "".join(character if character.isprintable() else "?" for character in name)
