"""Panels of reports on tests of rules: traces that violate them, with the truth of atoms."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from bugsieve.campaigns.exhibits import Exhibit, Panel, TablePanel, Track
from bugsieve.campaigns.store.schema import understood
from bugsieve.pipeline.objectives.objective import path_states
from bugsieve.rooms.rules.campaign.rule_subject import Bound, BoundTask
from bugsieve.rooms.rules.campaign.subject import stored_tasks
from bugsieve.rooms.rules.campaign.summary import RulesSummary
from bugsieve.rooms.rules.campaign.trace_states import ToldState, told_states
from bugsieve.rooms.rules.obligations.judge import Check
from bugsieve.rooms.rules.store.records import RulesRecords

COMMANDS = {
    "explain": "the trace state by state, with all parts of the rule that are true",
    "replay": "check again that it violates the rule; --domain FILE: in another domain",
}


class RulesExhibits:
    """The violations as traces, and the rules as a table."""

    def __init__(self, records: RulesRecords) -> None:
        self.records = records
        self._checks: dict[int, Check] = {}

    @cached_property
    def _tasks(self) -> list[Bound]:
        return stored_tasks(self.records)

    @cached_property
    def _task_numbers(self) -> dict[int, int]:
        return {row.number: row.task for row in self.records.obligations()}

    def exhibit(self, bug: str) -> Exhibit:
        """The trace that violates a rule."""
        (row,) = self.records.named([bug])
        number = self._task_numbers[row.case]
        certificate, bound = row.bug.certificate, self._tasks[number]
        with understood(self.records.directory):  # a trace that cannot be followed is not shown
            if number not in self._checks:
                self._checks[number] = bound.check()
            self._checks[number](certificate)
        told = told_states(bound, certificate)
        because = [f"caused by {row.bug.literal}"] if row.bug.literal else []
        return Exhibit(
            (
                f"the rule: {certificate['rule']}",
                *because,
                f"the task: {os.path.basename(bound.file)}",
                "proven by the trace, which was checked for this page",
            ),
            (_track(bound, certificate, told),),
            COMMANDS,
        )

    def panels(self, summary: RulesSummary) -> Sequence[Panel]:
        """The findings about each rule."""
        rows = [
            [rule.rule, rule.verdict, f"{rule.met} of {rule.feasible}", rule.detail]
            for rule in summary.rules
        ]
        columns = ["rule", "verdict", "obligations met", "how"]
        return (TablePanel("Rules", columns, rows),)


def _track(bound: Bound, certificate: Any, told: Sequence[ToldState]) -> Track:
    notes = [_note(state) for state in told]
    if not isinstance(bound, BoundTask):  # on timelines: times instead of states
        titles = [state.title or "nothing begins" for state in told]
        return Track("the plan", titles[1:], notes=notes, ending="the horizon ends")
    trace, task = certificate["trace"], bound.task
    states = path_states(task, task.initial_state, tuple(trace["operators"]))
    loop = trace["loop_start"] if certificate["lasso"] else None
    if loop is not None:
        return Track("the trace", trace["actions"], task, states, notes, "loop", loop_start=loop)
    last, mark = len(states) - 1, "the rule is violated"
    return Track("the trace", trace["actions"], task, states, notes, mark, last, mark)


def _note(state: ToldState) -> str:
    """The truth of each atom, and what follows from it."""
    atoms = ", ".join(map(_truth, state.atoms))
    return f"{atoms}; true: {'; '.join(state.true)}" if state.true else atoms


def _truth(atom: str) -> str:
    return f"{atom[1:]} false" if atom.startswith("!") else f"{atom} true"
