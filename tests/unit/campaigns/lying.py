"""An oracle that claims bugs without proof."""

from __future__ import annotations

from bugsieve.pipeline.bench import Suspects
from bugsieve.pipeline.bugs.verdict import Outcome, Verdict
from bugsieve.pipeline.oracles.oracle import Oracle


class LyingOracle(Oracle):
    """Calls every state a bug."""

    def judge(self, suspects: Suspects) -> list[Verdict]:
        return [Verdict(Outcome.BUG, "trust me", (), 0.0, 1.0)] * len(suspects)
