"""Specs become policies, and wrong ones a sentence with the nearest name."""

from __future__ import annotations

from pathlib import Path

import pytest

from bugsieve.base.errors import PolicyError, UnsupportedError, UsageError
from bugsieve.policies.built_in.greedy import GreedyPolicy
from bugsieve.policies.policy import BoundPolicy, PolicySettings
from bugsieve.policies.registry import check_spec, list_policies, make_policy
from bugsieve.tasks.grounded.task import ActionArray, StateArray, Task
from tests.other_package import install
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
        ("ehc", "ehc:hff"),
        ("ehc:hadd", "ehc:hadd"),
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
        ("random:-1", "the seed in 'random:-1' must be at least 0"),
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


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("gredy:hff", "did you mean 'greedy'?"),
        ("greedy:hf", "did you mean 'hff'?"),
        ("hill-climbing:hf", "did you mean 'hff'?"),
        ("lazy:lm-cut", "did you mean 'lmcut'?"),
        ("optimal:fast", "'optimal:fast' is unknown"),
        ("random:x", "the seed in 'random:x' is no whole number"),
        (f"random:{'9' * 5000}", f"the seed in 'random:{'9' * 40}…' is no whole number"),
        ("python:json", "must name a module or file and a function"),
        ("python:no/such/file.py:choose", "there is no file 'no/such/file.py'"),
        ("cmd:'unclosed", "cannot be read"),
        ("cmd:no-such-program x", "there is no policy program 'no-such-program'"),
    ],
)
def test_wrong_specs_are_known_without_a_task(spec: str, sentence: str) -> None:
    with pytest.raises((UsageError, PolicyError)) as error:
        check_spec(spec)
    assert sentence in str(error.value)


@pytest.mark.parametrize(
    "spec",
    ["greedy", "lazy: hadd", "optimal:plans", "random", "random:7", "cmd:true", "python:a:b"],
)
def test_right_specs_pass_without_a_task(spec: str) -> None:
    check_spec(spec)


def test_programs_beside_us(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A shell would not find them either, but we can say what to write."""
    monkeypatch.chdir(tmp_path)
    program = tmp_path / "my policy"
    program.write_text("#!/bin/sh\n")
    with pytest.raises(PolicyError) as error:
        check_spec("cmd:'my policy'")
    assert str(error.value) == (
        "the policy program 'my policy' lacks the executable bit: run 'chmod +x 'my policy'' "
        "and write 'cmd:'./my policy'', or name its interpreter, as in 'cmd:python3 'my policy''"
    )
    with pytest.raises(PolicyError, match=r"bit: run 'chmod \+x '\./my policy'', or name its"):
        check_spec("cmd:'./my policy'")
    program.chmod(0o755)
    with pytest.raises(
        PolicyError, match="on PATH: write 'cmd:'./my policy'' for the one in this"
    ):
        check_spec("cmd:'my policy'")
    check_spec("cmd:'./my policy'")
    with pytest.raises(PolicyError, match="is a folder"):
        check_spec(f"cmd:{tmp_path}")


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


def test_members_of_other_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entries = {"first": f"{__name__}:FirstPolicy", "broken": "no_such_module:Policy"}
    install(tmp_path, monkeypatch, {"bugsieve.policies": entries})
    assert make_policy("first", line_task(4)).choose(at(1)).tolist() == [1]
    with pytest.raises(PolicyError, match="'broken' of no_such_module:Policy cannot be loaded"):
        make_policy("broken", line_task(4))
    check_spec("first:anything")
    with pytest.raises(UsageError, match="did you mean 'first'"):
        make_policy("frist", line_task(4))
