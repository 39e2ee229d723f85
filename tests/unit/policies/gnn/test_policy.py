from __future__ import annotations

import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from bugsieve import _native
from bugsieve.basis.errors import PolicyError, UnsupportedError, UsageError
from bugsieve.basis.reach import Reach
from bugsieve.policies.asking import is_ours
from bugsieve.policies.gnn.atoms import network_atoms
from bugsieve.policies.gnn.network import read_graph_network
from bugsieve.policies.gnn.policy import GnnPolicy
from bugsieve.policies.registry import POLICIES, make_policy
from bugsieve.tasks.fdr.loading import load_task
from bugsieve.tasks.fdr.task import NO_ACTION, StateArray, Task
from tests.reference.graph_networks import UNSOLVABLE
from tests.unit.policies.generated import generated_task
from tests.unit.policies.gnn.checkpoints import (
    Checkpoint,
    naive_atoms,
    predicates_of,
    random_checkpoint,
)

SIZES: dict[str, dict[str, int]] = {
    "blocksworld": {"blocks": 4},
    "gripper": {"balls": 3},
    "miconic": {"passengers": 2, "floors": 3},
    "visitall": {"width": 2, "height": 3},
    "transport": {"packages": 2},
    "rovers": {},
}


def walk(task: Task, steps: int, *, seed: int = 0) -> StateArray:
    """Different states, met on a random walk."""
    rng = np.random.default_rng(seed)
    state, found = task.initial_state, []
    for _ in range(steps):
        found.append(state)
        successors, _, _ = task.all_successors(state)
        state = successors[rng.integers(len(successors))]
    return np.unique(np.array(found), axis=0)


def bound(
    task: Task, checkpoint: Checkpoint, folder: Path, *, together: bool = False
) -> GnnPolicy:
    spec = f"gnn:{checkpoint.write(folder)}" + (":successors" if together else "")
    policy = make_policy(spec, task)
    assert isinstance(policy, GnnPolicy) and policy.together is together
    return policy


def naive_values(
    task: Task, checkpoint: Checkpoint, states: StateArray, *, goal: tuple[str, ...] | None = None
) -> list[float]:
    """With one maximum for all the states."""
    assert task.pddl is not None
    facts = task.goal_facts if goal is None else goal
    atoms = [set(naive_atoms(task, facts, state)) for state in states]
    return checkpoint.twin().values(list(task.pddl.objects), atoms)


READ_OUTS = [("mlp", None, 6), ("linear", "mlp", 16), ("mlp", "linear", 20)]


@pytest.mark.parametrize(
    ("domain", "read_out", "solvable", "width"),
    [(domain, *READ_OUTS[number % len(READ_OUTS)]) for number, domain in enumerate(SIZES)],
)
def test_values_are_those_of_the_twin(
    tmp_path: Path, domain: str, read_out: str, solvable: str | None, width: int
) -> None:
    task = generated_task(tmp_path, domain, **SIZES[domain])
    made = random_checkpoint(
        predicates_of(task), read_out=read_out, solvable=solvable, width=width, seed=width
    )
    states = walk(task, 12)
    alone = [naive_values(task, made, states[row : row + 1])[0] for row in range(len(states))]
    policy = bound(task, made, tmp_path)
    assert np.allclose(policy.values(states), alone, rtol=1e-4, atol=1e-4)
    successors, operators, offsets = task.all_successors(states)
    together = bound(task, made, tmp_path, together=True)
    for row, chosen in enumerate(together.choose(states)):
        part = slice(offsets[row], offsets[row + 1])
        values = naive_values(task, made, successors[part])
        names = [task.operator_names[op][1:-1].split() for op in operators[part]]
        # Rounding may decide what is within the limit; what is added where a state seems to be
        # unsolvable leaves few digits behind the point.
        best, slack = min(values), 2e-4 if min(values) < UNSOLVABLE else 0.02
        close = [name for name, value in zip(names, values, strict=True) if value <= best + slack]
        assert task.operator_names[chosen][1:-1].split() in close
        if all(value <= best + 1e-5 for value in values if value <= best + slack):
            assert task.operator_names[chosen][1:-1].split() == min(close)


def test_both_ways_differ(tmp_path: Path) -> None:
    task = generated_task(tmp_path, "gripper", balls=3)
    made = random_checkpoint(predicates_of(task), width=16, iterations=6)
    policy = bound(task, made, tmp_path)
    states = walk(task, 30)
    everyone = np.array([0, len(states)])
    together = policy._values.of_groups(states, everyone)
    assert np.abs(together - policy.values(states)).max() > 1e-3
    assert policy.fingerprint() != bound(task, made, tmp_path, together=True).fingerprint()


@pytest.mark.parametrize("together", [False, True])
def test_batches_and_instructions_change_no_bit(tmp_path: Path, together: bool) -> None:
    task = generated_task(tmp_path, "transport", packages=2)
    made = random_checkpoint(predicates_of(task), width=20, iterations=5)
    states = walk(task, 150)
    policy = bound(task, made, tmp_path, together=together)
    values, actions = policy.values(states), policy.choose(states)
    atoms = network_atoms(policy.network, task)
    plain = _native.RelationalValues(
        task.native, policy.network.core(), objects=atoms.objects, relations=atoms.relations,
        arguments=atoms.arguments, always=atoms.always, of_values=atoms.of_values,
        baseline=True, max_bytes=1,
    )  # fmt: skip
    assert np.array_equal(plain.of_states(states), values)
    one_each = np.arange(len(states) + 1)
    assert np.array_equal(plain.of_groups(states, one_each), values)
    for size in (1, 2, 7, 33):
        fresh = bound(task, made, tmp_path, together=together)
        parts = [states[at : at + size] for at in range(0, len(states), size)][::-1]
        asked = [(fresh.choose(part), fresh.values(part)) for part in parts][::-1]
        assert np.array_equal(np.concatenate([chosen for chosen, _ in asked]), actions)
        assert np.array_equal(np.concatenate([found for _, found in asked]), values)


@pytest.mark.parametrize("together", [False, True])
def test_threads_change_no_bit(tmp_path: Path, together: bool) -> None:
    """For batches below and above what is worth a further thread, and above one block each."""
    task = generated_task(tmp_path, "transport", packages=2)
    path = random_checkpoint(predicates_of(task), width=20, iterations=5).write(tmp_path)
    network, states = read_graph_network(path), walk(task, 150)
    alone = GnnPolicy(task, network, "gnn:x", together=together, threads=1)
    values, actions = alone.values(states), alone.choose(states)
    for threads in (1, 2, 3, 7):
        for size in (0, 1, 2, 3, 4, 6, 7, 8, 13, 14, 40, len(states)):
            shared = GnnPolicy(task, network, "gnn:x", together=together, threads=threads)
            assert np.array_equal(shared.choose(states[:size]), actions[:size])
            fresh = GnnPolicy(task, network, "gnn:x", together=together, threads=threads)
            assert fresh.values(states[:size]).tobytes() == values[:size].tobytes()


def test_threads_take_a_part_of_the_work(tmp_path: Path) -> None:
    task = generated_task(tmp_path, "transport", packages=3)
    path = random_checkpoint(predicates_of(task), width=32, iterations=30).write(tmp_path)
    network, states = read_graph_network(path), walk(task, 400)
    for threads in (1, 4):
        policy = GnnPolicy(task, network, "gnn:x", threads=threads)
        mine, everyone = time.thread_time(), time.process_time()
        policy.values(states)
        mine, everyone = time.thread_time() - mine, time.process_time() - everyone
        assert (mine < 0.9 * everyone) is (threads > 1)


def test_groups_depend_on_themselves_alone(tmp_path: Path) -> None:
    task = generated_task(tmp_path, "gripper", balls=3)
    policy = bound(task, random_checkpoint(predicates_of(task), width=16), tmp_path)
    states = walk(task, 40)
    offsets = np.array([0, 0, 3, 4, 4, 11, len(states), len(states)])
    values = policy._values.of_groups(states, offsets)
    for first, end in pairwise(offsets):
        alone = policy._values.of_groups(states[first:end], np.array([0, end - first]))
        assert np.array_equal(values[first:end], alone)
    for wrong in ([0, 2], [1, len(states)], [0, 5, 3, len(states)], []):
        with pytest.raises(ValueError, match="offsets must ascend"):
            policy._values.of_groups(states, np.array(wrong, dtype=np.int64))


def same_everywhere(predicates: dict[str, int]) -> Checkpoint:
    made = random_checkpoint(predicates)
    zeros = {name: np.zeros_like(array) for name, array in made.tensors.items()}
    return Checkpoint(zeros, made.predicates, made.width, made.iterations)


@pytest.mark.parametrize("together", [False, True])
def test_ties_go_to_the_first_name(tmp_path: Path, together: bool) -> None:
    task = generated_task(tmp_path, "gripper", balls=11)
    policy = bound(task, same_everywhere(predicates_of(task)), tmp_path, together=together)
    states = walk(task, 20)
    _, operators, offsets = task.all_successors(states)
    for row, chosen in enumerate(policy.choose(states)):
        names = [task.operator_names[op] for op in operators[offsets[row] : offsets[row + 1]]]
        assert task.operator_names[chosen] == min(names, key=lambda name: name[1:-1].split())


DOMAIN = """(define (domain lamps) (:requirements :strips :typing {more})
  (:types lamp room - object desk - room)
  (:predicates (lit ?l - lamp) (in ?l - lamp ?r - room) (ready))
  (:action light :parameters (?l - lamp ?r - room)
    :precondition (and (ready) (in ?l ?r)) :effect (and (lit ?l) (not (ready)))))"""
PROBLEM = """(define (problem two) (:domain lamps)
  (:objects a b - lamp hall - room table - desk)
  (:init (in a hall) (in b table) (lit b) (ready)) (:goal {goal}))"""
KNOWN = {"lamp": 1, "room": 1, "desk": 1, "lit": 1, "in": 2, "ready": 0}


def lamps(
    folder: Path, goal: str = "(and (lit a) (and (lit b) (in a hall)))", more: str = ""
) -> Task:
    (folder / "domain.pddl").write_text(DOMAIN.format(more=more))
    (folder / "problem.pddl").write_text(PROBLEM.format(goal=goal))
    return load_task(folder / "domain.pddl", folder / "problem.pddl", cache=False)


def test_what_a_network_sees(tmp_path: Path) -> None:
    """Static atoms, types and supertypes, and goals that hold anyway; nothing nullary."""
    task = lamps(tmp_path)
    network = read_graph_network(random_checkpoint(KNOWN).write(tmp_path))
    atoms = network_atoms(network, task)
    assert task.pddl is not None
    names = list(task.pddl.objects)

    def shown(number: int) -> str:
        words = [network.relations[atoms.relations[number]].name]
        return " ".join([*words, *(names[place] for place in atoms.arguments[number])])

    assert {shown(number) for number in atoms.always} == {
        *("in a hall", "in b table", "lit b", "lamp a", "lamp b", "room hall", "room table"),
        *("desk table", "lit_goal a", "lit_goal b", "in_goal a hall"),
    }
    state = task.initial_state
    assert all(atoms.of_values[variable][value] < 0 for variable, value in enumerate(state))
    assert [shown(n) for values in atoms.of_values for n in values if n >= 0] == ["lit a"]
    policy = bound(task, random_checkpoint(KNOWN), tmp_path)
    goal = ("(lit a)", "(lit b)", "(in a hall)")
    expected = naive_values(task, random_checkpoint(KNOWN), state[None], goal=goal)
    assert np.allclose(policy.values(state), expected, rtol=1e-4)


def test_states_without_an_action(tmp_path: Path) -> None:
    task = lamps(tmp_path)
    for together in (False, True):
        policy = bound(task, random_checkpoint(KNOWN), tmp_path, together=together)
        end, _, _ = task.all_successors(task.initial_state)
        chosen = policy.choose(np.concatenate([end, task.initial_state[None], end]))
        assert chosen[0] == chosen[-1] == NO_ACTION != chosen[len(end)]
        assert policy.choose(end[:0]).shape == (0,)


@pytest.mark.parametrize(
    ("predicates", "sentence"),
    [
        ({**KNOWN, "lit": 2}, "its predicate 'lit' has 2 arguments, not 1"),
        ({"lamp": 1, "room": 1, "desk": 1, "in": 2, "ready": 0}, "not know the predicate 'lit'"),
        ({**KNOWN, "inn": 2}, "it knows the predicate 'inn' (did you mean 'in'?)"),
        ({**KNOWN, "ready": 1}, "its predicate 'ready' has 1 arguments, not 0"),
        ({name: n for name, n in KNOWN.items() if name != "desk"}, "not know the type 'desk'"),
        ({**KNOWN, "desk": 2}, "it knows the predicate 'desk'"),
    ],
)
def test_networks_for_other_domains(
    tmp_path: Path, predicates: dict[str, int], sentence: str
) -> None:
    path = random_checkpoint(predicates).write(tmp_path)
    with pytest.raises(PolicyError, match="is no network for the domain 'lamps'") as caught:
        make_policy(f"gnn:{path}", lamps(tmp_path))
    assert sentence in str(caught.value) and str(path) in str(caught.value)


def test_types_of_all_objects_need_not_be_known(tmp_path: Path) -> None:
    task = generated_task(tmp_path, "blocksworld", blocks=3)
    assert task.pddl is not None
    predicates = {name: len(types) for name, types in task.pddl.predicates.items()}
    assert len(bound(task, random_checkpoint(predicates), tmp_path).values(walk(task, 5)))


def test_goals_that_are_no_atoms(tmp_path: Path) -> None:
    path = random_checkpoint(KNOWN).write(tmp_path)
    task = lamps(tmp_path, goal="(and (lit a) (not (ready)))", more=":negative-preconditions")
    with pytest.raises(PolicyError, match="conjunctions of atoms, but that of two has 'not'"):
        make_policy(f"gnn:{path}", task)


def test_specs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    task = lamps(tmp_path)
    path = random_checkpoint(KNOWN).write(tmp_path)
    policy = make_policy(f"gnn:{path}", task)
    assert is_ours(policy) and policy.spec == f"gnn:{path}"
    for spec in (f"gnn:{path}", f"gnn:{path}:successors"):
        assert POLICIES.reach_of(spec) == Reach(files=(str(path),))
        POLICIES.check(spec)
    for wrong in ("gnn", "gnn:", "gnn:none.ckpt", f"gnn:{path}:batch", "gnn::successors"):
        with pytest.raises(UsageError, match="gnn:"):
            POLICIES.check(wrong)
        with pytest.raises(UsageError, match="gnn:"):
            make_policy(wrong, task)
    with pytest.raises(UsageError, match="may be followed by ':successors', not by ':succesors'"):
        POLICIES.check(f"gnn:{path}:succesors")
    monkeypatch.chdir(tmp_path)
    random_checkpoint(KNOWN, seed=1).write(tmp_path, "odd:successors")
    odd = make_policy("gnn:odd:successors", task)
    assert isinstance(odd, GnnPolicy) and not odd.together
    assert odd.fingerprint() != policy.fingerprint()


def test_tasks_from_sas(tmp_path: Path) -> None:
    path = random_checkpoint(KNOWN).write(tmp_path)
    lamps(tmp_path).write_sas(tmp_path / "task.sas")
    with pytest.raises(UnsupportedError, match="needs the task in PDDL"):
        make_policy(f"gnn:{path}", load_task(tmp_path / "task.sas"))
