"""Tests of a policy that pass or fail, for test suites: `bugsieve.check` and its parts."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bugsieve.base.arguments import require_flag, require_folder, texts, wrong
from bugsieve.base.commands import command_line
from bugsieve.campaigns.campaign import read_campaign
from bugsieve.campaigns.cost.found_bug import FoundBug
from bugsieve.campaigns.flat_options import flat_options
from bugsieve.campaigns.options import CostOptions
from bugsieve.campaigns.python_calls.bugs import Bugs
from bugsieve.campaigns.python_calls.find import AnyPath, find_with, policy_text, tasks_of
from bugsieve.campaigns.several.found_lines import found_lines, joint_found_lines
from bugsieve.campaigns.several.several import JointSummary
from bugsieve.campaigns.summary import Summary
from bugsieve.campaigns.verdict import LEFT_OPEN
from bugsieve.campaigns.wording import advice_lines, check_lines
from bugsieve.policies.foreign.function import PolicyFunction
from bugsieve.policies.policy import Policy
from bugsieve.policies.task_view import StateFunction
from bugsieve.tasks.grounded.task import Task
from bugsieve.tasks.problem_sets import ProblemFiles, problems_beside

AnyProblems = Task | AnyPath | Sequence[Task | AnyPath]
AnyPolicy = str | Policy | PolicyFunction | StateFunction

_CAUSES_SHOWN = 10


@dataclass(frozen=True)
class CheckPlan:
    """The plan of a check."""

    policy: AnyPolicy
    options: CostOptions
    tasks: Mapping[str, Task | ProblemFiles]
    allow_undecided: bool = False

    def run(self, folder: Path) -> Checked:
        """Test the policy; everything is kept in the folder, which must be missing or empty."""
        found = find_with(self.options, self.tasks, self.policy, folder=folder)
        return Checked(found, self.allow_undecided, isinstance(self.policy, str))


@dataclass(frozen=True)
class Checked:
    """The result of a check."""

    bugs: Bugs[FoundBug]
    allow_undecided: bool
    has_spec: bool
    """True if the policy can be asked again from the command line."""

    @property
    def passes(self) -> bool:
        """Return true without bugs and open questions, except undecided runs if they are allowed.

        Untested tasks and policies that change their answers never pass.
        """
        summary = self.bugs.summary
        if summary.exit_code != LEFT_OPEN or not self.allow_undecided:
            return summary.exit_code == 0
        is_whole = not isinstance(summary, JointSummary) or not summary.not_begun
        return is_whole and all(map(_is_merely_undecided, _parts(summary)))

    def text(self, folder: Path) -> str:
        """The failures in lines for people, with the folder in which everything is."""
        summary, place = self.bugs.summary, shown_path(folder)
        lines = [self.bugs.headline]
        if isinstance(summary, JointSummary):
            lines += [f"{name}: {error}" for name, error in summary.failed.items()]
        for part in _parts(summary):
            lines += [*advice_lines(part), *(check_lines(part) if part.changed else ())]
            lines += [trouble.sentence(ending) for ending, trouble in part.troubles.items()]
        lines += ["", *self._found_lines(place)]
        lines += [f"results in   {place}"]
        if summary.bugs:
            keep = command_line("export", "--regression", place, "-o", "tests/bugs")
            lines.append(f"keep tests:  {keep}")
        return "\n".join(lines)

    def _found_lines(self, folder: Path) -> list[str]:
        summary = self.bugs.summary
        if not summary.bugs or summary.mistake is not None:
            return []
        if isinstance(summary, JointSummary):
            lines = joint_found_lines(folder, summary, _CAUSES_SHOWN)[1:]
        else:
            kind, _, _ = read_campaign(folder)
            with kind.records(folder) as records:
                lines = found_lines(kind, folder, records)
        return lines if self.has_spec else [one for one in lines if not one.startswith("ask ")]


def _parts(summary: Summary) -> Sequence[Summary]:
    return list(summary.parts.values()) if isinstance(summary, JointSummary) else [summary]


def _is_merely_undecided(part: Summary) -> bool:
    return part.exit_code in (0, LEFT_OPEN) and not part.changed


def shown_path(path: Path) -> Path:
    """The path as it is shortest to type from here."""
    below = os.path.relpath(path)
    return Path(path if below.startswith(os.pardir) else below)


def plan_check(
    policy: AnyPolicy,
    problems: AnyProblems,
    domain: AnyPath | None,
    allow_undecided: bool,
    options: Mapping[str, Any],
) -> CheckPlan:
    """The plan from the arguments of `check`, with a sentence for each mistake."""
    require_flag(allow_undecided, "allow_undecided")
    made = flat_options(policy_text(policy), options, place="check")
    tasks: Mapping[str, Task | ProblemFiles]
    items = problems if isinstance(problems, (list, tuple)) else [problems]
    if not items:
        raise wrong("problems", "files, folders, patterns or tasks, at least one", problems)
    if domain is None and any(isinstance(item, Task) for item in items):
        tasks = tasks_of(problems)
    else:
        home = None if domain is None else os.fspath(domain)
        tasks = {p.name: p for p in problems_beside(texts(problems, "problems"), home)}
    return CheckPlan(policy, made, tasks, allow_undecided)


def check(
    policy: AnyPolicy,
    problems: AnyProblems,
    *,
    domain: AnyPath | None = None,
    allow_undecided: bool = False,
    folder: AnyPath | None = None,
    **options: Any,
) -> Bugs[FoundBug]:
    """Fail with an AssertionError if a policy has bugs, or something about it was left undecided.

    `policy` is what `find_bugs` takes. `problems` are files, folders or patterns such as
    "problems/*.pddl", or tasks; the domain may be a domain.pddl beside them. Further options have
    the names of those of `bugsieve test`, as in `pool_size=50, seed=1, max_time=60`.

    The text of the error has the causes, the folder in which everything was kept, and commands to
    look closer. Without a `folder`, one is made, and removed if the check passes.
    """
    __tracebackhide__ = True  # of no interest where a test fails
    plan = plan_check(policy, problems, domain, allow_undecided, options)
    with _working_folder(folder) as place:
        checked = plan.run(place)
        if not checked.passes:
            raise AssertionError(checked.text(place))
    return checked.bugs


@contextlib.contextmanager
def _working_folder(folder: AnyPath | None) -> Iterator[Path]:
    """The folder, or a new one, which is removed unless something goes wrong."""
    if folder is not None:
        yield require_folder(folder, "folder")
        return
    place = Path(tempfile.mkdtemp(prefix="bugsieve-"))
    yield place
    shutil.rmtree(place, ignore_errors=True)
