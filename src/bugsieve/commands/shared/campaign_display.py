"""What campaigns of all kinds show while they run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bugsieve.base.commands import quoted_command
from bugsieve.commands.shared.live_display import LiveDisplay
from bugsieve.commands.shared.signals import going_on

if TYPE_CHECKING:
    from bugsieve.campaigns.campaign import Campaign
    from bugsieve.campaigns.events import Event, RoundDone
    from bugsieve.campaigns.summary import Summary


class CampaignDisplay(LiveDisplay):
    """Shows the events of a campaign."""

    def __init__(self, max_time: float | None = None, about: str = "") -> None:
        super().__init__()
        self._about = about
        self._max_time = max_time
        self._last: RoundDone | None = None
        self._differs = False

    def take(self, event: Event) -> None:
        """Listen to the campaign."""
        from bugsieve.campaigns import events

        if isinstance(event, events.Started):
            self.note_workers(event.workers)
        elif isinstance(event, events.OracleSkipped):
            self.say(f"without {event.oracle}: {event.reason}")
        elif isinstance(event, events.Noted):
            self.say(f"note on {event.note}")
        elif isinstance(event, events.ClaimRejected):
            self.say(f"the checker rejects a claim of {event.row.oracle}: {event.row.reason}")
        elif isinstance(event, events.AnswersDiffer) and not self._differs:
            self._differs = True  # once is enough: the summary has the number
            row = event.row
            what = "depend on the order of sets" if row.cause else "change"
            self.say(f"the policy's answers {what}: {row.first}, then {row.second}")
        elif isinstance(event, events.RoundDone):
            self._last = event

    def lines(self) -> list[str]:
        """One line with the counts."""
        line = "starting" if self._last is None else progress_line(self._last, self._max_time)
        return [f"{self._about}: {line}" if self._about else line]


def run_displayed(campaign: Campaign, *, about: str = "") -> Summary:
    """Run the campaign with a progress display; an interruption says how to go on.

    `about` tells it from others that the command runs.
    """
    try:
        with CampaignDisplay(campaign.options.stop.max_time, about) as display:
            summary: Summary = campaign.run(display.take)
            return summary
    except KeyboardInterrupt as interruption:
        how = f"{quoted_command('resume', campaign.directory)} goes on"
        raise going_on(interruption, how) from interruption


def progress_line(state: RoundDone, max_time: float | None) -> str:
    """Where a campaign stands, in one line."""
    from bugsieve.campaigns.kind import KINDS

    parts = KINDS[state.kind].wording.progress(state)
    if state.last_bug_seconds is not None:
        parts.append(f"last find {max(state.seconds - state.last_bug_seconds, 0):.0f} s ago")
    parts.append(f"{state.seconds:.0f} s")
    if max_time is not None:
        parts.append(f"{max(max_time - state.seconds, 0):.0f} s left")
    return ", ".join(parts)
