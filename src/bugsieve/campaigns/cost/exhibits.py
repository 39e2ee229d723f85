"""What reports show of cost testing: the policy's run beside a better one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from bugsieve.basis.errors import BugsieveError
from bugsieve.basis.wording import counted
from bugsieve.benches.bench import Bench
from bugsieve.benches.objectives.objective import path_states
from bugsieve.bugs.cost.bug import Bug
from bugsieve.campaigns.cost.bench import judged_bench
from bugsieve.campaigns.cost.stored_examples import stored_example
from bugsieve.campaigns.cost.summary import CostSummary
from bugsieve.campaigns.exhibits import Exhibit, Panel, TablePanel, Track
from bugsieve.checkers.cost import CertificateError, Checker
from bugsieve.faults.blame import Blame
from bugsieve.faults.explanation import blame_lines, goal_line, other_cost_lines
from bugsieve.faults.keeping import NAME, kept_blame
from bugsieve.judging.findings import CostBugRow
from bugsieve.results.cost.records import CostRecords
from bugsieve.results.proofs import proof_of

COMMANDS = {
    "explain": "the decision to blame, searched for where it is not known yet",
    "replay": "ask the policy again whether it is still so",
    "minimise": "the smallest problem that shows it",
}


class CostExhibits:
    """The bugs of a campaign as runs, and its counts as tables."""

    def __init__(self, records: CostRecords) -> None:
        self.records = records

    @cached_property
    def _bench(self) -> Bench:
        return judged_bench(self.records.directory, self.records.header)

    @cached_property
    def _checker(self) -> Checker:
        return Checker(self.records.header.subject.sas)

    def exhibit(self, bug: str) -> Exhibit:
        """Both runs, with the decision to blame where `explain` has kept it; else those of the
        smallest example, if there is one, with where they part."""
        (row,) = self.records.named([bug])
        with proof_of(row.id, self.records.directory, CertificateError):
            self._checker.check_bug(row.bug.to_json())
        shown = _Shown(self._bench, row.bug, self._blame(row))
        if shown.found is None:
            small = stored_example(self.records.directory, self.records.header, row.bug)
            if small is not None:
                shown = _Shown(small.bench, small.bug, None, len(small.bench.task.objects))
        return Exhibit(
            tuple(shown.sentences()), shown.tracks(), COMMANDS, self.records.trace(row.case)
        )

    def panels(self, summary: CostSummary) -> Sequence[Panel]:
        """Oracles, runs and walks."""
        return tuple(_panels(summary))

    def _blame(self, row: CostBugRow) -> Blame | None:
        """What an earlier call of `explain` has kept, if it holds."""
        try:
            note = self.records.notes(row.id).get(NAME)
        except BugsieveError:
            return None
        return kept_blame(note, self._bench, row.bug.certificate)


@dataclass(frozen=True, eq=False)
class _Shown:
    """A bug that is shown, with the decision to blame where it is known."""

    bench: Bench
    bug: Bug
    found: Blame | None
    objects: int = 0
    """Of a smallest example, how many objects it has."""

    def tracks(self) -> tuple[Track, Track]:
        """The policy's run and a better one, both with the decision marked."""
        run, found = self.bug.certificate["run"], self.found
        ours, loop = tuple(run["operators"]), run["loop_start"]
        theirs = tuple(self.bug.certificate["plan"]["operators"])
        place, mark = _parting(ours, theirs), "here the runs part"
        if found is not None:
            place, mark, theirs = found.index, _mark(found), found.better_run
        ending = {"ending": run["ending"], "loop_start": loop, "mark": mark}
        # A culprit may be met in the second round of a loop, which is shown once.
        shown = place if loop is None else _in_loop(place, loop, len(ours))
        return (
            self._track("the policy", ours, marked=min(shown, len(ours)), **ending),
            self._track("a better run", theirs, marked=place, mark="instead", ending="goal"),
        )

    def _track(self, title: str, operators: tuple[int, ...], **more: Any) -> Track:
        task = self.bench.task
        start = np.array(self.bug.certificate["state"], dtype=np.uint16)
        names = [task.operator_names[operator] for operator in operators]
        return Track(title, names, task, path_states(task, start, operators), **more)

    def sentences(self) -> Iterator[str]:
        """What is wrong, who is to blame, what is open, and what proves it."""
        bug = self.bug
        where = f" in a problem of {counted(self.objects, 'object')}" if self.objects else ""
        yield f"the policy{where}: {bug.in_words}"
        yield from self.bench.objective.explained(bug.certificate)
        if self.found is not None:
            yield from other_cost_lines(bug, self.found)
            yield from blame_lines(self.found)
        else:
            small = "this is the smallest example that was made of it; " if self.objects else ""
            yield f"{small}not explained yet: marked is where the two runs part"
        yield goal_line(self.bench.task, bug)
        exact = "; no run is better still" if bug.exact else ""
        yield f"proven by both runs, which were checked for this page{exact}"


def _parting(run: tuple[int, ...], better: tuple[int, ...]) -> int:
    """The first step in which two runs differ."""
    pairs = enumerate(zip(run, better, strict=False))
    ends = min(len(run), len(better))
    return next((step for step, (one, other) in pairs if one != other), ends)


def _in_loop(place: int, start: int, end: int) -> int:
    """The same step in the first round of a loop."""
    return place if place < end else start + (place - start) % (end - start)


def _mark(found: Blame) -> str:
    return "the decision to blame" if found.is_one_decision else "from here on in a circle"


def _panels(summary: CostSummary) -> Iterator[Panel]:
    if summary.outcomes:
        names = sorted({name for counts in summary.outcomes.values() for name in counts})
        rows: list[Sequence[str | int]] = [
            (spec, *(n.get(name, 0) for name in names)) for spec, n in summary.outcomes.items()
        ]
        text = "what each oracle said at the first visit to a test state"
        yield TablePanel("Oracles", ["oracle", *names], rows, text)
    if summary.endings:
        yield TablePanel("Runs of the policy", ["ended by", "runs"], [*summary.endings.items()])
    yield TablePanel("Walks", ["what", "how many"], _walk_rows(summary), _WALKS)


_WALKS = "where the test states come from"


def _walk_rows(summary: CostSummary) -> list[list[str | int]]:
    counts = summary.walked
    became: list[list[str | int]] = []
    if counts is not None:
        became = [
            ["states that walks offered", counts.offered],
            ["of these duplicates: in the pool, or offered twice", counts.duplicates],
            ["of these filtered: not new enough, or not wanted", counts.filtered],
            ["walks that could not go on: dead ends, or no step the bias allows", counts.stuck],
        ]
    return [
        ["walks", summary.walks],
        ["steps of walks", summary.steps],
        *became,
        ["test states", summary.pool],
        ["test states that were judged", summary.judged],
    ]
