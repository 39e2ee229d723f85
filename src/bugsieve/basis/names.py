"""Suggestions for mistyped names; every registry's error message ends with one."""

from __future__ import annotations

from collections.abc import Iterable


def suggest(name: str, choices: Iterable[str]) -> str:
    """` (did you mean 'transport'?)` for the choice nearest to `name`, or `""` if none is near."""
    import difflib  # only needed on the way to an error

    folded = {choice.casefold(): choice for choice in sorted(choices)}
    nearest = difflib.get_close_matches(name.casefold(), list(folded), n=1, cutoff=0.6)
    return f" (did you mean {folded[nearest[0]]!r}?)" if nearest else ""
