"""Models in training as selection sees them, and their scores (papers/003).

Shares are exact fractions, so that equal models are equal: a tie is broken by rule, never by the
rounding of floats.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property


@dataclass(frozen=True)
class Candidate:
    """A model in training; its number says how many were made before it."""

    number: int
    parent: int | None
    """The model whose expansion gave it; None for random weights."""
    loss: float | None
    """The mean over the steps of its epoch; None for random weights."""
    solved_training: int | None
    """Training tasks whose initial state it solves; None for random weights."""
    solved_validation: int = 0
    """Validation tasks whose initial state it solves."""
    states: int = 0
    """Pool states of all validation tasks that count: those that were tested, and the whole pools
    of tasks whose initial state it fails."""
    solved_states: int = 0
    bug_states: int = 0

    @cached_property
    def parts(self) -> tuple[Fraction, Fraction, Fraction]:
        """The parts of the score: tasks solved, the share of states solved, that without bugs."""
        solved = _share(self.solved_states, self.states)
        bugs = _share(self.bug_states, self.states)
        return Fraction(self.solved_validation), solved, 1 - bugs


def scores(candidates: Sequence[Candidate]) -> list[Fraction]:
    """The score of each model: the mean of its parts, each relative to the best of all models.

    It depends on all of them, so whenever a model is added the scores of all may change.
    """
    if not candidates:
        return []
    columns = zip(*(candidate.parts for candidate in candidates), strict=True)
    most = [max(column) for column in columns]
    return [_score(candidate, most) for candidate in candidates]


def best(candidates: Sequence[Candidate], among: Sequence[int] | None = None) -> int:
    """The number of the model with the greatest score, of those with the numbers in `among`.

    Ties go to more tasks solved, more states solved, fewer bugs, then to the older model.
    """
    found = scores(candidates)
    numbers = range(len(candidates)) if among is None else among
    return max(numbers, key=lambda n: (found[n], candidates[n].parts, -n))


def expansions(candidates: Sequence[Candidate]) -> list[int]:
    """The number of epochs that each model was trained for: E in Algorithm 2."""
    counts = [0] * len(candidates)
    for candidate in candidates:
        if candidate.parent is not None:
            counts[candidate.parent] += 1
    return counts


def _score(candidate: Candidate, most: Sequence[Fraction]) -> Fraction:
    parts = (_share(part, top) for part, top in zip(candidate.parts, most, strict=True))
    return sum(parts, Fraction(0)) / 3


def _share(part: Fraction | int, whole: Fraction | int) -> Fraction:
    """The share; 0 of nothing."""
    return Fraction(part) / whole if whole else Fraction(0)
