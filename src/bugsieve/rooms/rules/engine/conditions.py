"""Conditions on the facts of a task and on the operator that led into a state.

A condition is `True`, `False`, `("fact", variable, value)`, `("did", (operators, ...))`,
`("not", c)`, `("and", c, ...)` or `("or", c, ...)`. They come from rules files, whose reader
bounds their depth, so functions on them may recurse.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

Condition: TypeAlias = bool | tuple[Any, ...]

NO_OPERATOR = -1
"""Stands for the operator that led into the first state, of which there is none."""


def holds(condition: Condition, state: Sequence[int], operator: int = NO_OPERATOR) -> bool:
    """Return true if the condition holds in a state that `operator` led into."""
    if isinstance(condition, bool):
        return condition
    kind = condition[0]
    if kind == "fact":
        return bool(state[condition[1]] == condition[2])
    if kind == "did":
        return operator in condition[1]
    if kind == "not":
        return not holds(condition[1], state, operator)
    parts = (holds(part, state, operator) for part in condition[1:])
    return all(parts) if kind == "and" else any(parts)


def letter(
    atoms: Mapping[str, Condition], state: Sequence[int], operator: int = NO_OPERATOR
) -> frozenset[str]:
    """The atoms that hold in a state that `operator` led into."""
    return frozenset(name for name, item in atoms.items() if holds(item, state, operator))


def leaves(condition: Condition) -> Iterator[tuple[Any, ...]]:
    """The facts and did-parts of a condition, each occurrence once."""
    pending = [condition]
    while pending:
        item = pending.pop()
        if isinstance(item, bool):
            continue
        if item[0] in ("fact", "did"):
            yield item
        else:
            pending += reversed(item[1:])


def variables_of(condition: Condition) -> frozenset[int]:
    """The variables whose values it looks at."""
    return frozenset(leaf[1] for leaf in leaves(condition) if leaf[0] == "fact")


def dids_of(condition: Condition) -> frozenset[tuple[int, ...]]:
    """The sets of operators that it asks about."""
    return frozenset(tuple(leaf[1]) for leaf in leaves(condition) if leaf[0] == "did")


def negated(condition: Condition) -> Condition:
    """The condition that holds where this one does not."""
    if isinstance(condition, bool):
        return not condition
    return condition[1] if condition[0] == "not" else ("not", condition)


def simplified(condition: Condition, values: Mapping[int, int]) -> Condition:
    """The condition where some variables are known to have these values."""
    if isinstance(condition, bool) or condition[0] == "did":
        return condition
    kind = condition[0]
    if kind == "fact":
        known = values.get(condition[1])
        return condition if known is None else known == condition[2]
    if kind == "not":
        return negated(simplified(condition[1], values))
    absorbing = kind == "or"
    rest: list[Condition] = []
    for part in condition[1:]:
        simple = simplified(part, values)
        if simple is absorbing:
            return absorbing
        if not isinstance(simple, bool):
            rest.append(simple)
    if not rest:
        return not absorbing
    return rest[0] if len(rest) == 1 else (kind, *rest)


def renumbered(
    condition: Condition, place: Mapping[int, int], dids: Mapping[tuple[int, ...], int]
) -> Condition:
    """The same with other numbers of variables, and did-parts as variables that are 0 or 1."""
    if isinstance(condition, bool):
        return condition
    kind = condition[0]
    if kind == "fact":
        return "fact", place[condition[1]], condition[2]
    if kind == "did":
        return "fact", dids[tuple(condition[1])], 1
    return (kind, *(renumbered(part, place, dids) for part in condition[1:]))


def to_json(condition: Condition) -> Any:
    """The form of certificates: lists in place of tuples."""
    if isinstance(condition, bool):
        return condition
    kind = condition[0]
    if kind == "fact":
        return [kind, int(condition[1]), int(condition[2])]
    if kind == "did":
        return [kind, [int(operator) for operator in condition[1]]]
    return [kind, *(to_json(part) for part in condition[1:])]
