"""Words that campaigns of all kinds share."""

from __future__ import annotations

from collections.abc import Mapping

from bugsieve.basis.wording import counted, printable
from bugsieve.campaigns.summary import Outcome, Summary

_LONGEST_STATE = 200


def undecided_lines(summary: Summary) -> list[str]:
    """That something was left open, and what would decide it."""
    if summary.outcome is not Outcome.UNDECIDED or summary.mistake is not None:
        return []
    if summary.changed and summary.is_telling and not summary.undecided:
        return ["undecided: the policy changes its answers"]
    left = f"{summary.left_open}; " if summary.is_telling else ""
    return [f"undecided: {left}it would take {summary.would_decide}"]


def bugs_line(summary: Summary) -> str:
    """How many bugs, by kind."""
    counts = summary.bugs_by_kind
    if counts and summary.mistake is not None:
        return "no bugs counted, for no run got past its first decision"
    if counts:
        return f"{counted(sum(counts.values()), 'bug')}: {kinds_text(counts)}"
    is_open = summary.certain or (summary.undecided and summary.is_telling) or summary.changed
    return "no bugs proven" if is_open else "no bugs found"


def check_lines(summary: Summary) -> list[str]:
    """Whether the policy stands by its answers, and what it took to see that."""
    lines = []
    if summary.changed:
        first = summary.changed[0]
        states = counted(len({row.state for row in summary.changed}), "state")
        lucky = " (those that were found may be luck)" if summary.bugs else ""
        lines += [
            f"unstable: {states} got two answers; a policy that changes its answers has no "
            f"proven bugs{lucky}",
            f"  {first.first}, then {first.second}, in {printable(_cut(first.state))}",
        ]
    lines += [
        f"answers depend on set order; the bugs hold for {row.cause}"
        for row in summary.unstable
        if row.cause
    ]
    if summary.asked_again:
        share = 100 * summary.asked_again / (summary.policy_calls + summary.asked_again)
        lines.append(
            f"the policy was asked {counted(summary.asked_again, 'time')} more, {share:.0f} % of "
            "all answers, to see whether it stands by them"
        )
    return lines


def nothing_tested_lines(summary: Summary) -> list[str]:
    """What is said first where the policy gave no answer: why, and the traceback."""
    if summary.unanswered is None:
        return []
    trace = [f"  {printable(line)}" for line in summary.trace.splitlines()]
    return [f"nothing could be tested: {summary.unanswered}", *trace, ""]


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_STATE else text[:_LONGEST_STATE] + "…"


def kinds_text(counts: Mapping[str, int]) -> str:
    """How many bugs of each kind; of the kinds, only the fault is a noun."""
    return ", ".join(
        counted(count, kind) if kind == "fault" else f"{count} {kind}"
        for kind, count in counts.items()
    )
