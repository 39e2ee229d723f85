"""Campaigns on several problems, one after the other, each in a folder below a common one.

A file of that folder says which problems there are and with which options they are tested, so that
a session that was cut goes on with those that had not begun, too.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from bugsieve.base.errors import BugsieveError, InputError, UsageError
from bugsieve.base.files_and_processes.files import write_text
from bugsieve.base.files_and_processes.foreign_json import fitting, parse_json
from bugsieve.base.files_and_processes.unlinked_folders import PROBLEMS_FILE, make_folders
from bugsieve.base.trust.trust import trusting
from bugsieve.campaigns.campaign import Campaign, check_new, summary_of
from bugsieve.campaigns.cost.joint_measuring import (
    has_made,
    joint_figures,
    part_of,
    rules_of_looks,
)
from bugsieve.campaigns.kind import (
    KINDS,
    as_typed,
    require_trusted_oracles,
    require_trusted_policy,
)
from bugsieve.campaigns.measured import low_risk
from bugsieve.campaigns.options import CostOptions
from bugsieve.campaigns.several.several import JointSummary, joint_summary
from bugsieve.campaigns.stop_rules import StopRules
from bugsieve.campaigns.store.folder import check_free
from bugsieve.campaigns.store.lock import EXPERIMENT_LOCK_FILE, FolderLock
from bugsieve.campaigns.store.schema import STORE_FILE, explained
from bugsieve.campaigns.summary import Summary
from bugsieve.pipeline.measuring.figures import Figures
from bugsieve.tasks.grounded.loading import load_task
from bugsieve.tasks.grounded.task import Task
from bugsieve.tasks.problem_sets import ProblemFiles, folder_name
from bugsieve.tasks.sources import MEBIBYTE, read_regular

VERSION = 1

_MAX_BYTES = 64 * MEBIBYTE
_SHAPE = {
    "problems": int,
    "options": str,
    "object": bool,
    "tasks": [{"name": str, "files": [str], "error": (str, None)}],
}

Load = Callable[[ProblemFiles], Task]
Conduct = Callable[[Campaign], object]
"""Runs a campaign to its end."""
Bind = Callable[[Task], object]
"""Makes the policy of a task."""


@dataclass(frozen=True)
class _Session:
    """How campaigns are made and run."""

    load: Load
    conduct: Conduct
    bind: Bind | None
    workers: int | None


@dataclass(frozen=True)
class ProblemSet:
    """What is tested in a folder: problems, with the same options but for the task."""

    options: CostOptions
    """Their stop rules are about all problems together: see `share`."""
    problems: tuple[ProblemFiles, ...]
    errors: Mapping[str, str]
    """Why problems could not be tested when they were last tried, by their names."""
    is_object: bool = False
    """Whether the policy is a Python object, which no folder can hold."""

    def write(self, directory: Path) -> None:
        """Put it into the folder, in place of what was there."""
        content = {
            "problems": VERSION,
            "options": self.options.to_toml(),
            "object": self.is_object,
            "tasks": [
                {
                    "name": problem.name,
                    "files": list(problem.files),
                    "error": self.errors.get(problem.name),
                }
                for problem in self.problems
            ],
        }
        with explained(directory):
            write_text(directory / PROBLEMS_FILE, json.dumps(content, indent=1) + "\n")


def is_problem_set(directory: Path) -> bool:
    """Whether the folder is one of several problems."""
    return (directory / PROBLEMS_FILE).is_file()


def read_problem_set(directory: Path) -> ProblemSet:
    """What the folder says, be it a stranger's; InputError if that is nothing of ours."""
    path = directory / PROBLEMS_FILE
    try:
        text = read_regular(path, kind="JSON", max_bytes=_MAX_BYTES).decode("utf-8")
        content = fitting(parse_json(text), _SHAPE)
        rows = content["tasks"]
        names = [row["name"] for row in rows]
        if any(name != folder_name(name) for name in names) or len({*names}) < len(names):
            raise ValueError("names become those of folders")
        if any(len(row["files"]) > 2 for row in rows):
            raise ValueError("a task has one file or two, or none if it was a Python object")
    except (ValueError, RecursionError):
        raise InputError(f"{path}: is no list of problems of ours, or a damaged one") from None
    options = CostOptions.from_toml(content["options"], name=str(path))
    return ProblemSet(
        # As for a store: a stranger's must not fill the machine with processes.
        replace(options, workers=min(options.workers, os.cpu_count() or 1)),
        tuple(ProblemFiles(row["name"], tuple(row["files"])) for row in rows),
        {row["name"]: row["error"] for row in rows if row["error"]},
        content["object"],
    )


def share(
    rules: StopRules, parts: Mapping[str, Summary], name: str, left: int
) -> StopRules | None:
    """The stop rules of the next campaign if `left` are still to run; None if none is needed.

    Time, bugs and calls are counted over all problems: each of those that are left gets an equal
    share of the time and of the calls that are left, and may find as many bugs as are left. The
    other rules are each one's.
    """
    own = parts.get(name)
    time, bugs, calls = rules.max_time, rules.max_bugs, rules.max_calls
    if bugs is not None:
        rest = bugs - sum(part.bugs for part in parts.values())
        if rest <= 0:
            return None
        bugs = rest + (0 if own is None else own.bugs)
    if time is not None:
        remaining = time - sum(part.seconds for part in parts.values())
        if remaining <= 0:
            return None
        time = remaining / left + (0.0 if own is None else own.seconds)
    if calls is not None:
        unasked = calls - sum(part.all_calls for part in parts.values())
        if unasked < left:
            return None
        calls = unasked // left + (0 if own is None else own.all_calls)
    return replace(rules, max_time=time, max_bugs=bugs, max_calls=calls)


class ProblemCampaigns:
    """The campaigns of a set of problems, in a folder; they run one after the other."""

    def __init__(self, directory: Path, plan: ProblemSet) -> None:
        self.directory = directory
        self.plan = plan
        self.broken: dict[str, BugsieveError] = {}
        """What ended campaigns of this session before their time."""

    @classmethod
    def create(
        cls,
        directory: Path,
        options: CostOptions,
        problems: Sequence[ProblemFiles],
        *,
        is_object: bool = False,
    ) -> ProblemCampaigns:
        """A new set in a folder that is missing or empty; specs count as typed here.

        If the policy `is_object`, a Python object, its name in the options is no spec.
        """
        if options.from_states is not None or options.pool_from is not None:
            raise UsageError("states to start from belong to one task: give one problem")
        if is_object:
            check_free(directory)
            typed = replace(options, task=())
        else:
            check_new(options, directory)
            typed = replace(as_typed(KINDS[options.kind], options), task=())
        absolute = tuple(
            replace(problem, files=tuple(map(os.path.abspath, problem.files)))
            for problem in problems
        )
        with explained(directory):
            make_folders(directory)
        plan = ProblemSet(typed, absolute, {}, is_object)
        plan.write(directory)
        return cls(directory, plan)

    @classmethod
    def open(cls, directory: Path) -> ProblemCampaigns:
        """The set of a folder, ready to go on."""
        return cls(directory, read_problem_set(directory))

    def run(
        self,
        *,
        load: Load | None = None,
        conduct: Conduct = Campaign.run,
        bind: Bind | None = None,
        is_typed: bool = False,
        workers: int | None = None,
        stop: StopRules | None = None,
    ) -> JointSummary:
        """Run what is not done; a problem that cannot be tested is noted, and the others go on.

        With new stop rules those go on as well that had stopped by theirs. A policy that the
        folder names must be one that the user has typed, unless it `is_typed` now; `bind` makes
        one that is a Python object.
        """
        if self.plan.is_object and bind is None:
            policy = self.plan.options.policy
            raise UsageError(
                f"{self.directory}: tests the Python object {policy}: do so in Python"
            )
        lock = FolderLock(self.directory, EXPERIMENT_LOCK_FILE)
        try:
            if not is_typed:
                self._require_trusted()
            session = _Session(load or self._load, conduct, bind, workers)
            whole = self.plan.options.stop if stop is None else stop
            if self.plan.options.measures:
                self._measure(whole, session)
            else:
                done = (lambda part: False) if stop is not None else is_finished
                self._run_all(whole, session, done)
        finally:
            lock.close()
        return self.summary()

    def _measure(self, whole: StopRules, session: _Session) -> None:
        """Go on from look to look, until the risk of all problems together is low enough."""
        for rules in rules_of_looks(whole):
            self._run_all(rules, session, partial(has_made, rules.most_tests))
            is_there = self._figures().tests >= rules.most_tests  # else time or a policy is gone
            if not is_there or low_risk(whole, rules.most_tests, self._figures) is not None:
                return

    def _run_all(
        self, whole: StopRules, session: _Session, is_done: Callable[[Summary], bool]
    ) -> None:
        """Run what is not done, one problem after the other."""
        parts = dict(self.summary().parts)
        waiting = [
            problem
            for problem in self.plan.problems
            if problem.name not in self.broken and not self._is_done(problem, parts, is_done)
        ]
        for number, problem in enumerate(waiting):
            rules = share(whole, parts, problem.name, len(waiting) - number)
            if rules is not None:
                self._run_one(problem, rules, session)
                with contextlib.suppress(BugsieveError):  # it is told when all are done
                    parts[problem.name] = summary_of(self.directory / problem.name)

    def _figures(self) -> Figures:
        figures = self.summary().measured
        assert figures is not None
        return figures

    def summary(self) -> JointSummary:
        """What all campaigns together have come to so far."""
        planned = {p.name: self.plan.errors.get(p.name) for p in self.plan.problems}
        found = joint_summary(self.directory, planned, noun="problem")
        if not self.plan.options.measures:
            return found
        # Where the policy gave no answer, nothing is known; a campaign that broke may go on.
        silent = {name for name, part in found.parts.items() if part.unanswered is not None}
        lost = silent | (self.plan.errors.keys() - found.parts.keys())
        names = [problem.name for problem in self.plan.problems]
        figures = joint_figures(self.directory, names, lost, self.plan.options)
        return replace(found, measured=figures)

    def _run_one(self, problem: ProblemFiles, rules: StopRules, session: _Session) -> None:
        error: BugsieveError | None = None
        try:
            with self._campaign(problem, rules, session) as campaign:
                session.conduct(campaign)
        except BugsieveError as raised:
            error = self.broken[problem.name] = raised
        errors = {n: text for n, text in self.plan.errors.items() if n != problem.name}
        errors |= {} if error is None else {problem.name: str(error)}
        if errors != self.plan.errors:
            self.plan = replace(self.plan, errors=errors)
            self.plan.write(self.directory)

    @contextlib.contextmanager
    def _campaign(
        self, problem: ProblemFiles, rules: StopRules, session: _Session
    ) -> Iterator[Campaign]:
        folder, workers = self.directory / problem.name, session.workers
        if (folder / STORE_FILE).exists():
            made = Campaign.open(folder, workers=workers, stop=rules)
        else:
            # Examples are made of the causes of all problems together, not of each one's.
            given = self._options_of(problem)
            options: Any = replace(given, task=problem.files, stop=rules, examples=0)
            options = options if workers is None else replace(options, workers=workers)
            task = session.load(problem)
            policy = None if session.bind is None else session.bind(task)
            with trusting(True):
                made = Campaign.create(folder, options, task, policy=policy)
        with made as campaign:
            yield campaign

    def _options_of(self, problem: ProblemFiles) -> CostOptions:
        options, problems = self.plan.options, self.plan.problems
        if not options.measures:
            return options
        return part_of(options, problems.index(problem), len(problems))

    def _require_trusted(self) -> None:
        kind = KINDS[self.plan.options.kind]
        require_trusted_policy(kind, self.plan.options, self.directory)
        require_trusted_oracles(kind, self.plan.options, self.directory)

    def _load(self, problem: ProblemFiles) -> Task:
        if not problem.files:
            raise UsageError(
                f"{self.directory}: {problem.name} was given as a Python object, and its campaign "
                "had not begun: test it in Python"
            )
        return load_task(*problem.files, unit_cost=self.plan.options.unit_cost)

    def _is_done(
        self,
        problem: ProblemFiles,
        parts: Mapping[str, Summary],
        is_done: Callable[[Summary], bool],
    ) -> bool:
        part = parts.get(problem.name)
        is_broken = problem.name in self.plan.errors
        return part is not None and is_done(part) and not is_broken


def is_finished(part: Summary) -> bool:
    """Whether a campaign has no more to do by the rules that it has."""
    return part.reason is not None
