"""Tests of rules as a kind of campaigns."""

from __future__ import annotations

from bugsieve.campaigns.kind import Kind
from bugsieve.campaigns.rules.checks import rules_checks
from bugsieve.campaigns.rules.driver import drive
from bugsieve.campaigns.rules.equipment import begin, check_options, equip
from bugsieve.campaigns.rules.exhibits import RulesExhibits
from bugsieve.campaigns.rules.options import RulesOptions
from bugsieve.campaigns.rules.salvage import checker, first_wrong_test
from bugsieve.campaigns.rules.summary import summarise
from bugsieve.campaigns.rules.tables import about, rules_tables
from bugsieve.campaigns.rules.wording import RulesWording
from bugsieve.results.folder import BUGS_FOLDER, Description
from bugsieve.results.progress import CampaignHeader
from bugsieve.results.rules.records import RulesRecords
from bugsieve.results.rules.rows import NDDL
from bugsieve.results.rules.salvage import RulesSalvage
from bugsieve.results.rules.store import RulesStore

DOMAIN_FILE, MODEL_FILE, RULES_FILE = "domain.pddl", "model.nddl", "rules.toml"


def describe(header: CampaignHeader) -> Description:
    """What the folder says about the campaign."""
    subject = header.subject
    what, file, about = "domain", DOMAIN_FILE, "the domain; the store has the problems"
    if subject.language == NDDL:
        what, file, about = "model", MODEL_FILE, "the model; the store has further files of it"
    return Description(
        f"the {what} {subject.name} against its flight rules",
        {file: subject.domain, RULES_FILE: subject.rules or None},
        {
            file: about,
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
    wrong_case=first_wrong_test,
    checks=rules_checks,
    visit="obligation",
)
