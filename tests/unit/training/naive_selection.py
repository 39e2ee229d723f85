"""Scores and selections of models as the definitions say them, slowly and without our classes."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

Model = dict[str, Any]
"""number, parent, loss, train (or None), a, states, solved, bugs."""


def ratio(part: Fraction, whole: Fraction) -> Fraction:
    return Fraction(0) if whole == 0 else part / whole


def abc(model: Model) -> tuple[Fraction, Fraction, Fraction]:
    n = Fraction(model["states"])
    a = Fraction(model["a"])
    b = ratio(Fraction(model["solved"]), n)
    c = Fraction(1) - ratio(Fraction(model["bugs"]), n)
    return a, b, c


def naive_scores(models: list[Model]) -> list[Fraction]:
    parts = [abc(model) for model in models]
    totals = [Fraction(0)] * len(models)
    for part in (0, 1, 2):
        top = Fraction(0)
        for other in parts:
            if other[part] > top:
                top = other[part]
        for number, ours in enumerate(parts):
            totals[number] += ratio(ours[part], top)
    return [total / 3 for total in totals]


def naive_best(models: list[Model], scores: list[Fraction], allowed: list[int]) -> int:
    """Of all that are beaten by nobody, the oldest."""
    chosen = allowed[0]
    for number in allowed[1:]:
        ours = [scores[number], *abc(models[number])]
        theirs = [scores[chosen], *abc(models[chosen])]
        for mine, other in zip(ours, theirs, strict=True):
            if mine != other:
                if mine > other:
                    chosen = number
                break
    return chosen


def naive_expansions(models: list[Model], number: int) -> int:
    return len([model for model in models if model["parent"] == number])


def naive_open(models: list[Model], most: int) -> list[int]:
    return [n for n in range(len(models)) if naive_expansions(models, n) < most]


def naive_early(models: list[Model], tasks: int, epochs: int) -> int:
    for model in models:
        line: list[Model] = [model]
        while line[-1]["parent"] is not None and len(line) < epochs:
            line.append(models[line[-1]["parent"]])
        if len(line) == epochs and all(one["train"] == tasks for one in line):
            return int(model["number"])
    return len(models) - 1


def naive_first(models: list[Model], values: list[float | None], *, least: bool) -> int:
    """The first of those with the least or the greatest value; those without one do not count."""
    known = [value for value in values if value is not None]
    if not known:
        return 0
    wanted = min(known) if least else max(known)
    return values.index(wanted)
