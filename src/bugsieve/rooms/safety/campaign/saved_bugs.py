"""Bugs of safety testing that outlive their campaign."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from bugsieve.base.files_and_processes.foreign_json import fitting
from bugsieve.base.registry.spec_folder import typed_in
from bugsieve.campaigns.saved_bugs import ReplayOptions, require_id
from bugsieve.pipeline.bugs.replay import ReplayResult
from bugsieve.rooms.jani.model.saved import SavedModel
from bugsieve.rooms.jani.policies.registry import MODEL_POLICIES, make_model_policy
from bugsieve.rooms.safety.bugs.bug import SafetyBug, safety_bug_from_json
from bugsieve.rooms.safety.bugs.replay import replay_safety
from bugsieve.rooms.safety.checker.safety import bug_id

_MODEL = {"name": str, "document": dict, "actions": [str]}


class SavedSafetyBugs:
    """Saves, reads and replays bugs of models."""

    policies = MODEL_POLICIES

    def subject_json(self, subject: SavedModel) -> dict[str, Any]:
        """Return a model as JSON data."""
        return {
            "name": subject.name,
            "document": subject.json(),
            "actions": list(subject.actions),
        }

    def saved_subject(self, content: Any) -> SavedModel:
        """Return the model of such data; ValueError for any other."""
        fitting(content, _MODEL)
        document = json.dumps(content["document"], ensure_ascii=False)
        return SavedModel(content["name"], document, tuple(content["actions"]))

    def saved_bug(self, data: Mapping[str, Any], *, source: str) -> SafetyBug:
        """Return the bug of JSON data; InputError, with its source, if it is not one of ours."""
        bug = safety_bug_from_json(data, source=source)
        require_id(bug, bug_id(bug.certificate), source)
        return bug

    def replay(
        self, subject: SavedModel, bug: SafetyBug, options: ReplayOptions, *, source: str
    ) -> ReplayResult:
        """Check the certificate of a bug of the model, then ask the policy what it does there."""
        model = subject.load(source=source)
        with (
            typed_in(options.policy_folder),
            make_model_policy(options.policy, model, seed=options.policy_seed) as made,
        ):
            return replay_safety(made, bug.certificate)
