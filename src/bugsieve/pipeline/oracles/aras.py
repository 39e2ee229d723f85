"""`aras`: improve the policy's own plan by action elimination and neighbourhood search."""

from __future__ import annotations

from dataclasses import replace

from bugsieve.base.stopping import check_stop
from bugsieve.pipeline.bench import Bench, Suspects
from bugsieve.pipeline.bugs.verdict import Verdict, inconclusive
from bugsieve.pipeline.oracles.oracle import Oracle
from bugsieve.tasks.search import improve_plan


class ArasOracle(Oracle):
    """Improves the policy's own plan by action elimination and neighbourhood search."""

    usage = "aras"

    @classmethod
    def objection(cls, bench: Bench) -> str | None:
        """Objectives in which the cost of a plan does not count."""
        if not bench.objective.costs_count:
            return f"it improves costs, which the objective {bench.objective.spec} ignores"
        return None

    def judge(self, suspects: Suspects) -> list[Verdict]:
        """Bugs where a cheaper plan comes out; failures have no plan to improve."""
        return [self._judge(suspects, row) for row in range(len(suspects))]

    def _judge(self, suspects: Suspects, row: int) -> Verdict:
        check_stop()
        if not suspects.runs.solved[row]:
            return inconclusive("the policy has no plan to improve")
        state, value = suspects.states[row], float(suspects.values[row])
        own = suspects.runs.plan(row)
        improved = improve_plan(self.bench.task, state, own, limits=self.limits)
        verdict = inconclusive("no better run found")
        if improved.plan is not None:
            reason = "the policy's plan can be improved"
            verdict = self.confirm(state, value, improved.plan, reason)
        return replace(verdict, expanded=improved.expanded)
