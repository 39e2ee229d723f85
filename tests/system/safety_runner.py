"""Runs a safety campaign and says a line after each event: a test knows when to kill it."""

from __future__ import annotations

import sys
from pathlib import Path

from bugsieve.campaigns.events import Event
from bugsieve.campaigns.safety.campaign import SafetyCampaign
from bugsieve.campaigns.safety.options import SafetyOptions
from bugsieve.results.schema import STORE_FILE
from bugsieve.tasks.jani.loading import load_model


def main(folder: str, options: str) -> None:
    """Create the campaign that the options describe, or continue it."""
    given = SafetyOptions.from_toml(options, name="options")
    if (Path(folder) / STORE_FILE).exists():
        campaign = SafetyCampaign.open(folder)
    else:
        campaign = SafetyCampaign.create(folder, given, load_model(*given.model))
    campaign.run(_say)


def _say(event: Event) -> None:
    print(type(event).__name__, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
