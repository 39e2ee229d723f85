-- index sqlite_autoindex_bugs_1;
-- index sqlite_autoindex_oracles_1;
CREATE TABLE alone (
    walk INTEGER, position INTEGER, oracle INTEGER, safety INTEGER NOT NULL, reached TEXT,
    expanded INTEGER NOT NULL, seconds REAL NOT NULL, PRIMARY KEY (walk, position, oracle)
) WITHOUT ROWID;
CREATE TABLE bounds (
    visit INTEGER, case_number INTEGER, oracle INTEGER, gap REAL NOT NULL, reason TEXT NOT NULL,
    PRIMARY KEY (visit, case_number, oracle)
) WITHOUT ROWID;
CREATE TABLE bugs (
    id TEXT NOT NULL UNIQUE, case_number INTEGER NOT NULL, kind TEXT NOT NULL,
    gap REAL NOT NULL, steps INTEGER NOT NULL, oracle INTEGER NOT NULL, finders TEXT NOT NULL,
    found INTEGER NOT NULL, changed INTEGER NOT NULL, seconds REAL NOT NULL, bug BLOB NOT NULL,
    cause TEXT NOT NULL, traits TEXT NOT NULL
);
CREATE TABLE greens (
    only INTEGER PRIMARY KEY CHECK (only = 0), content BLOB NOT NULL, seal TEXT
);
CREATE TABLE history (
    number INTEGER PRIMARY KEY, walks INTEGER NOT NULL, steps INTEGER NOT NULL,
    rounds INTEGER NOT NULL, visits INTEGER NOT NULL, policy_calls INTEGER NOT NULL,
    asked_again INTEGER NOT NULL, seconds REAL NOT NULL, fuzz_seconds REAL NOT NULL,
    news_seconds REAL NOT NULL, news_round INTEGER NOT NULL, troubles TEXT NOT NULL,
    loosened INTEGER NOT NULL, loosened_walks INTEGER NOT NULL, finished TEXT
);
CREATE TABLE lessons (
    visit INTEGER, oracle INTEGER, content BLOB NOT NULL, of_task BLOB NOT NULL,
    PRIMARY KEY (visit, oracle)
) WITHOUT ROWID;
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE notes (
    bug TEXT, name TEXT, changed INTEGER NOT NULL, data TEXT NOT NULL, PRIMARY KEY (bug, name)
) WITHOUT ROWID;
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
CREATE TABLE proofs (
    first INTEGER PRIMARY KEY, visit INTEGER NOT NULL, count INTEGER NOT NULL, rows BLOB NOT NULL
);
CREATE TABLE rejected (
    visit INTEGER, place INTEGER, case_number INTEGER NOT NULL, position INTEGER NOT NULL,
    oracle INTEGER NOT NULL, reason TEXT NOT NULL, certificate TEXT, PRIMARY KEY (visit, place)
) WITHOUT ROWID;
CREATE TABLE runs (
    walk INTEGER PRIMARY KEY, digest BLOB NOT NULL, same_as INTEGER, steps INTEGER NOT NULL,
    states BLOB, actions BLOB, proof_seconds REAL NOT NULL
);
CREATE TABLE sightings (
    visit INTEGER, position INTEGER, bug TEXT NOT NULL, PRIMARY KEY (visit, position, bug)
) WITHOUT ROWID;
CREATE TABLE timeline (
    seconds REAL NOT NULL, event TEXT NOT NULL, walks INTEGER NOT NULL, cases INTEGER NOT NULL,
    judged INTEGER NOT NULL, bugs INTEGER NOT NULL, detail TEXT NOT NULL
);
CREATE TABLE unproven (
    visit INTEGER, place INTEGER, case_number INTEGER NOT NULL, position INTEGER NOT NULL,
    oracle INTEGER NOT NULL, kind TEXT NOT NULL, reason TEXT NOT NULL,
    PRIMARY KEY (visit, place)
) WITHOUT ROWID;
CREATE TABLE unstable (
    visit INTEGER, place INTEGER, case_number INTEGER NOT NULL, position INTEGER NOT NULL,
    state TEXT NOT NULL, first TEXT NOT NULL, second TEXT NOT NULL, claim TEXT NOT NULL,
    cause TEXT NOT NULL, PRIMARY KEY (visit, place)
) WITHOUT ROWID;
CREATE TABLE verdicts (
    visit INTEGER, oracle INTEGER, safety BLOB NOT NULL, faults TEXT NOT NULL,
    open_faults TEXT NOT NULL, reached TEXT, expanded INTEGER NOT NULL, seconds REAL NOT NULL,
    PRIMARY KEY (visit, oracle)
) WITHOUT ROWID;
CREATE TABLE visits (
    number INTEGER PRIMARY KEY, case_number INTEGER NOT NULL, effort INTEGER NOT NULL
);
CREATE TABLE walks (
    number INTEGER PRIMARY KEY, outcome TEXT NOT NULL, steps INTEGER NOT NULL,
    seconds REAL NOT NULL
);
