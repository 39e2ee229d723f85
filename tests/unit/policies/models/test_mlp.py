from __future__ import annotations

import json
import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bugsieve import _native
from bugsieve.base.errors import PolicyError, UsageError
from bugsieve.policies.policy import DEFAULT_TIE_EPSILON, PolicySettings
from bugsieve.rooms.formats.mlp import MlpPolicy
from bugsieve.rooms.formats.networks import Network, Normalisation, write_safetensors
from bugsieve.rooms.jani.model.findings import ModelError
from bugsieve.rooms.jani.model.loading import load_document
from bugsieve.rooms.jani.model.model import JaniModel, Valuations
from bugsieve.rooms.safety.oracles.decide import SafetyDecider
from tests.reference import networks as reference
from tests.unit.policies.models.lift import document, lift
from tests.unit.policies.networks.files import FORMATS, baselines, nnet, npz, random_network, write
from tests.unit.tasks.jani.small import binary, edge, simple

SETTINGS = PolicySettings()


def every_state(loaded: JaniModel) -> Valuations:
    """All floors of the lift, with its door open and closed, and several loads."""
    return np.array(
        [
            loaded.state([floor, is_open, load])
            for floor in range(6)
            for is_open in (False, True)
            for load in (0.0, 0.3, 1.7)
        ]
    )


def constant(*scores: float, **about: Any) -> Network:
    """A network for the lift that gives the same scores everywhere."""
    return Network(
        (np.zeros((len(scores), 3), np.float32),), (np.array(scores, np.float32),), **about
    )


def chosen(network: Network, *, filter: bool | None = None, floor: int = 0) -> str | None:
    loaded = lift()
    policy = MlpPolicy(loaded, network, "mlp:test", filter=filter)
    (action,) = policy.choose(loaded.state([floor, False, 0.0])[None]).tolist()
    return None if action < 0 else loaded.actions[action]


@pytest.mark.parametrize("filtered", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_decisions_of_the_twin(seed: int, filtered: bool) -> None:
    loaded = lift()
    states = every_state(loaded)
    network = random_network(3, 9, 20, 3, seed=seed)
    found = MlpPolicy(loaded, network, "mlp:test", filter=filtered).choose(states)
    scores = reference.scores(network.weights, network.biases, states)
    actions, offsets = loaded.applicable(states)
    compared = 0
    for row in range(len(states)):
        allowed = actions[offsets[row] : offsets[row + 1]].tolist() if filtered else range(3)
        expected = reference.decision(scores[row].tolist(), range(3), allowed, DEFAULT_TIE_EPSILON)
        competing = sorted(scores[row, list(allowed)])
        if len(competing) < 2 or competing[-1] - competing[-2] > 1e-3:
            assert found[row] == expected
            compared += 1
    assert compared > 30


@pytest.mark.parametrize("seed", range(4))
def test_the_core_and_python_decide_alike(seed: int) -> None:
    loaded = lift()
    states = every_state(loaded)
    policy = MlpPolicy(loaded, random_network(3, 16, 3, seed=seed), "mlp:test")
    whole = policy.choose(states).tolist()
    assert [policy.choose(state[None]).tolist()[0] for state in states] == whole
    packed = loaded.pack(states)
    view = policy.view()
    assert view.choose(packed).tolist() == whole
    assert view.choose(packed[::-1].copy()).tolist() == whole[::-1]


def test_ties_go_to_the_lowest_action() -> None:
    down, jump, up = 0.0, 1.0, 1.0
    assert chosen(constant(down, jump, up), filter=False) == "jump"
    assert chosen(constant(0, 1, 1.000009), filter=False) == "jump"
    assert chosen(constant(0, 1, 1.00002), filter=False) == "up"
    reversed_outputs = constant(1, 1, 0, outputs=("up", "jump", "down"))
    assert chosen(reversed_outputs, filter=False) == "jump"


def test_scores_that_are_no_numbers_are_the_worst() -> None:
    """Infinite sums of opposite signs meet in the last layer."""
    huge = np.float32(3e38)
    first = np.array([[0, 0, 0]] * 2, np.float32), np.array([huge, huge], np.float32)
    second = (
        np.array([[huge, -huge], [1e-38, 0], [-1e-38, 0]], np.float32),
        np.zeros(3, np.float32),
    )
    network = Network((first[0], second[0]), (first[1], second[1]), "relu")
    core = _native.Network(list(network.weights), list(network.biases), "relu")
    scores = core.outputs(np.zeros((1, 3), np.float32))[0]
    assert math.isnan(scores[0]) and np.isfinite(scores[1:]).all()
    assert chosen(network, filter=False) == "jump"
    every_score = Network((first[0], np.full((3, 2), [huge, -huge], np.float32)),
                          (first[1], np.zeros(3, np.float32)), "relu")  # fmt: skip
    assert chosen(every_score, filter=False) == "down"


def test_the_filter() -> None:
    network = constant(3, 2, 1)  # down, jump, up
    assert chosen(network, filter=False, floor=0) == "down"
    assert chosen(network, filter=True, floor=0) == "jump"
    assert chosen(network, filter=True, floor=1) == "down"
    assert chosen(network, filter=True, floor=5) is None
    assert chosen(network, filter=False, floor=5) == "down"
    assert chosen(network, floor=0) == "jump"
    assert chosen(replace(network, filter=False), floor=0) == "down"
    assert chosen(replace(network, filter=False), filter=True, floor=0) == "jump"


def test_networks_that_know_some_of_the_actions() -> None:
    network = constant(5, outputs=("down",))
    assert chosen(network, filter=True, floor=0) is None
    assert chosen(network, filter=True, floor=1) == "down"
    assert chosen(network, filter=False, floor=0) == "down"


def test_inputs_by_name() -> None:
    """The load alone decides: above 1 the lift goes down."""
    weight = np.array([[1.0], [0.0]], np.float32)
    network = Network((weight,), (np.array([-1, 0], np.float32),), inputs=("load",),
                      outputs=("down", "up"))  # fmt: skip
    loaded = lift()
    policy = MlpPolicy(loaded, network, "mlp:test", filter=False)
    states = np.array([loaded.state([2, True, load]) for load in (0.5, 1.5)])
    assert [loaded.actions[a] for a in policy.choose(states)] == ["up", "down"]
    local = replace(network, inputs=("main.load",))
    assert MlpPolicy(loaded, local, "mlp:test", filter=False).choose(states).tolist() == [2, 0]


def test_normalised_inputs() -> None:
    network = random_network(3, 8, 3, seed=5)
    scales = np.array([[1, 4, 2, 3], [-np.inf, np.inf, 0.5, 0.5], [0, 1, 0, 2.0]])
    scaled = replace(network, normalisation=Normalisation(scales))
    loaded = lift()
    states = every_state(loaded)
    found = MlpPolicy(loaded, scaled, "mlp:test", filter=False).choose(states)
    rows = (np.clip(states, scales[:, 0], scales[:, 1]) - scales[:, 2]) / scales[:, 3]
    core = _native.Network(list(network.weights), list(network.biases), "relu")
    scores = core.outputs(rows.astype(np.float32)).astype(np.float64)
    assert (reference.margins(scores) > 1e-3).all()
    assert found.tolist() == scores.argmax(axis=1).tolist()
    plain = MlpPolicy(loaded, network, "mlp:test", filter=False).choose(states)
    assert found.tolist() != plain.tolist()


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_through_a_spec(tmp_path: Path, name: str) -> None:
    loaded = lift()
    network = random_network(3, 8, 8, 3, seed=2)
    path = write(tmp_path, name, FORMATS[name](network, tmp_path))
    argument = f"{path},filter=no,activation=relu"
    policy = MlpPolicy.from_spec(loaded, argument, SETTINGS)
    expected = MlpPolicy(loaded, network, "mlp:test", filter=False)
    states = every_state(loaded)
    assert policy.choose(states).tolist() == expected.choose(states).tolist()
    assert policy.spec == f"mlp:{argument}"
    assert policy.filter is False


def test_an_interface_through_a_spec(tmp_path: Path) -> None:
    write(tmp_path, "net.nnet", nnet(random_network(2, 4, 2)))
    named = '"input": ["floor", "load"], "output": ["up", "down"]'
    text = f'{{"file": "net.nnet", "filter": false, {named}}}'
    path = write(tmp_path, "net.jani2nnet", text.encode())
    policy = MlpPolicy.from_spec(lift(), str(path), SETTINGS)
    assert policy.filter is False
    assert set(policy.choose(every_state(lift())).tolist()) <= {0, 2}


@pytest.mark.parametrize(
    ("activation", "module"),
    [("relu", "ReLU"), ("leaky-relu", "LeakyReLU"), ("elu", "ELU"), ("sigmoid", "Sigmoid"),
     ("tanh", "Tanh")],
)  # fmt: skip
def test_torch_decides_alike(tmp_path: Path, activation: str, module: str) -> None:
    torch = pytest.importorskip("torch")
    save_file = pytest.importorskip("safetensors.torch").save_file
    torch.manual_seed(3)
    between = getattr(torch.nn, module)
    modules = torch.nn.Sequential(torch.nn.Linear(3, 64), between(), torch.nn.Linear(64, 64),
                                  between(), torch.nn.Linear(64, 3))  # fmt: skip
    save_file(modules.state_dict(), tmp_path / "net.safetensors")
    loaded = lift()
    states = every_state(loaded)
    argument = f"{tmp_path}/net.safetensors,filter=no,activation={activation}"
    policy = MlpPolicy.from_spec(loaded, argument, SETTINGS)
    with torch.no_grad():
        scores = modules(torch.from_numpy(states.astype(np.float32))).numpy().astype(np.float64)
    clear = reference.margins(scores) > 1e-3
    assert clear.sum() > 20
    assert (policy.choose(states)[clear] == scores.argmax(axis=1)[clear]).all()


def test_the_activation_is_part_of_the_network(tmp_path: Path) -> None:
    """The same numbers are two policies; read without the word, they are none."""
    loaded = lift()
    network = random_network(3, 16, 16, 3, seed=2)
    path = write(tmp_path, "net.pth", FORMATS["net.pth"](network, tmp_path))
    with pytest.raises(UsageError, match=r"net\.pth: does not say which activation") as raised:
        MlpPolicy.from_spec(loaded, str(path), SETTINGS)
    assert raised.value.exit_code == 4
    relu, tanh = (
        MlpPolicy.from_spec(loaded, f"{path},activation={name}", SETTINGS)
        for name in ("relu", "tanh")
    )
    states = every_state(loaded)
    assert relu.choose(states).tolist() != tanh.choose(states).tolist()
    assert relu.fingerprint() != tanh.fingerprint()
    with pytest.raises(PolicyError, match="must say which activation"):
        MlpPolicy(loaded, replace(network, activation=None), "mlp:test")


@pytest.mark.parametrize("filtered", [False, True])
def test_deciders_ask_the_network(filtered: bool) -> None:
    """`leap` is applicable below 2 only and ends in danger; `walk` never does."""
    walk = edge({"x": binary("+", "x", 1)}, action="walk", guard=binary("<", "x", 4))
    leap = edge({"x": 5}, action="leap", guard=binary("<", "x", 2))
    document = simple(walk, leap, unsafe=binary("=", "x", 5), goal=binary("=", "x", 4))
    loaded = load_document(document, name="leap.jani")
    states = loaded.pack(np.arange(6.0)[:, None])
    for leaps in (False, True):
        bias = np.array([leaps, not leaps], np.float32)
        network = Network((np.zeros((2, 1), np.float32),), (bias,), outputs=("leap", "walk"))
        policy = MlpPolicy(loaded, network, "mlp:test", filter=filtered)
        decider = SafetyDecider(loaded.system.copy(), policy.view(), algorithm="tarjan", radius=0)
        found = decider.decide(states).safety.tolist()
        assert found[:2] == ([0, 0] if leaps else [1, 1])
        assert found[4:] == [1, 0]
        if filtered or not leaps:
            assert found[2:4] == [1, 1]


def test_faults_of_the_model_while_filtering() -> None:
    guard = binary(">", binary("/", 1, "x"), 0)
    broken = load_document(simple(edge({"x": 1}, guard=guard)), name="broken.jani")
    network = random_network(1, 1)
    states = np.array([[0.0]])
    with pytest.raises(ModelError, match=r"broken\.jani"):
        MlpPolicy(broken, network, "mlp:test", filter=True).choose(states)
    assert MlpPolicy(broken, network, "mlp:test", filter=False).choose(states).tolist() == [0]


def test_threads_share_a_policy() -> None:
    loaded = lift()
    policy = MlpPolicy(loaded, random_network(3, 32, 3), "mlp:test")
    states = np.tile(every_state(loaded), (50, 1))
    expected = policy.choose(states).tolist()
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: policy.choose(states).tolist(), range(4)))
    assert answers == [expected] * 4


@pytest.mark.parametrize(
    ("name", "options", "filtered"),
    [
        ("net.npz", "", True),
        ("net.npz", " , filter=no", False),
        ("a,b.npz", ",filter=yes", True),
        ("n=1.npz", "", True),
        ("net.npz", ",layers=body+head,filter=no", False),
    ],
)
def test_arguments(tmp_path: Path, name: str, options: str, filtered: bool) -> None:
    network = random_network(3, 4, 3)
    arrays = {
        f"{layer}.{part}": array
        for layer, *pair in zip(("body", "head"), network.weights, network.biases, strict=True)
        for part, array in zip(("weight", "bias"), pair, strict=True)
    }
    argument = f"{write(tmp_path, name, npz({**arrays, 'activation': 'relu'}))}{options}"
    MlpPolicy.check_argument(argument)
    assert MlpPolicy.from_spec(lift(), argument, SETTINGS).filter == filtered


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        (None, "must be followed by a file"),
        ("", "must be followed by a file"),
        (",filter=no", "there is no file"),
        ("FILE,filter=maybe", "'filter' must be yes or no, not 'maybe'"),
        ("FILE,activation=tahn", "'activation' must be relu or .* or tanh, not 'tahn'"),
        ("FILE,fitler=no", r"no option 'fitler' \(did you mean 'filter'\?\)"),
        ("FILE,layers=", "the option layers of mlp is a list"),
        ("FILE,layers=a+a", "the option layers of mlp is a list"),
    ],
)
def test_arguments_that_are_wrong(tmp_path: Path, argument: str | None, message: str) -> None:
    file = str(write(tmp_path, "net.npz", b"?"))
    with pytest.raises(UsageError, match=message):
        MlpPolicy.check_argument(None if argument is None else argument.replace("FILE", file))


def test_files_are_looked_for_before_there_is_a_model(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no file"):
        MlpPolicy.check_argument(str(tmp_path / "net.npz"))
    MlpPolicy.check_argument(str(write(tmp_path, "net.npz", b"?")))


@pytest.mark.parametrize(
    ("network", "message"),
    [
        (random_network(4, 5, 3), r"layer 0 takes 4 inputs, but the model lift has 3 variables"),
        (random_network(3, 5, 2), r"layer 1 has 2 outputs, but the model lift has 3 actions"),
        (constant(0, 0, 0, inputs=("floor", "opne", "load")),
         r"input 'opne' is no variable of the model \(did you mean 'open'\?\)"),
        (constant(0, 0, 0, outputs=("up", "down", "jmp")),
         r"output 'jmp' is no action of the model \(did you mean 'jump'\?\)"),
    ],
)  # fmt: skip
def test_networks_for_other_models(network: Network, message: str) -> None:
    with pytest.raises(PolicyError, match="net.npz: " + message) as raised:
        MlpPolicy(lift(), network, "mlp:net.npz", file="net.npz")
    assert raised.value.exit_code == 4


def test_the_sentence_names_the_layer_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "net.safetensors"
    write_safetensors(path, random_network(4, 5, 3))
    with pytest.raises(PolicyError, match=r"net\.safetensors: layer 'layers\.0' takes 4 inputs"):
        MlpPolicy.from_spec(lift(), str(path), SETTINGS)


def test_fingerprints_tell_networks_apart() -> None:
    first, same, other = (
        MlpPolicy(lift(), constant(*scores), "mlp").fingerprint()
        for scores in ((1.0, 2.0, 3.0), (1.0, 2.0, 3.0), (1.0, 3.0, 2.0))
    )
    assert first == same != other


def key(network: Network, **options: Any) -> str:
    return MlpPolicy(lift(), network, "mlp:test", **options).network_key()


def test_files_of_all_formats_hold_one_network(tmp_path: Path) -> None:
    """Names count by what they name: the order of the model is that of a file without names."""
    network = random_network(3, 5, 3)
    expected = key(network)
    names = tuple(variable.name for variable in lift().seen_variables)
    for name, form in FORMATS.items():
        path = write(tmp_path, name, form(network, tmp_path))
        spec = f"{path},activation=relu" if name in ("net.pth", "net.zip") else str(path)
        found = MlpPolicy.from_spec(lift(), spec, SETTINGS)
        assert found.network_key() == expected, name
    assert key(replace(network, inputs=names, outputs=tuple(lift().actions))) == expected
    bounds = np.tile([-np.inf, np.inf, 0.0, 1.0], (3, 1))
    assert key(replace(network, normalisation=Normalisation(bounds))) == expected


def test_networks_that_decide_otherwise_have_other_keys() -> None:
    network = random_network(3, 5, 3)
    names = tuple(variable.name for variable in lift().seen_variables)
    scales = np.tile([-1.0, 1.0, 0.0, 1.0], (3, 1))
    moved = (network.weights[0] + np.float32(1), *network.weights[1:])
    keys = [
        key(network),
        key(network, filter=False),
        key(network, tie_epsilon=0.5),
        key(replace(network, activation="tanh")),
        key(replace(network, inputs=names[::-1])),
        key(replace(network, outputs=tuple(lift().actions)[::-1])),
        key(replace(network, normalisation=Normalisation(scales))),
        key(replace(network, weights=moved)),
        key(random_network(3, 5, 5, 3)),
    ]
    assert len(set(keys)) == len(keys)
    one = constant(1.0, 2.0, 3.0)
    assert key(one) == key(replace(one, activation="tanh")), "there is nothing between its layers"


def with_constants() -> JaniModel:
    """The lift, with constants that its edges do not need."""
    constants = [
        {"name": "TALL", "type": "bool", "value": True},
        {"name": "SIZE", "type": "int", "value": 7},
        {"name": "STEP", "type": "real", "value": binary("/", "SIZE", 4)},
    ]
    return load_document({**document(), "constants": constants}, name="lift.jani")


def test_constants_of_a_model() -> None:
    assert with_constants().constants == {"TALL": True, "SIZE": 7, "STEP": 1.75}
    assert lift().constants == {}


@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_constants_are_inputs(seed: int, scaled: bool) -> None:
    """The same scores as those of a network to which the constants are given as variables."""
    loaded = with_constants()
    states = every_state(loaded)
    network = random_network(6, 12, 3, seed=seed)
    order = ("STEP", "load", "TALL", "open", "SIZE", "floor")
    scales = np.array([[-1.0, 5.0, 0.5, 2.0]] * 6)
    named = replace(network, inputs=order, normalisation=Normalisation(scales) if scaled else None)
    found = MlpPolicy(loaded, named, "mlp:test", filter=False).choose(states)
    floor, is_open, load = states.T
    ones = np.ones(len(states))
    rows = np.stack([1.75 * ones, load, ones, is_open, 7 * ones, floor], axis=1)
    if scaled:
        rows = (np.clip(rows, -1.0, 5.0) - 0.5) / 2.0
    scores = reference.scores(network.weights, network.biases, rows)
    clear = np.sort(scores, axis=1)[:, -1] - np.sort(scores, axis=1)[:, -2] > 1e-3
    assert clear.sum() > 20
    assert found[clear].tolist() == scores.argmax(axis=1)[clear].tolist()


def test_constants_that_are_not_there() -> None:
    network = constant(0, 0, 0, inputs=("floor", "SIZ", "load"))
    with pytest.raises(
        PolicyError, match=r"'SIZ' is no variable of the model \(did you mean 'SIZE'"
    ):
        MlpPolicy(with_constants(), network, "mlp:test")


def test_a_policy_of_stable_baselines_with_constants(tmp_path: Path) -> None:
    network = random_network(4, 8, 3)
    write(tmp_path, "dqn.zip", baselines(network))
    interface = {
        "file": "dqn.zip",
        "input": ["floor", "open", "load", "SIZE"],
        "output": ["jump", "up", "down"],
    }
    write(tmp_path, "dqn.jani2nnet", json.dumps(interface).encode())
    loaded = with_constants()
    states = every_state(loaded)
    outputs = tuple(interface["output"])
    expected = MlpPolicy(
        loaded, replace(network, inputs=tuple(interface["input"]), outputs=outputs), "mlp:test"
    ).choose(states)
    found = MlpPolicy.from_spec(loaded, str(tmp_path / "dqn.jani2nnet"), SETTINGS)
    assert found.choose(states).tolist() == expected.tolist()
    with pytest.raises(PolicyError, match=r"layer 'q_net\.q_net\.0' takes 4 inputs, but .* 3 var"):
        MlpPolicy.from_spec(loaded, str(tmp_path / "dqn.zip"), SETTINGS)
