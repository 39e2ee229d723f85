"""States of a model in words: their values, and what an action changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bugsieve.base.wording import counted

_MOST_VALUES = 8


def values_text(names: Sequence[str], values: Sequence[Any]) -> str:
    """`x = 3, open = true`."""
    return ", ".join(
        f"{name} = {value_text(value)}" for name, value in zip(names, values, strict=True)
    )


def telling_text(
    names: Sequence[str], values: Sequence[Any], others: Sequence[Sequence[Any]]
) -> str:
    """The values of a state that are not the same in all of the other states, if there are some.

    Those tell most about how one gets from the state to the others.
    """
    columns = [k for k in range(len(names)) if any(other[k] != values[k] for other in others)]
    shown = (columns or list(range(len(names))))[:_MOST_VALUES]
    rest = len(names) - len(shown)
    text = values_text([names[k] for k in shown], [values[k] for k in shown])
    return text + (f" and {counted(rest, 'other value')}" if rest else "")


def changes_text(names: Sequence[str], before: Sequence[Any], after: Sequence[Any]) -> str:
    """`x 3 → 4, open true → false`, or that nothing changes."""
    changes = [
        f"{name} {value_text(old)} → {value_text(new)}"
        for name, old, new in zip(names, before, after, strict=True)
        if old != new
    ]
    rest = len(changes) - _MOST_VALUES
    more = f" and {rest} more" if rest > 0 else ""
    return (", ".join(changes[:_MOST_VALUES]) + more) if changes else "no change"


def value_text(value: Any) -> str:
    """A value as JANI writes it, reals in few digits."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
