"""Every object of the core is asked by four threads at once; a new one needs a line here.

`make sanitize` runs this as well: what threads do to each other's memory is found there.
"""

from __future__ import annotations

import inspect
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from bugsieve import _native
from tests.unit.native.chains import native, switches
from tests.unit.oracles.safety.graphs import graph_system
from tests.unit.policies.models.lift import floors, lift
from tests.unit.policies.networks.files import random_network

THREADS = 4
ROUNDS = 20
SWITCHES = 6

TASK = native(switches(SWITCHES))
STATES = np.random.default_rng(0).integers(0, 2, (64, SWITCHES)).astype(np.uint16)
OPERATORS = TASK.applicable(STATES)[0][TASK.applicable(STATES)[1][:-1]]
START = TASK.initial_state
PLAN = np.array(_native.astar(TASK, START).plan, dtype=np.int32)
NO_STEPS = np.zeros(0, dtype=np.int32)
NUMBERS = np.arange(len(STATES), dtype=np.int64)
OFFSETS = np.arange(len(STATES) + 1, dtype=np.int64)

LIFT = lift()
FLOORS = floors(LIFT, 0, 1, 2, 3, 4, 0, 1, 2)
FIRST = np.zeros(len(FLOORS), dtype=np.int32) + LIFT.actions.index("up")
WORDS = LIFT.pack(FLOORS)

# A ladder with a way up and a way that may fall to the ground, which is unsafe.
RUNGS = 40
LADDER = graph_system(
    [2, *[0] * (RUNGS - 2), 1],
    [{}, *({0: [k + 1], 1: [k, max(0, k - 3)]} for k in range(1, RUNGS - 1)), {}],
)
ROWS = np.arange(RUNGS, dtype=np.uint64).reshape(-1, 1)
DECISIONS = np.array([-1, *[1] * (RUNGS - 2), -1], dtype=np.int32)


def table(words: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return DECISIONS[words[:, 0].astype(np.int64)]


def network() -> _native.Network:
    made = random_network(3, 20, 3)
    return _native.Network(list(made.weights), list(made.biases), "tanh")


def network_policy() -> _native.NetworkPolicy:
    return _native.NetworkPolicy(
        network(), LIFT.system.copy(), inputs=[0, 1, 2], actions=[0, 1, 2],
        scales=np.zeros((0, 4)), filter=True, epsilon=1e-5,
    )  # fmt: skip


def relational_network() -> _native.RelationalNetwork:
    def part(*sizes: int) -> _native.Network:
        made = random_network(*sizes)
        return _native.Network(list(made.weights), list(made.biases), "relu")

    return _native.RelationalNetwork(
        width=3, iterations=2, arities=[2], modules=[part(6, 6, 6)], update=part(6, 6, 3),
        value=[part(6, 1)], solvable=[],
    )  # fmt: skip


def relational_values() -> _native.RelationalValues:
    return _native.RelationalValues(
        TASK, relational_network(), objects=2, relations=[0, 0], arguments=[[0, 1], [1, 0]],
        always=[0], of_values=[[-1, 1]] * SWITCHES, max_bytes=500, threads=3,
    )  # fmt: skip


def asnet() -> _native.Asnet:
    """One schema of all operators, each related to the fact of one switch."""
    rng = np.random.default_rng(0)
    count = TASK.num_operators

    def module(outputs: int, inputs: int) -> tuple[Any, Any]:
        return rng.normal(size=(outputs, inputs)).astype(np.float32), np.ones(outputs, np.float32)

    return _native.Asnet(
        TASK, fact_starts=np.array([0, SWITCHES], np.int32),
        action_starts=np.array([0, count], np.int32), goal=np.ones(SWITCHES, np.bool_),
        places=np.array([(k, 1) for k in range(SWITCHES)], np.int32),
        predicates=[np.zeros(1, np.int32)],
        related=[np.arange(count, dtype=np.int32).reshape(-1, 1) % SWITCHES],
        operators=np.arange(count, dtype=np.int32), ranks=np.arange(count, dtype=np.int32),
        hidden=4, action_modules=[[module(4, 3)], [module(1, 8)]],
        predicate_modules=[[module(4, 4)]], threads=3,
    )  # fmt: skip


def walks() -> _native.Walks:
    live = _native.LiveSuccessors(TASK, prune_dead_ends=True)
    lengths = np.full(len(STATES), 4, dtype=np.int64)
    return _native.Walks(live, _native.Draws(1, 2, NUMBERS), 0, STATES, lengths)


def unsafe_runs() -> _native.UnsafeRuns:
    policy = _native.PythonPolicy(table, 1)
    return _native.UnsafeRuns(
        LADDER, policy, choice="uniform", lookahead=2, lookahead_states=100, step_limit=50,
        lanes=8, max_bytes=1 << 20,
    )  # fmt: skip


def dominance() -> _native.Dominance:
    return _native.Dominance.compute(TASK, 0, 100, "stages", -1, -1, -1)


def bounds() -> _native.Bounds:
    """With a case that fails and one that is solved, so that there is something to say."""
    made = _native.Bounds(dominance(), 3, -1)
    made.learn(STATES[0], NO_STEPS, -1)
    made.learn(START, PLAN, 1 << 20)
    return made


def analysis(algorithm: str) -> _native.SafetyAnalysis:
    made = _native.SafetyAnalysis(LADDER, _native.PythonPolicy(table, 1), algorithm, 3)
    made.decide(ROWS)
    return made


OBJECTS: dict[str, Callable[[], Any]] = {
    "Task": lambda: native(switches(SWITCHES)),
    "Heuristic": lambda: _native.Heuristic(TASK, "hff"),
    "PathDistances": lambda: _native.PathDistances(TASK),
    "StateRegistry": lambda: _native.StateRegistry(TASK),
    "ExactCosts": lambda: _native.explore_exact_costs(TASK),
    "NoveltyStore": lambda: _native.NoveltyStore(TASK, 2),
    "BestSuccessors": lambda: _native.BestSuccessors(TASK, "hff", improving=True, max_bytes=500),
    "LiveSuccessors": lambda: _native.LiveSuccessors(TASK, prune_dead_ends=True),
    "Draws": lambda: _native.Draws(1, 2, NUMBERS),
    "Walks": walks,
    "Dominance": dominance,
    "Bounds": bounds,
    "SearchResult": lambda: _native.greedy(TASK, START),
    "Leaves": lambda: _native.lookahead(TASK, START, 3)[1],
    "TransitionSystem": lambda: LADDER,
    "ExplicitSystem": lambda: graph_system([0, 1], [{0: [0, 1]}, {}]),
    "PolicyView": network_policy,
    "TablePolicy": lambda: _native.TablePolicy(DECISIONS),
    "PythonPolicy": lambda: _native.PythonPolicy(table, 1),
    "SafetyAnalysis": lambda: analysis("tarjan"),
    "JaniSystem": lambda: LIFT.system.copy(),
    "UnsafeRuns": unsafe_runs,
    "Asnet": asnet,
    "Network": network,
    "NetworkPolicy": network_policy,
    "RelationalNetwork": relational_network,
    "RelationalValues": relational_values,
}
"""What makes one of each class; it is then shared by the threads."""

CALLS: dict[str, tuple[Any, ...]] = {
    "Task.from_sas": (TASK.to_sas(START),),
    "Task.fact_names": (0,),
    "Task.preconditions": (0,),
    "Task.effects": (0,),
    "Task.to_sas": (START,),
    "Task.applicable": (STATES,),
    "Task.is_applicable": (STATES, OPERATORS),
    "Task.successors": (STATES, OPERATORS),
    "Task.all_successors": (STATES,),
    "Task.is_goal": (STATES,),
    "Task.hashes": (STATES,),
    "Heuristic.evaluate": (STATES,),
    "Heuristic.evaluate_preferred": (STATES,),
    "PathDistances.hff": (STATES, STATES[::-1].copy(), OFFSETS),
    "StateRegistry.insert": (STATES,),
    "StateRegistry.find": (STATES[:1],),
    "StateRegistry.states": (NUMBERS[:1],),
    "NoveltyStore.insert": (STATES,),
    "NoveltyStore.novelty": (STATES,),
    "BestSuccessors.choose": (STATES,),
    "LiveSuccessors.of": (STATES, 1000),
    "Draws.below": (NUMBERS, 3, NUMBERS + 1),
    "Walks.expand": (1000,),
    "Walks.move": (np.ones(len(STATES) * SWITCHES, dtype=np.int64), None),
    "Walks.actions": (),
    "Walks.offers": (),
    "Dominance.compute": (TASK, 0, 100, "stages", -1, -1, -1),
    "Dominance.load": (TASK, dominance().saved()),
    "Dominance.objection": (TASK,),
    "Dominance.saved": (),
    "Dominance.places": (STATES,),
    "Dominance.table": (0,),
    "Dominance.states": (0,),
    "Dominance.goal_distances": (0,),
    "Dominance.rowwise": (STATES, STATES[::-1].copy()),
    "Dominance.between": (STATES, STATES),
    "Dominance.replay": (START, PLAN, STATES[0], 1000),
    "Bounds.learn": (START, PLAN, -1),
    "Bounds.look_ahead": (-1,),
    "Bounds.follow": ([],),
    "Bounds.spread": (),
    "Bounds.take_events": (),
    "Bounds.take_ways": (),
    "Bounds.bound": (0,),
    "Bounds.plan": (0,),
    "Leaves.path": (1,),
    "ExplicitSystem.from_arrays": (
        np.zeros(1, np.uint8), np.zeros(2, np.uint32), np.zeros(0, np.int32),
        np.zeros(1, np.uint32), np.zeros(0, np.uint32), 1,
    ),
    "SafetyAnalysis.decide": (ROWS,),
    "SafetyAnalysis.faults": (ROWS[3::-1].copy(),),
    "SafetyAnalysis.alternative": (ROWS[37:38],),
    "SafetyAnalysis.ranking": (ROWS[:1],),
    "JaniSystem.copy": (),
    "JaniSystem.pack": (FLOORS,),
    "JaniSystem.unpack": (WORDS,),
    "JaniSystem.is_goal": (FLOORS,),
    "JaniSystem.is_unsafe": (FLOORS,),
    "JaniSystem.is_start": (FLOORS,),
    "JaniSystem.distances": (FLOORS,),
    "JaniSystem.applicable": (FLOORS,),
    "JaniSystem.expand": (FLOORS,),
    "JaniSystem.observe": (FLOORS,),
    "JaniSystem.step": (FLOORS, FIRST, np.zeros(len(FLOORS))),
    "JaniSystem.count_outcomes": (FLOORS, 20),
    "UnsafeRuns.run": (ROWS[1:20].copy(), NUMBERS[:19], 1, 2),
    "Asnet.logits": (STATES,),
    "Asnet.choose": (STATES, 1e-4),
    "Network.outputs": (np.ones((200, 3), np.float32),),
    "NetworkPolicy.copy": (),
    "NetworkPolicy.choose": (WORDS,),
    "RelationalValues.of_states": (STATES,),
    "RelationalValues.of_groups": (STATES, OFFSETS),
    "astar": (TASK, START),
    "greedy": (TASK, START),
    "enforced_hill_climbing": (TASK, START),
    "improving_path": (TASK, START),
    "improve_plan": (TASK, START, PLAN),
    "lookahead": (TASK, START, 3),
    "explore_exact_costs": (TASK,),
    "explore_states": (LADDER, ROWS),
    "reached_by_pairs": (
        2, np.zeros(1, np.int32), np.arange(2, dtype=np.int32), np.zeros(1, np.int32),
        np.arange(2, dtype=np.int32), np.ones(1, np.int32), np.zeros(2, np.int32), NO_STEPS,
    ),
}  # fmt: skip
"""What each method and function is called with; properties need nothing."""

CHANGING = {"NoveltyStore", "Walks", "StateRegistry", "UnsafeRuns", "SafetyAnalysis", "Bounds"}
"""Answers of these depend on what was asked before, by whichever thread."""


@pytest.fixture(autouse=True)
def impatient() -> Iterator[None]:
    """Let Python turn to another thread as often as it can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def classes() -> list[str]:
    found = inspect.getmembers(_native, inspect.isclass)
    return [name for name, made in found if not issubclass(made, Exception)]


def functions() -> list[str]:
    found = inspect.getmembers(_native, callable)
    return [name for name, made in found if not inspect.isclass(made)]


def members(name: str) -> list[str]:
    return [member for member in vars(getattr(_native, name)) if not member.startswith("_")]


def is_property(name: str, member: str) -> bool:
    return isinstance(inspect.getattr_static(getattr(_native, name), member), property)


def plain(value: Any) -> Any:
    """What can be compared: objects of the core are made anew by every call."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, (tuple, list)):
        return [plain(part) for part in value]
    return type(value).__name__ if type(value).__module__.endswith("_native") else value


def ask(shared: Any, name: str, member: str) -> Any:
    if is_property(name, member):
        return plain(getattr(shared, member))
    try:
        return plain(getattr(shared, member)(*CALLS[f"{name}.{member}"]))
    except (ValueError, IndexError):
        # Walks move in turns, and nothing is in a registry before the first insertion.
        if name not in ("Walks", "StateRegistry"):
            raise
        return None


def in_threads(work: Callable[[int], Any]) -> list[Any]:
    """What the threads answer, which begin together; what one of them raises is raised here."""
    answers: list[Any] = [None] * THREADS
    errors: list[BaseException] = []
    barrier = threading.Barrier(THREADS)

    def run(number: int) -> None:
        try:
            barrier.wait()
            answers[number] = work(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return answers


def test_everything_has_a_line() -> None:
    assert set(OBJECTS) == set(classes())
    methods = {
        f"{name}.{member}"
        for name in classes()
        for member in members(name)
        if not is_property(name, member)
    }
    assert set(CALLS) == methods | set(functions())


@pytest.mark.parametrize("name", classes())
def test_objects(name: str) -> None:
    """Threads begin with different members, so that all of these meet each other."""
    shared = OBJECTS[name]()
    names = members(name)
    expected = {member: ask(OBJECTS[name](), name, member) for member in names}

    def work(number: int) -> dict[str, Any]:
        answers = {}
        for turn in range(ROUNDS):
            OBJECTS[name]()
            for place in range(len(names)):
                member = names[(place + number + turn) % len(names)]
                answers[member] = ask(shared, name, member)
        return answers

    for answers in in_threads(work):
        assert name in CHANGING or answers == expected


@pytest.mark.parametrize("name", functions())
def test_functions(name: str) -> None:
    call = getattr(_native, name)
    expected = plain(call(*CALLS[name]))
    for answers in in_threads(lambda _: [plain(call(*CALLS[name])) for _ in range(ROUNDS)]):
        assert answers == [expected] * ROUNDS


@pytest.mark.parametrize("heuristic", _native.HEURISTICS)
def test_heuristics(heuristic: str) -> None:
    shared = _native.Heuristic(TASK, heuristic)
    expected = _native.Heuristic(TASK, heuristic).evaluate(STATES).tolist()
    for answers in in_threads(lambda _: shared.evaluate(STATES).tolist()):
        assert answers == expected


@pytest.mark.parametrize("algorithm", _native.SAFETY_ALGORITHMS)
def test_analyses_that_ask_python(algorithm: str) -> None:
    """The policy is a function, so the thread that is at work needs the GIL in between."""
    made = _native.SafetyAnalysis(LADDER, _native.PythonPolicy(table, 1), algorithm, 3)
    expected = plain(analysis(algorithm).decide(ROWS))
    for answers in in_threads(lambda number: plain(made.decide(np.roll(ROWS, number, axis=0)))):
        assert sorted(answers[0]) == sorted(expected[0])
    assert plain(made.decide(ROWS)) == expected


def test_what_threads_leave_behind() -> None:
    """The order of insertions does not matter for what is known in the end."""
    registry, store = _native.StateRegistry(TASK), _native.NoveltyStore(TASK, 2)

    def work(number: int) -> None:
        for turn in range(ROUNDS):
            rows = np.roll(STATES, number + turn, axis=0)
            registry.insert(rows)
            store.insert(rows)

    in_threads(work)
    distinct = np.unique(STATES, axis=0)
    assert len(registry) == len(distinct)
    ids = registry.find(STATES)
    assert registry.states(ids).tolist() == STATES.tolist()
    assert (store.novelty(STATES) == 3).all()
    known = _native.Bounds(dominance(), 5, -1)

    def tell(number: int) -> None:
        for turn in range(ROUNDS):
            known.learn(STATES[(7 * number + turn) % len(STATES)], NO_STEPS, -1)
            known.learn(START, PLAN, -1)
            known.look_ahead(-1)

    in_threads(tell)
    assert known.num_states >= THREADS and known.bound(2 * THREADS * ROUNDS - 1) >= 0
    assert all(bound >= 0 for _, bound in known.take_events())
    runs = unsafe_runs()
    expected = plain(unsafe_runs().run(*CALLS["UnsafeRuns.run"]))
    assert in_threads(lambda _: plain(runs.run(*CALLS["UnsafeRuns.run"]))) == [expected] * THREADS
