"""Words that campaigns of all kinds share."""

from __future__ import annotations

from collections.abc import Mapping

from bugsieve.basis.wording import counted, printable
from bugsieve.campaigns.summary import Summary
from bugsieve.campaigns.verdict import Outcome

_LONGEST_STATE = 200


def verdict_lines(summary: Summary) -> list[str]:
    """The verdict first; of a policy that gave no answer, the traceback below it."""
    lines = [summary.verdict.sentence]
    if summary.unanswered is not None:
        lines += [*(f"  {printable(line)}" for line in summary.trace.splitlines()), ""]
    return lines


def advice_lines(summary: Summary) -> list[str]:
    """What would decide what was left open."""
    if summary.outcome is not Outcome.UNDECIDED:
        return []
    return [f"{summary.left_open}; it would take {summary.would_decide}"]


def bug_lines(summary: Summary) -> list[str]:
    """How many bugs, by kind; nothing where there are none."""
    if not summary.bugs_by_kind:
        return []
    if summary.mistake is not None:
        return ["no bugs counted, for no run got past its first decision"]
    return [f"{counted(summary.bugs, 'bug')}: {kinds_text(summary.bugs_by_kind)}"]


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


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_STATE else text[:_LONGEST_STATE] + "…"


def kinds_text(counts: Mapping[str, int]) -> str:
    """How many bugs of each kind; of the kinds, only the fault is a noun."""
    return ", ".join(
        counted(count, kind) if kind == "fault" else f"{count} {kind}"
        for kind, count in counts.items()
    )
