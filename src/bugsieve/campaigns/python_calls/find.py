"""Bugs of a policy in one call, for scripts and notebooks."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from bugsieve.base.arguments import require_folder, require_path, require_text, texts, wrong
from bugsieve.base.errors import InputError, PolicyError, UsageError
from bugsieve.base.wording import kind_in_words
from bugsieve.campaigns.campaign import Campaign, read_campaign, summary_of
from bugsieve.campaigns.cost.found_bug import FoundBug, binding, is_bound, read_found_bugs
from bugsieve.campaigns.flat_options import flat_options
from bugsieve.campaigns.options import AUTO, CampaignOptions, CostOptions, with_typed_walks
from bugsieve.campaigns.python_calls.bugs import Bugs as Bugs
from bugsieve.campaigns.python_calls.bugs import BugT
from bugsieve.campaigns.python_calls.problems import ProblemCampaigns
from bugsieve.pipeline.objectives import objective_class
from bugsieve.policies.foreign.function import PolicyFunction
from bugsieve.policies.policy import Policy, policy_name
from bugsieve.policies.task_view import StateFunction
from bugsieve.tasks.grounded.loading import load_task
from bugsieve.tasks.grounded.task import Task
from bugsieve.tasks.problem_sets import ProblemFiles, problems_of, told_apart

if TYPE_CHECKING:
    from bugsieve.rooms.safety.campaign.found_bug import FoundSafetyBug

AnyPath = str | os.PathLike[str]


def find_bugs(
    task: Task | AnyPath | Sequence[Task | AnyPath],
    policy: str | Policy | PolicyFunction | StateFunction,
    *,
    folder: AnyPath | None = None,
    objective: str = "quantitative",
    oracles: str | Sequence[str] = (),
    whole: str = "auto",
    pool_size: int | None = None,
    bias: str | None = None,
    along_runs: bool = False,
    test_states: str | None = None,
    seed: int = 0,
    max_time: float | None = None,
    max_bugs: int | None = None,
    **others: Any,
) -> Bugs[FoundBug]:
    """Proven bugs of a policy, the worst first; the campaign is kept if there is a folder for it.

    `task` is a task or several, or what `bugsieve test` takes: a folder, or a list of a domain and
    problems, in which folders and patterns stand for what they hold. Several problems are tested
    in the order of their names; `parts` of the result has the bugs of each, `bug.task` the name of
    its task. `max_time`, in seconds, and `max_bugs` are about all of them together.

    `policy` is a spec like `"greedy:hff"`, a function `f(facts, applicable)` of one state, plain
    or under `@bugsieve.policy`, or an object with a method `choose(states)`, bound to one task.

    A small task is tested `whole`: every reachable state, by exact costs. `"no"`, or a pool size
    or bias, has walks make the test states (200 of them); `"yes"` raises where that cannot be.

    Further options have the names of those of `bugsieve test`, as `check` takes them, such as
    `step_limit`, `workers` or `max_calls`.

    PolicyError if the policy never gets ready, hangs or runs out of memory in all its runs.
    `bugsieve.Campaign` offers everything else: resuming, progress.
    """
    walks: dict[str, Any] = {"pool_size": pool_size, "bias": bias}
    typed = {name: value for name, value in walks.items() if value is not None}
    named = (*texts(oracles, "oracles"), *texts(others.get("oracle", ()), "oracle"))
    made = flat_options(policy_text(policy), others, place="find_bugs")
    options = replace(
        made,
        policy_seed=seed,
        objective=objective,
        oracles=named,
        whole=made.whole if require_text(whole, "whole") == AUTO else whole,
        fuzz=replace(
            made.fuzz, seed=seed, along_runs=along_runs, test_states=test_states, **typed
        ),
        stop=replace(made.stop, max_time=max_time, max_bugs=max_bugs),
    )
    options = with_typed_walks(options) if typed else options
    return find_with(options, tasks_of(task), policy, folder=folder)


def find_with(
    options: CostOptions,
    tasks: Mapping[str, Task | ProblemFiles],
    policy: str | Policy | PolicyFunction | StateFunction,
    *,
    folder: AnyPath | None = None,
) -> Bugs[FoundBug]:
    """The same for options of every sort, which name the policy, and tasks by their names."""
    bind = _binding(policy, tasks)
    if len(tasks) > 1:
        return _found_in_all(options, tasks, bind, folder)
    (loaded,) = (_loaded(given, options) for given in tasks.values())
    own = None if bind is None else bind(loaded)
    named = options if own is None else replace(options, policy=policy_name(own))
    return campaign_bugs(named, loaded, own, folder, read_found_bugs)


def tasks_of(given: object) -> dict[str, Task | ProblemFiles]:
    """What is to be tested, by names that are all different."""
    items: Any = [given] if isinstance(given, (Task, str, os.PathLike)) else given
    is_list = isinstance(items, Sequence) and not isinstance(items, bytes) and len(items) > 0
    if is_list and all(isinstance(item, Task) for item in items):
        tasks = sorted(items, key=lambda task: (task.name, task.sha256))
        return dict(zip(told_apart([task.name for task in tasks]), tasks, strict=True))
    if is_list and all(isinstance(item, (str, os.PathLike)) for item in items):
        found = problems_of(*(require_path(item, "task") for item in items))
        return {problem.name: problem for problem in found}
    raise wrong("task", "a Task, as bugsieve.load_task makes it, files of one, or a list", given)


def _loaded(given: Task | ProblemFiles, options: CostOptions) -> Task:
    if isinstance(given, Task):
        return given
    constraints = objective_class(options.objective).takes_constraints
    return load_task(*given.files, constraints=constraints)


def _binding(
    policy: object, tasks: Mapping[str, Task | ProblemFiles]
) -> Callable[[Task], Policy] | None:
    """What makes the policy of a task; None for a spec, UsageError if it is of another."""
    if isinstance(policy, str):
        return None
    bind = binding(policy)
    if len(tasks) > 1 and is_bound(policy):
        raise UsageError(
            "a policy object is bound to one task: give a spec or a function for several"
        )
    return bind


def policy_text(policy: object) -> str:
    """The spec, or what the options call a policy that is none, before it is bound."""
    if isinstance(policy, str):
        return policy
    if is_bound(policy):
        return type(policy).__name__
    return f"function:{getattr(policy, '__name__', 'policy')}"


def _about(options: CampaignOptions, subject: str) -> str:
    return f"policy {options.policy}, {subject}"


def load_bugs(folder: AnyPath) -> Bugs[FoundBug] | Bugs[FoundSafetyBug]:
    """The bugs of a campaign folder, as `find_bugs` and `find_safety_bugs` give them.

    The policy is not started. InputError if there is no campaign of policies in the folder.
    """
    directory = require_folder(folder, "folder")
    kind, header, options = read_campaign(directory)
    if kind.found is None:
        raise InputError(
            f"{directory}: is a campaign of {kind_in_words(kind.name)}, without bugs "
            "of a policy; load_bugs takes those of cost and safety testing"
        )
    summary, about = summary_of(directory), _about(options, header.subject.name)
    return Bugs(kind.found(directory), summary, about=about)


def _found_in_all(
    options: CostOptions,
    tasks: Mapping[str, Task | ProblemFiles],
    bind: Callable[[Task], Policy] | None,
    folder: AnyPath | None,
) -> Bugs[FoundBug]:
    """The bugs of all problems together; an error that all of them end with is raised."""
    problems = [
        g if isinstance(g, ProblemFiles) else ProblemFiles(name, ()) for name, g in tasks.items()
    ]
    kept = None if folder is None else require_folder(folder, "folder")
    with TemporaryDirectory() as temporary:
        directory = kept or Path(temporary, "campaigns")
        campaigns = ProblemCampaigns.create(
            directory, options, problems, is_object=bind is not None
        )
        summary = campaigns.run(
            load=lambda p: _loaded(tasks[p.name], options), bind=bind, is_typed=True
        )
        if campaigns.broken and not summary.parts:
            raise next(iter(campaigns.broken.values()))
        silent = [part.unanswered for part in summary.parts.values()]
        if silent and all(silent):
            raise PolicyError(f"policy {options.policy} could not be tested: {silent[0]}")
        parts = {
            name: Bugs(read_found_bugs(directory / name), part, about=_about(options, name))
            for name, part in summary.parts.items()
        }
    found = [bug for part in parts.values() if part.summary.mistake is None for bug in part]
    found.sort(key=lambda bug: (-bug.gap, bug.steps))
    about = _about(options, f"{len(tasks)} problems")
    return Bugs(found, summary, about=about, parts=parts)


def campaign_bugs(
    options: CampaignOptions,
    subject: Any,
    policy: object | None,
    folder: AnyPath | None,
    read: Callable[[Path], list[BugT]],
) -> Bugs[BugT]:
    """What is read from a campaign with these options, run to its end."""
    kept = None if folder is None else require_folder(folder, "folder")
    with TemporaryDirectory() as temporary:
        directory = kept or Path(temporary, "campaign")
        with Campaign.create(directory, options, subject, policy=policy) as campaign:
            summary = campaign.run()
        if summary.unanswered is not None:
            raise PolicyError(f"policy {options.policy} could not be tested: {summary.unanswered}")
        return Bugs(read(directory), summary, about=_about(options, subject.name))
