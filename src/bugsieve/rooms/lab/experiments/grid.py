"""The grid of an experiment: its campaigns, with the labels of their places in it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bugsieve.campaigns.options import POOL, CampaignOptions, CostOptions
from bugsieve.rooms.lab.experiments.configurations import Configuration
from bugsieve.rooms.lab.experiments.final_options import FinalTestOptions
from bugsieve.rooms.lab.experiments.instances import Instance
from bugsieve.rooms.lab.experiments.kinds import SAFETY
from bugsieve.rooms.training.options import QOptions

_LONGEST_NAME = 100


@dataclass(frozen=True)
class Training:
    """A network that must be trained before the campaigns that test it."""

    network: str
    """Its file, below the experiment's folder."""
    options: QOptions


@dataclass(frozen=True)
class Cell:
    """One campaign of the grid, with the labels of its place in it."""

    instance: Instance
    policy: str
    fuzzer: str
    oracles: str
    """Empty where the file has one list of oracles for all."""
    seed: int
    options: CampaignOptions
    """All but the task or model, whose files may still have to be written."""
    folder: str
    """Below the experiment's folder."""
    training: Training | None = None
    """The training that makes the policy, where the options cannot name it yet."""
    after: str = ""
    """The folder of the campaign that it builds on: whose pool it judges, where pools are shared,
    or whose start-up phase its training takes over."""

    @property
    def makes_pool(self) -> bool:
        """Return true if it judges nothing, but makes a pool for others."""
        return isinstance(self.options, CostOptions) and self.options.mode == POOL


@dataclass(frozen=True)
class Grid:
    """The campaigns that an experiment file asks for."""

    name: str
    source: Path
    cells: tuple[Cell, ...]
    """A campaign of each domain in turn, so that an early end leaves a bit of everything."""
    configurations: tuple[Configuration, ...] = ()
    """Of trainings; the labels of their cells name them."""
    final: FinalTestOptions | None = None
    """The options for the final tests of trained policies."""
    files: tuple[str, ...] = ()
    """Files that policies need beside those they name, on every machine that runs campaigns."""

    @property
    def is_safety(self) -> bool:
        """Return true if its campaigns are about safety."""
        return any(isinstance(cell.options, SAFETY.options) for cell in self.cells)

    @property
    def shares_pools(self) -> bool:
        """Return true if its campaigns judge common pools, by different oracles."""
        return any(cell.makes_pool for cell in self.cells)


def folder_name(text: str) -> str:
    """The text as the name of a folder on any system."""
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "-_.") else "-" for c in text)
    return plain.lstrip(".")[:_LONGEST_NAME] or "-"
