"""Safety testing as a kind of campaigns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bugsieve.campaigns.kind import Kind
from bugsieve.campaigns.options import SafetyOptions
from bugsieve.campaigns.safety.driver import drive
from bugsieve.campaigns.safety.exhibits import SafetyExhibits
from bugsieve.campaigns.safety.policy import MODEL_FILE, begin, check, equip
from bugsieve.campaigns.safety.summary import summarise_safety
from bugsieve.campaigns.safety.wording import SafetyWording
from bugsieve.checkers.jani_interpreter import RefusedModelError
from bugsieve.checkers.safety import SafetyBugChecker
from bugsieve.policies.models.registry import MODEL_POLICIES
from bugsieve.results.folder import BUGS_FOLDER, BUGS_IN_FILES, Description
from bugsieve.results.progress import CampaignHeader
from bugsieve.results.safety.export import about_safety, safety_tables
from bugsieve.results.safety.records import SafetyRecords
from bugsieve.results.safety.salvage import SafetySalvage
from bugsieve.results.safety.store import SafetyStore


def describe(header: CampaignHeader) -> Description:
    """What the folder says about the campaign."""
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
    bugs_shown=5,
)
