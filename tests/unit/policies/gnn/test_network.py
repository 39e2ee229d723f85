from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bugsieve import _native
from bugsieve.base.errors import InputError
from bugsieve.rooms.formats.gnn.network import read_graph_network
from bugsieve.rooms.formats.networks.pytorch import read_pytorch
from tests.unit.policies.gnn.checkpoints import Checkpoint, checkpoint_file, random_checkpoint

PREDICATES = {"on": 2, "clear": 1, "handempty": 0}
WHOLE = random_checkpoint(PREDICATES)
UPDATE = "model.relation_network.update"


def refused(folder: Path, checkpoint: Checkpoint | bytes) -> str:
    data = checkpoint if isinstance(checkpoint, bytes) else checkpoint.data()
    path = folder / "net.ckpt"
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"net\.ckpt: ") as caught:
        read_graph_network(path)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def changed(**tensors: Any) -> Checkpoint:
    """`__` stands for a dot; None takes a tensor away."""
    named = {name.replace("__", "."): array for name, array in tensors.items()}
    kept = {name: array for name, array in {**WHOLE.tensors, **named}.items() if array is not None}
    return replace(WHOLE, tensors=kept)


@pytest.mark.parametrize("read_out", ["mlp", "linear"])
@pytest.mark.parametrize("solvable", [None, "mlp", "linear"])
def test_what_is_in_a_file(tmp_path: Path, read_out: str, solvable: str | None) -> None:
    made = random_checkpoint(PREDICATES, read_out=read_out, solvable=solvable)
    network = read_graph_network(made.write(tmp_path))
    assert network.predicates == PREDICATES
    names = [(relation.name, relation.arity) for relation in network.relations]
    assert names == [("on", 2), ("clear", 1), ("on_goal", 2), ("clear_goal", 1)]
    assert (network.width, network.iterations) == (6, 3)
    assert len(network.value) == (2 if read_out == "mlp" else 1)
    assert len(network.solvable) == {None: 0, "mlp": 2, "linear": 1}[solvable]
    assert np.array_equal(network.update.weights[1], made.tensors[f"{UPDATE}.2.weight"])
    assert isinstance(network.core(), _native.RelationalNetwork)


def test_what_torch_saves(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    state = {name: torch.from_numpy(array) for name, array in WHOLE.tensors.items()}
    given = {"predicates": list(WHOLE.predicates), "hidden_size": 6, "iterations": 3}
    torch.save({"state_dict": state, "hyper_parameters": given}, tmp_path / "net.ckpt")
    read = read_graph_network(tmp_path / "net.ckpt")
    other = read_graph_network(WHOLE.write(tmp_path, "other.ckpt"))
    for mine, theirs in zip(read.parts, other.parts, strict=True):
        assert all(map(np.array_equal, mine.weights, theirs.weights))
        assert all(map(np.array_equal, mine.biases, theirs.biases))


def test_hyper_parameters_that_are_wrong(tmp_path: Path) -> None:
    def with_(**more: Any) -> str:
        return refused(tmp_path, replace(WHOLE, more=more))

    assert "has no list 'predicates'" in with_(predicates=None)
    assert "has no list 'predicates'" in with_(predicates=[("p", 1)] * 501)
    for wrong in (
        ("on", -1),
        ("on", 17),
        ("on", True),
        (3, 1),
        "on",
        ("on", 1, 2),
        ("x" * 300, 1),
    ):
        sentence = with_(predicates=[("clear", 1), wrong])
        assert "entry 1 of its 'predicates'" in sentence or "a name of 300" in sentence
    for names in ([("p", 1)], [("p", 1), ("p_goal", 2)], [("p", 1), ("q_goal", 1)]):
        assert "in the same order, their versions with '_goal'" in with_(predicates=names)
    for name in ("hidden_size", "iterations"):
        for value in (0, -1, 1 << 40, 2.0, "64", None, True):
            assert f"'{name}' is no whole number from 1 to" in with_(**{name: value})
    assert "maps 12 numbers to 12, but 14 to 14 fit the hyper-p" in with_(hidden_size=7)
    assert "has no list 'predicates'" in refused(tmp_path, checkpoint_file(WHOLE.tensors, {}))


def test_tensors_that_are_wrong(tmp_path: Path) -> None:
    missing = changed(model__relation_network__update__2__bias=None)
    assert "has no tensor 'relation_network.update.2.bias'" in refused(tmp_path, missing)
    extra = changed(model__attention__weight=np.ones((2, 2), np.float32))
    assert "tensor 'attention.weight' belongs to no part" in refused(tmp_path, extra)
    twice = changed(model__readout__pre__0__weight=np.ones((6, 6), np.float32))
    assert "has tensor 'readout.pre.0.weight' twice" in refused(tmp_path, twice)
    half = changed(solvable_readout__pre__0__weight=np.ones((6, 6), np.float32))
    assert "has no tensor 'solvable_readout.pre.0.bias'" in refused(tmp_path, half)
    narrow = changed(readout__pre__0__weight=np.ones((6, 5), np.float32))
    assert "'readout.pre.0' and what follows maps 5 numbers to 6, but 6" in refused(
        tmp_path, narrow
    )
    nan = np.full(6, np.nan, np.float32)
    assert "one of its biases is not a number" in refused(
        tmp_path, changed(readout__pre__0__bias=nan)
    )
    assert "holds no state dictionary" in refused(tmp_path, replace(WHOLE, tensors={}))


def test_more_numbers_than_a_network_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bugsieve.rooms.formats.gnn.network.MAX_NUMBERS", 300)
    assert "has more than 300 numbers in its tensors" in refused(tmp_path, WHOLE)


def test_files_of_other_kinds(tmp_path: Path) -> None:
    assert "is no PyTorch (zip) file" in refused(tmp_path, b"weights")
    with pytest.raises(InputError, match="is a directory"):
        read_graph_network(tmp_path)
    with pytest.raises(InputError, match="no such file"):
        read_graph_network(tmp_path / "none.ckpt")
    # Nor is a graph network one for models.
    with pytest.raises(InputError, match=r"net\.ckpt"):
        read_pytorch("net.ckpt", WHOLE.data())


def test_parts_that_do_not_fit() -> None:
    part = _native.Network([np.ones((2, 2), np.float32)], [np.ones(2, np.float32)], "relu")
    with pytest.raises(ValueError, match="relation 0 maps 2 numbers to 2, not 4 to 4"):
        _native.RelationalNetwork(
            width=2, iterations=1, arities=[2], modules=[part], update=part, value=[part],
            solvable=[],
        )  # fmt: skip
    with pytest.raises(ValueError, match="the update maps 2 numbers to 2, not 4 to 2"):
        _native.RelationalNetwork(
            width=2, iterations=1, arities=[1], modules=[part], update=part, value=[part],
            solvable=[],
        )  # fmt: skip
