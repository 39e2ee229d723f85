"""The one scale of verdicts on rules: the words, what they mean, and what each of them counts for.

Summaries, tables, build servers, `expect` in rules files and in suites, mutants and replays read
it; what is written elsewhere about a verdict follows from here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

Grade: TypeAlias = Literal[
    "holds",
    "never",
    "holds up to K",
    "safety part holds",
    "violated",
    "undecided",
    "not judged",
]
HOLDS: Grade = "holds"
NEVER: Grade = "never"
BOUNDED: Grade = "holds up to K"
SAFETY: Grade = "safety part holds"
VIOLATED: Grade = "violated"
UNDECIDED: Grade = "undecided"
NOT_JUDGED: Grade = "not judged"

Expectation: TypeAlias = Literal["holds", "never", "safety part holds", "violated", "vacuous"]
"""The expectation of a file for a rule. "holds" and "never" ask for the same, of desired rules and
of forbidden ones; "vacuous" is said of conditions, beside the verdict."""

Standing: TypeAlias = Literal["right", "wrong", "open"]
"""As it should be, not so, or not known."""


@dataclass(frozen=True)
class Rung:
    """A verdict in words, and the exit code where nothing is expected of the rule."""

    means: str
    exit_code: int


SCALE: Mapping[Grade, Rung] = {
    HOLDS: Rung("no trace violates it: proven", 0),
    NEVER: Rung("a forbidden rule that no trace satisfies: proven", 0),
    BOUNDED: Rung("proven for plans of at most K tokens or steps", 6),
    SAFETY: Rung("no prefix was found that refutes it; its liveness was not decided", 6),
    VIOLATED: Rung("a trace violates it", 1),
    UNDECIDED: Rung("a limit came first, or there was nothing to judge", 6),
    NOT_JUDGED: Rung("its turn has not come", 6),
}

_STANDINGS: Mapping[int, Standing] = {0: "right", 1: "wrong", 6: "open"}


def shown_grade(grade: Grade, bound: int | None = None) -> str:
    """The verdict as people read it, with the number for K."""
    return grade if bound is None else grade.replace("K", str(bound))


def standing(
    grade: Grade,
    expect: str = "",
    *,
    is_vacuous: bool = False,
    may_be_vacuous: bool = False,
    accept_bounded: bool = False,
) -> Standing:
    """The standing of a verdict where the file expects this, or nothing.

    `may_be_vacuous`: some of the rule's literals are not judged to the end.
    """
    if grade == BOUNDED and accept_bounded:
        grade = HOLDS
    usual = _STANDINGS[SCALE[grade].exit_code]
    if expect == VIOLATED:
        opposite: Mapping[Standing, Standing] = {"right": "wrong", "wrong": "right"}
        return opposite.get(usual, usual)
    if expect == SAFETY and grade == SAFETY:
        return "right"
    if expect == "vacuous" and usual != "wrong" and not is_vacuous:
        return "open" if may_be_vacuous else "wrong"
    return usual
