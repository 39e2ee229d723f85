"""Bugs of cost testing that outlive their campaign."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bugsieve.base.errors import InputError, UsageError
from bugsieve.base.files_and_processes.foreign_json import FixedList, fitting
from bugsieve.base.names import no_such
from bugsieve.campaigns.saved_bugs import ReplayOptions, require_id
from bugsieve.checkers.cost import bug_id
from bugsieve.pipeline.bugs.bug import Bug, bug_from_json
from bugsieve.pipeline.bugs.replay import ReplayResult, replay
from bugsieve.pipeline.judging.plan import BenchPlan, close_policy
from bugsieve.pipeline.objectives import OBJECTIVES
from bugsieve.pipeline.oracles.limits import DEFAULT_LIMITS
from bugsieve.policies.limits import WorkerLimits
from bugsieve.policies.registry import POLICIES
from bugsieve.tasks.grounded.saved import SavedTask

_TASK = {
    "name": str,
    "sas": str,
    "objects": [FixedList(str, str)],
    "static_facts": [str],
    "domain": (str, None),
    "problem": (str, None),
    "unit_cost": bool,
}


class SavedCostBugs:
    """Saves, reads and replays bugs of planning tasks."""

    policies = POLICIES

    def subject_json(self, subject: SavedTask) -> dict[str, Any]:
        """Return a task as JSON data."""
        # Any bytes are Latin-1, and come back as they were; most files are plain ASCII.
        texts = {
            name: None if part is None else part.decode("latin-1")
            for name, part in (("domain", subject.domain), ("problem", subject.problem))
        }
        return {
            "name": subject.name,
            "sas": subject.sas,
            "objects": [list(pair) for pair in subject.objects],
            "static_facts": list(subject.static_facts),
            **texts,
            "unit_cost": subject.unit_cost,
        }

    def saved_subject(self, content: Any) -> SavedTask:
        """Return the task of such data; ValueError for any other."""
        fitting(content, _TASK)
        files = (content[name] for name in ("domain", "problem"))
        domain, problem = (None if text is None else text.encode("latin-1") for text in files)
        return SavedTask(
            content["name"],
            content["sas"],
            tuple((name, kind) for name, kind in content["objects"]),
            tuple(content["static_facts"]),
            domain,
            problem,
            content["unit_cost"],
        )

    def saved_bug(self, data: Mapping[str, Any], *, source: str) -> Bug:
        """Return the bug of JSON data; InputError, with its source, if it is not one of ours."""
        bug = bug_from_json(data, source=source)
        require_id(bug, bug_id(bug.certificate), source)
        _require_objective(bug, source)
        return bug

    def replay(
        self, subject: SavedTask, bug: Bug, options: ReplayOptions, *, source: str
    ) -> ReplayResult:
        """Check the certificate of a bug of the task, then run the policy from its state anew."""
        plan = BenchPlan(
            options.policy,
            options.policy_seed,
            WorkerLimits(),
            bug.certificate["objective"],
            options.step_limit,
            DEFAULT_LIMITS,
            policy_folder=options.policy_folder,
            seed=options.seed,
        )
        bench = plan.bench(subject.load())
        try:
            return replay(bench, bug.certificate)
        finally:
            close_policy(bench.policy)


def _require_objective(bug: Bug, source: str) -> None:
    """InputError unless the objective holds all that it is about, and has such bugs."""
    try:
        _, objective, argument = OBJECTIVES.parse(bug.certificate["objective"])
        objective.check_stored(argument)
    except UsageError as error:
        raise InputError(f"{source}: {error}") from None
    if bug.kind not in objective.kinds:
        raise InputError(f"{source}: {no_such('kind of bugs', bug.kind, objective.kinds)}")
