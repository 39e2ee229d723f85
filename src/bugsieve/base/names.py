"""Sentences about a name that does not exist; every registry's error message comes from here."""

from __future__ import annotations

from collections.abc import Iterable

_LONGEST_SHOWN = 80


def suggest(name: str, choices: Iterable[str]) -> str:
    """` (did you mean 'transport'?)` for the choice nearest to `name`, or `""` if none is near."""
    import difflib  # only needed on the way to an error

    folded = {choice.casefold(): choice for choice in sorted(choices)}
    nearest = difflib.get_close_matches(name.casefold(), list(folded), n=1, cutoff=0.6)
    return f" (did you mean {folded[nearest[0]]!r}?)" if nearest else ""


def no_such(kind: str, name: str, choices: Iterable[str]) -> str:
    """`there is no policy 'gredy' (did you mean 'greedy'?); there are greedy, random`."""
    choices = list(choices)
    shown = name if len(name) <= _LONGEST_SHOWN else name[:_LONGEST_SHOWN] + "…"
    known = ", ".join(choices) or "none"
    return f"there is no {kind} {shown!r}{suggest(shown, choices)}; there are {known}"


def for_others(kind: str, name: str, *, ours: str, theirs: str, choices: Iterable[str]) -> str:
    """`policy 'mlp' is for models, not for planning tasks; for planning tasks there are …`."""
    return (
        f"{kind} {name!r} is for {theirs}, not for {ours}; for {ours} there are "
        f"{', '.join(choices)}"
    )
