"""Words that campaigns of all kinds share."""

from __future__ import annotations

from collections.abc import Mapping

from bugsieve.base.wording import counted, printable
from bugsieve.campaigns.summary import Summary
from bugsieve.campaigns.verdict import CampaignResult
from bugsieve.pipeline.judging.findings import DeterminismCheck, UnstableRow

_LONGEST_STATE = 200


def verdict_lines(summary: Summary) -> list[str]:
    """The verdict first; of a policy that gave no answer, the traceback below it."""
    lines = [summary.verdict.sentence]
    if summary.unanswered is not None:
        lines += [*(f"  {printable(line)}" for line in summary.trace.splitlines()), ""]
    return lines


def advice_lines(summary: Summary) -> list[str]:
    """What would decide what was left open."""
    if summary.outcome is not CampaignResult.UNDECIDED:
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
    lines = _change_lines(summary)
    lines += [
        f"answers depend on set order; the bugs hold for {row.cause}"
        for row in summary.unstable
        if row.cause and row.claim
    ]
    if summary.asked_again:
        lines.append(calls_line(summary.asked_again, summary.check))
    return lines


def calls_line(calls: int, check: DeterminismCheck | None) -> str:
    """The calls that comparing answers took, and the states that could not be asked about."""
    extra = counted(calls, "extra call")
    return f"determinism check: {extra} of the policy{_rest(check)}"


def unstable_line(summary: Summary) -> str:
    """Say in how many states the policy gave two answers."""
    if summary.check is not None and summary.check.differing:
        return summary.check.sentence
    states = counted(len({row.state for row in summary.changed}), "state")
    lucky = " (those that were found may be luck)" if summary.bugs else ""
    return (
        f"unstable: {states} got two answers; a policy that changes its answers has no proven "
        f"bugs{lucky}"
    )


def change_line(row: UnstableRow) -> str:
    """Both answers, and the state."""
    return f"  {row.first}, then {row.second}, in {printable(_cut(row.state))}"


def _change_lines(summary: Summary) -> list[str]:
    """The first change of an answer, and under which hash seed there is none."""
    if not summary.changed:
        return []
    check = summary.check
    first = (summary.changed if check is None or not check.rows else check.rows)[0]
    told = unstable_line(summary)
    lines = [*(() if told == summary.verdict.sentence else (told,)), change_line(first)]
    seeds = {row.cause for row in summary.changed if row.cause}
    return [*lines, *(f"  answers depend on set order: these are for {seed}" for seed in seeds)]


def _rest(check: DeterminismCheck | None) -> str:
    """Say which part could not be asked, if there is one."""
    if check is None or not check.cut:
        return ""
    return f"; {check.states} of {counted(check.wanted, 'state')} wanted ({check.cut})"


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_STATE else text[:_LONGEST_STATE] + "…"


def kinds_text(counts: Mapping[str, int]) -> str:
    """How many bugs of each kind; of the kinds, only the fault is a noun."""
    return ", ".join(
        counted(count, kind) if kind == "fault" else f"{count} {kind}"
        for kind, count in counts.items()
    )
