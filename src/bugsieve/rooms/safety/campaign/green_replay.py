"""Asks a policy again in every state of a proof that it is safe."""

from __future__ import annotations

from typing import Any

import numpy as np

from bugsieve.base.current_activity import doing
from bugsieve.base.errors import BugsieveError
from bugsieve.base.stopping import check_stop
from bugsieve.base.wording import counted
from bugsieve.campaigns.greens import GreenReplay, GreenStatus
from bugsieve.rooms.jani.policies.policy import ModelPolicy
from bugsieve.rooms.jani.policies.reach import MOST_STATES, explore
from bugsieve.rooms.jani.starts.every import all_starts
from bugsieve.rooms.safety.bugs.green import SafeAnswers, safe_green
from bugsieve.rooms.safety.checker.safety_green import check_safe_green, said_of


def replay_safe_green(policy: ModelPolicy, green: Any) -> GreenReplay:
    """Ask the policy anew about all states of a certificate that the checker has accepted."""
    model, known = policy.model, SafeAnswers.of(policy.model, green)
    _, flags = model.observe(known.states)
    is_asked = flags.any(axis=1)
    asked = int(is_asked.sum())
    with doing(f"asking the policy again in {counted(asked, 'state')}"):
        answers = policy.decide_anew(known.states[is_asked][::-1]).actions[::-1]
    # An action that the model does not have is written as none.
    answers = np.where((answers >= 0) & (answers < len(model.actions)), answers, -1)
    changed = int(np.sum(answers != known.actions[is_asked]))
    told = f"the policy answers as before in {counted(asked, 'state')}"
    if changed:
        told = f"the policy answers otherwise in {changed} of {counted(asked, 'state')}"
    try:
        starts = all_starts(model, MOST_STATES)
        reach = explore(model, starts, policy)
    except BugsieveError as error:
        return GreenReplay(GreenStatus.PROOF_LOST, f"{told}; {error}", asked, changed)
    if reach.way is not None:
        sentence = f"{told}; it comes to danger after {counted(len(reach.way), 'step')}"
        return GreenReplay(GreenStatus.PROOF_LOST, sentence, asked, changed)
    proven = check_safe_green(
        model.document, safe_green(policy, len(starts), reach), poll=check_stop
    )
    sentence = f"{told} and {said_of(proven)}"
    return GreenReplay(GreenStatus.PROOF_HOLDS, sentence, asked, changed)
