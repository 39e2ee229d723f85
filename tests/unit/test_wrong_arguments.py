"""Whatever type a caller gives by mistake, the error is one sentence that names the argument."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bugsieve
from bugsieve.policies import PolicyGraph, WorkerLimits
from bugsieve.tasks import search
from tests.unit.policies.line import line_task
from tests.unit.tasks.jani.small import counter, load
from tests.unit.tasks.pddl.texts import write


@dataclass(frozen=True)
class Scene:
    """What the calls are made on."""

    folder: Path
    task: bugsieve.Task
    model: bugsieve.JaniModel
    files: tuple[Path, Path]
    model_file: Path

    @property
    def state(self) -> Any:
        return self.task.initial_state

    @property
    def policy(self) -> bugsieve.Policy:
        return bugsieve.make_policy("random", self.task)

    def options(self, **changes: Any) -> bugsieve.CostOptions:
        return bugsieve.CostOptions(**{"task": (), "policy": "random", **changes})

    def safety_options(self, **changes: Any) -> bugsieve.SafetyOptions:
        return bugsieve.SafetyOptions(**{"model": (), "policy": "random", **changes})

    def find(self, **changes: Any) -> object:
        return bugsieve.find_bugs(self.task, "random", **changes)

    def find_safety(self, **changes: Any) -> object:
        return bugsieve.find_safety_bugs(self.model, "random", **changes)


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    folder = tmp_path_factory.mktemp("scene")
    domain, problem = write(folder)
    return Scene(
        folder, line_task(4), load(folder, counter()), (domain, problem), folder / "model.jani"
    )


Call = Callable[[Scene, Any], object]

COMMON: tuple[Any, ...] = (
    3.5,
    b"x",
    object(),
    [None],
    np.zeros((0, 0)),
    np.array([1.5]),
    float("nan"),
)
NO_TEXT: tuple[Any, ...] = (*COMMON, 3, [], {})
NO_NUMBER: tuple[Any, ...] = (*COMMON, "10", [], {})
NO_OBJECT: tuple[Any, ...] = (*COMMON, 3, "x", [])
NO_ARRAY: tuple[Any, ...] = ("x", object(), [None], [[1, 2], [3]], [10**30], 1.5, {})

MISTAKES: dict[str, tuple[Call, tuple[Any, ...], str]] = {
    "load_task(domain)": (lambda s, v: bugsieve.load_task(v), (None, *NO_TEXT), "domain"),
    "load_task(problem)": (lambda s, v: bugsieve.load_task(s.files[0], v), NO_TEXT, "problem"),
    "load_task(cache)": (lambda s, v: bugsieve.load_task(*s.files, cache=v), ("no", 1), "cache"),
    "load_task(limits)": (
        lambda s, v: bugsieve.load_task(*s.files, limits=v),
        NO_OBJECT,
        "limits",
    ),
    "load_model(model_path)": (
        lambda s, v: bugsieve.load_model(v),
        (None, *NO_TEXT),
        "model_path",
    ),
    "load_model(property_path)": (
        lambda s, v: bugsieve.load_model(s.model_file, v),
        NO_TEXT,
        "property_path",
    ),
    "load_model(constants)": (
        lambda s, v: bugsieve.load_model(s.model_file, constants=v),
        (3, "", "N=1", [], ["N"], object()),
        "constants",
    ),
    "load_model(property_name)": (
        lambda s, v: bugsieve.load_model(s.model_file, property_name=v),
        NO_TEXT,
        "property_name",
    ),
    "TranslationLimits(seconds)": (
        lambda s, v: bugsieve.TranslationLimits(seconds=v),
        (None, "3", True, [], float("nan"), np.array([1.5])),
        "seconds",
    ),
    "TranslationLimits(bytes)": (
        lambda s, v: bugsieve.TranslationLimits(bytes=v),
        (None, True, *NO_NUMBER),
        "bytes",
    ),
    "find_bugs(task)": (
        lambda s, v: bugsieve.find_bugs(v, "random"),
        (None, [], [None], (3,), *(value for value in NO_OBJECT if not isinstance(value, str))),
        "task",
    ),
    "find_bugs(policy)": (
        lambda s, v: bugsieve.find_bugs(s.task, v),
        (None, 3, [], np.array([1.5]), np.float64(1), object),
        "policy",
    ),
    "find_bugs(folder)": (lambda s, v: s.find(folder=v), (*NO_TEXT, "a\0b"), "folder"),
    "find_bugs(objective)": (lambda s, v: s.find(objective=v), (None, *NO_TEXT), "objective"),
    "find_bugs(oracles)": (
        lambda s, v: s.find(oracles=v),
        (None, 3, {}, b"x", [None], [3], np.array(5), object()),
        "oracles",
    ),
    "find_bugs(pool_size)": (
        lambda s, v: s.find(pool_size=v),
        (True, *NO_NUMBER),
        "pool_size",
    ),
    "find_bugs(bias)": (lambda s, v: s.find(bias=v), NO_TEXT, "bias"),
    "find_bugs(seed)": (lambda s, v: s.find(seed=v), (None, True, *NO_NUMBER), "seed"),
    "find_bugs(max_time)": (lambda s, v: s.find(max_time=v), ("3", [], True), "max_time"),
    "find_bugs(max_bugs)": (lambda s, v: s.find(max_bugs=v), ("3", 1.5, True), "max_bugs"),
    "find_safety_bugs(model)": (
        lambda s, v: bugsieve.find_safety_bugs(v, "random"),
        (None, "line", *NO_OBJECT),
        "model",
    ),
    "find_safety_bugs(policy)": (
        lambda s, v: bugsieve.find_safety_bugs(s.model, v),
        (None, 3, [], np.array([1.5]), object),
        "policy",
    ),
    "find_safety_bugs(folder)": (lambda s, v: s.find_safety(folder=v), NO_TEXT, "folder"),
    "find_safety_bugs(oracles)": (
        lambda s, v: s.find_safety(oracles=v),
        (None, 3, {}, b"x", [None], object()),
        "oracles",
    ),
    "find_safety_bugs(walks)": (
        lambda s, v: s.find_safety(walks=v),
        (None, True, *NO_NUMBER),
        "walks",
    ),
    "find_safety_bugs(choice)": (lambda s, v: s.find_safety(choice=v), (None, *NO_TEXT), "choice"),
    "find_safety_bugs(seed)": (lambda s, v: s.find_safety(seed=v), (None, *NO_NUMBER), "seed"),
    "make_policy(spec)": (
        lambda s, v: bugsieve.make_policy(v, s.task),
        (None, *NO_TEXT),
        "the spec of a policy",
    ),
    "make_policy(task)": (
        lambda s, v: bugsieve.make_policy("random", v),
        (None, *NO_OBJECT),
        "task",
    ),
    "make_policy(seed)": (
        lambda s, v: bugsieve.make_policy("random", s.task, seed=v),
        (None, *NO_NUMBER),
        "seed",
    ),
    "make_policy(limits)": (
        lambda s, v: bugsieve.make_policy("random", s.task, limits=v),
        NO_OBJECT,
        "limits",
    ),
    "make_model_policy(spec)": (
        lambda s, v: bugsieve.make_model_policy(v, s.model),
        (None, *NO_TEXT),
        "the spec of a policy",
    ),
    "make_model_policy(model)": (
        lambda s, v: bugsieve.make_model_policy("random", v),
        (None, *NO_OBJECT),
        "model",
    ),
    "make_model_policy(seed)": (
        lambda s, v: bugsieve.make_model_policy("random", s.model, seed=v),
        (None, *NO_NUMBER),
        "seed",
    ),
    "policy(function)": (lambda s, v: bugsieve.policy(v), (None, *NO_OBJECT), "function"),
    "PolicyFunction.bind": (
        lambda s, v: bugsieve.policy(lambda facts, applicable: None).bind(v),
        (None, *NO_OBJECT),
        "subject",
    ),
    "run_policy(task)": (
        lambda s, v: bugsieve.run_policy(v, "random", s.state),
        (None, *NO_OBJECT),
        "task",
    ),
    "run_policy(policy)": (
        lambda s, v: bugsieve.run_policy(s.task, v, s.state),
        (None, 3, [], np.array([1.5])),
        "policy",
    ),
    "run_policy(states)": (
        lambda s, v: bugsieve.run_policy(s.task, "random", v),
        (None, *NO_ARRAY),
        "states",
    ),
    "run_policy(graph)": (
        lambda s, v: bugsieve.run_policy(s.task, "random", s.state, graph=v),
        NO_OBJECT,
        "graph",
    ),
    "run_policy(progress)": (
        lambda s, v: bugsieve.run_policy(s.task, "random", s.state, progress=v),
        NO_OBJECT,
        "progress",
    ),
    "PolicyGraph(task)": (lambda s, v: PolicyGraph(v, s.policy), (None, *NO_OBJECT), "task"),
    "WorkerLimits(deadline)": (lambda s, v: WorkerLimits(deadline=v), (None, "3", []), "deadline"),
    "WorkerLimits(memory_mb)": (lambda s, v: WorkerLimits(memory_mb=v), ("3", 1.5), "memory_mb"),
    "Task.state": (lambda s, v: s.task.state(v), (None, 3, {}, [None], [3], object()), "facts"),
    "Task.places": (lambda s, v: s.task.places(v), (None, *NO_TEXT), "atom"),
    "Task.heuristic": (lambda s, v: s.task.heuristic(v), (None, *NO_TEXT), "name"),
    "Task.write_sas": (lambda s, v: s.task.write_sas(v), (None, *NO_TEXT), "path"),
    "Task.operator_id": (lambda s, v: s.task.operator_id(v), (None, *NO_TEXT), "name"),
    "Task.operator_ids": (lambda s, v: s.task.operator_ids(v), ("jump", ""), "operator"),
    "Task.applicable": (lambda s, v: s.task.applicable(v), (None, *NO_ARRAY), "states"),
    "JaniModel.state": (lambda s, v: s.model.state(v), (None, 3, "x", b"x", object()), "values"),
    "JaniModel.values": (lambda s, v: s.model.values(v), (None, *NO_ARRAY), "states"),
    "JaniModel.pack": (lambda s, v: s.model.pack(v), (None, *NO_ARRAY), "states"),
    "JaniModel.unpack": (lambda s, v: s.model.unpack(v), (None, [1.5], *NO_ARRAY), "states"),
    "JaniModel.is_goal": (lambda s, v: s.model.is_goal(v), (None, ["x"], *NO_ARRAY), "states"),
    "JaniModel.applicable": (lambda s, v: s.model.applicable(v), (None, *NO_ARRAY), "states"),
    "JaniModel.observe": (lambda s, v: s.model.observe(v), (None, *NO_ARRAY), "states"),
    "JaniModel.step(states)": (
        lambda s, v: s.model.step(v, [0], [0.5]),
        (None, *NO_ARRAY),
        "states",
    ),
    "JaniModel.step(actions)": (
        lambda s, v: s.model.step([0], v, [0.5]),
        (None, "x", [], [0, 0], [0.5], [2**40], object()),
        "action number",
    ),
    "JaniModel.step(draws)": (
        lambda s, v: s.model.step([0], [0], v),
        (None, "x", [], [0.5, 0.5], [2.0], object()),
        "draw",
    ),
    "astar(task)": (lambda s, v: search.astar(v, s.state), (None, *NO_OBJECT), "task"),
    "astar(state)": (lambda s, v: search.astar(s.task, v), (None, *NO_ARRAY), "states"),
    "astar(heuristic)": (
        lambda s, v: search.astar(s.task, s.state, v),
        (None, *NO_TEXT),
        "heuristic",
    ),
    "astar(limits)": (
        lambda s, v: search.astar(s.task, s.state, limits=v),
        (None, *NO_OBJECT),
        "limits",
    ),
    "greedy(task)": (lambda s, v: search.greedy(v, s.state), (None, *NO_OBJECT), "task"),
    "greedy(deferred)": (
        lambda s, v: search.greedy(s.task, s.state, deferred=v),
        (None, "no", 2),
        "deferred",
    ),
    "enforced_hill_climbing(task)": (
        lambda s, v: search.enforced_hill_climbing(v, s.state),
        (None, *NO_OBJECT),
        "task",
    ),
    "improving_path(task)": (
        lambda s, v: search.improving_path(v, s.state),
        (None, *NO_OBJECT),
        "task",
    ),
    "lookahead(depth)": (
        lambda s, v: search.lookahead(s.task, s.state, v),
        (None, *NO_NUMBER),
        "depth",
    ),
    "exact_goal_distances(task)": (
        lambda s, v: search.exact_goal_distances(v),
        (None, *NO_OBJECT),
        "task",
    ),
    "exact_goal_distances(max_states)": (
        lambda s, v: search.exact_goal_distances(s.task, max_states=v),
        (None, *NO_NUMBER),
        "max_states",
    ),
    "improve_plan(plan)": (
        lambda s, v: search.improve_plan(s.task, s.state, v, limits=search.Limits()),
        (None, "x", [[1, 2], [3]], ["x"], object()),
        "operator",
    ),
    "improve_plan(limits)": (
        lambda s, v: search.improve_plan(s.task, s.state, [0], limits=v),
        (None, *NO_OBJECT),
        "limits",
    ),
    "PathDistances(task)": (lambda s, v: search.PathDistances(v), (None, *NO_OBJECT), "task"),
    "Limits(expansions)": (
        lambda s, v: search.Limits(expansions=v),
        (True, *NO_NUMBER),
        "expansions",
    ),
    "CostOptions(task)": (
        lambda s, v: s.options(task=v),
        (None, 3, {}, b"x", [None], [3], object()),
        "task",
    ),
    "CostOptions(policy)": (lambda s, v: s.options(policy=v), (None, *NO_TEXT), "policy"),
    "CostOptions(policy_seed)": (
        lambda s, v: s.options(policy_seed=v),
        (None, *NO_NUMBER),
        "policy_seed",
    ),
    "CostOptions(objective)": (
        lambda s, v: s.options(objective=v),
        (None, *NO_TEXT),
        "objective",
    ),
    "CostOptions(step_limit)": (
        lambda s, v: s.options(step_limit=v),
        (None, *NO_NUMBER),
        "step_limit",
    ),
    "CostOptions(limits)": (lambda s, v: s.options(limits=v), (None, *NO_OBJECT), "limits"),
    "CostOptions(mode)": (lambda s, v: s.options(mode=v), (None, *NO_TEXT), "mode"),
    "CostOptions(workers)": (lambda s, v: s.options(workers=v), (None, *NO_NUMBER), "workers"),
    "CostOptions(fuzz)": (lambda s, v: s.options(fuzz=v), (None, *NO_OBJECT), "fuzz"),
    "CostOptions.from_toml": (
        lambda s, v: bugsieve.CostOptions.from_toml(v, name="x"),
        (None, *NO_TEXT),
        "text",
    ),
    "SafetyOptions(model)": (lambda s, v: s.safety_options(model=v), (None, 3, [None]), "model"),
    "SafetyOptions(alone)": (
        lambda s, v: s.safety_options(alone=v),
        (None, *NO_NUMBER),
        "alone",
    ),
    "Campaign.create(directory)": (
        lambda s, v: bugsieve.Campaign.create(v, s.options(), subject=s.task),
        (None, "a\0b", *NO_TEXT),
        "directory",
    ),
    "Campaign.create(options)": (
        lambda s, v: bugsieve.Campaign.create(s.folder / "new", v),
        (None, *NO_OBJECT),
        "options",
    ),
    "Campaign.create(task)": (
        lambda s, v: bugsieve.Campaign.create(s.folder / "new", s.options(), subject=v),
        NO_OBJECT,
        "task",
    ),
    "Campaign.create(model)": (
        lambda s, v: bugsieve.Campaign.create(s.folder / "new", s.safety_options(), v),
        NO_OBJECT,
        "model",
    ),
    "Campaign.open": (lambda s, v: bugsieve.Campaign.open(v), (None, *NO_TEXT), "directory"),
}


def _cases() -> Iterator[Any]:
    for name, (call, values, word) in MISTAKES.items():
        for number, value in enumerate(values):
            yield pytest.param(call, value, word, id=f"{name}-{number}")


@pytest.mark.parametrize(("call", "value", "word"), list(_cases()))
def test_a_wrong_type_gets_a_sentence(scene: Scene, call: Call, value: Any, word: str) -> None:
    with pytest.raises(bugsieve.UsageError) as caught:
        call(scene, value)
    sentence = str(caught.value)
    assert word in sentence
    assert "incompatible function arguments" not in sentence
    assert "\n" not in sentence


def test_one_oracle_needs_no_list(scene: Scene) -> None:
    assert scene.options(oracles="perfect").oracles == ("perfect",)
    assert scene.safety_options(oracles="tarjan").oracles == ("tarjan",)
    with pytest.raises(bugsieve.UsageError, match="there is no oracle 'perfct'"):
        scene.find(oracles="perfct")
    with pytest.raises(bugsieve.UsageError, match="there is no safety oracle 'tarjn'"):
        scene.find_safety(oracles="tarjn")


def test_numbers_of_numpy_and_paths_are_taken(scene: Scene) -> None:
    options = scene.options(
        task=list(scene.files),
        policy_seed=np.int64(7),
        step_limit=np.uint8(5),
        policy_limits=WorkerLimits(deadline=np.float32(1.5)),
    )
    assert options.task == tuple(map(str, scene.files))
    assert bugsieve.CostOptions.from_toml(options.to_toml(), name="x") == options


def test_one_state_of_a_model_is_a_batch_of_one(scene: Scene) -> None:
    state = scene.model.state([1])
    for ask in (scene.model.is_goal, scene.model.pack, scene.model.distances):
        assert (ask(state) == ask(state[np.newaxis])).all()
    actions, offsets = scene.model.applicable(state)
    assert offsets.tolist() == [0, len(actions)]
    assert scene.model.step(state, actions[0], 0.5).shape == (1, 1)


def test_a_folder_stands_for_the_task_that_it_holds(scene: Scene) -> None:
    assert bugsieve.load_task(scene.folder).to_sas() == bugsieve.load_task(*scene.files).to_sas()
    with pytest.raises(bugsieve.InputError, match=r"holds no domain\.pddl and no problem\.pddl"):
        bugsieve.load_task(Path(__file__).parent)


def test_a_constant_cannot_be_none(scene: Scene, tmp_path: Path) -> None:
    document = {
        **counter(),
        "constants": [{"name": "N", "type": "int", "value": 3}],
    }
    assert load(tmp_path, document, constants={"N": 4}).document["constants"][0]["value"] == 4
    with pytest.raises(bugsieve.UsageError, match="the constant 'N' is of type int"):
        load(tmp_path, document, constants={"N": None})
