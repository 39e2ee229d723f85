"""Translates between states and sets of PDDL atoms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from bugsieve.base.errors import InputError
from bugsieve.base.names import suggest
from bugsieve.base.ordered_sets import OrderedSet
from bugsieve.tasks.grounded import atoms

Fact = tuple[int, int]
"""A variable and one of its values."""

_SHOWN = 5


class FactTable:
    """The atoms of every variable's values, and the initial atoms that belong to no variable."""

    def __init__(
        self,
        facts: Sequence[Sequence[str | None]],
        initial_atoms: frozenset[str],
        *,
        mutex_groups: Iterable[Iterable[Fact]] = (),
    ) -> None:
        self._facts = facts
        self._places: dict[str, list[Fact]] = {}
        for variable, values in enumerate(facts):
            for value, atom in enumerate(values):
                if atom is not None:
                    self._places.setdefault(atom, []).append((variable, value))
        self._groups: dict[Fact, list[int]] = {}
        for number, group in enumerate(mutex_groups):
            for fact in group:
                self._groups.setdefault(fact, []).append(number)
        self.static: frozenset[str] = OrderedSet(sorted(initial_atoms - self._places.keys()))

    def of_state(self, state: Iterable[int]) -> frozenset[str]:
        """The atoms true in a state: those of variables in their order, then static ones."""
        fluent = (self._facts[variable][value] for variable, value in enumerate(state))
        return OrderedSet(chain((atom for atom in fluent if atom is not None), self.static))

    def places(self, atom: str, objects: Mapping[str, str]) -> tuple[tuple[int, int], ...]:
        """The values that mean the normalised atom; none for a static one, which is true."""
        if atom not in self._places and atom not in self.static:
            raise self._impossible(atom, objects)
        return tuple(self._places.get(atom, ()))

    def truth(self, atom: str) -> bool | None:
        """The truth value of the normalised atom in every state; None where states differ."""
        return None if atom in self._places else atom in self.static

    def literal(self, variable: int, value: int) -> str:
        """The fact in PDDL; a value without an atom negates all atoms of its variable."""
        atom = self._facts[variable][value]
        if atom is not None:
            return atom
        others = [f"(not {other})" for other in self._facts[variable] if other is not None]
        return others[0] if len(others) == 1 else f"(and {' '.join(others)})"

    def to_values(self, facts: Iterable[str], objects: Mapping[str, str]) -> list[int]:
        """The values of the state in which exactly these atoms are true."""
        given: dict[int, int] = {}
        for text in facts:
            atom = atoms.normalised(text)
            for variable, value in self.places(atom, objects):
                # An atom may be a value of several variables, and sets all of them.
                if given.setdefault(variable, value) != value:
                    other = self._facts[variable][given[variable]]
                    raise _exclusive(str(other), atom)
        values = [
            given[variable] if variable in given else self._value_without_atom(variable)
            for variable in range(len(self._facts))
        ]
        self._check_mutexes(values)
        return values

    def _check_mutexes(self, values: Sequence[int]) -> None:
        holders: dict[int, str] = {}
        for fact in enumerate(values):
            for group in self._groups.get(fact, ()):
                # Literals are compared, not values: one atom that is a fact of two variables does
                # not exclude itself.
                literal = self.literal(*fact)
                if holders.setdefault(group, literal) != literal:
                    raise _exclusive(holders[group], literal)

    def _value_without_atom(self, variable: int) -> int:
        values = self._facts[variable]
        if None in values:
            return values.index(None)
        known = [atom for atom in values if atom is not None]
        shown = ", ".join(known[:_SHOWN]) + (", ..." if len(known) > _SHOWN else "")
        raise InputError(f"the state is incomplete: one of {shown} must be true in it")

    def _impossible(self, atom: str, objects: Mapping[str, str]) -> InputError:
        """The error for an atom that belongs to no variable and cannot be true."""
        predicate, *arguments = atoms.words_of(atom)
        known = [atoms.words_of(other) for other in (*self._places, *self.static)]
        predicates = {words[0] for words in known}
        names = set(objects) or {name for words in known for name in words[1:]}
        for name in arguments:
            if name not in names:
                return InputError(f"{atom}: unknown object {name!r}{suggest(name, names)}")
        if predicate not in predicates:
            hint = suggest(predicate, predicates)
            return InputError(f"{atom}: no atom of {predicate!r} is ever true in this task{hint}")
        arities = sorted({len(words) - 1 for words in known if words[0] == predicate})
        if len(arguments) not in arities:
            wanted = " or ".join(map(str, arities))
            return InputError(
                f"{atom}: {predicate!r} has {wanted} arguments, not {len(arguments)}"
            )
        return InputError(
            f"{atom}: is never true in this task, it is either static and false or unreachable"
        )


def _exclusive(first: str, second: str) -> InputError:
    return InputError(f"{first} and {second} cannot both be true in this task")
