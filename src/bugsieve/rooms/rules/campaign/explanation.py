"""The text that `bugsieve rules --show` and `explain` print about tests of rules."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bugsieve.base.commands import command_line
from bugsieve.base.errors import UsageError
from bugsieve.base.wording import counted
from bugsieve.campaigns.accounts import Account
from bugsieve.campaigns.named_bugs import find_bug
from bugsieve.campaigns.store.schema import understood
from bugsieve.pictures.strips import SvgFile
from bugsieve.rooms.rules.campaign.equipment import RulesEquipment
from bugsieve.rooms.rules.campaign.options import options_in
from bugsieve.rooms.rules.campaign.rule_subject import Bound
from bugsieve.rooms.rules.campaign.subject import stored_tasks
from bugsieve.rooms.rules.campaign.tables import rules_tables
from bugsieve.rooms.rules.campaign.trace_states import told_states
from bugsieve.rooms.rules.ltl.printer import to_text
from bugsieve.rooms.rules.obligations.answers import Answer
from bugsieve.rooms.rules.store.bug import steps_of
from bugsieve.rooms.rules.store.records import RulesRecords
from bugsieve.rooms.rules.store.rows import ObligationRow

_VIEWS = {
    "strong": "necessarily, whatever comes after",
    "neutral": "at the end of this trace",
    "weak": "possibly: nothing speaks against it",
}
_READINGS = {"prefix": "", "plan": " by a plan", "lasso": " for ever"}
_PROOFS = {
    "facts": "a set of facts that no operator leaves has none",
    "pairs": "a set of pairs of facts that no operator leaves has none",
    "states": "all states that matter are listed, and none is one",
    "rerun": "by exhaustive search, which the checker has repeated",
}
_RESTS = {
    "rerun": "the checker has followed it",
    "letters": "the checker has excluded the rest, by what the relaxed task can still change",
}
_BY_SLOTS = "CP-SAT has excluded all plans of this size; to check it, ask again: bugsieve replay"


def list_text(folder: Path) -> str:
    """A line for each obligation of each task."""
    with RulesRecords(folder) as records:
        answers = {row.number: row.answer for row in records.answers()}
        tasks = {row.number: row.file for row in records.tasks()}
        lines: list[str] = []
        before = None
        for row in records.obligations():
            if row.task != before:
                lines += ([""] if lines else []) + [tasks[row.task]]
            before = row.task
            lines.append(f"{row.number:>5}  {_line(row, answers.get(row.number))}")
        warnings = [f"warning: {warning}" for warning in records.header.subject.warnings]
    lines += ["", *warnings] if warnings else []
    return "\n".join(
        [*lines, "", f"step by step: {command_line('rules', '--show', folder, 'NUMBER')}"]
    )


def list_json(folder: Path) -> str:
    """The same for programs."""
    with RulesRecords(folder) as records:
        table = rules_tables(records)["obligations"]
    rows = zip(*table.values(), strict=True)
    return json.dumps([dict(zip(table, row, strict=True)) for row in rows], indent=2)


def _line(row: ObligationRow, answer: Answer | None) -> str:
    about = f"{row.obligation.rule}: " if row.obligation.rule else ""
    return f"{about}{row.obligation.title}: {_said(answer)}"


def _said(answer: Answer | None) -> str:
    if answer is None:
        return "not judged yet"
    trace = answer.trace
    steps = "" if trace is None else f", {counted(steps_of(trace), 'step')}"
    view = f" ({answer.view})" if answer.verdict == "covered" and answer.view else ""
    reason = f": {answer.reason}" if answer.reason else ""
    return f"{answer.verdict}{view}{steps}{reason}"


@dataclass(frozen=True)
class RulesWitness:
    """A test with what was found, and what its rule was tested on."""

    folder: Path
    row: ObligationRow
    answer: Answer | None
    bound: Bound

    def account(self, expansions: int) -> Account:
        """The explanation in all forms; nothing has to be searched for."""
        return Account(self.text, self.json, self.drawing)

    def text(self) -> str:
        """The subject, the finding, and the trace state by state."""
        row, answer, bound = self.row, self.answer, self.bound
        lines = [_line(row, answer), f"rule: {to_text(row.obligation.formula)}"]
        constants = bound.constants(row.obligation.rule)
        if constants:
            told = (f"{name} {str(value).lower()}" for name, value in constants.items())
            lines.append(f"never changes: {', '.join(told)}")
        lines.append(f"task: {bound.file}")
        if answer is None:
            return "\n".join(lines)
        trace = answer.trace
        if trace is None:
            return "\n".join([*lines, *_proof_lines(answer)])
        if answer.view is not None:
            lines.append(f"shown {_VIEWS[answer.view]}{_READINGS[answer.reading]}")
        if "rest" in trace:
            rest = _RESTS[trace["rest"]["by"]]
            lines.append(f"all that can come after it breaks the rule: {rest}")
        return "\n".join([*lines, f"wanted: {trace['formula']}", "", *trace_lines(bound, trace)])

    def json(self) -> str:
        """The same for programs."""
        item, answer = self.row.obligation, self.answer
        report: dict[str, Any] = {"number": self.row.number, "rule": item.rule, "aim": item.aim}
        report |= {"literal": item.literal, "formula": to_text(item.formula)}
        report |= {"never_changes": dict(self.bound.constants(item.rule))}
        if answer is not None:
            report |= {"verdict": answer.verdict, "view": answer.view, "reading": answer.reading}
            report |= {"reason": answer.reason, "certificates": list(answer.certificates)}
        return json.dumps(report, indent=2)

    def drawing(self, picture: str | None) -> SvgFile:
        """The trace; UsageError if there is none."""
        trace = None if self.answer is None else self.answer.trace
        if trace is None:
            raise UsageError(
                f"{self.folder}: test {self.row.number} has no trace to draw: {_said(self.answer)}"
            )
        return self.bound.drawing(trace, title=_line(self.row, self.answer), picture=picture)


def witness_of(folder: Path, name: str) -> RulesWitness:
    """The witness in the store for the bug of this id, or for the only one that begins so."""
    with RulesRecords(folder) as records:
        return test_witness(records, find_bug(records, name).case)


def test_witness(records: RulesRecords, number: int) -> RulesWitness:
    """The witness in the records for a test; UsageError if there is no such number."""
    folder, rows = records.directory, records.obligations()
    if number >= len(rows):
        raise UsageError(f"{folder}: has tests 0 to {len(rows) - 1}, not {number}")
    answer, tasks = _answer(records, number), stored_tasks(records)
    if answer is not None:
        equipment = RulesEquipment(tasks, options_in(records))
        with understood(folder):  # a trace that cannot be followed cannot be shown
            equipment.recall(rows[number], answer)
    return RulesWitness(folder, rows[number], answer, tasks[rows[number].task])


def _answer(records: RulesRecords, number: int) -> Answer | None:
    return next((row.answer for row in records.answers() if row.number == number), None)


def _proof_lines(answer: Answer) -> Iterator[str]:
    for certificate in answer.certificates:
        yield f"no trace satisfies {certificate['formula']}:"
        if certificate["proof"]["by"] == "slots":
            yield f"  {_BY_SLOTS}"
            continue
        yield f"  {_PROOFS[certificate['proof']['by']]}"
        yield "  (checked on the grounded task; its translation from PDDL is trusted)"


def trace_lines(bound: Bound, certificate: Mapping[str, Any]) -> list[str]:
    """The actions of a trace, and under each the atoms and subformulas that are true after it."""
    lines: list[str] = []
    before: list[str] = []
    for place, state in enumerate(told_states(bound, certificate)):
        told = [f"      {'  '.join(state.atoms)}"]
        told += [f"      true: {'; '.join(state.true)}"] if state.true else []
        if state.title or told != before:
            lines += [f"{place:>4}. {state.title}".rstrip(), *told]
        before = told
    if certificate["lasso"]:
        start = certificate["trace"]["loop_start"]
        lines.append(f"      and from state {start} on again, for ever")
    return lines
