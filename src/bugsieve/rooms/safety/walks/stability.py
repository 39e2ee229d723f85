"""Asks the policy of a model again before a bug counts, as `pipeline.judging.stability` does."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bugsieve.pipeline.judging.findings import AnyBug, UnstableRow
from bugsieve.pipeline.judging.stability import Answer, Asker, Difference, said
from bugsieve.policies.decisions import Decisions
from bugsieve.rooms.jani.policies.policy import ModelPolicy
from bugsieve.tasks.grounded.task import NO_ACTION


class SafetyAsker(Asker):
    """Asks the policy of a model about the runs of its bugs."""

    def __init__(self, policy: ModelPolicy) -> None:
        super().__init__(policy)
        self._model = policy.model

    def check(self, case: int, bug: AnyBug, *, hash_seed: int | None = None) -> UnstableRow | None:
        """The state where the policy contradicts its answers in a bug; None if there is none."""
        if self.is_exempt:
            return None
        certificate = bug.certificate
        run = certificate["run"]
        said_of = list(zip(run["states"], run["actions"], strict=False))
        said_of += [(state, NO_ACTION if a is None else a) for state, a in certificate["answers"]]
        distinct = {tuple(state): action for state, action in reversed(said_of)}
        answers = dict(reversed(distinct.items()))
        rows = np.array([self._model.state(list(state)) for state in answers])
        found = self.difference(rows, list(answers.values()), _model_answer, hash_seed=hash_seed)
        if found is None:
            return None
        state = list(answers)[found.row]
        on_run = [tuple(row) for row in run["states"]]
        position = on_run.index(state) if state in on_run else len(on_run)
        cause = "" if hash_seed is None else f"--hash-seed {self.hash_seed}"
        row = self.row(state, found)
        return replace(row, case=case, position=position, claim=bug.id, cause=cause)

    def row(self, state: Sequence[Any], found: Difference) -> UnstableRow:
        """Make the row of a difference outside of claims; the values of variables by name."""
        names = [variable.name for variable in self._model.variables]
        actions = self._model.actions
        shown = json.dumps(dict(zip(names, state, strict=True)))
        return UnstableRow(0, 0, shown, said(found.first, actions), said(found.second, actions))


def _model_answer(decisions: Decisions, row: int) -> Answer:
    """A failure ends a run of a model as no action does, which is what was recorded of it."""
    action = max(int(decisions.actions[row]), NO_ACTION)
    failure = decisions.failures.get(row)
    return action if failure is None or action != NO_ACTION else failure
