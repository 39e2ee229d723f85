"""The tables of a safety campaign's export, with names instead of numbers."""

from __future__ import annotations

import json

from bugsieve.campaigns.store.causes import cause_table
from bugsieve.campaigns.store.progress import CampaignHeader
from bugsieve.campaigns.store.table_files import Table
from bugsieve.campaigns.store.unstable import unstable_tables
from bugsieve.rooms.jani.model.model import JaniModel
from bugsieve.rooms.safety.bugs.bug import plain_states
from bugsieve.rooms.safety.oracles.decide import Safety
from bugsieve.rooms.safety.store.records import SafetyRecords

SAFETY_NAMES = {Safety.SAFE: "safe", Safety.LOST: "unsafe", Safety.UNKNOWN: "unknown"}


def about_safety(header: CampaignHeader) -> dict[str, str]:
    """The subject of the tables."""
    return {"model": header.subject.name, "policy": header.policy}


def safety_tables(records: SafetyRecords) -> dict[str, Table]:
    """Walks, unsafe runs, their states, verdicts on these, single verdicts, bugs, changes."""
    header = records.header
    model = header.subject.load(source=str(records.directory))
    runs = records.runs()
    return {
        "walks": _walks(records),
        "runs": {
            "walk": runs.walks.tolist(),
            "same_as": runs.same_as.tolist(),
            "steps": runs.steps.tolist(),
        },
        "states": _states(records, model),
        "verdicts": _verdicts(records),
        "alone": _alone(records),
        "bugs": _bugs(records, model),
        "causes": cause_table(records),
        **unstable_tables(records),
    }


def _walks(records: SafetyRecords) -> Table:
    walks = records.walks()
    return {
        "number": walks.numbers.tolist(),
        "outcome": list(walks.outcomes),
        "steps": walks.steps.tolist(),
        "seconds": walks.seconds.tolist(),
    }


def _states(records: SafetyRecords, model: JaniModel) -> Table:
    """One row per state of each different run; the last state of a run has no action."""
    values: Table = {variable.name: [] for variable in model.variables}
    table: Table = {"walk": [], "position": [], "action": []}
    runs = records.runs()
    for walk in runs.walks[runs.walks == runs.same_as].tolist():
        run = records.run(walk)
        states = plain_states(model, run.states)
        table["walk"] += [walk] * len(states)
        table["position"] += range(len(states))
        table["action"] += [*(model.actions[action] for action in run.actions), None]
        for column, values_of in zip(values.values(), zip(*states, strict=True), strict=True):
            column += values_of
    return {**table, **{_free_name(name, table): column for name, column in values.items()}}


def _free_name(name: str, table: Table) -> str:
    """The name of a variable, marked if a column of ours has it."""
    return f"variable {name}" if name in table else name


def _verdicts(records: SafetyRecords) -> Table:
    """One row per oracle and state of each different run."""
    names = ("walk", "position", "oracle", "safety", "fault", "open")
    table: Table = {name: [] for name in names}
    for oracle in records.header.used_oracles:
        for walk, row in records.verdicts(oracle).items():
            positions = range(len(row.safety))
            table["walk"] += [walk] * len(positions)
            table["position"] += positions
            table["oracle"] += [oracle] * len(positions)
            table["safety"] += [SAFETY_NAMES[Safety(code)] for code in row.safety.tolist()]
            table["fault"] += [position in row.faults for position in positions]
            table["open"] += [position in row.open_faults for position in positions]
    return table


def _alone(records: SafetyRecords) -> Table:
    names = ("walk", "position", "oracle", "safety", "reached", "expanded", "seconds")
    table: Table = {name: [] for name in names}
    for oracle in records.header.used_oracles:
        for walk, row in records.alone(oracle):
            safety = SAFETY_NAMES[Safety(row.safety)]
            cells = (walk, row.position, oracle, safety, row.reached, row.expanded, row.seconds)
            for name, cell in zip(names, cells, strict=True):
                table[name].append(cell)
    return table


def _bugs(records: SafetyRecords, model: JaniModel) -> Table:
    names = (
        *("id", "kind", "oracle", "radius", "walk", "position", "state", "action"),
        *("alternative", "runs", "seconds", "cause"),
    )
    table: Table = {name: [] for name in names}
    runs = records.bug_runs()
    for row in records.each_bug():  # certificates are large, and only some of each is wanted
        bug, decisions = row.bug, (row.bug.action, row.safe_action)
        cells = (
            *(row.id, bug.kind, bug.oracle, bug.radius, row.walk, row.position),
            *(json.dumps(bug.state), *(model.actions[action] for action in decisions)),
            *(runs[row.id], row.seconds, row.cause.id),
        )
        for column, cell in zip(table.values(), cells, strict=True):
            column.append(cell)
    return table
