"""Runs a campaign and says a line after each event, so that a test knows when to kill it."""

from __future__ import annotations

import sys
from pathlib import Path

from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.events import Event
from bugsieve.campaigns.options import CampaignOptions
from bugsieve.results.schema import STORE_FILE


def main(folder: str, options: str) -> None:
    """Create the campaign that the options describe, or continue it."""
    given = CampaignOptions.from_toml(options, name="options")
    if (Path(folder) / STORE_FILE).exists():
        campaign = Campaign.open(folder)
    else:
        campaign = Campaign.create(folder, given)
    campaign.run(_say)


def _say(event: Event) -> None:
    print(type(event).__name__, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
