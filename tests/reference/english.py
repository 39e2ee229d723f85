"""What sentences mean, from the definition in words: segments, their triggers, and what follows.

Parts that a sentence does not have are never asked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

Letter = frozenset[str]
Condition = Callable[[Letter], bool]


class Reading(NamedTuple):
    """The parts of a sentence."""

    scope: str
    bounds: tuple[Condition, ...]
    condition: str
    trigger: Condition
    timing: str
    stop: Condition
    steps: int
    response: Condition


def is_true(reading: Reading, word: Sequence[Letter]) -> bool:
    return all(
        meets_timing(reading, word[start:end])
        for first, end in segments(reading, word)
        for start in triggers(reading, word, first, end)
    )


def segments(reading: Reading, word: Sequence[Letter]) -> list[tuple[int, int]]:
    """First state, and the first state after it."""
    length = len(word)
    if reading.scope == "global":
        return [(0, length)]
    if reading.scope == "before":
        found = positions(reading.bounds[0], word)
        return [(0, found[0])] if found else []
    if reading.scope == "after":
        found = positions(reading.bounds[0], word)
        return [(found[0], length)] if found else []
    if reading.scope == "between":
        opens, closes = (positions(bound, word) for bound in reading.bounds)
        later = {i: [j for j in closes if j > i] for i in opens if i not in closes}
        return [(i, ends[0]) for i, ends in later.items() if ends]
    inside = positions(reading.bounds[0], word)
    starts = [i for i in inside if i - 1 not in inside]
    return [(i, next(j for j in range(i, length + 1) if j not in inside)) for i in starts]


def triggers(reading: Reading, word: Sequence[Letter], first: int, end: int) -> list[int]:
    if reading.condition == "none":
        return [first]  # of an empty segment, too: its rest is empty
    holds = [i for i in positions(reading.trigger, word) if first <= i < end]
    if reading.condition == "whenever":
        return holds
    return [i for i in holds if i == first or i - 1 not in holds]


def meets_timing(reading: Reading, rest: Sequence[Letter]) -> bool:
    """Whether the rest of the segment, from the trigger on, does what is asked for."""
    response = positions(reading.response, rest)
    stops = positions(reading.stop, rest)
    stop = stops[0] if stops else len(rest)
    everywhere = list(range(len(rest)))
    near = everywhere[: reading.steps + 1]
    answers = {
        "always": response == everywhere,
        "never": not response,
        "immediately": 0 in response,
        "next": 1 in response,
        "eventually": bool(response),
        "until": all(i in response for i in range(stop)),
        "before": not stops or any(i < stop for i in response),
        "within": any(i in response for i in near),
        "for": all(i in response for i in near),
    }
    return answers[reading.timing]


def positions(condition: Condition, word: Sequence[Letter]) -> list[int]:
    return [i for i, letter in enumerate(word) if condition(letter)]
