"""`inv-quant`: go back to where the walk came from, and let the policy run from there.

Applies where each operator has an inverse. The state is a bug if the way back and the policy's run
from there are together better than its run from here.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from bugsieve.base.errors import UnsupportedError
from bugsieve.base.stopping import check_stop
from bugsieve.pipeline.bench import Bench, Origin, Suspects
from bugsieve.pipeline.bugs.verdict import Verdict, inconclusive
from bugsieve.pipeline.oracles.oracle import Oracle
from bugsieve.tasks.grounded.inverses import Undoing, undoing, way_back
from bugsieve.tasks.grounded.task import StateArray


class InvQuant(Oracle):
    """Walks back by inverse actions, then follows the policy from where the walk started."""

    usage = "inv-quant"

    @classmethod
    def objection(cls, bench: Bench) -> str | None:
        """Operators without an inverse."""
        try:
            obstacle = undoing(bench.task).obstacle_to_inversion
        except UnsupportedError as error:
            return str(error)
        if obstacle is None:
            return None
        return f"{bench.task.operator_names[obstacle]} could not be shown to have an inverse"

    @cached_property
    def undoing(self) -> Undoing:
        """The inverse of each operator."""
        return undoing(self.bench.task)

    def judge(self, suspects: Suspects) -> list[Verdict]:
        """Bugs where the return pays."""
        starts = [None if origin is None else origin.start for origin in suspects.origins]
        known = [start for start in starts if start is not None]
        if known:
            self.bench.runs(np.stack(known))  # one batch; the source remembers
        return [
            self._judge(state, float(value), origin)
            for state, value, origin in zip(
                suspects.states, suspects.values, suspects.origins, strict=True
            )
        ]

    def _judge(self, state: StateArray, value: float, origin: Origin | None) -> Verdict:
        check_stop()
        if np.isnan(value):
            return inconclusive("the run did not end")
        if origin is None or not origin.actions:
            return inconclusive("no walk led here")
        runs = self.bench.runs(origin.start[None])
        if not runs.solved[0]:
            return inconclusive("the policy fails where the walk started")
        back = way_back(self.bench.task, self.undoing, origin.start, origin.actions)
        if back is None:
            return inconclusive("the walk could not be undone")
        plan = (*back, *runs.plan(0))
        return self.confirm(state, value, plan, "going back and starting again is better")
