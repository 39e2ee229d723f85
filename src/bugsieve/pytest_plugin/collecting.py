"""Tests that are files: checks of policies on problems, and bugs that must not come back."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from bugsieve.base.errors import BugsieveError

if TYPE_CHECKING:
    from bugsieve.rooms.regression.check_file import CheckFile
    from bugsieve.tasks.problem_sets import ProblemFiles


class _OurFile(pytest.File):
    """A file of ours; what is wrong with it is told in a sentence."""

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The sentence alone: a traceback would show our code, not theirs."""
        if isinstance(excinfo.value, BugsieveError):
            return str(excinfo.value)
        return super().repr_failure(excinfo)


class _OurItem(pytest.Item):
    """A test of ours."""

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What was found, or what is wrong with the file, without a traceback."""
        if isinstance(excinfo.value, (AssertionError, BugsieveError)):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[os.PathLike[str], int | None, str]:
        """The file and the test."""
        return self.path, None, f"{self.path.name}: {self.name}"


class ProblemsFile(_OurFile):
    """A file of checks: one test for each problem."""

    def collect(self) -> Iterator[pytest.Item]:
        """The problems by their names, in the order of their files."""
        from bugsieve.rooms.regression.check_file import read_check_file

        content = read_check_file(self.path)
        for problem in content.problems:
            yield ProblemItem.from_parent(
                self, name=problem.name, content=content, problem=problem
            )


class ProblemItem(_OurItem):
    """A policy has no bugs on a problem."""

    def __init__(self, *, content: CheckFile, problem: ProblemFiles, **others: Any) -> None:
        super().__init__(**others)
        self.content = content
        self.problem = problem

    def runtest(self) -> None:
        """Test the policy."""
        from bugsieve.pipeline.oracles.registry import ORACLES
        from bugsieve.policies.registry import POLICIES
        from bugsieve.pytest_plugin.checking import run_kept
        from bugsieve.pytest_plugin.policies import NamedSpec, policy_for, require_startable

        content, source = self.content, str(self.path)
        named = policy_for(self.config, source) if content.policy is None else None
        policy = named or NamedSpec(str(content.policy), content.folder, source)
        plan = content.plan(self.problem, policy.spec, policy.folder)
        require_startable(self.config, POLICIES, policy)
        for spec in plan.options.oracles:
            oracle = NamedSpec(spec, content.folder, source)
            require_startable(self.config, ORACLES, oracle)
        run_kept(self, plan)


class BugFile(_OurFile):
    """A bug that was found before: one test."""

    def collect(self) -> Iterator[pytest.Item]:
        """The test that it is gone."""
        yield BugItem.from_parent(self, name="replay")


class BugItem(_OurItem):
    """A bug is fixed, or known to be open."""

    def runtest(self) -> None:
        """Check its certificate, then ask the policy again."""
        from bugsieve.pytest_plugin.policies import policy_for, require_startable
        from bugsieve.rooms.regression.bug_file import read_bug_file
        from bugsieve.rooms.regression.replaying import replay_bug_file

        content = read_bug_file(self.path)
        policy = policy_for(self.config, str(self.path))
        require_startable(self.config, content.policies, policy)
        judged = replay_bug_file(content, policy.spec, folder=policy.folder)
        if judged.is_known:
            pytest.xfail(judged.text)
        if not judged.passes:
            raise AssertionError(judged.text)
