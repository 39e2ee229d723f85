"""The tables that only trainings have, and what must hold of their rows (see `results.tables`)."""

from __future__ import annotations

from bugsieve.campaigns.store.tables import json_condition

TRAINING_TASK, VALIDATION_TASK = "training", "validation"
TEACHER, BUGS = "teacher", "bugs"

TRAINING_TABLES = """
CREATE TABLE tasks (
    number INTEGER PRIMARY KEY, role TEXT NOT NULL, file TEXT NOT NULL, name TEXT NOT NULL,
    sas TEXT NOT NULL, sha256 TEXT NOT NULL, objects TEXT NOT NULL, static_facts TEXT NOT NULL,
    problem BLOB NOT NULL, unit_cost INTEGER NOT NULL, states INTEGER NOT NULL, pool BLOB NOT NULL
);
CREATE TABLE models (
    number INTEGER PRIMARY KEY, parent INTEGER, epoch INTEGER NOT NULL, loss REAL, solved INTEGER,
    teacher_calls INTEGER NOT NULL, teacher_failures INTEGER NOT NULL,
    rollout_seconds REAL NOT NULL, teacher_seconds REAL NOT NULL, learning_seconds REAL NOT NULL,
    test_seconds REAL NOT NULL, content BLOB NOT NULL
);
CREATE TABLE tests (
    model INTEGER, task INTEGER, is_solved INTEGER NOT NULL, states INTEGER NOT NULL,
    tested INTEGER NOT NULL, solved INTEGER NOT NULL, bugs INTEGER NOT NULL,
    decisions INTEGER NOT NULL, expanded INTEGER NOT NULL, cpu_seconds REAL NOT NULL,
    PRIMARY KEY (model, task)
) WITHOUT ROWID;
CREATE TABLE examples (
    model INTEGER, place INTEGER, source TEXT NOT NULL, content BLOB NOT NULL,
    PRIMARY KEY (model, place)
) WITHOUT ROWID;
"""

_TASKS = "(SELECT COUNT(*) FROM tasks WHERE role = '{}')"
_TRAINED = "(parent IS NOT NULL)"
_ALL_TESTED = (
    "(SELECT COUNT(*) FROM tests JOIN tasks ON task = tasks.number"
    f" WHERE model = models.number AND role = '{VALIDATION_TASK}')"
    f" = {_TASKS.format(VALIDATION_TASK)}"
)
_STATES = "(SELECT t.states FROM tasks AS t WHERE t.number = task)"
_MOST_LOSS = 1e30
_MOST = 10**15

TRAINING_CONDITIONS = {
    "*.case_number": "case_number IN (SELECT number FROM models)",
    "*.model": "model IN (SELECT number FROM models)",
    "oracles.objection": "0",  # tasks on which one cannot judge are dropped
    "oracles.level": "level = 0",
    "*.policy_calls": f"policy_calls <= {_MOST}",  # so that there is room for more
    "*.decisions": f"decisions <= {_MOST}",
    "*.expanded": f"expanded <= {_MOST}",
    "progress.visits": "visits = (SELECT COUNT(*) FROM models)",
    "visits.number": "number < (SELECT COUNT(*) FROM models) AND number = case_number",
    "visits.effort": "effort = 0",
    "bugs.id": "0",  # no policy is tested for its own sake
    "tasks.number": "number < (SELECT COUNT(*) FROM tasks)",
    "tasks.role": f"role IN ('{TRAINING_TASK}', '{VALIDATION_TASK}')",
    "tasks.objects": json_condition("objects", "array", "item.type <> 'array'"),
    "tasks.static_facts": json_condition("static_facts", "array", "item.type <> 'text'"),
    "tasks.unit_cost": "unit_cost IN (0, 1)",
    "tasks.pool": "IIF(states = 0, length(pool) = 0,"
    " length(pool) > 0 AND length(pool) % (2 * states) = 0)",
    "models.number": "number < (SELECT COUNT(*) FROM models)"
    " AND number IN (SELECT case_number FROM visits)"
    f" AND {_TRAINED} = (loss IS NOT NULL) AND {_TRAINED} = (solved IS NOT NULL)"
    f" AND {_ALL_TESTED}",
    "models.parent": "parent < number",
    "models.epoch": "epoch ="
    " 1 + IFNULL((SELECT p.epoch FROM models AS p WHERE p.number = models.parent), -1)",
    "models.loss": f"ABS(loss) <= {_MOST_LOSS}",
    "models.solved": f"solved <= {_TASKS.format(TRAINING_TASK)}",
    "models.teacher_failures": "teacher_failures <= teacher_calls",
    "tests.task": "task IN (SELECT number FROM tasks)",
    "tests.is_solved": "is_solved IN (0, 1)",
    "tests.states": f"states = {_STATES}",
    "tests.tested": "tested <= states * is_solved",
    "tests.solved": "solved <= tested",
    "tests.bugs": "bugs <= tested",
    "examples.source": f"source IN ('{TEACHER}', '{BUGS}')",
}

TRAINING_CASES = {"models": "number", "tests": "model", "examples": "model"}
"""Tables whose rows belong to a model, and the column with its number."""
_SHOWN = "(SELECT {} FROM examples WHERE model = models.number)"
TRAINING_WHOLE = f"""
EXISTS (
    SELECT 1 FROM models WHERE models.number = case_number AND visits.number = case_number
    AND {_SHOWN.format("COUNT(*) = IFNULL(MAX(place) + 1, 0)")}
    AND (teacher_calls = teacher_failures
         OR {_SHOWN.format(f"COUNT(*) FILTER (WHERE source = '{TEACHER}') > 0")})
)
"""
"""Of a model with what the teacher has shown: with every plan it shows a state that is new. That
all tests are there is a condition of `models`."""
