"""Stores of rules on timelines that are made to mislead: one sentence and exit code 4."""

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
from bugsieve.rooms.rules.store.records import RulesRecords
from tests.hostile.stores import Damage, copied, statement
from tests.unit.campaigns.rules.door import OBLIGATIONS, written
from tests.unit.campaigns.rules.small import said

Captured = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("door")
    folder = place / "campaign"
    assert main(["rules", *written(place), "--slots", "6", "-o", str(folder)]) == 1
    return folder


@pytest.fixture(scope="module")
def violated(campaign: Path) -> int:
    """The number of an obligation with a plan that fails it."""
    with RulesRecords(campaign) as records:
        rows = list(records.answers())
    assert len(rows) == OBLIGATIONS
    return next(row.number for row in rows if row.answer.verdict == "failed")


def refusal(campaign: Path, place: Path, damage: Damage, err: Captured, *command: str) -> str:
    folder = copied(campaign, place / "forged", damage)
    assert main([word.format(folder) for word in command]) == 4
    lines = err.readouterr().err
    assert lines.count("\n") == 1 and "Traceback" not in lines
    return lines


@pytest.mark.parametrize(
    ("sql", "sentence"),
    [
        ("UPDATE meta SET value = 'sql' WHERE name = 'language'", "is damaged"),
        ("UPDATE meta SET value = 'pddl' WHERE name = 'language'", "is damaged"),
        ("DELETE FROM meta WHERE name = 'language'", "is damaged"),
        ("UPDATE meta SET value = x'ff' WHERE name = 'domain'", "is damaged"),
        ("UPDATE meta SET value = CAST('class' AS BLOB) WHERE name = 'domain'", "row 0"),
        ("UPDATE tasks SET problem = CAST('[]' AS BLOB)", "is not what was stored"),
        ("UPDATE tasks SET problem = CAST('[1]' AS BLOB)", "is damaged"),
        ("UPDATE tasks SET file = 'other.nddl'", "is not what was stored"),
        ("UPDATE tasks SET name = 'other'", "is not what was stored"),
    ],
)
def test_crafted_stores_are_refused(
    campaign: Path, tmp_path: Path, capsys: Captured, sql: str, sentence: str
) -> None:
    error = refusal(campaign, tmp_path, statement(sql), capsys, "resume", "{}")
    assert f"{STORE_FILE}: is damaged" in error and sentence in error


def forged(number: int, change: Callable[[list[Any]], object]) -> Damage:
    def rewrite(folder: Path) -> None:
        with closing(sqlite3.connect(folder / STORE_FILE)) as store, store:
            query = "SELECT certificates FROM answers WHERE number = ?"
            ((content,),) = store.execute(query, (number,))
            data = unpacked(content)
            change(data)
            update = "UPDATE answers SET certificates = ? WHERE number = ?"
            store.execute(update, (packed(data), number))

    return rewrite


PLANS = {
    "a horizon without end": lambda data: data[0]["plan"].update(horizon=[0, 10**15]),
    "another horizon": lambda data: data[0]["plan"].update(horizon=[1, 7]),
    "no tokens": lambda data: data[0]["plan"].update(tokens=[]),
    "tokens of no kind": lambda data: data[0]["plan"].update(tokens=[{}]),
    "other letters": lambda data: data[0]["plan"].update(letters=[[]] * 6),
    "no supports": lambda data: data[0]["plan"]["tokens"][0].update(supports=[]),
    "a trace of a task": lambda data: data[0].update(
        trace={"operators": [], "actions": [], "loop_start": None}, plan=data[0].pop("plan") and 1
    ),
    "no plan": lambda data: data[0].pop("plan"),
    "a lasso": lambda data: data[0].update(lasso=True),
    "another rule": lambda data: data[0].update(rule="true"),
    "another formula": lambda data: data[0].update(formula="G !open"),
    "another model": lambda data: data[0]["task"].update(sha256="0" * 64),
}


@pytest.mark.parametrize("name", PLANS)
def test_forged_plans_are_not_shown(
    campaign: Path, violated: int, tmp_path: Path, capsys: Captured, name: str
) -> None:
    damage = forged(violated, PLANS[name])
    words = ["rules", "--show", "{}", str(violated)]
    assert f"{STORE_FILE}: is damaged" in refusal(campaign, tmp_path, damage, capsys, *words)


def test_what_is_salvaged_goes_on_to_the_same_answers(
    campaign: Path, violated: int, tmp_path: Path, capsys: Captured
) -> None:
    damage = forged(violated, PLANS["no supports"])
    assert "is damaged" in refusal(campaign, tmp_path, damage, capsys, "resume", "{}")
    salvage_campaign(tmp_path / "forged", tmp_path / "new")
    Campaign.open(tmp_path / "new").run()
    assert said(tmp_path / "new") == said(campaign)


def test_replay_finds_out_what_the_folder_denies(
    campaign: Path, tmp_path: Path, capsys: Captured
) -> None:
    def whitewash(folder: Path) -> None:
        with closing(sqlite3.connect(folder / STORE_FILE)) as store, store:
            ((proof,),) = store.execute("SELECT certificates FROM answers WHERE number = 0")
            sql = "UPDATE answers SET verdict = 'passed', view = NULL, certificates = ?"
            store.execute(f"{sql} WHERE verdict = 'failed'", (proof,))
            store.execute("DELETE FROM bugs")
            store.execute("DELETE FROM sightings")

    folder = copied(campaign, tmp_path / "white", whitewash)
    assert main(["status", str(folder)]) != 1
    assert main(["replay", str(folder)]) == 1
    assert "NOW VIOLATED    shut" in capsys.readouterr().out
