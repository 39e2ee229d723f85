"""`kill -9` at random moments of tests of rules: the same answers when they have gone on."""

from __future__ import annotations

from pathlib import Path

from bugsieve.base.seeds import Stream
from bugsieve.campaigns.campaign import Campaign
from bugsieve.rooms.rules.campaign.options import RulesOptions
from bugsieve.rooms.rules.examples import example_files
from bugsieve.rooms.rules.store.records import RulesRecords
from tests.depth import IS_DEEP
from tests.system.killing import kill_and_finish
from tests.unit.campaigns.rules.small import said


def is_whole(folder: Path) -> bool:
    """Whether the answers are those of the first obligations."""
    with RulesRecords(folder) as records:
        answered = [row.number for row in records.answers()]
        return answered == list(range(records.progress().visits))


def test_kill_and_resume(tmp_path: Path) -> None:
    for name, content in example_files().items():
        (tmp_path / name).write_bytes(content)
    names = ("rover-faulty.pddl", "rules.toml", "one-rover.pddl", "two-rovers.pddl")
    domain, rules, *problems = (str(tmp_path / name) for name in names)
    options = RulesOptions(domain=domain, problems=tuple(problems), rules=rules)
    Campaign.create(tmp_path / "whole", options).run()
    wanted = said(tmp_path / "whole")
    kills = range(8) if IS_DEEP else range(4)  # fast machines are done before some of them
    moments = [Stream(number, "rules", 0) for number in kills]
    folder = tmp_path / "campaign"
    kill_and_finish(folder, options, is_whole, lines=6, moments=moments)
    assert said(folder) == wanted
