from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bugsieve.base.errors import InputError, UnsupportedError
from bugsieve.rooms.formats.networks import read_network
from tests.unit.policies.networks.files import (
    is_same,
    message,
    onnx_model,
    onnx_node,
    onnx_tensor,
    random_network,
    write,
)

W = np.array([[1, 2], [3, 4], [5, 6]], np.float32)  # (inputs, outputs)
B = np.array([10, 20], np.float32)
TENSORS = [onnx_tensor("w", W), onnx_tensor("b", B), onnx_tensor("s", np.float32(3).reshape(()))]


def read(folder: Path, nodes: list[bytes], output: str, tensors: Any = TENSORS) -> Any:
    return read_network(write(folder, "net.onnx", onnx_model(nodes, tensors, output=output)))


def test_gemm_with_its_factors(tmp_path: Path) -> None:
    node = onnx_node("Gemm", ["x", "w", "b"], "y", alpha=2.0, beta=0.5)
    found = read(tmp_path, [node], "y")
    assert np.array_equal(found.weights[0], 2 * W.T)
    assert found.biases[0].tolist() == [5, 10]
    bare = read(tmp_path, [onnx_node("Gemm", ["x", "w"], "y")], "y")
    assert bare.biases[0].tolist() == [0, 0]
    single = read(tmp_path, [onnx_node("Gemm", ["x", "w", "s"], "y")], "y")
    assert single.biases[0].tolist() == [3, 3]


@pytest.mark.parametrize("swapped", [False, True])
def test_matmul_and_add(tmp_path: Path, swapped: bool) -> None:
    inputs = ["b", "m"] if swapped else ["m", "b"]
    nodes = [onnx_node("MatMul", ["x", "w"], "m"), onnx_node("Add", inputs, "y")]
    found = read(tmp_path, nodes, "y")
    assert np.array_equal(found.weights[0], W.T)
    assert found.biases[0].tolist() == [10, 20]


def test_what_changes_nothing(tmp_path: Path) -> None:
    constant = onnx_node("Constant", [], "c", value=onnx_tensor("", W.T.copy()))
    nodes = [
        constant,
        onnx_node("Transpose", ["c"], "t"),
        onnx_node("Identity", ["t"], "i"),
        onnx_node("Flatten", ["x"], "f", axis=1),
        onnx_node("Dropout", ["f"], "d"),
        onnx_node("MatMul", ["d", "i"], "m"),
        onnx_node("Identity", ["m"], "n"),
        onnx_node("Softmax", ["n"], "y"),
    ]
    found = read(tmp_path, nodes, "y", [])
    assert np.array_equal(found.weights[0], W.T)


def test_metadata(tmp_path: Path) -> None:
    nodes = [onnx_node("Gemm", ["x", "w", "b"], "y")]
    metadata = {"inputs": '["p", "q", "r"]', "filter": "no", "author": "nobody"}
    data = onnx_model(nodes, TENSORS, output="y", metadata=metadata)
    found = read_network(write(tmp_path, "net.onnx", data))
    assert (found.inputs, found.outputs, found.filter) == (("p", "q", "r"), None, False)


@pytest.mark.parametrize(
    ("kind", "array"),
    [
        (1, W),
        (11, W.astype("<f8")),
        (10, W.astype("<f2")),
        (16, (W.view("<u4") >> 16).astype("<u2")),
    ],
)
def test_element_types(tmp_path: Path, kind: int, array: Any) -> None:
    tensors = [onnx_tensor("w", array, kind)]
    found = read(tmp_path, [onnx_node("MatMul", ["x", "w"], "y")], "y", tensors)
    assert np.array_equal(found.weights[0], W.T)


def test_data_in_other_fields(tmp_path: Path) -> None:
    node = [onnx_node("MatMul", ["x", "w"], "y")]
    dims, name = ((1, 3), (1, 2)), (8, "w")
    halves = b"".join(bytes([b & 0x7F | 0x80, b >> 7 & 0x7F | 0x80, b >> 14]) for b in
                      W.astype("<f2").view("<u2").ravel().tolist())  # fmt: skip
    for data in (
        message(*dims, (2, 1), name, (4, W.tobytes())),
        message(*dims, (2, 1), name, *[(4, float(v)) for v in W.ravel()]),
        message(*dims, (2, 11), name, (10, W.astype("<f8").tobytes())),
        message(*dims, (2, 10), name, (5, halves)),
    ):
        assert np.array_equal(read(tmp_path, node, "y", [data]).weights[0], W.T)


def external(*entries: tuple[str, str]) -> list[bytes]:
    described = [(13, message((1, key), (2, value))) for key, value in entries]
    return [message((1, 3), (1, 2), (2, 1), (8, "w"), *described, (14, 1))]


def test_data_in_another_file(tmp_path: Path) -> None:
    node = [onnx_node("MatMul", ["x", "w"], "y")]
    write(tmp_path, "net.data", b"1234" + W.tobytes() + b"5678")
    place = (("location", "net.data"), ("offset", "4"), ("length", str(W.nbytes)))
    assert np.array_equal(read(tmp_path, node, "y", external(*place)).weights[0], W.T)
    for entries, sentence in [
        ((), "stored in '', which is no file of the same folder"),
        ((("location", "../net.data"),), "no file of the same folder"),
        ((("location", "/etc/passwd"),), "no file of the same folder"),
        ((("location", "none.data"),), "there is no such file"),
        ((*place[:2], ("length", "999")), "ends at byte 1003 of net.data, which has 32 bytes"),
        ((place[0], ("offset", "-4")), "has no whole number"),
        ((place[0],), r"needs 24 bytes, but has 32"),
    ]:
        with pytest.raises(InputError, match=sentence):
            read(tmp_path, node, "y", external(*entries))


GEMM = onnx_node("Gemm", ["x", "w", "b"], "y")


@pytest.mark.parametrize(
    ("nodes", "output", "sentence"),
    [
        ([onnx_node("Sin", ["x"], "y")], "y", "node '/y' uses the operator 'Sin'"),
        ([GEMM, onnx_node("Relu", ["y"], "z")], "z", "layer '/y' is the last one and has a Relu"),
        ([GEMM, onnx_node("Gemm", ["y", "w"], "z")], "z", "no Relu between .* '/y' and '/z'"),
        ([GEMM, onnx_node("Tanh", ["y"], "z")], "z", "layer '/y' is the last one and has a Tanh"),
        ([onnx_node("Elu", ["x"], "y")], "y", "'/y' is a Elu before any layer"),
        ([GEMM, onnx_node("Tanh", ["y"], "t"), onnx_node("Relu", ["t"], "z")], "z",
         "'/z' .Relu. follows a Tanh"),
        ([GEMM, onnx_node("LeakyRelu", ["y"], "z", alpha=0.2)], "z",
         "'/z' is a LeakyRelu whose alpha is not 0.01"),
        ([GEMM, onnx_node("Relu", ["x"], "z")], "z", "'/z' .Relu. does not continue the chain"),
        ([GEMM, onnx_node("Softmax", ["y"], "z"), onnx_node("Add", ["z", "b"], "q")], "q",
         "'/q' .Add. does not continue"),
        ([GEMM], "q", "the output 'q' is not the end"),
        ([onnx_node("Relu", ["x"], "y")], "y", "'/y' is a Relu before any layer"),
        ([onnx_node("Add", ["x", "b"], "y")], "y", "'/y' .Add. follows no multiplication"),
        ([onnx_node("MatMul", ["w", "x"], "y")], "y", "'/y' multiplies from the wrong side"),
        ([onnx_node("Gemm", ["x", "w"], "y", transA=1)], "y", "multiplies from the wrong side"),
        ([onnx_node("Gemm", ["x", "x"], "y")], "y", "takes 'x', which is no stored tensor"),
        ([onnx_node("Flatten", ["x"], "y", axis=0)], "y", "flattens along another axis"),
        ([onnx_node("Transpose", ["x"], "y")], "y", "transposes what the layers compute"),
        ([], "y", "the output 'y' is not the end"),
    ],
)  # fmt: skip
def test_graphs_we_do_not_read(
    tmp_path: Path, nodes: list[bytes], output: str, sentence: str
) -> None:
    with pytest.raises(UnsupportedError, match=r"net\.onnx: .*" + sentence):
        read(tmp_path, nodes, output)


@pytest.mark.parametrize(
    ("tensors", "sentence"),
    [
        ([onnx_tensor("w", B)], r"layer '/y': weights have the shape \(2,\)"),
        (
            [onnx_tensor("w", W), onnx_tensor("b", W)],
            "'/y' has 2 outputs, but biases of the shape",
        ),
        ([onnx_tensor("w", W.astype("<i8"), 7)], "tensor 'w' has elements of type int64"),
        ([onnx_tensor("w", W, 9)], "tensor 'w' has elements of type number 9"),
        ([message((1, 1 << 40), (1, 1 << 40), (2, 1), (8, "w"))], "'w' of the shape .* needs"),
        ([message((1, -3), (2, 1), (8, "w"))], r"'w' has the shape \(-3,\)"),
    ],
)
def test_tensors_that_are_wrong(tmp_path: Path, tensors: list[bytes], sentence: str) -> None:
    with pytest.raises(InputError, match=r"net\.onnx: .*" + sentence):
        read(tmp_path, [onnx_node("Gemm", ["x", "w", "b"], "y")], "y", tensors)


def test_no_graph_and_several_inputs(tmp_path: Path) -> None:
    for data in (message((1, 8)), b"\x08\x08", b"\xff" * 30, b"\x0e", b"\x00\x01"):
        with pytest.raises(InputError, match="is no ONNX file"):
            read_network(write(tmp_path, "net.onnx", data))
    with pytest.raises(UnsupportedError, match="has 0 inputs and 0 outputs"):
        read_network(write(tmp_path, "net.onnx", message((7, message((2, "empty"))))))


def test_two_kinds_of_activations(tmp_path: Path) -> None:
    square, nodes, value = np.ones((3, 3), np.float32), [], "x"
    for k, operator in enumerate(["Tanh", "Relu"]):
        nodes += [
            onnx_node("MatMul", [value, "w"], f"m{k}"),
            onnx_node(operator, [f"m{k}"], f"a{k}"),
        ]
        value = f"a{k}"
    nodes.append(onnx_node("MatMul", [value, "w"], "y"))
    with pytest.raises(UnsupportedError, match="has Relu and Tanh between layers; one kind"):
        read(tmp_path, nodes, "y", [onnx_tensor("w", square)])


def test_what_the_package_writes(tmp_path: Path) -> None:
    package = pytest.importorskip("onnx")
    from_array = package.numpy_helper.from_array
    network = random_network(3, 4, 2)
    helper, kind = package.helper, package.TensorProto.FLOAT
    initializers = [
        from_array(array, name)
        for k in range(2)
        for name, array in ((f"w{k}", network.weights[k].T.copy()), (f"b{k}", network.biases[k]))
    ]
    graph = helper.make_graph(
        [
            helper.make_node("MatMul", ["x", "w0"], ["m0"]),
            helper.make_node("Add", ["m0", "b0"], ["a0"]),
            helper.make_node("Relu", ["a0"], ["r0"]),
            helper.make_node("Gemm", ["r0", "w1", "b1"], ["y"]),
        ],
        "policy",
        [helper.make_tensor_value_info("x", kind, ["n", 3])],
        [helper.make_tensor_value_info("y", kind, ["n", 2])],
        initializers,
    )
    made = helper.make_model(graph)
    package.checker.check_model(made)
    package.save(made, str(tmp_path / "net.onnx"))
    assert is_same(read_network(tmp_path / "net.onnx"), network)
    package.save(made, str(tmp_path / "big.onnx"), save_as_external_data=True, location="big.data",
                 size_threshold=0)  # fmt: skip
    assert is_same(read_network(tmp_path / "big.onnx"), network)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(("dynamo", "needs"), [(False, "onnx"), (True, "onnxscript")])
def test_what_torch_exports(tmp_path: Path, dynamo: bool, needs: str) -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip(needs)
    modules = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(3, 5), torch.nn.ReLU(),
                                  torch.nn.Linear(5, 2), torch.nn.Softmax(dim=1))  # fmt: skip
    path = tmp_path / "net.onnx"
    torch.onnx.export(modules, (torch.zeros(1, 3),), str(path), dynamo=dynamo)
    found = read_network(path)
    for number, module in enumerate((modules[1], modules[3])):
        assert np.array_equal(found.weights[number], module.weight.detach().numpy())
        assert np.array_equal(found.biases[number], module.bias.detach().numpy())
