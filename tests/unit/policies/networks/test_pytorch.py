from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bugsieve.base.errors import InputError, UsageError
from bugsieve.rooms.formats.networks import read_network
from bugsieve.rooms.formats.networks.pickles import Call, Name, PickleError, read_pickle
from tests.unit.policies.networks.files import (
    is_same,
    pickled_state,
    pth,
    random_network,
    tensors,
    write,
)

SHARED = Path(__file__).parents[5] / "shared" / "benchmarks" / "jani"


class Evil:
    def __reduce__(self) -> Any:
        return (Path.mkdir, (Path("made-by-a-pickle"),))


def test_what_torch_saves(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    network = random_network(3, 5, 2)
    modules = torch.nn.Sequential(torch.nn.Linear(3, 5), torch.nn.ReLU(), torch.nn.Linear(5, 2))
    with torch.no_grad():
        for module, weight, bias in zip(
            modules[::2], network.weights, network.biases, strict=True
        ):
            module.weight.copy_(torch.from_numpy(weight))
            module.bias.copy_(torch.from_numpy(bias))
    state = modules.state_dict()
    for saved in (state, {"state_dict": state, "epoch": 7}, dict(modules.named_parameters())):
        torch.save(saved, tmp_path / "net.pth")
        assert is_same(read_network(tmp_path / "net.pth", activation="relu"), network)
    transposed = {"0.weight": torch.from_numpy(network.weights[0].T.copy()).T}
    torch.save(transposed, tmp_path / "net.pt")
    assert np.array_equal(read_network(tmp_path / "net.pt").weights[0], network.weights[0])
    torch.save(modules, tmp_path / "net.pth")
    with pytest.raises(InputError, match=r"net\.pth: .*; save the state dictionary"):
        read_network(tmp_path / "net.pth")
    torch.save({"0.weight": torch.ones(2, 2, dtype=torch.int64)}, tmp_path / "net.pth")
    with pytest.raises(InputError, match="'0.weight' has elements of type torch.LongStorage"):
        read_network(tmp_path / "net.pth")


def test_wrapped_states(tmp_path: Path) -> None:
    network = random_network(2, 3, 2)
    arrays = tensors(network)
    wrapped = b"\x80\x02}X\x0a\x00\x00\x00state_dict" + pickled_state(arrays) + b"s."
    path = write(tmp_path, "net.pth", pth(arrays, pickle=wrapped))
    assert is_same(read_network(path, activation="relu"), network)


def test_nothing_is_ever_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for protocol in range(2, 6):
        data = pickle.dumps({"a.weight": Evil()}, protocol=protocol)
        with pytest.raises(InputError, match=r"net\.pth: "):
            read_network(write(tmp_path, "net.pth", pth({}, pickle=data)))
    assert [path.name for path in tmp_path.iterdir()] == ["net.pth"]


def test_pickles_as_data() -> None:
    assert read_pickle(pickle.dumps({"a": [1, 2.5, None, (True, "x")]})) == {
        "a": [1, 2.5, None, (True, "x")]
    }
    optimiser = {"state": {0: {"step": 1}}, 3: 4}  # whose numbered parts nobody needs
    assert read_pickle(pickle.dumps(optimiser)) == {"state": {}}
    call = read_pickle(pickle.dumps(Evil()))
    assert isinstance(call, Call) and isinstance(call.function, Call | Name)
    for data in (b"", b"N", b"t.", b"(.", b"]K\x01s.", b"})K\x02s.", b"h\x05.", b"Nq\xff"):
        with pytest.raises(PickleError):
            read_pickle(data)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (pth({}, pickle=b"N."), "holds no state dictionary"),
        (pth({}, pickle=b"}."), "holds no state dictionary"),
        (pth({}, pickle=b"\x80\x02c"), "cannot be read as a state dictionary"),
        (pth({}, pickle=b"}X\x08\x00\x00\x00a.weightK\x01s."), "'a.weight' is no plain tensor"),
        (pth({"a.weight": np.ones((2, 2))}, storage="IntStorage"), "elements of type torch.IntS"),
        (pth({"a.weight": np.ones((2, 3), "f2")}), r"\(2, 3\) has data of 3 elements"),
        (pth({"a.weight": np.ones((1, 1), "i1")}), "data of 1 bytes, no multiple of 4"),
    ],
)
def test_damaged_files(tmp_path: Path, data: bytes, message: str) -> None:
    with pytest.raises(InputError, match=r"net\.pth: .*" + message):
        read_network(write(tmp_path, "net.pth", data))


def test_a_file_of_several_networks() -> None:
    path = SHARED / "one_way_line_15_10" / "actor.pth"
    if not path.is_file():
        pytest.skip("the benchmarks are not beside the repository")
    with pytest.raises(InputError, match=r"actor\.pth: layer .* before it .* layers="):
        read_network(path)
    layers = ["mlp_extractor.policy_net", "action_net"]
    with pytest.raises(UsageError, match=r"actor\.pth: does not say which activation"):
        read_network(path, layers=layers)
    found = read_network(path, layers=layers, activation="tanh")
    assert found.activation == "tanh"
    assert [weight.shape for weight in found.weights] == [(64, 23), (64, 64), (5, 64)]
