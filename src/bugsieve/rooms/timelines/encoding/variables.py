"""The constraint model under construction, and literals that are made once."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from bugsieve.base.errors import InputError
from bugsieve.rooms.timelines.nddl.packages import load_cp_model

Literal: TypeAlias = Any
"""A Boolean variable of CP-SAT or its negation."""
Linear: TypeAlias = Any
"""A linear expression of CP-SAT, or a number."""

MAX_VARIABLES = 400_000


@dataclass
class Constraints:
    """CP-SAT's model, with reified comparisons that are remembered."""

    cp: Any = field(default_factory=lambda: load_cp_model().CpModel())
    known: dict[Hashable, Literal] = field(default_factory=dict)
    made: int = 0

    def integer(self, low: int, high: int) -> Linear:
        """A whole number between bounds."""
        self._count()
        return self.cp.new_int_var(low, high, "")

    def among(self, values: Sequence[int]) -> Linear:
        """A whole number out of some."""
        self._count()
        return self.cp.new_int_var_from_domain(load_cp_model().Domain.from_values(values), "")

    def literal(self) -> Literal:
        """A truth value."""
        self._count()
        return self.cp.new_bool_var("")

    def constant(self, value: bool) -> Literal:
        """A truth value that is known."""
        key = ("constant", value)
        if key not in self.known:
            self.known[key] = self.cp.new_constant(int(value))
        return self.known[key]

    def at_most(self, key: Hashable, expression: Linear, bound: int) -> Literal:
        """A literal for `expression <= bound`; `key` names the expression."""
        name = ("at most", key, bound)
        if name not in self.known:
            self.known[name] = literal = self.literal()
            self.cp.add(expression <= bound).only_enforce_if(literal)
            self.cp.add(expression >= bound + 1).only_enforce_if(~literal)
        return self.known[name]

    def equal(self, key: Hashable, expression: Linear, value: int) -> Literal:
        """A literal for `expression == value`; `key` names the expression."""
        if isinstance(expression, int):
            return self.constant(expression == value)
        name = ("equal", key, value)
        if name not in self.known:
            self.known[name] = literal = self.literal()
            self.cp.add(expression == value).only_enforce_if(literal)
            self.cp.add(expression != value).only_enforce_if(~literal)
        return self.known[name]

    def all_of(self, literals: Sequence[Literal]) -> Literal:
        """A literal that is true if all of them hold."""
        if len(literals) == 1:
            return literals[0]
        result = self.literal()
        self.cp.add_bool_and(literals).only_enforce_if(result)
        self.cp.add_bool_or([result, *(~literal for literal in literals)])
        return result

    def any_of(self, literals: Sequence[Literal]) -> Literal:
        """A literal that is true if one of them holds."""
        if not literals:
            return self.constant(False)
        return ~self.all_of([~literal for literal in literals])

    def _count(self) -> None:
        self.made += 1
        if self.made > MAX_VARIABLES:
            raise InputError(
                f"the model needs more than {MAX_VARIABLES} variables: take fewer slots or a "
                "shorter horizon"
            )
