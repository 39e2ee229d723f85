"""What reports show of cost testing: the policy's run beside a better one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from bugsieve.base.current_activity import doing
from bugsieve.base.errors import BugsieveError, UnsupportedError
from bugsieve.base.wording import counted
from bugsieve.campaigns.cost.bench import judged_bench
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.cost.stored_examples import stored_example
from bugsieve.campaigns.cost.summary import CostSummary
from bugsieve.campaigns.exhibits import Exhibit, Panel, TablePanel, Track
from bugsieve.campaigns.store.checked_certificates import proof_of
from bugsieve.campaigns.store.folder import EXAMPLES_FOLDER
from bugsieve.checkers.cost import CertificateError, Checker
from bugsieve.explanation.blame.blame import Blame, blame
from bugsieve.explanation.blame.explanation import blame_lines, goal_line
from bugsieve.explanation.blame.stored_blame import NAME, digest_of, kept_blame
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.bug import Bug
from bugsieve.pipeline.bugs.certificate import with_plan
from bugsieve.pipeline.bugs.checking import checker_of
from bugsieve.pipeline.judging.findings import CostBugRow
from bugsieve.pipeline.objectives.objective import path_states
from bugsieve.policies.decisions import Ending

COMMANDS = {
    "explain": "both runs side by side, and the decision to blame",
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
        return checker_of(self.records.header.subject.sas)

    def exhibit(self, bug: str) -> Exhibit:
        """Both runs with the decision to blame, and where a smaller example of the bug is."""
        (row,) = self.records.named([bug])
        with proof_of(row.id, self.records.directory, CertificateError):
            self._checker.check_bug(row.bug.to_json())
        found = self._blame(row)
        shown = _Shown(self._bench, self._improved(row.bug, found), found)
        sentences = (*shown.sentences(), *self._smaller(row.bug), *shown.proof())
        trace = self.records.trace(row.case)
        return Exhibit(sentences, shown.tracks(), COMMANDS, trace, shown.bug.in_words)

    def _improved(self, bug: Bug, found: Blame | None) -> Bug:
        """The bug, proven by the plan that the search for the culprit knows if that is cheaper."""
        objective, cost = self._bench.objective, bug.certificate["plan"]["cost"]
        if found is None or not objective.costs_count or found.plan_cost >= cost:
            return bug
        certificate = with_plan(bug.certificate, objective, found.better_run)
        with proof_of(bug.id, self.records.directory, CertificateError):
            self._checker.check(certificate)
        return replace(bug, certificate=certificate)

    def _smaller(self, bug: Bug) -> Iterator[str]:
        """Name the smallest example of a bug, if there is one that holds."""
        small = stored_example(self.records.directory, self.records.header, bug)
        if small is not None:
            objects = counted(len(small.bench.task.objects), "object")
            yield f"its smallest example has {objects}: {EXAMPLES_FOLDER}/{bug.id}"

    def panels(self, summary: CostSummary) -> Sequence[Panel]:
        """Oracles, runs and walks."""
        return tuple(_panels(summary))

    def _blame(self, row: CostBugRow) -> Blame | None:
        """What an earlier call of `explain` has kept, if it holds; else what one would find.

        None where no search can tell.
        """
        certificate = row.bug.certificate
        with suppress(BugsieveError):
            note = self.records.notes(row.id).get(NAME)
            kept = kept_blame(note, self._bench, certificate)
            if kept is not None:
                return kept
        with (
            suppress(UnsupportedError),
            doing(f"looking for the decision to blame for {row.id}"),
        ):
            return _searched(self._bench, certificate)
        return None


_KEPT = 1000
_searches: dict[str, Blame] = {}
"""Blames by the digests of their certificates: a page may be written again and again."""


def _searched(bench: Bench, certificate: Mapping[str, Any]) -> Blame:
    digest = digest_of(certificate)
    if digest not in _searches:
        if len(_searches) >= _KEPT:
            _searches.clear()
        _searches[digest] = blame(bench, certificate)
    return _searches[digest]


@dataclass(frozen=True, eq=False)
class _Shown:
    """A bug that is shown, with the decision to blame where it is known."""

    bench: Bench
    bug: Bug
    found: Blame | None

    def tracks(self) -> tuple[Track, Track]:
        """The policy's run and a better one, both with the decision marked."""
        run, found, better = self.bug.certificate["run"], self.found, self._better_run
        ours, loop = tuple(run["operators"]), run["loop_start"]
        there = place = _parting(ours, better)
        mark = instead = f"step {place + 1}: here the runs part"
        if found is not None:
            place, mark = found.index, _mark(found)
            if self._has_way_from_there:
                there, instead = place, f"step {place + 1} instead"
        # The culprit may be met in the second round of a loop, which is shown once.
        shown = place if loop is None else _in_loop(place, loop, len(ours))
        if shown != place:
            mark = f"{mark}, in the same state as step {shown + 1}"
        ends = {"ending": run["ending"] + self._at_cost("run"), "loop_start": loop}
        goal = "goal" + self._at_cost("plan")
        return (
            self._track("the policy", ours, marked=min(shown, len(ours)), mark=mark, **ends),
            self._track("a better run", better, marked=there, mark=instead, ending=goal),
        )

    @property
    def _has_way_from_there(self) -> bool:
        """Return true if the way from the decision on costs what the bug says.

        It is dearer if the policy went wrong before: then the page shows the plan that proves the
        bug, so that its costs are the same everywhere.
        """
        cost = self.bug.certificate["plan"]["cost"]
        return self.found is not None and self.found.plan_cost == cost

    @property
    def _better_run(self) -> tuple[int, ...]:
        if self.found is not None and self._has_way_from_there:
            return self.found.better_run
        return tuple(self.bug.certificate["plan"]["operators"])

    def _at_cost(self, run: str) -> str:
        """The cost of a run that reaches the goal, where costs count."""
        certificate = self.bug.certificate
        reaches = run == "plan" or certificate["run"]["ending"] == Ending.SOLVED.label
        counts = self.bench.objective.costs_count and reaches
        return f" at cost {certificate[run]['cost']}" if counts else ""

    def _track(self, title: str, operators: tuple[int, ...], **more: Any) -> Track:
        task = self.bench.task
        start = np.array(self.bug.certificate["state"], dtype=np.uint16)
        names = [task.operator_names[operator] for operator in operators]
        return Track(title, names, task, path_states(task, start, operators), **more)

    def sentences(self) -> Iterator[str]:
        """What is wrong, who is to blame, and what is open."""
        bug, found = self.bug, self.found
        yield f"the policy: {bug.in_words}"
        yield from self.bench.objective.explained(bug.certificate)
        if found is None:
            yield "no decision to blame is known: marked is where the two runs part"
        else:
            yield from blame_lines(found)
            if not self._has_way_from_there:
                step, name = found.index + 1, self.bench.task.operator_names[found.better]
                yield f"better in step {step} is {name}: explain shows the way from there"
        yield goal_line(self.bench.task, bug)

    def proof(self) -> Iterator[str]:
        """What proves the bug."""
        exact = "; no run is better still" if self.bug.is_optimal else ""
        yield f"proven by the policy's run and a better one, checked for this page{exact}"


def _parting(run: tuple[int, ...], better: tuple[int, ...]) -> int:
    """The first step in which two runs differ."""
    pairs = enumerate(zip(run, better, strict=False))
    ends = min(len(run), len(better))
    return next((step for step, (one, other) in pairs if one != other), ends)


def _in_loop(place: int, start: int, end: int) -> int:
    """The same step in the first round of a loop."""
    return place if place < end else start + (place - start) % (end - start)


def _mark(found: Blame) -> str:
    step = f"step {found.index + 1}"
    return f"{step} is to blame" if found.is_one_decision else f"from {step} on in a circle"


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
