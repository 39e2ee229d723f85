"""Interrupts campaigns at their events, as Ctrl-C does."""

from __future__ import annotations

import pytest

from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.events import Event


def interrupted(campaign: Campaign, cut: int) -> list[Event]:
    """Run a campaign up to the event of this number; the events that it told of."""
    events: list[Event] = []

    def interrupt(event: Event) -> None:
        events.append(event)
        if len(events) == cut + 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        campaign.run(interrupt)
    return events
