"""The tables of a campaign's store: those of every kind, and those of single kinds.

The table `meta` names the kind. Verdicts are keyed by visit and oracle, bugs by their names; the
case of a bug is the one it is about, which the visits that found and last changed it need not be.
Its gap, steps, cause and traits stand beside its certificate, so that lists need not open that.
A campaign that was proven to have no bugs has its certificate in `greens`.
`history` keeps the progress of every commit, which is what `salvage` goes back to.

A store may come from anybody. `validation` checks the rows of each table before they are used: the
type of a column, which its schema says; that whole numbers and seconds are not negative; and what
the conditions beside the schema say of values that are not NULL. A condition of "*.name" holds in
every table that has such a column. `salvage` keeps the visits before the first row that fails.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from bugsieve.pipeline.bugs.verdict import Outcome
from bugsieve.pipeline.judging.escalation import SEARCH
from bugsieve.pipeline.oracles.limits import MOST_LEVELS
from bugsieve.pipeline.pool.options import LOOSER
from bugsieve.policies.decisions import Ending

COST, SAFETY, TRAINING, RULES = "cost", "safety", "training", "rules"

CHECK = "determinism check"
"""The row of `meta` that says what came of asking the policy again."""

ANYTHING = "anything"
"""In the place of a condition: the column takes values of every type."""
SIGNED = frozenset({"alone.safety"})
"""The columns whose whole numbers may be negative."""


def texts_of(codes: Iterable[Enum]) -> str:
    """The values of an enumeration as SQL."""
    return ", ".join(f"'{code.value}'" for code in codes)


SHARED_TABLES = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE oracles (
    number INTEGER PRIMARY KEY, spec TEXT NOT NULL UNIQUE, objection TEXT, level INTEGER NOT NULL
);
CREATE TABLE progress (
    only INTEGER PRIMARY KEY CHECK (only = 0), walks INTEGER NOT NULL, steps INTEGER NOT NULL,
    rounds INTEGER NOT NULL, visits INTEGER NOT NULL, policy_calls INTEGER NOT NULL,
    asked_again INTEGER NOT NULL, seconds REAL NOT NULL, fuzz_seconds REAL NOT NULL,
    news_seconds REAL NOT NULL, news_round INTEGER NOT NULL, troubles TEXT NOT NULL,
    loosened INTEGER NOT NULL, loosened_walks INTEGER NOT NULL, finished TEXT
);
CREATE TABLE history (
    number INTEGER PRIMARY KEY, walks INTEGER NOT NULL, steps INTEGER NOT NULL,
    rounds INTEGER NOT NULL, visits INTEGER NOT NULL, policy_calls INTEGER NOT NULL,
    asked_again INTEGER NOT NULL, seconds REAL NOT NULL, fuzz_seconds REAL NOT NULL,
    news_seconds REAL NOT NULL, news_round INTEGER NOT NULL, troubles TEXT NOT NULL,
    loosened INTEGER NOT NULL, loosened_walks INTEGER NOT NULL, finished TEXT
);
CREATE TABLE timeline (
    seconds REAL NOT NULL, event TEXT NOT NULL, walks INTEGER NOT NULL, cases INTEGER NOT NULL,
    judged INTEGER NOT NULL, bugs INTEGER NOT NULL, detail TEXT NOT NULL
);
CREATE TABLE visits (
    number INTEGER PRIMARY KEY, case_number INTEGER NOT NULL, effort INTEGER NOT NULL
);
CREATE TABLE bugs (
    id TEXT NOT NULL UNIQUE, case_number INTEGER NOT NULL, kind TEXT NOT NULL,
    gap REAL NOT NULL, steps INTEGER NOT NULL, oracle INTEGER NOT NULL, finders TEXT NOT NULL,
    found INTEGER NOT NULL, changed INTEGER NOT NULL, seconds REAL NOT NULL, bug BLOB NOT NULL,
    cause TEXT NOT NULL, traits TEXT NOT NULL
);
CREATE TABLE greens (
    only INTEGER PRIMARY KEY CHECK (only = 0), content BLOB NOT NULL, seal TEXT
);
CREATE TABLE notes (
    bug TEXT, name TEXT, changed INTEGER NOT NULL, data TEXT NOT NULL, PRIMARY KEY (bug, name)
) WITHOUT ROWID;
CREATE TABLE bounds (
    visit INTEGER, case_number INTEGER, oracle INTEGER, gap REAL NOT NULL, reason TEXT NOT NULL,
    PRIMARY KEY (visit, case_number, oracle)
) WITHOUT ROWID;
CREATE TABLE sightings (
    visit INTEGER, position INTEGER, bug TEXT NOT NULL, PRIMARY KEY (visit, position, bug)
) WITHOUT ROWID;
CREATE TABLE unproven (
    visit INTEGER, place INTEGER, case_number INTEGER NOT NULL, position INTEGER NOT NULL,
    oracle INTEGER NOT NULL, kind TEXT NOT NULL, reason TEXT NOT NULL,
    PRIMARY KEY (visit, place)
) WITHOUT ROWID;
CREATE TABLE rejected (
    visit INTEGER, place INTEGER, case_number INTEGER NOT NULL, position INTEGER NOT NULL,
    oracle INTEGER NOT NULL, reason TEXT NOT NULL, certificate TEXT, PRIMARY KEY (visit, place)
) WITHOUT ROWID;
CREATE TABLE unstable (
    visit INTEGER, place INTEGER, case_number INTEGER NOT NULL, position INTEGER NOT NULL,
    state TEXT NOT NULL, first TEXT NOT NULL, second TEXT NOT NULL, claim TEXT NOT NULL,
    cause TEXT NOT NULL, PRIMARY KEY (visit, place)
) WITHOUT ROWID;
CREATE TABLE lessons (
    visit INTEGER, oracle INTEGER, content BLOB NOT NULL, of_task BLOB NOT NULL,
    PRIMARY KEY (visit, oracle)
) WITHOUT ROWID;
"""

NOW = "FROM progress"
VISITED = f"number <= (SELECT visits {NOW})"
_IS_CUT = f"number = (SELECT visits {NOW})"  # by a limit on bugs: it does not count


def json_condition(column: str, kind: str, wrong: str) -> str:
    """That a text is JSON of this kind, and no item in it is wrong, which is SQL on `item`."""
    items = f"SELECT 1 FROM json_each({column}) AS item WHERE {wrong}"
    is_right = f"json_type({column}) = '{kind}' AND NOT EXISTS ({items})"
    return f"CASE WHEN json_valid({column}) THEN {is_right} END"


_TROUBLE = (
    "item.type <> 'object' OR IFNULL(json_type(item.value, '$.answers'), '') <> 'integer'"
    " OR IFNULL(json_type(item.value, '$.first'), '') <> 'text'"
)

SHARED_CONDITIONS = {
    "*.troubles": json_condition("troubles", "object", _TROUBLE),
    "*.loosened": f"loosened < {len(LOOSER)}",
    "*.loosened_walks": "loosened_walks <= walks",
    "bugs.finders": json_condition("finders", "array", "item.type <> 'integer'"),
    "bugs.cause": "CASE WHEN json_valid(cause) THEN json_array_length(cause) = 3 END",
    "bugs.traits": json_condition("traits", "array", "item.type <> 'text'"),
    "rejected.certificate": "json_valid(certificate)",
    "meta.value": ANYTHING,
    "oracles.number": "number < (SELECT COUNT(*) FROM oracles)",
    "progress.visits": "visits <= (SELECT IFNULL(MAX(number), -1) + 1 FROM visits)",
    "visits.number": VISITED,
    "bugs.case_number": "case_number IN (SELECT case_number FROM visits)",
    "bugs.found": "found IN (SELECT number FROM visits)",
    "bugs.changed": "changed >= found",
    "bounds.gap": "gap >= 0",
    "sightings.bug": "bug IN (SELECT id FROM bugs)",
    "*.oracle": "oracle IN (SELECT number FROM oracles WHERE objection IS NULL)",
    "*.visit": "visit IN (SELECT number FROM visits)",
}

AGES = {"visits": "number", "bugs": "found"}
"""The columns that say at which visit a row came; in tables that are not listed, `visit`."""

COST_TABLES = """
CREATE TABLE pool (
    number INTEGER PRIMARY KEY, state BLOB NOT NULL, parent INTEGER, actions BLOB NOT NULL,
    walk INTEGER, seconds REAL NOT NULL
);
CREATE TABLE runs (
    number INTEGER PRIMARY KEY, ending INTEGER NOT NULL, steps INTEGER NOT NULL,
    cost INTEGER NOT NULL, value REAL, detail TEXT NOT NULL, whole TEXT, trace BLOB,
    action INTEGER
);
CREATE TABLE traces (digest BLOB PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE verdicts (
    visit INTEGER, oracle INTEGER, outcome TEXT NOT NULL, reason TEXT NOT NULL,
    gap REAL NOT NULL, value REAL, exact INTEGER NOT NULL, plan BLOB, expanded INTEGER NOT NULL,
    seconds REAL NOT NULL, PRIMARY KEY (visit, oracle)
) WITHOUT ROWID;
"""

_EFFORT = "(SELECT effort FROM visits WHERE number = visit)"
_LEVEL, _SPEC = (f"(SELECT {c} FROM oracles WHERE number = oracle)" for c in ("level", "spec"))
_ORACLES_USED = "(SELECT COUNT(*) FROM oracles WHERE objection IS NULL AND level = 0)"
_ALL_SAID = (
    "((SELECT COUNT(*) FROM verdicts WHERE visit = visits.number)"
    f" = CASE effort WHEN 0 THEN {_ORACLES_USED} ELSE 1 END"
    " OR effort = 0 AND visits.number IN (SELECT visit FROM sightings))"
)
_MOST_VALUE = 2**62
_ESCALATES = f"EXISTS (SELECT 1 FROM oracles WHERE spec = '{SEARCH}')"

COST_CONDITIONS = {
    "*.case_number": "case_number IN (SELECT number FROM pool)",
    "oracles.level": f"level = 0 OR level = 1 AND spec = '{SEARCH}'",
    "*.value": f"ABS(value) <= {_MOST_VALUE} OR ABS(value) = 9e999",
    "pool.number": "number < (SELECT COUNT(*) FROM pool)",
    "pool.state": "length(state) = (SELECT length(state) FROM pool WHERE number = 0)"
    " AND length(state) % 2 = 0",
    "pool.parent": "parent < number",
    "pool.walk": f"walk < (SELECT walks {NOW})",
    "pool.actions": "length(actions) % 4 = 0",
    "visits.number": f"{VISITED} AND ({_IS_CUT} OR {_ALL_SAID})",
    "visits.case_number": "case_number IN (SELECT number FROM runs)",
    "visits.effort": f"effort = 0 OR effort <= {MOST_LEVELS} AND {_ESCALATES}",
    "runs.number": "number IN (SELECT number FROM pool)",
    "runs.ending": f"ending BETWEEN {int(min(Ending))} AND {int(max(Ending))}",
    "verdicts.oracle": f"CASE {_EFFORT} WHEN 0 THEN {_LEVEL} = 0 ELSE {_SPEC} = '{SEARCH}' END",
    "verdicts.outcome": f"outcome IN ({texts_of(Outcome)})",
    "verdicts.gap": "gap >= 0",
    "verdicts.exact": "exact IN (0, 1)",
    "verdicts.plan": "length(plan) % 4 = 0",
}

COST_CASES = {"pool": "number", "runs": "number"}
"""Tables whose rows belong to a case, not to a visit, and the column with its number."""
COST_WHOLE = f"""
{_ALL_SAID}
AND (NOT EXISTS (SELECT 1 FROM verdicts WHERE visit = visits.number AND outcome = 'bug')
     OR case_number IN (SELECT case_number FROM bugs)
     OR number IN (SELECT visit FROM rejected UNION SELECT visit FROM unstable
                   UNION SELECT visit FROM sightings))
"""
"""Of a visit with all its verdicts, each of whose claims has become something; a state from which
the policy runs into a known bug, which is sighted there, needs none."""
