"""The one table of verdicts: the first line on campaigns of any kind, and the exit code.

Commands, reports, results for build servers and the objects of Python take both from here, as
`Summary.verdict`. A kind says what it has to say in properties of its summary: what was tested,
what a proven green is called (`green`), why nothing was tested (`untested`). Tests of rules have a
scale of their own, hence their own sentences (`rules.verdict`); the outcomes are the same.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from bugsieve.base.wording import shown_number

if TYPE_CHECKING:
    from bugsieve.campaigns.several.several import JointSummary
    from bugsieve.campaigns.summary import Summary

BUGS_FOUND = 1
OUR_FAULT = 3
NOT_RUN = 4
NOTHING_TESTED = 5
LEFT_OPEN = 6

Tone = Literal["bug", "fine", "undecided"]


class CampaignResult(enum.Enum):
    """What campaigns say of what they test, with the exit code of a command that ran them."""

    FAULT = ("fault", OUR_FAULT)
    """A claim was wrong: a fault in Bugsieve."""
    BUGS = ("bugs", BUGS_FOUND)
    """There are bugs, proven ones or such that are certain without a proof."""
    FAILED = ("failed", NOT_RUN)
    """No bugs, but some of several problems could not be tested."""
    NOTHING = ("nothing tested", NOTHING_TESTED)
    """No run of the policy said anything, or there is no plan to compare it with."""
    UNDECIDED = ("undecided", LEFT_OPEN)
    """No bugs, but something was left open."""
    UNSTABLE = ("unstable", LEFT_OPEN)
    """No bugs, but the policy gave different answers, or could not be asked again."""
    PROVEN = ("proven", 0)
    """There is no bug, and a checker has accepted the proof."""
    NONE_FOUND = ("none found", 0)
    """None was found in a part of what could be tested."""

    def __init__(self, word: str, exit_code: int) -> None:
        self.word = word
        self.exit_code = exit_code

    @property
    def is_fine(self) -> bool:
        """Whether there is no bug, as far as was tested, and nothing was left open."""
        return self.exit_code == 0

    @property
    def tone(self) -> Tone:
        """How it is shown."""
        if self is CampaignResult.BUGS:
            return "bug"
        return "fine" if self.is_fine else "undecided"


@dataclass(frozen=True)
class CampaignVerdict:
    """What campaigns have come to: the first line, and with it the exit code."""

    outcome: CampaignResult
    sentence: str

    @property
    def exit_code(self) -> int:
        """What a command returns that ran the campaigns."""
        return self.outcome.exit_code

    def __str__(self) -> str:
        """The first line."""
        return self.sentence


def verdict_of(found: Summary) -> CampaignVerdict:
    """The verdict of one campaign: the first row of the table that applies."""
    return next(_rows(found))


def joint_verdict(found: JointSummary) -> CampaignVerdict:
    """The verdict of several campaigns: the worst part decides, and all are counted."""
    return next(_joint_rows(found))


def _rows(found: Summary) -> Iterator[CampaignVerdict]:
    if found.rejected:
        yield CampaignVerdict(CampaignResult.FAULT, rejected_claims(found))
    if found.mistake is None and (found.bugs or found.certain):
        yield CampaignVerdict(CampaignResult.BUGS, _bugs(found))
    if found.untested or not found.is_telling or found.mistake is not None:
        yield CampaignVerdict(CampaignResult.NOTHING, _nothing(found))
    if found.undecided:
        yield CampaignVerdict(CampaignResult.UNDECIDED, _undecided(found))
    if found.instability:
        yield CampaignVerdict(CampaignResult.UNSTABLE, found.instability)
    if found.green:
        yield CampaignVerdict(CampaignResult.PROVEN, found.green)
    yield CampaignVerdict(CampaignResult.NONE_FOUND, _none_found(found))


def _joint_rows(found: JointSummary) -> Iterator[CampaignVerdict]:
    outcomes = {name: part.verdict.outcome for name, part in found.parts.items()}
    whole = _counted(found.planned, found.noun)
    among = f" of {whole}"
    if CampaignResult.FAULT in outcomes.values():
        yield CampaignVerdict(CampaignResult.FAULT, rejected_claims(found))
    if CampaignResult.BUGS in outcomes.values():
        is_counted = found.bugs or found.certain
        words = _bugs(found, among) if is_counted else _first(found, CampaignResult.BUGS)
        yield CampaignVerdict(CampaignResult.BUGS, words)
    if found.failed:
        words = f"{len(found.failed)}{among} could not be tested"
        yield CampaignVerdict(CampaignResult.FAILED, words)
    silent = sum(outcome is CampaignResult.NOTHING for outcome in outcomes.values())
    if silent == len(outcomes):
        yield CampaignVerdict(CampaignResult.NOTHING, _nothing_in_all(found, whole))
    if found.undecided:
        yield CampaignVerdict(CampaignResult.UNDECIDED, _undecided(found, among))
    if CampaignResult.UNDECIDED in outcomes.values():
        yield CampaignVerdict(CampaignResult.UNDECIDED, _first(found, CampaignResult.UNDECIDED))
    if CampaignResult.UNSTABLE in outcomes.values():
        yield CampaignVerdict(CampaignResult.UNSTABLE, _first(found, CampaignResult.UNSTABLE))
    if silent:
        yield CampaignVerdict(
            CampaignResult.UNDECIDED, f"undecided: nothing was tested in {silent}{among}"
        )
    if found.not_begun:
        yield CampaignVerdict(
            CampaignResult.UNDECIDED, f"undecided: {len(found.not_begun)}{among} not begun"
        )
    if set(outcomes.values()) == {CampaignResult.PROVEN}:
        yield CampaignVerdict(CampaignResult.PROVEN, _all_proven(found, whole))
    if found.looks_for_none:
        yield CampaignVerdict(CampaignResult.NONE_FOUND, f"{whole}, bugs were not looked for")
    yield CampaignVerdict(CampaignResult.NONE_FOUND, _none_found(found, among))


def rejected_claims(found: Summary) -> str:
    """What is said of claims that the checker did not believe."""
    claims = _counted(len(found.rejected), "claim")
    return f"{claims} rejected by the checker: a fault in Bugsieve"


def _bugs(found: Summary, among: str = "") -> str:
    """`41 bugs with 5 causes in 200 test states`."""
    if not found.bugs:
        return f"{_counted(found.certain, 'bug')} without a proof{_in_tested(found, among)}"
    causes = f" with {_counted(found.cause_count, 'cause')}" if found.cause_count else ""
    return f"{_counted(found.bugs, 'bug')}{causes}{_in_tested(found, among)}"


def _undecided(found: Summary, among: str = "") -> str:
    """`undecided: 14 of 200 test states`."""
    tested = _tested(found.tested)
    if not tested:
        return f"undecided: {found.left_open}"
    return f"undecided: {shown_number(found.undecided)} of {tested}{among}"


def _none_found(found: Summary, among: str = "") -> str:
    """`no bugs found in 115 test states, of more than 200 000 reachable ones`."""
    covered = "" if found.coverage is None else f", {found.coverage.part}"
    return f"no bugs found{_in_tested(found, among)}{covered}"


def _nothing(found: Summary) -> str:
    if found.unanswered is not None:
        return f"nothing could be tested: {found.unanswered}"
    if found.untested:
        return found.untested
    if found.reason is None and not any(found.tested.values()):
        return "nothing is tested yet"
    return f"nothing could be tested: it would take {found.would_decide}"


def _nothing_in_all(found: JointSummary, whole: str) -> str:
    reasons = {part.verdict.sentence for part in found.parts.values()}
    if len(reasons) == 1 and not found.not_begun:
        return reasons.pop()
    return f"nothing could be tested in {whole}" if reasons else f"{whole} not begun"


def _all_proven(found: JointSummary, whole: str) -> str:
    """Counts where all parts count states; else each part has its own line."""
    if len(found.parts) == 1:
        return next(iter(found.parts.values())).green
    if found.coverage is not None and found.coverage.finding:
        return found.coverage.green(of=f" of {whole}")
    return f"no bugs in {whole} (proven)"


def _first(found: JointSummary, outcome: CampaignResult) -> str:
    """What is said of the first campaign with this outcome, and of how many it is so."""
    same = {n: p.verdict for n, p in found.parts.items() if p.verdict.outcome is outcome}
    name, verdict = next(iter(same.items()))
    rest = f" (and {len(same) - 1} more)" if len(same) > 1 else ""
    return f"{verdict.sentence}, in {name}{rest}"


def _in_tested(found: Summary, among: str) -> str:
    tested = _tested(found.tested)
    return f" in {tested}{among}" if tested else among.replace(" of ", " in ", 1)


def _tested(numbers: Mapping[str, int]) -> str:
    """`200 test states and 50 walks`."""
    return " and ".join(_counted(number, noun) for noun, number in numbers.items())


def _counted(number: int, noun: str) -> str:
    return f"{shown_number(number)} {noun}{'' if number == 1 else 's'}"
