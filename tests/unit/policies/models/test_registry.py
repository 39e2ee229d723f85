"""Specs become policies of models, and wrong ones a sentence that says which names there are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bugsieve.base.errors import PolicyError, UsageError
from bugsieve.policies.policy import PolicySettings
from bugsieve.policies.registry import check_spec, make_policy
from bugsieve.rooms.jani.model.model import JaniModel, Valuations
from bugsieve.rooms.jani.policies.policy import ActionArray, ModelPolicy
from bugsieve.rooms.jani.policies.registry import (
    check_model_spec,
    list_model_policies,
    make_model_policy,
)
from tests.other_package import install
from tests.unit.policies.line import line_task
from tests.unit.policies.models.lift import floors, lift

WRONG = [
    ("tabel:x", "there is no policy 'tabel' (did you mean 'table'?)"),
    ("", "there is no policy ''"),
    ("greedy:hff", "policy 'greedy' is for planning tasks, not for models; for models there are"),
    ("optimal", "policy 'optimal' is for planning tasks"),
    ("random:x", "the seed in 'random:x' is no whole number"),
    ("random:-1", "the seed in 'random:-1' must be at least 0"),
    ("table", "'table:' must be followed by a file"),
    ("table:no.json", "there is no file 'no.json'"),
    ("trees:", "'trees:' must be followed by a file"),
    ("trees:no.txt", "there is no file 'no.txt'"),
    ("trees:no.txt,fliter=no", "there is no option 'fliter' (did you mean 'filter'?)"),
    ("trees:no.txt,filter=maybe", "'filter' must be yes or no, not 'maybe'"),
    ("python:json", "must name a module or file and a function"),
    ("python:no/such/file.py:choose", "there is no file 'no/such/file.py'"),
    ("cmd:'unclosed", "cannot be read"),
]


@pytest.mark.parametrize(("spec", "sentence"), WRONG)
def test_wrong_specs_are_known_without_a_model(spec: str, sentence: str) -> None:
    with pytest.raises(UsageError) as error:
        check_model_spec(spec)
    assert sentence in str(error.value)


@pytest.mark.parametrize(("spec", "sentence"), [row for row in WRONG if "table:no" not in row[0]])
def test_wrong_specs_make_no_policy(spec: str, sentence: str) -> None:
    with pytest.raises(UsageError) as error:
        make_model_policy(spec, lift())
    assert sentence in str(error.value)


def test_programs_that_do_not_exist() -> None:
    with pytest.raises(PolicyError, match="there is no policy program 'no-such-program'"):
        check_model_spec("cmd:no-such-program x")


@pytest.mark.parametrize("name", ["mlp", "trees", "table"])
def test_policies_for_models_are_not_for_tasks(name: str) -> None:
    sentence = f"policy '{name}' is for models, not for planning tasks; for planning tasks there"
    with pytest.raises(UsageError, match=sentence):
        check_spec(f"{name}:file")
    with pytest.raises(UsageError, match=sentence):
        make_policy(f"{name}:file", line_task(3))


@pytest.mark.parametrize("spec", ["random", "random:7", "cmd:true", "python:a:b"])
def test_right_specs_pass_without_a_model(spec: str) -> None:
    check_model_spec(spec)


def test_every_member_describes_itself() -> None:
    infos = {info.name: info for info in list_model_policies()}
    assert list(infos)[:6] == ["mlp", "trees", "table", "random", "python", "cmd"]
    for name, info in infos.items():
        assert info.usage.startswith(name)
        assert len(info.summary) > 20 and "\n" not in info.summary


class FirstPolicy(ModelPolicy):
    """Action 0 in every state; a member from another package."""

    usage = "first"

    @classmethod
    def from_spec(
        cls, model: JaniModel, argument: str | None, settings: PolicySettings
    ) -> FirstPolicy:
        return cls(model, f"first:{argument}:{settings.seed}")

    def choose(self, states: Valuations) -> ActionArray:
        return np.zeros(len(states), dtype=np.int32)


def test_members_of_other_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entries = {"first": f"{__name__}:FirstPolicy", "broken": "no_such_module:Policy"}
    install(tmp_path, monkeypatch, {"bugsieve.model_policies": entries})
    model = lift()
    policy = make_model_policy("first: a b ", model, seed=4)
    assert policy.spec == "first:a b:4"
    assert policy.choose(floors(model, 1, 2)).tolist() == [0, 0]
    assert not policy.troubles
    check_model_spec("first:anything")
    with pytest.raises(PolicyError, match="'broken' of no_such_module:Policy cannot be loaded"):
        make_model_policy("broken", model)
    with pytest.raises(UsageError, match="did you mean 'first'"):
        make_model_policy("frist", model)
    with pytest.raises(UsageError, match="policy 'first' is for models, not for planning tasks"):
        make_policy("first", line_task(3))


def test_the_core_asks_in_packed_states() -> None:
    """The view of a member that the core cannot compute itself answers as `choose` does."""
    from bugsieve.rooms.safety.oracles.decide import SafetyDecider

    model = lift()
    policy = make_model_policy("random:3", model)
    decider = SafetyDecider(model.system.copy(), policy.view(), radius=0)
    assert decider.decide(model.pack(floors(model, 0, 1, 5))).safety.tolist() == [1, 1, 1]
