"""What campaigns of all kinds show while they run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeVar

from bugsieve.basis.wording import counted
from bugsieve.cli.live_display import LiveDisplay

if TYPE_CHECKING:
    from bugsieve.campaigns.events import Event, RoundDone, SafetyRoundDone
    from bugsieve.campaigns.folder_campaign import FolderCampaign
    from bugsieve.campaigns.stop_rules import StopRules

Outcome = TypeVar("Outcome")


class CampaignDisplay(LiveDisplay):
    """Shows the events of a campaign."""

    def __init__(self, max_time: float | None = None) -> None:
        super().__init__()
        self._max_time = max_time
        self._last: RoundDone | SafetyRoundDone | None = None

    def take(self, event: Event) -> None:
        """Listen to the campaign."""
        from bugsieve.campaigns import events

        if isinstance(event, events.OracleSkipped):
            self.say(f"without {event.oracle}: {event.reason}")
        elif isinstance(event, (events.CertificateRejected, events.ClaimRejected)):
            self.say(f"the checker rejects a claim of {event.row.oracle}: {event.row.reason}")
        elif isinstance(event, (events.RoundDone, events.SafetyRoundDone)):
            self._last = event
            self.tick()

    def lines(self) -> list[str]:
        """One line with the counts."""
        return ["starting" if self._last is None else progress_line(self._last, self._max_time)]


def run_displayed(campaign: FolderCampaign[Outcome], stop: StopRules) -> Outcome:
    """Run the campaign with a progress display; an interruption says how to go on."""
    try:
        with CampaignDisplay(stop.max_time) as display:
            return campaign.run(display.take)
    except KeyboardInterrupt as interruption:
        cause, folder = str(interruption) or "interrupted", campaign.directory
        raise KeyboardInterrupt(f"{cause}: 'bugsieve resume {folder}' goes on") from interruption


def progress_line(state: RoundDone | SafetyRoundDone, max_time: float | None) -> str:
    """Where a campaign stands, in one line."""
    from bugsieve.campaigns import events

    if isinstance(state, events.SafetyRoundDone):
        parts = _safety_counts(state)
    else:
        parts = _cost_counts(state)
    if state.last_bug_seconds is not None:
        parts.append(f"last find {max(state.seconds - state.last_bug_seconds, 0):.0f} s ago")
    parts.append(f"{state.seconds:.0f} s")
    if max_time is not None:
        parts.append(f"{max(max_time - state.seconds, 0):.0f} s left")
    return ", ".join(parts)


def _cost_counts(state: RoundDone) -> list[str]:
    return [
        f"pool {state.pool} of {state.pool_size}",
        f"judged {state.judged}",
        kinds_text(state.bugs) or "no bugs",
        f"{state.states_per_second:.0f} states/s",
        counted(state.policy_calls, "policy call"),
    ]


def _safety_counts(state: SafetyRoundDone) -> list[str]:
    return [
        f"walk {state.walks} of {state.walk_limit}",
        f"{counted(state.runs, 'unsafe run')} ({state.different_runs} different)",
        kinds_text(state.bugs) or "no bugs",
        f"{state.walks_per_second:.0f} walks/s",
    ]


def bugs_line(counts: Mapping[str, int], *, is_all: bool) -> str:
    """How many bugs, by kind; `is_all` unless there are others that nobody could prove."""
    if not counts:
        return "no bugs found" if is_all else "no bugs proven"
    return f"{counted(sum(counts.values()), 'bug')}: {kinds_text(counts)}"


def kinds_text(counts: Mapping[str, int]) -> str:
    """How many bugs of each kind; of the kinds, only the fault is a noun."""
    return ", ".join(
        counted(count, kind) if kind == "fault" else f"{count} {kind}"
        for kind, count in counts.items()
    )
