"""`asnets:FILE`: both kinds of files, the rule for ties, and actions that are not known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bugsieve.base.errors import BugsieveError, InputError
from bugsieve.campaigns.python_calls.find import find_bugs
from bugsieve.checkers.cost import check_bug
from bugsieve.policies import make_policy
from bugsieve.policies.fingerprints import network_key
from bugsieve.rooms.formats.asnets.files import load_weights, save_weights
from bugsieve.rooms.formats.asnets.grounding import ground
from bugsieve.rooms.formats.asnets.policy import AsnetPolicy
from bugsieve.rooms.formats.asnets.weights import Module, Weights, make_weights, random_weights
from bugsieve.rooms.formats.networks.safetensors import read_tensors
from bugsieve.tasks.grounded.task import NO_ACTION, StateArray, Task
from tests.unit.policies.asnets.files import write_published
from tests.unit.policies.asnets.tasks import hall, made, network, walked


def is_same(first: Weights, second: Weights) -> bool:
    return first.digest() == second.digest() and first.hidden == second.hidden


def test_files_of_both_kinds_give_the_same_policy(tmp_path: Path) -> None:
    task = hall()
    policy = network(task, hidden=7, layers=3)
    signature = policy.grounding.signature
    save_weights(tmp_path / "own.safetensors", policy.weights, signature, {"seed": "3"})
    write_published(tmp_path / "their.policy", policy.weights)
    states = walked(task, 10)
    for name in ("own.safetensors", "their.policy"):
        assert is_same(load_weights(tmp_path / name, signature), policy.weights)
        loaded = make_policy(f"asnets:{tmp_path / name}", task)
        assert isinstance(loaded, AsnetPolicy)
        assert loaded.logits(states).tobytes() == policy.logits(states).tobytes()
        assert np.array_equal(loaded.choose(states), policy.choose(states))
        assert loaded.fingerprint() == policy.fingerprint()
        assert network_key(loaded) == network_key(policy) is not None
    _, about = read_tensors("", (tmp_path / "own.safetensors").read_bytes())
    assert about["domain"] == "hall"
    assert about["seed"] == "3"
    assert about["signature"] == signature.digest


def test_a_file_is_for_all_tasks_of_its_domain(tmp_path: Path) -> None:
    first, second = made("gripper"), made("blocksworld")
    grounding = ground(first)
    weights = random_weights(grounding.signature, np.random.default_rng(0))
    save_weights(tmp_path / "g.safetensors", weights, grounding.signature)
    write_published(tmp_path / "g.policy", weights, domain="gripper-strips")
    make_policy(f"asnets:{tmp_path / 'g.safetensors'}", first)
    with pytest.raises(InputError, match=r"g.safetensors: is for domain 'gripper[^']*', not for"):
        make_policy(f"asnets:{tmp_path / 'g.safetensors'}", second)
    with pytest.raises(InputError, match="'gripper-strips': it knows no action 'pick-up' of"):
        make_policy(f"asnets:{tmp_path / 'g.policy'}", second)


def test_of_equal_scores_the_first_in_the_alphabet_counts() -> None:
    task = made("blocksworld")
    grounding = ground(task)
    zero = make_weights(
        grounding.signature,
        lambda place, outputs, inputs: Module(
            np.zeros((outputs, inputs), np.float32), np.zeros(outputs, np.float32)
        ),
    )
    policy = AsnetPolicy(grounding, zero, "asnets:zero")
    for state, operator in zip(walked(task, 30), policy.choose(walked(task, 30)), strict=True):
        names = [task.operator_names[op] for op in task.applicable(state).operators]
        assert task.operator_names[operator] == min(names)
    # A little less than the tolerance, and a little more.
    for more, chosen in ((9e-5, "pick-up"), (1.1e-4, "unstack")):
        weights = make_weights(grounding.signature, lambda place, *_: zero_of(zero, place))
        weights.actions[-1]["unstack"].bias[0] = more
        better = AsnetPolicy(grounding, weights, "asnets:better")
        (operator,) = better.choose(two_towers(task))
        assert task.operator_names[operator].startswith(f"({chosen}")
        weights.actions[-1]["unstack"].bias[0] = 0


def zero_of(weights: Weights, place: object) -> Module:
    return next(module for at, module in weights.modules() if at == place)


def two_towers(task: Task) -> StateArray:
    """A state with a block to pick up and one to unstack."""
    for state in walked(task, 400):
        names = [task.operator_names[op] for op in task.applicable(state).operators]
        if {name.split()[0] for name in names} == {"(pick-up", "(unstack"}:
            return np.asarray(state)
    raise AssertionError


def test_without_a_known_action_there_is_no_answer() -> None:
    task = hall()
    policy = network(task)
    outside = task.state(["(at exit)", "(lit l)"])
    assert [task.operator_names[op] for op in task.applicable(outside).operators] == [
        "(wait exit)"
    ]
    states = np.array([outside, task.initial_state])
    assert policy.choose(states)[0] == NO_ACTION
    assert policy.choose(states)[1] != NO_ACTION


def test_specs_must_name_a_file(tmp_path: Path) -> None:
    task = made("gripper")
    for spec in ("asnets", "asnets:", "asnets:no-such-file"):
        with pytest.raises(BugsieveError, match="file"):
            make_policy(spec, task)
    task.write_sas(tmp_path / "task.sas")


def test_bugs_have_one_id_whichever_file_the_network_is_in(tmp_path: Path) -> None:
    task = made("gripper")
    grounding = ground(task)
    weights = random_weights(grounding.signature, np.random.default_rng(1))
    save_weights(tmp_path / "own.safetensors", weights, grounding.signature)
    write_published(tmp_path / "their.policy", weights, domain="gripper-strips")
    found = []
    for name in ("own.safetensors", "their.policy"):
        bugs = find_bugs(task, f"asnets:{tmp_path / name}", pool_size=10)
        found.append({bug.id for bug in bugs})
        for bug in bugs:
            assert bug.certificate["policy"] == f"asnets:{tmp_path / name}"
            check_bug(task.to_sas(), bug.to_json())
    assert found[0] == found[1] != set()
