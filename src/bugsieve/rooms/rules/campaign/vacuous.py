"""The vacuous conditions of each rule over all tasks of a campaign, read from the store."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from bugsieve.rooms.rules.file.rules import RuleDeclaration
from bugsieve.rooms.rules.ltl.formula import Formula, atoms_of, negation
from bugsieve.rooms.rules.obligations.answers import Verdict
from bugsieve.rooms.rules.obligations.obligation import FORBIDDEN
from bugsieve.rooms.rules.obligations.vacuity import RuleCondition, conditions_of, vacuous_names
from bugsieve.rooms.rules.store.records import RulesRecords
from bugsieve.rooms.rules.store.rows import ObligationRow

_Told = tuple[Sequence[RuleCondition], list[bool]]


def vacuous_conditions(
    records: RulesRecords, declared: Mapping[int, Mapping[str, RuleDeclaration]]
) -> dict[str, tuple[str, ...]]:
    """The conditions of each rule instance that are vacuous in all tasks that have it."""
    verdicts = {row.number: row.answer.verdict for row in records.answers()}
    found: dict[str, tuple[str, ...]] = {}
    for rule, by_task in _by_rule(records.obligations()).items():
        told = [_told(declared[task], rows, verdicts) for task, rows in by_task.items()]
        names = _in_all(told)
        if names:
            found[rule] = tuple(names)
    return found


def _by_rule(rows: Iterable[ObligationRow]) -> dict[str, dict[int, list[ObligationRow]]]:
    found: dict[str, dict[int, list[ObligationRow]]] = {}
    for row in rows:
        if row.obligation.rule:
            found.setdefault(row.obligation.rule, {}).setdefault(row.task, []).append(row)
    return found


def _told(
    declared: Mapping[str, RuleDeclaration],
    rows: Sequence[ObligationRow],
    verdicts: Mapping[int, Verdict],
) -> _Told | None:
    """The conditions of a rule in one task, and which are vacuous; None if none can be."""
    literals = [row for row in rows if row.obligation.aim == "satisfied by"]
    found = {row.obligation.occurrence: verdicts.get(row.number) for row in literals}
    whole, family = rows[0].obligation.formula, rows[0].obligation.family
    judged = literals[0].obligation.formula if literals else None
    is_whole = judged is not None and atoms_of(judged) == atoms_of(whole)
    if rows[0].number not in verdicts or (is_whole and "vacuous" not in found.values()):
        return None
    conditions = conditions_of(_required(declared[family]), whole, judged)
    return conditions, [one.is_vacuous(found.get) for one in conditions]


def _required(rule: RuleDeclaration) -> Formula:
    return negation(rule.formula) if rule.kind == FORBIDDEN else rule.formula


def _in_all(told: Sequence[_Told | None]) -> list[str]:
    """The conditions that are vacuous in each of the tasks; they have the same ones."""
    known = [one for one in told if one is not None]
    if len(known) < len(told) or len({len(conditions) for conditions, _ in known}) > 1:
        return []
    flags = [all(column) for column in zip(*(flags for _, flags in known), strict=True)]
    return vacuous_names(known[0][0], flags)
