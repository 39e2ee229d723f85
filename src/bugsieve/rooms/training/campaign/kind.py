"""Training with policy testing as a kind of campaigns."""

from __future__ import annotations

from bugsieve.campaigns.kind import Kind
from bugsieve.campaigns.store.folder import Description
from bugsieve.campaigns.store.progress import CampaignHeader
from bugsieve.pipeline.oracles.registry import ORACLES
from bugsieve.rooms.training.campaign.driver import drive
from bugsieve.rooms.training.campaign.equipment import begin, check, equip
from bugsieve.rooms.training.campaign.exhibits import TrainingExhibits
from bugsieve.rooms.training.campaign.options import TrainingOptions
from bugsieve.rooms.training.campaign.salvage import checker, first_wrong_model
from bugsieve.rooms.training.campaign.summary import summarise
from bugsieve.rooms.training.campaign.tables import about, training_tables
from bugsieve.rooms.training.campaign.wording import TrainingWording
from bugsieve.rooms.training.store.records import TrainingRecords
from bugsieve.rooms.training.store.salvage import TrainingSalvage
from bugsieve.rooms.training.store.store import TrainingStore

DOMAIN_FILE = "domain.pddl"


def describe(header: CampaignHeader) -> Description:
    """The description of the training in its folder."""
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
