"""Makes a bench and its oracles for a task, in any process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from bugsieve.base.errors import UnsupportedError
from bugsieve.base.registry.spec_folder import typed_in
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.judging.escalation import SEARCH
from bugsieve.pipeline.judging.findings import OracleRow
from bugsieve.pipeline.objectives import make_objective
from bugsieve.pipeline.oracles.oracle import Oracle
from bugsieve.pipeline.oracles.registry import make_oracle
from bugsieve.policies.decisions import Recorded
from bugsieve.policies.limits import WorkerLimits
from bugsieve.policies.policy import BoundPolicy, Policy
from bugsieve.policies.registry import make_policy
from bugsieve.tasks.grounded.task import Task
from bugsieve.tasks.search import Limits


@dataclass(frozen=True)
class BenchPlan:
    """The settings for a bench and its oracles, besides the task."""

    policy: str
    policy_seed: int
    policy_limits: WorkerLimits
    objective: str
    step_limit: int
    limits: Limits
    escalation: tuple[int, ...] = ()
    """Limits on expansions at the levels above 0."""
    policy_folder: str = ""
    """The folder where the policy was typed."""
    seed: int = 0
    """Of the campaign, for oracles that draw."""
    recorded: Recorded | None = field(default=None, compare=False, repr=False)
    """The decisions that the policy has taken before, for which it is not asked again."""

    def bench(self, task: Task, policy: Policy | None = None) -> Bench:
        """The bench; the policy is made from its spec unless it is given."""
        if policy is None:
            seed, limits = self.policy_seed, self.policy_limits
            with typed_in(self.policy_folder):
                policy = make_policy(self.policy, task, seed=seed, limits=limits)
        try:
            objective = make_objective(self.objective, task)
            bench = Bench(task, policy, objective, step_limit=self.step_limit, seed=self.seed)
            if self.recorded is not None:
                bench.take_over(self.recorded)
            return bench
        except BaseException:
            close_policy(policy)
            raise

    def oracles(self, bench: Bench, specs: Sequence[str]) -> list[Oracle]:
        """The oracles of these specs; UnsupportedError if one of them cannot judge here."""
        return [make_oracle(spec, bench, limits=self.limits) for spec in specs]

    def escalating(self, bench: Bench) -> list[Oracle]:
        """The oracles that judge at the levels above 0, one each."""
        return [
            make_oracle(SEARCH, bench, limits=replace(self.limits, expansions=most))
            for most in self.escalation
        ]

    def examined(self, bench: Bench, specs: Sequence[str]) -> list[Oracle | OracleRow]:
        """The oracles of these specs; where one cannot judge on the bench, why not.

        UnsupportedError if none of them can.
        """
        made: list[Oracle | OracleRow] = []
        for spec in specs:
            try:
                made.append(make_oracle(spec, bench, limits=self.limits))
            except UnsupportedError as error:
                made.append(OracleRow(spec, str(error)))
        if made and not any(isinstance(item, Oracle) for item in made):
            reasons = "; ".join(
                str(item.objection) for item in made if isinstance(item, OracleRow)
            )
            raise UnsupportedError(f"there is no oracle left: {reasons}")
        return made


def close_policy(policy: Policy) -> None:
    """Let go of a policy that we made."""
    if isinstance(policy, BoundPolicy):
        policy.close()
