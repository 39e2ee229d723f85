"""Asks a policy again about its safety bugs, or in every state of a proof that it is safe."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any

from bugsieve.campaigns.greens import GreenReplay
from bugsieve.campaigns.replays import PolicyReplay
from bugsieve.campaigns.store.progress import CampaignHeader
from bugsieve.pipeline.bugs.replay import ReplayResult
from bugsieve.pipeline.judging.findings import BugRow
from bugsieve.rooms.jani.policies.policy import ModelPolicy
from bugsieve.rooms.safety.bugs.replay import replay_safety
from bugsieve.rooms.safety.campaign.green import stored_green
from bugsieve.rooms.safety.campaign.green_replay import replay_safe_green
from bugsieve.rooms.safety.campaign.policy import policy_of
from bugsieve.rooms.safety.checker.safety import SafetyBugChecker
from bugsieve.rooms.safety.store.records import SafetyRecords


class SafetyReplay(PolicyReplay):
    """Asks the policy about states of its model anew."""

    records = SafetyRecords

    def open(self, header: CampaignHeader) -> AbstractContextManager[ModelPolicy]:
        """The policy of the campaign on its model."""
        return policy_of(self.wish.folder, header, policy=self.wish.policy)

    def replay_bugs(
        self, tested: ModelPolicy, rows: list[BugRow[Any]]
    ) -> Iterator[tuple[BugRow[Any], ReplayResult]]:
        """Ask about the decisions of these bugs."""
        checker = SafetyBugChecker(tested.model.document)
        for row in rows:
            yield row, replay_safety(tested, row.bug.certificate, checker=checker)

    def stored_green(self) -> Any | None:
        """The certificate of a campaign without unsafe runs, checked anew; None without one."""
        return stored_green(self.wish.folder)

    def replay_green(self, tested: ModelPolicy, green: Any) -> GreenReplay:
        """Ask about every state of a certificate."""
        return replay_safe_green(tested, green)
