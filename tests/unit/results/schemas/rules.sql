-- index sqlite_autoindex_bugs_1;
-- index sqlite_autoindex_oracles_1;
CREATE TABLE answers (
    number INTEGER PRIMARY KEY, verdict TEXT NOT NULL, reason TEXT NOT NULL, view TEXT,
    reading TEXT NOT NULL, certificates BLOB NOT NULL, expanded INTEGER NOT NULL,
    is_known INTEGER NOT NULL, seconds REAL NOT NULL
);
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
CREATE TABLE obligations (
    number INTEGER PRIMARY KEY, task INTEGER NOT NULL, aim TEXT NOT NULL, rule TEXT NOT NULL,
    family TEXT NOT NULL, formula TEXT NOT NULL, literal TEXT NOT NULL,
    occurrence INTEGER NOT NULL
);
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
CREATE TABLE rejected (
    visit INTEGER, place INTEGER, case_number INTEGER NOT NULL, position INTEGER NOT NULL,
    oracle INTEGER NOT NULL, reason TEXT NOT NULL, certificate TEXT, PRIMARY KEY (visit, place)
) WITHOUT ROWID;
CREATE TABLE sightings (
    visit INTEGER, position INTEGER, bug TEXT NOT NULL, PRIMARY KEY (visit, position, bug)
) WITHOUT ROWID;
CREATE TABLE tasks (
    number INTEGER PRIMARY KEY, file TEXT NOT NULL, name TEXT NOT NULL, sas TEXT NOT NULL,
    sha256 TEXT NOT NULL, objects TEXT NOT NULL, static_facts TEXT NOT NULL,
    problem BLOB NOT NULL
);
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
CREATE TABLE visits (
    number INTEGER PRIMARY KEY, case_number INTEGER NOT NULL, effort INTEGER NOT NULL
);
