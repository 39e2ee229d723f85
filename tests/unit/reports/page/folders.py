"""Small campaigns of every kind for reports."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.store.certificate_blobs import packed, unpacked
from bugsieve.campaigns.store.schema import STORE_FILE
from bugsieve.cli import main
from tests.hostile.stores import rules_campaign, safety_campaign
from tests.unit.campaigns.training.contents import small_options


def blocks_campaign(folder: Path, *, examples: int = 0) -> Path:
    """A campaign on four blocks whose bugs are loops."""
    size = ["--blocks", "4", "--seed", "2", "-o", str(folder / "blocks")]
    assert main(["generate", "blocksworld", *size]) == 0
    options = ["--pool-size", "20", "--novelty", "0", "--oracle", "planner:gbfs"]
    options += ["--examples", str(examples)]
    command = ["test", str(folder / "blocks"), "--policy", "random:1", *options]
    assert main([*command, "-o", str(folder / "campaign")]) == 1
    return folder / "campaign"


def training_campaign(folder: Path) -> Path:
    """A training of some models."""
    with Campaign.create(folder / "campaign", small_options(folder)) as campaign:
        campaign.run()
    return folder / "campaign"


MAKERS: dict[str, Callable[[Path], Path]] = {
    "cost": blocks_campaign,
    "safety": safety_campaign,
    "rules": rules_campaign,
    "training": training_campaign,
}


def sailing_campaign(folder: Path) -> Path:
    """A campaign whose policy sails round 50 places for ever, without a car."""
    (folder / "sail.py").write_text(_SAILOR)
    size = ["--locations", "50", "--cars", "2", "--seed", "1", "-o", str(folder / "ferry")]
    assert main(["generate", "ferry", *size]) == 0
    options = [
        "--pool-size",
        "25",
        "--novelty",
        "0",
        "--oracle",
        "planner:ehc",
        "--bias",
        "uniform",
    ]
    options += ["--examples", "0"]
    command = ["test", str(folder / "ferry"), "--policy", f"python:{folder / 'sail.py'}:sail"]
    assert main([*command, *options, "-o", str(folder / "campaign")]) == 1
    return folder / "campaign"


_SAILOR = """
def sail(facts, applicable):
    ways = {action.strip("()").split()[1:][1]: action for action in applicable if "sail" in action}
    places = sorted(ways)
    here = next(action for action in ways.values()).strip("()").split()[1]
    after = sorted(place for place in places if place > here)
    return ways[after[0] if after else places[0]]
"""


def multiplied(campaign: Path, *, bugs: int, causes: int) -> None:
    """Copy the bugs of a campaign until there are so many, and spread them over so many causes."""
    with closing(sqlite3.connect(campaign / STORE_FILE)) as store, store:
        rows = store.execute("SELECT * FROM bugs ORDER BY rowid").fetchall()
        for number in range(len(rows), bugs):
            _, *middle, content, cause, traits = rows[number % len(rows)]
            data = {**unpacked(content), "id": f"z{number:011}"}
            row = (data["id"], *middle, packed(data), cause, traits)
            store.execute(f"INSERT INTO bugs VALUES ({', '.join('?' * len(row))})", row)
        store.execute("DELETE FROM notes")  # one pattern explains all of them
        for number in range(causes):
            cause = f'["loop",[["sail",""],["board-{number}",""]],[]]'
            where = "rowid % ? = ?"
            store.execute(f"UPDATE bugs SET cause = ? WHERE {where}", (cause, causes, number))
