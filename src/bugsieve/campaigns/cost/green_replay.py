"""Asks a policy again in every state of a green: is it still without a bug, and is that proven?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bugsieve.base.current_activity import doing
from bugsieve.base.stopping import check_stop
from bugsieve.base.wording import counted
from bugsieve.campaigns.greens import GreenReplay, GreenStatus
from bugsieve.checkers.green import check_green, said_of
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.green import GreenAnswers, green_certificate
from bugsieve.policies.graph import PolicyGraph


def replay_green(bench: Bench, green: Any) -> GreenReplay:
    """Ask the policy anew about all states of a certificate that the checker has accepted."""
    known, fresh = GreenAnswers.of(bench.task, green), bench.afresh()
    asked = known.asked
    with doing(f"asking the policy again in {counted(len(asked), 'state')}"):
        changed = int(_changes(fresh, known).sum())
        anew = green_certificate(fresh, known.states, known.is_lost, known.costs)
    told = f"the policy answers as before in {counted(len(asked), 'state')}"
    if changed:
        told = f"the policy answers otherwise in {changed} of {counted(len(asked), 'state')}"
    if anew is None:
        sentence = f"{told}; {_lost(fresh, known)}"
        return GreenReplay(GreenStatus.PROOF_LOST, sentence, len(asked), changed)
    proven = check_green(bench.task.to_sas(), anew, poll=check_stop)
    sentence = f"{told} and {said_of(proven)}"
    return GreenReplay(GreenStatus.PROOF_HOLDS, sentence, len(asked), changed)


def _changes(bench: Bench, known: GreenAnswers) -> NDArray[np.bool_]:
    """In which of the states the policy answers otherwise; they are asked about in reverse."""
    backwards = known.asked[::-1]
    if known.plans is None and isinstance(bench.source, PolicyGraph):
        answers = bench.source.decide(backwards).actions[::-1]
        return np.asarray(answers != known.actions, dtype=np.bool_)
    plans = [tuple(plan.tolist()) for plan in bench.runs(backwards).actions()][::-1]
    before = known.plans or tuple((action,) for action in known.actions.tolist())
    return np.array(
        [one != other for one, other in zip(plans, before, strict=True)], dtype=np.bool_
    )


def _lost(bench: Bench, known: GreenAnswers) -> str:
    """From how many states the policy is no longer fine."""
    runs, costs = bench.runs(known.asked), known.costs[known.acts]
    counts_costs = bench.objective.spec == "quantitative"
    fine = runs.solved & (runs.costs == costs) if counts_costs else runs.solved
    does = "is not optimal" if counts_costs else "does not solve the task"
    return f"it {does} from {int((~fine).sum())} of them"
