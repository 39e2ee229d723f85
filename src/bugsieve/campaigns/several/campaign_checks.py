"""What campaigns have come to, for build servers: a check for each problem, or finer ones.

A kind may bring checks of its own, as tests of rules do; what then remains to be said of the
campaign is one more.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from bugsieve.base.wording import kind_in_words
from bugsieve.campaigns.campaign import read_campaign
from bugsieve.campaigns.checks import Check, CheckOutcome
from bugsieve.campaigns.kind import Kind
from bugsieve.campaigns.several.found_lines import found_lines
from bugsieve.campaigns.several.several import JointSummary
from bugsieve.campaigns.summary import Summary
from bugsieve.campaigns.verdict import BUGS_FOUND, LEFT_OPEN, NOTHING_TESTED

_OUTCOMES: dict[int, CheckOutcome] = {
    0: "passed",
    BUGS_FOUND: "failure",
    LEFT_OPEN: "undecided",
    NOTHING_TESTED: "undecided",
}


def campaign_checks(directory: Path, *, name: str | None = None) -> list[Check]:
    """What the campaign in a folder has come to so far; as bad as its exit code, or worse.

    It is called by its subject unless it has a name among others.
    """
    kind, header, options = read_campaign(directory)
    file = path_from_here(options.file)
    with kind.records(directory) as records:
        summary: Summary = kind.summarise(records)
        own = [] if kind.checks is None else kind.checks(records)
        if any(check.outcome not in ("passed", "skipped") for check in own):
            return own
        outcome, reason = judgement(kind, summary)
        if own and outcome == "passed":
            return own
        group = f"{kind_in_words(kind.name)} of {header.tested}" if header.tested else kind.name
        details = [] if outcome == "passed" else _details(kind, directory, records, summary)
    called = name or header.subject.name
    return [*own, Check(called, group, outcome, reason, tuple(details), summary.seconds, file)]


def joint_checks(directory: Path, summary: JointSummary) -> list[Check]:
    """The same for campaigns in one folder; those count as well that were not or could not be."""
    checks = []
    for name in sorted({*summary.parts, *summary.failed, *summary.not_begun}):
        if name in summary.failed:
            reason = f"could not be tested: {summary.failed[name]}"
            checks.append(Check(name, directory.name, "error", reason))
        elif name in summary.parts:
            checks += campaign_checks(directory / name, name=name)
        else:
            checks.append(Check(name, directory.name, "undecided", "not begun"))
    return checks


def judgement(kind: Kind[Any], summary: Summary) -> tuple[CheckOutcome, str]:
    """What a campaign has come to, and the first line on it."""
    outcome = _OUTCOMES.get(summary.exit_code, "error")
    if outcome == "passed" and summary.reason is None:
        return "undecided", "not finished"
    if not kind.is_test:
        return outcome, kind.wording.first_lines(summary)[0]
    return outcome, summary.verdict.sentence


def _details(kind: Kind[Any], folder: Path, records: Any, summary: Summary) -> list[str]:
    lines = [kind.wording.heading(records.header), *kind.wording.count_lines(summary)]
    if summary.bugs and summary.mistake is None:
        lines += ["", *found_lines(kind, folder, records)]
    return lines


def path_from_here(name: str) -> str | None:
    """The file by its path from the current folder, if it is below that."""
    path = os.path.relpath(name) if name else ""
    is_below = path and not path.startswith(os.pardir) and os.path.isfile(path)
    return Path(path).as_posix() if is_below else None
