"""Patterns of decisions by their definition: every set of features is tried on every state."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import combinations

from bugsieve.explanation.patterns.cover import MOST_FEATURES, Explained, Option
from bugsieve.explanation.patterns.features import Feature

Features = Collection[Feature]


def explained(wrong: Sequence[Features], right: Sequence[Sequence[Option]]) -> list[Explained]:
    """What greedy cover makes of blamed decisions, given the options of right states."""
    found: list[Explained] = []
    left = [*range(len(wrong))]
    while left:
        best: tuple[int, tuple[Feature, ...]] | None = None
        for chosen in _sets(wrong[left[0]]):
            count = len([n for n in left if set(chosen) <= set(wrong[n])])
            if not any(refutes(options, chosen) for options in right) and (
                best is None or count > best[0]
            ):
                best = count, chosen
        if best is None or best[0] == 1:
            one = Explained(None, (left[0],))
        else:
            covered = tuple(n for n in left if set(best[1]) <= set(wrong[n]))
            one = Explained(best[1], covered)
        found.append(one)
        left = [n for n in left if n not in one.decisions]
    return found


def refutes(options: Sequence[Option], chosen: Sequence[Feature]) -> bool:
    """Whether actions of a state where the policy did right fit, and all of them are wrong."""
    fitting = [option for option in options if set(chosen) <= set(option.features)]
    return bool(fitting) and not any(option.is_right for option in fitting)


def _sets(features: Features) -> list[tuple[Feature, ...]]:
    """All sets of few features, the small ones first."""
    ordered = sorted(features)
    return [s for size in range(MOST_FEATURES + 1) for s in combinations(ordered, size)]
