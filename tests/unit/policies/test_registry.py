"""Specs become policies, and wrong ones a sentence with the nearest name."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bugsieve.basis.errors import PolicyError, UnsupportedError, UsageError
from bugsieve.policies.greedy import GreedyPolicy
from bugsieve.policies.policy import BoundPolicy, PolicySettings
from bugsieve.policies.registry import list_policies, make_policy
from bugsieve.tasks.fdr.task import ActionArray, StateArray, Task
from tests.unit.policies.line import at, line_task


@pytest.mark.parametrize(
    ("given", "spec"),
    [
        ("greedy", "greedy:hff"),
        ("greedy:hmax", "greedy:hmax"),
        ("hill-climbing:hadd", "hill-climbing:hadd"),
        ("random", "random:9"),
        ("random:7", "random:7"),
        ("optimal", "optimal"),
        ("optimal:plans", "optimal:plans"),
        ("lazy", "lazy:hff"),
        (" lazy : hadd ", "lazy:hadd"),
    ],
)
def test_specs(given: str, spec: str) -> None:
    task = line_task(4)
    with make_policy(given, task, seed=9) as policy:
        assert policy.spec == spec
        assert policy.tie_epsilon > 0
        assert policy.choose(at(2)).shape == (1,)
    with make_policy(spec, task) as again:
        assert again.choose(at(0, 1, 2)).tolist() == policy.choose(at(0, 1, 2)).tolist()


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("gredy:hff", "there is no policy 'gredy' (did you mean 'greedy'?)"),
        ("hillclimbing", "did you mean 'hill-climbing'?"),
        ("", "there is no policy ''"),
        ("greedy:hf", "there is no heuristic 'hf' (did you mean 'hff'?)"),
        ("lazy:lm-cut", "did you mean 'lmcut'?"),
        ("random:x", "the seed in 'random:x' is no whole number"),
        ("optimal:fast", "'optimal:fast' is unknown"),
        ("python:json", "must name a module or file and a function"),
        ("python:", "must name a module or file and a function"),
        ("python:no/such/file.py:choose", "there is no file 'no/such/file.py'"),
    ],
)
def test_wrong_specs(spec: str, sentence: str) -> None:
    with pytest.raises(UsageError) as error:
        make_policy(spec, line_task(4))
    assert sentence in str(error.value)


def test_tasks_that_a_policy_cannot_serve() -> None:
    task = line_task(3, right_costs=[0, 2**29])
    with pytest.raises(UnsupportedError, match="'optimal' cannot be used on line"):
        make_policy("optimal", task)


def test_every_member_describes_itself() -> None:
    infos = {info.name: info for info in list_policies()}
    assert list(infos)[:4] == ["random", "greedy", "hill-climbing", "optimal"]
    for name, info in infos.items():
        assert info.usage.startswith(name)
        assert len(info.summary) > 20 and "\n" not in info.summary


class FirstPolicy(BoundPolicy):
    """The lowest applicable action; a member from another package."""

    usage = "first"

    @classmethod
    def from_spec(cls, task: Task, argument: str | None, settings: PolicySettings) -> FirstPolicy:
        return cls(task, "first")

    def choose(self, states: StateArray) -> ActionArray:
        return GreedyPolicy(self.task, "blind").choose(states)


@pytest.fixture
def other_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed distribution with two entry points, one of them broken."""
    info = tmp_path / "other_package-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other-package\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        f"[bugsieve.policies]\nfirst = {__name__}:FirstPolicy\nbroken = no_such_module:Policy\n"
    )
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])


@pytest.mark.usefixtures("other_package")
def test_members_of_other_packages() -> None:
    assert make_policy("first", line_task(4)).choose(at(1)).tolist() == [1]
    with pytest.raises(PolicyError, match="'broken' of no_such_module:Policy cannot be loaded"):
        make_policy("broken", line_task(4))
    with pytest.raises(UsageError, match="did you mean 'first'"):
        make_policy("frist", line_task(4))
