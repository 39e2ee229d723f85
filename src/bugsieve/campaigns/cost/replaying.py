"""Asks a policy again about its cost bugs, or in every state of a green."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any

from bugsieve.campaigns.cost.bench import bench_of
from bugsieve.campaigns.cost.green import stored_green
from bugsieve.campaigns.cost.green_replay import replay_green
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.greens import GreenReplay
from bugsieve.campaigns.replays import PolicyReplay
from bugsieve.campaigns.store.progress import CampaignHeader
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.replay import ReplayResult, replay
from bugsieve.pipeline.judging.findings import BugRow


class CostReplay(PolicyReplay):
    """Runs the policy on its task anew."""

    records = CostRecords

    def open(self, header: CampaignHeader) -> AbstractContextManager[Bench]:
        """The bench of the campaign."""
        return bench_of(self.wish.folder, header, policy=self.wish.policy)

    def replay_bugs(
        self, tested: Bench, rows: list[BugRow[Any]]
    ) -> Iterator[tuple[BugRow[Any], ReplayResult]]:
        """Run the policy from the states of these bugs."""
        for row in rows:
            yield row, replay(tested, row.bug.certificate)

    def stored_green(self) -> Any | None:
        """The certificate of a campaign without bugs, checked anew; None if there is none."""
        return stored_green(self.wish.folder)

    def replay_green(self, tested: Bench, green: Any) -> GreenReplay:
        """Ask about every state of a certificate."""
        return replay_green(tested, green)
