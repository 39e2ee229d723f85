"""Cost testing as a kind of campaigns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bugsieve.campaigns.cost.bench import begin, check, equip
from bugsieve.campaigns.cost.driver import drive
from bugsieve.campaigns.cost.exhibits import CostExhibits
from bugsieve.campaigns.cost.export import about, export_tables
from bugsieve.campaigns.cost.found_bug import read_found_bugs
from bugsieve.campaigns.cost.green import stored_green
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.cost.replaying import CostReplay
from bugsieve.campaigns.cost.salvage import CostSalvage
from bugsieve.campaigns.cost.saved_bugs import SavedCostBugs
from bugsieve.campaigns.cost.store import CostStore
from bugsieve.campaigns.cost.summary import summarise
from bugsieve.campaigns.cost.wording import CostWording
from bugsieve.campaigns.greens import Greens
from bugsieve.campaigns.kind import Kind
from bugsieve.campaigns.options import CostOptions
from bugsieve.campaigns.store.folder import (
    BUGS_FOLDER,
    BUGS_IN_FILES,
    EXAMPLES_FOLDER,
    Description,
)
from bugsieve.campaigns.store.progress import CampaignHeader
from bugsieve.pipeline.bugs.checking import checker_of
from bugsieve.pipeline.oracles.registry import ORACLES
from bugsieve.policies.registry import POLICIES

TASK_FILE = "task.sas"
DOMAIN_FILE = "domain.pddl"
PROBLEM_FILE = "problem.pddl"


def describe(header: CampaignHeader) -> Description:
    """What the folder says about the campaign."""
    task = header.subject
    pddl = {f"{DOMAIN_FILE}, {PROBLEM_FILE}": "the files it came from"}
    return Description(
        f"the policy\n  {header.tested}\non the task {task.title}",
        {TASK_FILE: task.sas.encode(), DOMAIN_FILE: task.domain, PROBLEM_FILE: task.problem},
        {
            TASK_FILE: "the grounded task; certificates refer to it",
            **({} if task.domain is None else pddl),
            f"{BUGS_FOLDER}/": f"files of the first bugs, at most {BUGS_IN_FILES}"
            " and 1 MB, each with its proof: the policy's run and a better one",
            f"{EXAMPLES_FOLDER}/": "the smallest examples of bugs, one for each cause at least, "
            "unless nobody asked for any",
        },
        {"minimise {} BUG": "the smallest example of a bug, as a folder of its own"},
    )


def checker(header: CampaignHeader) -> Callable[[Any], None]:
    """Checks certificates of the task."""
    return checker_of(header.subject.sas).check


COST = Kind(
    name="cost",
    options=CostOptions,
    store=CostStore,
    records=CostRecords,
    check=check,
    begin=begin,
    equip=equip,
    drive=drive,
    summarise=summarise,
    describe=describe,
    tables=export_tables,
    about=about,
    wording=CostWording(),
    policies=POLICIES,
    oracles=ORACLES,
    salvage=CostSalvage,
    checker=checker,
    exhibits=CostExhibits,
    saved_bugs=SavedCostBugs(),
    found=read_found_bugs,
    replay=CostReplay,
    greens=Greens(stored_green, "bugsieve.checkers.green", TASK_FILE),
)
