"""Stores of rules that are made to mislead: one sentence and exit code 4, or the truth."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.salvage import salvage_campaign
from bugsieve.campaigns.store.certificate_blobs import packed, unpacked
from bugsieve.campaigns.store.schema import STORE_FILE
from bugsieve.cli import main
from bugsieve.rooms.rules.campaign.replay import Status, replay_rules
from bugsieve.rooms.rules.store.records import RulesRecords
from tests.hostile import stores
from tests.hostile.stores import Damage, copied, other_bug, statement
from tests.unit.campaigns.rules.small import OBLIGATIONS, said

Captured = pytest.CaptureFixture[str]
SHOWN, PROVEN, VIOLATED = 3, 0, 5
"""Obligations of the small campaign: one with a trace, one with a proof, one that fails."""


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = stores.rules_campaign(tmp_path_factory.mktemp("rules"))
    with RulesRecords(folder) as records:
        verdicts = [row.answer.verdict for row in records.answers()]
    assert len(verdicts) == OBLIGATIONS
    assert [verdicts[n] for n in (SHOWN, PROVEN, VIOLATED)] == ["covered", "passed", "failed"]
    return folder


def forged(number: int, change: Callable[[list[Any]], object]) -> Damage:
    """The certificates of an answer, which somebody has changed."""

    def rewrite(folder: Path) -> None:
        with closing(sqlite3.connect(folder / STORE_FILE)) as store, store:
            query = "SELECT certificates FROM answers WHERE number = ?"
            ((content,),) = store.execute(query, (number,))
            data = unpacked(content)
            change(data)
            values = (packed(data), number)
            store.execute("UPDATE answers SET certificates = ? WHERE number = ?", values)

    return rewrite


def refusal(campaign: Path, place: Path, damage: Damage, err: Captured, *command: str) -> str:
    folder = copied(campaign, place / "forged", damage)
    words = [word.format(folder, out=place / "out") for word in command]
    assert main(words) == 4
    lines = err.readouterr().err
    assert lines.count("\n") == 1 and "Traceback" not in lines
    return lines


@pytest.mark.parametrize(
    ("sql", "sentence"),
    [
        ("UPDATE answers SET verdict = 'covered' WHERE number = 0", "verdict cannot be 'covered'"),
        ("UPDATE answers SET verdict = 'fine' WHERE number = 3", "verdict cannot be 'fine'"),
        ("UPDATE answers SET view = NULL WHERE number = 3", "row 3: verdict cannot be 'covered'"),
        ("UPDATE answers SET verdict = 'inconclusive', view = NULL WHERE number = 3", "reason"),
        ("UPDATE answers SET reading = 'never'", "reading cannot be 'never'"),
        ("UPDATE answers SET expanded = 9223372036854775807", "expanded cannot be"),
        ("UPDATE answers SET is_known = 2", "is_known cannot be 2"),
        ("UPDATE answers SET number = 99 WHERE number = 12", "cannot be 99"),
        ("DELETE FROM answers WHERE number = 4", "cannot be"),
        ("UPDATE progress SET visits = 3", "visits cannot be 3"),
        ("UPDATE obligations SET task = 7", "task cannot be 7"),
        ("UPDATE obligations SET aim = 'to please'", "cannot be"),
        ("UPDATE obligations SET rule = '' WHERE number = 0", "aim cannot be 'violation'"),
        ("UPDATE obligations SET formula = 'G(' WHERE number = 2", "obligations, row 2"),
        ("UPDATE obligations SET family = 'other' WHERE number = 0", "is damaged"),
        ("UPDATE answers SET certificates = x'00' WHERE number = 3", "table answers, row 3"),
        ("UPDATE bugs SET kind = 'nice'", "kind cannot be 'nice'"),
        ("UPDATE oracles SET spec = 'fast-downward'", "spec cannot be 'fast-downward'"),
        ("UPDATE tasks SET sas = sas || ' '", "is not what was stored"),
        ("UPDATE meta SET value = x'ff' WHERE name = 'rules'", "rules: "),
        ("UPDATE meta SET value = CAST('junk' AS BLOB) WHERE name = 'rules'", "rules: "),
        ("UPDATE meta SET value = '[1]' WHERE name = 'warnings'", "is damaged"),
    ],
)
def test_crafted_stores_are_refused(
    campaign: Path, tmp_path: Path, capsys: Captured, sql: str, sentence: str
) -> None:
    error = refusal(campaign, tmp_path, statement(sql), capsys, "status", "{}")
    assert f"{STORE_FILE}: is damaged" in error and sentence in error


@pytest.mark.parametrize("command", ["resume", "replay", "show"])
@pytest.mark.parametrize(
    ("sql", "sentence"),
    [
        (
            "UPDATE obligations SET formula = 'true' WHERE number = 0",
            "row 0: is none of the rules",
        ),
        ("UPDATE meta SET value = CAST('' AS BLOB) WHERE name = 'domain'", "table tasks, row 0"),
        ("UPDATE tasks SET problem = CAST('(' AS BLOB)", "table tasks, row 0"),
        (
            "UPDATE meta SET value = CAST(replace(CAST(value AS TEXT), 'G !', 'F !') AS BLOB)"
            " WHERE name = 'rules'",
            "is none of the rules",
        ),
    ],
)
def test_obligations_are_those_of_the_rules(
    campaign: Path, tmp_path: Path, capsys: Captured, command: str, sql: str, sentence: str
) -> None:
    words = {"show": ["rules", "--show", "{}", "3"]}.get(command, [command, "{}"])
    error = refusal(campaign, tmp_path, statement(sql), capsys, *words)
    assert f"{STORE_FILE}: is damaged" in error and sentence in error


TRACES = {
    "an operator that is none": lambda data: data[0]["trace"]["operators"].append(10**6),
    "another length": lambda data: data[0]["trace"]["actions"].append("(heat a)"),
    "a trace that stops early": lambda data: data[0].update(
        trace={"operators": [], "actions": [], "loop_start": None}
    ),
    "a loop from nowhere": lambda data: data[0]["trace"].update(loop_start=5),
    "another rule": lambda data: data[0].update(rule="true"),
    "another task": lambda data: data[0]["task"].update(sha256="0" * 64),
    "a kind of its own": lambda data: data[0].update(kind="belief"),
    "no trace": lambda data: data.clear(),
    "two of them": lambda data: data.append(data[0]),
    "wrong types": lambda data: data[0]["trace"].update(operators="all"),
    "no formula": lambda data: data[0].update(formula="G("),
    "no atoms": lambda data: data[0].update(atoms={}),
}


@pytest.mark.parametrize("name", TRACES)
def test_forged_traces_are_not_followed(
    campaign: Path, tmp_path: Path, capsys: Captured, name: str
) -> None:
    damage = forged(VIOLATED, TRACES[name])
    for number, words in enumerate((["resume", "{}"], ["rules", "--show", "{}", str(VIOLATED)])):
        place = tmp_path / str(number)
        place.mkdir()
        assert f"{STORE_FILE}: is damaged" in refusal(campaign, place, damage, capsys, *words)
    kept = salvage_campaign(tmp_path / "0" / "forged", tmp_path / "new")
    assert kept.visits == VIOLATED and f"answers, row {VIOLATED}" in str(kept.damage)
    Campaign.open(tmp_path / "new").run()
    assert said(tmp_path / "new") == said(campaign)


def test_a_proof_of_no_form_is_refused(campaign: Path, tmp_path: Path, capsys: Captured) -> None:
    damage = forged(PROVEN, lambda data: data[0].update(proof={"by": "faith"}))
    assert "table answers, row 0" in refusal(campaign, tmp_path, damage, capsys, "status", "{}")


def test_a_bug_that_nobody_answered_is_refused(
    campaign: Path, tmp_path: Path, capsys: Captured
) -> None:
    bug = next((campaign / "bugs").iterdir()).stem

    def prolong(data: dict[str, Any]) -> None:
        data["certificate"]["formula"] = "true"

    error = refusal(campaign, tmp_path, other_bug(bug, prolong), capsys, "resume", "{}")
    assert f"table bugs, row {bug}" in error


def test_replay_finds_out_what_the_folder_denies(
    campaign: Path, tmp_path: Path, capsys: Captured
) -> None:
    """All of a violation is turned into a proof, as somebody would who wants to please."""

    def whitewash(folder: Path) -> None:
        with closing(sqlite3.connect(folder / STORE_FILE)) as store, store:
            query = "SELECT certificates FROM answers WHERE number = ?"
            ((proof,),) = store.execute(query, (PROVEN,))
            sql = "UPDATE answers SET verdict = 'passed', view = NULL, certificates = ?"
            store.execute(f"{sql} WHERE verdict = 'failed'", (proof,))
            store.execute("DELETE FROM bugs")
            store.execute("DELETE FROM sightings")

    folder = copied(campaign, tmp_path / "white", whitewash)
    assert main(["status", str(folder)]) == 0
    assert "all 2 rules hold" in capsys.readouterr().out
    assert main(["replay", str(folder)]) == 1
    assert "NOW VIOLATED    cold[a]" in capsys.readouterr().out
    assert Status.NOW_VIOLATED in {item.status for item in replay_rules(folder)}


@pytest.mark.parametrize("table", ["visits", "answers", "bugs", "history"])
def test_what_is_salvaged_goes_on_to_the_same_answers(
    campaign: Path, tmp_path: Path, table: str
) -> None:
    column = {"bugs": "found"}.get(table, "number")
    for place in (1, 4):
        sql = f"DELETE FROM {table} WHERE {column} >= {place}"
        sql += "; DELETE FROM progress" if table == "history" else ""
        folder = copied(campaign, tmp_path / f"cut{place}", statement(sql))
        salvage_campaign(folder, tmp_path / f"new{place}")
        Campaign.open(tmp_path / f"new{place}").run()
        assert said(tmp_path / f"new{place}") == said(campaign)


@pytest.mark.parametrize("table", ["tasks", "obligations"])
def test_without_tasks_or_obligations_nothing_is_salvaged(
    campaign: Path, tmp_path: Path, capsys: Captured, table: str
) -> None:
    sql = f"DELETE FROM {table} WHERE number = (SELECT MAX(number) FROM {table})"
    folder = copied(campaign, tmp_path / "cut", statement(sql))
    assert main(["salvage", str(folder), "-o", str(tmp_path / "new")]) == 4
    error = capsys.readouterr().err
    assert error.rstrip().endswith("nothing can be salvaged") and not (tmp_path / "new").exists()
