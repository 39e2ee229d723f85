"""Asks a policy about a bug of a project: whether that is gone, as it should be."""

from __future__ import annotations

from dataclasses import dataclass

from bugsieve.base.registry.spec_folder import typed_in
from bugsieve.pipeline.bugs.replay import ReplayResult, ReplayStatus, replay
from bugsieve.pipeline.judging.plan import BenchPlan, close_policy
from bugsieve.pipeline.oracles.oracle import DEFAULT_LIMITS
from bugsieve.policies.worker import WorkerLimits
from bugsieve.rooms.jani.model.saved import SavedModel
from bugsieve.rooms.jani.policies.registry import make_model_policy
from bugsieve.rooms.regression.bug_file import FIXED, BugFile
from bugsieve.rooms.safety.bugs.replay import replay_safety
from bugsieve.tasks.grounded.saved import SavedTask

_WORDS = {ReplayStatus.FLAKY: "unstable"}
_THERE = (ReplayStatus.STILL_FAILS, ReplayStatus.IMPROVED, ReplayStatus.FLAKY)


@dataclass(frozen=True)
class Judged:
    """What a bug has come to."""

    file: BugFile
    policy: str
    result: ReplayResult

    @property
    def passes(self) -> bool:
        """Whether the bug is gone, and nobody said that it was still there."""
        return self.result.status is ReplayStatus.FIXED and not self.file.is_open

    @property
    def is_known(self) -> bool:
        """Whether the bug is there, as the file says."""
        return self.file.is_open and self.result.status in _THERE

    @property
    def text(self) -> str:
        """What has become of it, what it is, and what was asked."""
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


def replay_bug_file(file: BugFile, policy: str, *, folder: str = "") -> Judged:
    """Check the certificate, then ask the policy, which is typed in a folder, anew."""
    if isinstance(file.subject, SavedTask):
        return Judged(file, policy, _replayed(file, file.subject, policy, folder))
    return Judged(file, policy, _replayed_safety(file, file.subject, policy, folder))


def _replayed(file: BugFile, subject: SavedTask, policy: str, folder: str) -> ReplayResult:
    certificate = file.bug.certificate
    plan = BenchPlan(
        policy,
        file.policy_seed,
        WorkerLimits(),
        certificate["objective"],
        file.step_limit,
        DEFAULT_LIMITS,
        policy_folder=folder,
        seed=file.seed,
    )
    bench = plan.bench(subject.load())
    try:
        return replay(bench, certificate)
    finally:
        close_policy(bench.policy)


def _replayed_safety(file: BugFile, subject: SavedModel, policy: str, folder: str) -> ReplayResult:
    model = subject.load(source=str(file.path))
    with (
        typed_in(folder),
        make_model_policy(policy, model, seed=file.policy_seed) as made,
    ):
        return replay_safety(made, file.bug.certificate)
