"""Training with policy testing as a kind of campaigns."""

from __future__ import annotations

from bugsieve.campaigns.kind import Kind
from bugsieve.campaigns.training.driver import drive
from bugsieve.campaigns.training.equipment import begin, check, equip
from bugsieve.campaigns.training.exhibits import TrainingExhibits
from bugsieve.campaigns.training.options import TrainingOptions
from bugsieve.campaigns.training.salvage import checker, first_wrong_model
from bugsieve.campaigns.training.summary import summarise
from bugsieve.campaigns.training.tables import about, training_tables
from bugsieve.campaigns.training.wording import TrainingWording
from bugsieve.oracles.registry import ORACLES
from bugsieve.results.folder import Description
from bugsieve.results.progress import CampaignHeader
from bugsieve.results.training.records import TrainingRecords
from bugsieve.results.training.salvage import TrainingSalvage
from bugsieve.results.training.store import TrainingStore

DOMAIN_FILE = "domain.pddl"


def describe(header: CampaignHeader) -> Description:
    """What the folder says about the training."""
    return Description(
        f"models that were trained for the domain {header.subject.name}",
        {DOMAIN_FILE: header.subject.domain},
        {DOMAIN_FILE: "the domain; the store has the problems"},
        {"select {} -o FILE": "write the weights of the best model as a policy"},
    )


TRAINING = Kind(
    name="training",
    options=TrainingOptions,
    store=TrainingStore,
    records=TrainingRecords,
    check=check,
    begin=begin,
    equip=equip,
    drive=drive,
    summarise=summarise,
    describe=describe,
    tables=training_tables,
    about=about,
    wording=TrainingWording(),
    oracles=ORACLES,
    salvage=TrainingSalvage,
    checker=checker,
    is_test=False,
    exhibits=TrainingExhibits,
    wrong_case=first_wrong_model,
    visit="model",
)
