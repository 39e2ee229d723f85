"""The smallest example of a bug of a campaign, and the folder it is written to.

The folder stands for itself: a domain, a problem, the grounded task and the bug, which the checker
accepts with nothing else at hand. The campaign is left as it is.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from bugsieve.base.errors import InputError, UsageError
from bugsieve.base.files_and_processes.files import write_together
from bugsieve.base.files_and_processes.unlinked_folders import make_folders
from bugsieve.base.registry.spec_folder import typed_in
from bugsieve.base.trust.trust import require_trusted
from bugsieve.campaigns.campaign import AnyPath
from bugsieve.campaigns.cost.bench import judged_bench, plan_of, stored_options
from bugsieve.campaigns.store.checked_certificates import proof_of
from bugsieve.campaigns.store.folder import EXAMPLES_FOLDER, readable_json
from bugsieve.campaigns.store.progress import CampaignHeader
from bugsieve.checkers.cost import CertificateError, bug_id
from bugsieve.explanation.examples.shrinking import Remake, ShrinkingBudget
from bugsieve.explanation.examples.smallest import (
    FROM_SAS,
    USUAL,
    SmallestExample,
    smallest_example,
)
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.bug import Bug
from bugsieve.pipeline.bugs.checking import checker_of
from bugsieve.pipeline.judging.plan import close_policy
from bugsieve.pipeline.objectives import objective_for_fewer_objects
from bugsieve.policies.registry import POLICIES, brings_task
from bugsieve.tasks.grounded.task import Task
from bugsieve.tasks.sources import DOMAIN_FILE, PROBLEM_FILE

SAS_FILE, BUG_FILE = "output.sas", "bug.json"


def smallest_of(
    directory: AnyPath,
    header: CampaignHeader,
    bug: Bug,
    *,
    budget: ShrinkingBudget = USUAL,
) -> SmallestExample:
    """The smallest example of a bug of the campaign in a folder.

    UsageError if the folder names a policy that starts programs and that the user never typed.
    """
    folder = Path(directory)
    bench = judged_bench(folder, header)
    with proof_of(bug.id, folder, CertificateError):
        checker_of(bench.task.to_sas()).check_bug(bug.to_json())
    return smallest_example(bench, bug, remake_of(folder, header), budget=budget)


def remake_of(folder: Path, header: CampaignHeader) -> Remake | str:
    """What makes the policy of a campaign for other tasks, or why nothing does."""
    options = stored_options(folder, header)
    if header.subject.problem is None:
        return FROM_SAS
    if header.policy_is_object:
        return f"the policy {header.policy} is a Python object, bound to its task"
    if brings_task(options.policy):
        return f"the policy {header.policy} knows the task that it brings and no other"
    with typed_in(options.policy_folder):
        require_trusted(POLICIES, options.policy, folder)
    plan = plan_of(options)

    @contextmanager
    def remade(task: Task) -> Iterator[Bench]:
        objective = objective_for_fewer_objects(plan.objective, task)
        bench = replace(plan, objective=objective).bench(task)
        try:
            yield bench
        finally:
            close_policy(bench.policy)

    return remade


def example_folder(directory: AnyPath, bug: Bug) -> Path:
    """Where the example of a bug is, if nobody says otherwise; a store may call it anything."""
    return Path(directory, EXAMPLES_FOLDER, bug_id(bug.certificate))


def write_example(example: SmallestExample, folder: Path) -> list[Path]:
    """Write the files of an example, all or none; those of an earlier one are replaced."""
    texts = example.task.pddl_texts
    files = {} if texts is None else {DOMAIN_FILE: texts.domain, PROBLEM_FILE: texts.problem}
    files[SAS_FILE] = example.task.to_sas().encode()
    files[BUG_FILE] = f"{readable_json(example.bug.to_json())}\n".encode()
    check_free(folder)
    try:
        make_folders(folder)
        paths = {folder / name: content for name, content in files.items()}
        write_together(paths)
    except OSError as error:
        raise InputError(f"{folder}: cannot be written ({error.strerror})") from None
    return list(paths)


def check_free(folder: Path) -> None:
    """UsageError unless an example may be put there: nothing is, or an earlier example."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder}: is a file, name a folder for the example")
    there = set(os.listdir(folder)) if folder.exists() else set()
    ours = {DOMAIN_FILE, PROBLEM_FILE, SAS_FILE, BUG_FILE}
    if there - ours or (there and BUG_FILE not in there):
        raise UsageError(f"{folder}: is not empty: name a new folder with -o")
