from __future__ import annotations

import sqlite3
import time
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from bugsieve import _native
from bugsieve.base.errors import PolicyError, UnsupportedError, UsageError
from bugsieve.base.registry.outside_access import OutsideAccess
from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.cost.bench import bench_of
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.options import CostOptions
from bugsieve.campaigns.python_calls.find import find_bugs
from bugsieve.campaigns.store.schema import STORE_FILE
from bugsieve.checkers.cost import check
from bugsieve.pipeline.bugs.bug import Bug
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.policies.asking import is_ours
from bugsieve.policies.decisions import Ending
from bugsieve.policies.fingerprints import earlier_spec, network_key
from bugsieve.policies.registry import POLICIES, make_policy
from bugsieve.policies.runs import run_policy
from bugsieve.rooms.formats.gnn.atoms import network_atoms
from bugsieve.rooms.formats.gnn.network import GraphNetwork, read_graph_network
from bugsieve.rooms.formats.gnn.policy import GnnPolicy
from bugsieve.tasks.grounded.loading import load_task
from bugsieve.tasks.grounded.task import NO_ACTION, StateArray, Task
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
    spec = f"gnn:{checkpoint.write(folder)}" + ("" if together else ":alone")
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
    for spec in (f"gnn:{path}{way}" for way in ("", ":successors", ":alone", ":avoid")):
        assert POLICIES.reach_of(spec) == OutsideAccess(files=(str(path),))
        POLICIES.check(spec)
    for wrong in ("gnn", "gnn:", "gnn:none.ckpt", f"gnn:{path}:batch", "gnn::successors"):
        with pytest.raises(UsageError, match="gnn:"):
            POLICIES.check(wrong)
        with pytest.raises(UsageError, match="gnn:"):
            make_policy(wrong, task)
    with pytest.raises(UsageError, match="followed by ':avoid' or ':alone', not by ':avid'"):
        POLICIES.check(f"gnn:{path}:avid")
    monkeypatch.chdir(tmp_path)
    random_checkpoint(KNOWN, seed=1).write(tmp_path, "odd:alone")
    odd = make_policy("gnn:odd:alone", task)
    assert isinstance(odd, GnnPolicy) and odd.together
    assert odd.fingerprint() != policy.fingerprint()


def old_fingerprint(network: GraphNetwork, *, together: bool) -> str:
    """As stores have it since `gnn:FILE` and `gnn:FILE:successors` were told apart."""
    digest = sha256(repr((network.predicates, network.iterations, together)).encode())
    for part in network.parts:
        for array in (*part.weights, *part.biases):
            digest.update(repr(array.shape).encode() + array.tobytes())
    return digest.hexdigest()


def test_what_specs_of_earlier_campaigns_mean(tmp_path: Path) -> None:
    """`:successors` is the usual way by its old name; `gnn:FILE` was what `:alone` is now."""
    task, path = lamps(tmp_path), random_checkpoint(KNOWN).write(tmp_path)
    usual, alias, alone, avoid = (
        make_policy(f"gnn:{path}{way}", task) for way in ("", ":successors", ":alone", ":avoid")
    )
    assert isinstance(usual, GnnPolicy)
    before = {way: old_fingerprint(usual.network, together=way) for way in (False, True)}
    assert usual.fingerprint() == alias.fingerprint() == before[True]
    assert alone.fingerprint() == before[False]
    assert avoid.fingerprint() not in before.values()
    assert earlier_spec(usual, before[False]) == f"gnn:{path}:alone"
    for policy, fingerprint in ((usual, before[True]), (alone, before[False]), (usual, "0")):
        assert earlier_spec(policy, fingerprint) is None
    keys = [network_key(policy) for policy in (usual, alias, alone, avoid)]
    assert keys[0] == keys[1] and len(set(keys)) == 3


def as_stored_before(folder: Path, network: GraphNetwork) -> None:
    """Let the campaign in the folder be one of `gnn:FILE` as it was."""
    with sqlite3.connect(folder / STORE_FILE) as connection:
        connection.execute(
            "UPDATE meta SET value = ? WHERE name = 'policy fingerprint'",
            (old_fingerprint(network, together=False),),
        )


def test_campaigns_of_what_it_was(tmp_path: Path) -> None:
    """They are not resumed with another policy, and their bugs are replayed with their own."""
    task = generated_task(tmp_path, "gripper", balls=2)
    path = random_checkpoint(predicates_of(task), width=16, iterations=6).write(tmp_path)
    folder = tmp_path / "c"
    Campaign.create(folder, CostOptions(task=(), policy=f"gnn:{path}"), task).close()
    network = read_graph_network(path)
    as_stored_before(folder, network)
    with pytest.raises(UsageError, match=r"which is gnn:.*:alone today: test that in a new fold"):
        Campaign.open(folder)
    with CostRecords(folder) as records, bench_of(folder, records.header) as bench:
        assert isinstance(bench.policy, GnnPolicy) and not bench.policy.together
    with (
        CostRecords(folder) as records,
        bench_of(folder, records.header, policy=f"gnn:{path}") as bench,
    ):
        assert isinstance(bench.policy, GnnPolicy) and bench.policy.together


def test_tasks_from_sas(tmp_path: Path) -> None:
    path = random_checkpoint(KNOWN).write(tmp_path)
    lamps(tmp_path).write_sas(tmp_path / "task.sas")
    with pytest.raises(UnsupportedError, match="needs the task in PDDL"):
        make_policy(f"gnn:{path}", load_task(tmp_path / "task.sas"))


@pytest.mark.parametrize("domain", ["gripper", "blocksworld", "miconic"])
def test_avoiding_values_the_successors_that_are_left(tmp_path: Path, domain: str) -> None:
    """One maximum for those alone: the visited ones are taken out before they are valued."""
    task = generated_task(tmp_path, domain, **SIZES[domain])
    made = random_checkpoint(predicates_of(task), width=8, seed=4)
    policy = make_policy(f"gnn:{made.write(tmp_path)}:avoid", task)
    assert isinstance(policy, GnnPolicy)
    for start, run in zip(states := walk(task, 8), run_policy(task, policy, states), strict=True):
        assert run.ending in (Ending.SOLVED, Ending.NO_ACTION)
        visited = {start.tobytes()}
        for state, action in zip(run.states(task), run.actions, strict=False):
            successors, operators, _ = task.all_successors(state[None])
            left = [n for n, row in enumerate(successors) if row.tobytes() not in visited]
            values = policy.values_together(successors[left])
            best = [
                n for n, value in zip(left, values, strict=True) if value <= min(values) + 1e-4
            ]
            names = {task.operator_names[operators[n]]: n for n in best}
            first = names[min(names, key=lambda name: name[1:-1].split())]
            assert operators[first] == action
            visited.add(successors[first].tobytes())
        assert run.solved or all(
            row.tobytes() in visited for row in task.all_successors(run.states(task)[-1:])[0]
        )


def test_campaigns_of_it_do_not_depend_on_workers(tmp_path: Path) -> None:
    task = generated_task(tmp_path, "gripper", balls=2)
    path = random_checkpoint(predicates_of(task), width=8, seed=2).write(tmp_path)
    found: list[list[Bug]] = []
    for workers in (1, 2):
        options = CostOptions(
            task=(),
            policy=f"gnn:{path}:avoid",
            fuzz=FuzzOptions(pool_size=12, bias="uniform"),
            workers=workers,
        )
        with Campaign.create(tmp_path / str(workers), options, task) as campaign:
            campaign.run()
        with CostRecords(tmp_path / str(workers)) as records:
            found.append([row.bug for row in records.bugs()])
    one, two = ([bug.to_json() for bug in bugs] for bugs in found)
    assert one == two and len(one) > 3
    for bug in found[0]:
        check(task.to_sas(), bug.certificate)
        assert bug.certificate["run"]["avoids_visited"] is True
        assert bug.certificate["run"]["ending"] != "loop"


def test_ids_of_bugs_name_the_network_not_its_file(tmp_path: Path) -> None:
    task = generated_task(tmp_path, "gripper", balls=2)
    made = random_checkpoint(predicates_of(task), width=8, seed=2)
    other = random_checkpoint(predicates_of(task), width=8, seed=3).write(tmp_path, "other.ckpt")
    paths = [made.write(tmp_path, name) for name in ("one.ckpt", "two.ckpt")]
    specs = [*(f"gnn:{path}" for path in paths), f"gnn:{paths[0]}:successors"]
    same = [{bug.id for bug in find_bugs(task, spec, pool_size=12)} for spec in specs]
    assert same[0] and same[0] == same[1] == same[2]
    for spec in (f"gnn:{other}", f"gnn:{paths[0]}:avoid"):
        assert same[0].isdisjoint(bug.id for bug in find_bugs(task, spec, pool_size=12))
