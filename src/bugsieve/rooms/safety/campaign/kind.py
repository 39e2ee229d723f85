"""Safety testing as a kind of campaigns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bugsieve.campaigns.greens import Greens
from bugsieve.campaigns.kind import Kind
from bugsieve.campaigns.store.folder import BUGS_FOLDER, BUGS_IN_FILES, Description
from bugsieve.campaigns.store.progress import CampaignHeader
from bugsieve.rooms.jani.policies.registry import MODEL_POLICIES
from bugsieve.rooms.safety.campaign.driver import drive
from bugsieve.rooms.safety.campaign.exhibits import SafetyExhibits
from bugsieve.rooms.safety.campaign.found_bug import read_safety_bugs
from bugsieve.rooms.safety.campaign.green import stored_green
from bugsieve.rooms.safety.campaign.options import SafetyOptions
from bugsieve.rooms.safety.campaign.policy import MODEL_FILE, begin, check, equip
from bugsieve.rooms.safety.campaign.replaying import SafetyReplay
from bugsieve.rooms.safety.campaign.saved_bugs import SavedSafetyBugs
from bugsieve.rooms.safety.campaign.summary import summarise_safety
from bugsieve.rooms.safety.campaign.wording import SafetyWording
from bugsieve.rooms.safety.checker.jani_interpreter import RefusedModelError
from bugsieve.rooms.safety.checker.safety import SafetyBugChecker
from bugsieve.rooms.safety.store.export import about_safety, safety_tables
from bugsieve.rooms.safety.store.records import SafetyRecords
from bugsieve.rooms.safety.store.salvage import SafetySalvage
from bugsieve.rooms.safety.store.store import SafetyStore


def describe(header: CampaignHeader) -> Description:
    """The description of the campaign in its folder."""
    return Description(
        f"the policy\n  {header.tested}\non the model {header.subject.name}, for safety",
        {MODEL_FILE: header.subject.document.encode()},
        {
            MODEL_FILE: "the model with its property; certificates refer to it",
            f"{BUGS_FOLDER}/": f"files of the first bugs, at most {BUGS_IN_FILES}"
            " and 1 MB, each with its proof: the policy's way to danger, "
            "how the danger is avoided, and for a fault why its outcome is lost",
        },
        {"shield {}": "the policy without its proven faults"},
    )


def checker(header: CampaignHeader) -> Callable[[Any], None]:
    """Checks certificates of the model; one that it cannot read has no bugs."""
    try:
        return SafetyBugChecker(header.subject.json()).check
    except RefusedModelError as error:
        refusal = ValueError(f"the checker cannot read the model: {error}")

    def refuse(certificate: Any) -> None:
        raise refusal

    return refuse


SAFETY = Kind(
    name="safety",
    options=SafetyOptions,
    store=SafetyStore,
    records=SafetyRecords,
    check=check,
    begin=begin,
    equip=equip,
    drive=drive,
    summarise=summarise_safety,
    describe=describe,
    tables=safety_tables,
    about=about_safety,
    wording=SafetyWording(),
    policies=MODEL_POLICIES,
    salvage=SafetySalvage,
    checker=checker,
    exhibits=SafetyExhibits,
    saved_bugs=SavedSafetyBugs(),
    found=read_safety_bugs,
    replay=SafetyReplay,
    greens=Greens(stored_green, "bugsieve.rooms.safety.checker.safety_green", MODEL_FILE),
    bugs_shown=5,
)
