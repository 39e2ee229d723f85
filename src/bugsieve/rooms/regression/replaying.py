"""Asks a policy about a bug of a project: whether that is gone, as it should be."""

from __future__ import annotations

from dataclasses import dataclass

from bugsieve.campaigns.saved_bugs import ReplayOptions
from bugsieve.pipeline.bugs.replay import ReplayResult, ReplayStatus
from bugsieve.rooms.regression.bug_file import FIXED, RegressionBug

_WORDS = {ReplayStatus.FLAKY: "unstable"}
_THERE = (ReplayStatus.STILL_FAILS, ReplayStatus.IMPROVED, ReplayStatus.FLAKY)


@dataclass(frozen=True)
class ReplayedBug:
    """The result of replaying a bug."""

    file: RegressionBug
    policy: str
    result: ReplayResult

    @property
    def passes(self) -> bool:
        """Return true if the bug is gone, and the file does not say that it is still there."""
        return self.result.status is ReplayStatus.FIXED and not self.file.is_open

    @property
    def is_known(self) -> bool:
        """Return true if the bug is there, as the file says."""
        return self.file.is_open and self.result.status in _THERE

    @property
    def text(self) -> str:
        """The result, the bug, and the policy that was asked."""
        status = self.result.status
        lines = [
            f"{_WORDS.get(status, status.value)}: {self.result.sentence}",
            str(self.file.bug),
            f"cause: {self.file.cause}",
            f"policy: {self.policy}",
        ]
        if status is ReplayStatus.FIXED and self.file.is_open:
            lines.insert(
                1, f'but {self.file.path.name} expects it to be open: say "{FIXED}" there'
            )
        return "\n".join(lines)


def replay_bug_file(file: RegressionBug, policy: str, *, folder: str = "") -> ReplayedBug:
    """Check the certificate, then ask the policy, which is typed in a folder, anew."""
    options = ReplayOptions(
        policy=policy,
        policy_folder=folder,
        policy_seed=file.policy_seed,
        step_limit=file.step_limit,
        seed=file.seed,
    )
    source = str(file.path)
    return ReplayedBug(
        file, policy, file.saved_bugs.replay(file.subject, file.bug, options, source=source)
    )
