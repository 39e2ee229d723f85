"""The tables of a safety campaign's store, beside those of every kind."""

from __future__ import annotations

from bugsieve.campaigns.store.tables import NOW, VISITED, json_condition, texts_of
from bugsieve.rooms.safety.walks.walk_outcomes import WalkOutcome

SAFETY_TABLES = """
CREATE TABLE walks (
    number INTEGER PRIMARY KEY, outcome TEXT NOT NULL, steps INTEGER NOT NULL,
    seconds REAL NOT NULL
);
CREATE TABLE runs (
    walk INTEGER PRIMARY KEY, digest BLOB NOT NULL, same_as INTEGER, steps INTEGER NOT NULL,
    states BLOB, actions BLOB, proof_seconds REAL NOT NULL
);
CREATE TABLE verdicts (
    visit INTEGER, oracle INTEGER, safety BLOB NOT NULL, faults TEXT NOT NULL,
    open_faults TEXT NOT NULL, reached TEXT, expanded INTEGER NOT NULL, seconds REAL NOT NULL,
    PRIMARY KEY (visit, oracle)
) WITHOUT ROWID;
CREATE TABLE alone (
    walk INTEGER, position INTEGER, oracle INTEGER, safety INTEGER NOT NULL, reached TEXT,
    expanded INTEGER NOT NULL, seconds REAL NOT NULL, PRIMARY KEY (walk, position, oracle)
) WITHOUT ROWID;
CREATE TABLE proofs (
    first INTEGER PRIMARY KEY, visit INTEGER NOT NULL, count INTEGER NOT NULL, rows BLOB NOT NULL
);
"""

_FIRST_RUNS = "IN (SELECT walk FROM runs WHERE same_as IS NULL)"
_STEPS = "(SELECT steps FROM runs JOIN visits ON case_number = walk WHERE visits.number = visit)"

_NO_POSITION = "item.type <> 'integer' OR item.value NOT BETWEEN 0 AND length(safety) - 1"
_ALL_JUDGED = (
    "(SELECT COUNT(*) FROM verdicts WHERE visit = visits.number) = (SELECT COUNT(*) FROM oracles)"
)

SAFETY_CONDITIONS = {
    "*.case_number": f"case_number {_FIRST_RUNS}",
    "oracles.objection": "0",  # those of safety testing judge every model
    "oracles.level": "level = 0",
    "progress.walks": "walks = (SELECT COUNT(*) FROM walks)",
    "walks.number": f"number < MIN((SELECT COUNT(*) FROM walks), (SELECT walks {NOW}))",
    "walks.outcome": f"outcome IN ({texts_of(WalkOutcome)})",
    "visits.number": f"{VISITED} AND {_ALL_JUDGED}",
    "visits.effort": "effort = 0",
    "bugs.id": "id IN (SELECT bug FROM sightings)",
    "sightings.position": f"position < {_STEPS}",
    "runs.walk": "walk IN (SELECT number FROM walks)",
    "runs.same_as": f"same_as < walk AND same_as {_FIRST_RUNS}",
    "runs.steps": "(same_as IS NULL) = (states IS NOT NULL AND actions IS NOT NULL)",
    "runs.states": "length(states) > 0 AND length(states) % (8 * (steps + 1)) = 0",
    "runs.actions": "length(actions) = 4 * steps",
    "verdicts.faults": json_condition("faults", "array", _NO_POSITION),
    "verdicts.open_faults": json_condition("open_faults", "array", _NO_POSITION),
    "verdicts.safety": f"length(safety) = 1 + {_STEPS}",
    "proofs.count": "count > 0",
    "alone.walk": f"walk {_FIRST_RUNS}",
    "alone.position": "position < (SELECT steps FROM runs WHERE runs.walk = alone.walk)",
    "alone.safety": "safety BETWEEN -1 AND 1",
}

SAFETY_CASES = {"walks": "number", "runs": "walk", "alone": "walk"}
SAFETY_WHOLE = f"""
{_ALL_JUDGED} AND (
NOT EXISTS (SELECT 1 FROM verdicts WHERE visit = visits.number AND oracle = 0 AND faults <> '[]')
OR number IN (SELECT visit FROM sightings UNION SELECT visit FROM unproven
              UNION SELECT visit FROM rejected UNION SELECT visit FROM unstable))
"""
