"""The tables that only tests of rules have, and what must hold of their rows."""

from __future__ import annotations

from typing import get_args

from bugsieve.campaigns.store.tables import json_condition
from bugsieve.rooms.rules.ltl.views import View
from bugsieve.rooms.rules.obligations.answers import VERDICTS_ON, Reading
from bugsieve.rooms.rules.obligations.obligation import Aim
from bugsieve.rooms.rules.store.bug import ENGINE, VIOLATED

RULES_TABLES = """
CREATE TABLE tasks (
    number INTEGER PRIMARY KEY, file TEXT NOT NULL, name TEXT NOT NULL, sas TEXT NOT NULL,
    sha256 TEXT NOT NULL, objects TEXT NOT NULL, static_facts TEXT NOT NULL,
    problem BLOB NOT NULL
);
CREATE TABLE obligations (
    number INTEGER PRIMARY KEY, task INTEGER NOT NULL, aim TEXT NOT NULL, rule TEXT NOT NULL,
    family TEXT NOT NULL, formula TEXT NOT NULL, literal TEXT NOT NULL,
    occurrence INTEGER NOT NULL
);
CREATE TABLE answers (
    number INTEGER PRIMARY KEY, verdict TEXT NOT NULL, reason TEXT NOT NULL, view TEXT,
    reading TEXT NOT NULL, certificates BLOB NOT NULL, expanded INTEGER NOT NULL,
    is_known INTEGER NOT NULL, seconds REAL NOT NULL
);
"""


def _texts(values: tuple[str, ...]) -> str:
    return ", ".join(f"'{value}'" for value in values)


_MOST = 10**15
_AIM = "(SELECT aim FROM obligations WHERE obligations.number = answers.number)"
_ON_AIM = " ".join(
    f"WHEN '{aim}' THEN verdict IN ({_texts(verdicts)})" for aim, verdicts in VERDICTS_ON.items()
)
_SHOWN = f"verdict IN ('covered', 'failed') AND {_AIM} <> 'together'"
_FAILED = "(SELECT number FROM answers WHERE verdict = 'failed')"

RULES_CONDITIONS = {
    "*.case_number": "case_number IN (SELECT number FROM obligations)",
    "*.policy_calls": "policy_calls = 0",
    "oracles.number": "number = 0",
    "oracles.spec": f"spec = '{ENGINE}'",
    "oracles.objection": "0",
    "oracles.level": "level = 0",
    "progress.visits": "visits = (SELECT COUNT(*) FROM answers)",
    "visits.number": "number = case_number AND number IN (SELECT number FROM answers)",
    "visits.effort": "effort = 0",
    "bugs.kind": f"kind = '{VIOLATED}'",
    "bugs.case_number": f"case_number IN {_FAILED}",
    "bugs.found": "found = case_number",
    "bugs.changed": "changed = found",
    "sightings.visit": f"visit IN {_FAILED}",
    "sightings.position": "position = 0",
    # Traces and proofs are checked before they are stored, and no policy is asked.
    **dict.fromkeys(("bounds.visit", "unproven.visit", "unstable.visit", "lessons.visit"), "0"),
    "tasks.number": "number < (SELECT COUNT(*) FROM tasks)",
    "tasks.objects": json_condition("objects", "array", "item.type <> 'array'"),
    "tasks.static_facts": json_condition("static_facts", "array", "item.type <> 'text'"),
    "obligations.number": "number < (SELECT COUNT(*) FROM obligations)",
    "obligations.task": "task IN (SELECT number FROM tasks)",
    "obligations.aim": f"aim IN ({_texts(get_args(Aim))})"
    " AND (rule = '') = (aim IN ('reached', 'together')) AND (rule = '') = (family = '')",
    "answers.number": "number < (SELECT COUNT(*) FROM answers)"
    " AND number IN (SELECT number FROM obligations)"
    " AND number IN (SELECT number FROM visits)",
    "answers.verdict": f"CASE {_AIM} {_ON_AIM} END AND (view IS NOT NULL) = ({_SHOWN})",
    "answers.reason": "reason <> '' OR verdict NOT IN ('inconclusive', 'undecidable', 'conflict')",
    "answers.view": f"view IN ({_texts(get_args(View))})",
    "answers.reading": f"reading IN ({_texts(get_args(Reading))})",
    "answers.expanded": f"expanded <= {_MOST}",
    "answers.is_known": "is_known IN (0, 1)",
}

RULES_CASES = {"answers": "number"}
"""Tables whose rows belong to an obligation that was visited, and the column with its number."""
RULES_WHOLE = """
number IN (SELECT number FROM answers)
AND (number NOT IN (SELECT number FROM answers WHERE verdict = 'failed')
     OR number IN (SELECT visit FROM sightings UNION SELECT visit FROM rejected))
"""
"""Of an obligation with its answer; a violation is a bug, which is sighted there."""
