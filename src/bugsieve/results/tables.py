"""The tables of a campaign's store, by the kind of the campaign.

The table `meta` names the kind; stores that name none are of cost testing.
"""

from __future__ import annotations

COST, SAFETY = "cost", "safety"

_SHARED = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE oracles (number INTEGER PRIMARY KEY, spec TEXT NOT NULL UNIQUE, objection TEXT);
"""

_COST = """
CREATE TABLE pool (
    number INTEGER PRIMARY KEY, state BLOB NOT NULL, parent INTEGER, actions BLOB NOT NULL,
    walk INTEGER, seconds REAL NOT NULL
);
CREATE TABLE runs (
    number INTEGER PRIMARY KEY, ending INTEGER NOT NULL, steps INTEGER NOT NULL,
    cost INTEGER NOT NULL, value REAL
);
CREATE TABLE verdicts (
    number INTEGER, oracle INTEGER, outcome TEXT NOT NULL, reason TEXT NOT NULL,
    gap REAL NOT NULL, value REAL, exact INTEGER NOT NULL, plan BLOB, seconds REAL NOT NULL,
    PRIMARY KEY (number, oracle)
) WITHOUT ROWID;
CREATE TABLE bugs (
    id TEXT NOT NULL UNIQUE, number INTEGER PRIMARY KEY, kind TEXT NOT NULL, gap REAL NOT NULL,
    oracle INTEGER NOT NULL, finders TEXT NOT NULL, bug TEXT NOT NULL, seconds REAL NOT NULL
);
CREATE TABLE rejected (
    number INTEGER, oracle INTEGER, reason TEXT NOT NULL, certificate TEXT,
    PRIMARY KEY (number, oracle)
) WITHOUT ROWID;
CREATE TABLE progress (
    only INTEGER PRIMARY KEY CHECK (only = 0), walks INTEGER NOT NULL, steps INTEGER NOT NULL,
    rounds INTEGER NOT NULL, judged INTEGER NOT NULL, policy_calls INTEGER NOT NULL,
    seconds REAL NOT NULL, news_seconds REAL NOT NULL, news_round INTEGER NOT NULL,
    finished TEXT
);
CREATE TABLE timeline (
    seconds REAL NOT NULL, event TEXT NOT NULL, walks INTEGER NOT NULL, pool INTEGER NOT NULL,
    judged INTEGER NOT NULL, bugs INTEGER NOT NULL, detail TEXT NOT NULL
);
"""

FAILURES = "CREATE TABLE IF NOT EXISTS failures (number INTEGER PRIMARY KEY, detail TEXT NOT NULL)"
"""Why the policy gave no usable action; stores of cost testing get it when they are written to."""

_SAFETY = """
CREATE TABLE walks (
    number INTEGER PRIMARY KEY, outcome TEXT NOT NULL, stopped INTEGER NOT NULL,
    steps INTEGER NOT NULL, seconds REAL NOT NULL
);
CREATE TABLE runs (
    walk INTEGER PRIMARY KEY, digest BLOB NOT NULL, same_as INTEGER, steps INTEGER NOT NULL,
    states BLOB, actions BLOB, proof_seconds REAL NOT NULL
);
CREATE TABLE verdicts (
    walk INTEGER, oracle INTEGER, safety BLOB NOT NULL, faults TEXT NOT NULL,
    open_faults TEXT NOT NULL, reached TEXT, expanded INTEGER NOT NULL, seconds REAL NOT NULL,
    PRIMARY KEY (walk, oracle)
) WITHOUT ROWID;
CREATE TABLE alone (
    walk INTEGER, position INTEGER, oracle INTEGER, safety INTEGER NOT NULL, reached TEXT,
    expanded INTEGER NOT NULL, seconds REAL NOT NULL, PRIMARY KEY (walk, position, oracle)
) WITHOUT ROWID;
CREATE TABLE bugs (
    id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, oracle INTEGER NOT NULL, walk INTEGER NOT NULL,
    position INTEGER NOT NULL, bug TEXT NOT NULL, seconds REAL NOT NULL
);
CREATE TABLE sightings (
    walk INTEGER, position INTEGER, bug TEXT NOT NULL, PRIMARY KEY (walk, position, bug)
) WITHOUT ROWID;
CREATE TABLE unproven (
    walk INTEGER NOT NULL, position INTEGER NOT NULL, oracle INTEGER NOT NULL,
    kind TEXT NOT NULL, reason TEXT NOT NULL
);
CREATE TABLE rejected (
    walk INTEGER NOT NULL, position INTEGER NOT NULL, oracle INTEGER NOT NULL,
    reason TEXT NOT NULL, certificate TEXT
);
CREATE TABLE progress (
    only INTEGER PRIMARY KEY CHECK (only = 0), walks INTEGER NOT NULL, steps INTEGER NOT NULL,
    seconds REAL NOT NULL, fuzz_seconds REAL NOT NULL, news_seconds REAL NOT NULL,
    news_walk INTEGER NOT NULL, troubles TEXT NOT NULL, finished TEXT
);
CREATE TABLE timeline (
    seconds REAL NOT NULL, event TEXT NOT NULL, walks INTEGER NOT NULL, runs INTEGER NOT NULL,
    bugs INTEGER NOT NULL, detail TEXT NOT NULL
);
"""

TABLES = {COST: _SHARED + _COST, SAFETY: _SHARED + _SAFETY}
