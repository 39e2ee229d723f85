"""Sets of texts that iterate in an order of their own, independent of the hash seed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any


class OrderedSet(frozenset[str]):
    """A frozenset that iterates in the order in which it was given its members.

    What set operations make of it is a plain frozenset.
    """

    _order: tuple[str, ...]

    def __new__(cls, members: Iterable[str] = ()) -> OrderedSet:
        """The set of these members, each once."""
        order = tuple(dict.fromkeys(members))
        made = super().__new__(cls, order)
        made._order = order
        return made

    def __iter__(self) -> Iterator[str]:
        return iter(self._order)

    def __reduce__(self) -> tuple[Any, ...]:
        return OrderedSet, (self._order,)
