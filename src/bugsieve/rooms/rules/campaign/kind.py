"""Tests of rules as a kind of campaigns."""

from __future__ import annotations

from bugsieve.campaigns.kind import Kind
from bugsieve.campaigns.store.folder import BUGS_FOLDER, Description
from bugsieve.campaigns.store.progress import CampaignHeader
from bugsieve.rooms.rules.campaign.checks import rules_checks
from bugsieve.rooms.rules.campaign.driver import drive
from bugsieve.rooms.rules.campaign.equipment import begin, check_options, equip
from bugsieve.rooms.rules.campaign.exhibits import RulesExhibits
from bugsieve.rooms.rules.campaign.options import RulesOptions
from bugsieve.rooms.rules.campaign.replaying import RulesReplay
from bugsieve.rooms.rules.campaign.salvage import checker, first_wrong_test
from bugsieve.rooms.rules.campaign.summary import summarise
from bugsieve.rooms.rules.campaign.tables import about, rules_tables
from bugsieve.rooms.rules.campaign.wording import RulesWording
from bugsieve.rooms.rules.store.languages import LANGUAGES
from bugsieve.rooms.rules.store.records import RulesRecords
from bugsieve.rooms.rules.store.salvage import RulesSalvage
from bugsieve.rooms.rules.store.store import RulesStore

RULES_FILE = "rules.toml"


def describe(header: CampaignHeader) -> Description:
    """The description of the campaign in its folder."""
    subject = header.subject
    language = LANGUAGES[subject.language]
    return Description(
        f"the {language.what} {subject.name} against its flight rules",
        {language.first_file: subject.domain, RULES_FILE: subject.rules or None},
        {
            language.first_file: language.about_files,
            RULES_FILE: "the rules",
            f"{BUGS_FOLDER}/": "a file for each violated rule, with the trace that violates it",
        },
        {"rules --show {}": "every test: what it shows, and its trace"},
    )


RULES = Kind(
    name="rules",
    options=RulesOptions,
    store=RulesStore,
    records=RulesRecords,
    check=check_options,
    begin=begin,
    equip=equip,
    drive=drive,
    summarise=summarise,
    describe=describe,
    tables=rules_tables,
    about=about,
    wording=RulesWording(),
    salvage=RulesSalvage,
    checker=checker,
    exhibits=RulesExhibits,
    replay=RulesReplay,
    wrong_case=first_wrong_test,
    checks=rules_checks,
    visit="obligation",
)
