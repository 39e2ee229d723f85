from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bugsieve.base.errors import InputError
from bugsieve.rooms.formats.networks import read_network
from tests.unit.policies.networks.files import is_same, nnet, random_network, write

SHARED = Path(__file__).parents[5] / "shared" / "benchmarks" / "jani"


def document(**changes: Any) -> bytes:
    whole = {
        "file": "net.nnet",
        "filter": False,
        "input": [{"name": "x", "automaton": None}, {"name": "y", "automaton": "main"}],
        "elements": [3],
        "output": ["go", "stay"],
    }
    return json.dumps({**whole, **changes}).encode()


def test_the_network_behind_an_interface(tmp_path: Path) -> None:
    network = random_network(2, 3, 2)
    (tmp_path / "inner").mkdir()
    write(tmp_path / "inner", "net.nnet", nnet(network))
    path = write(tmp_path, "net.jani2nnet", b"\xef\xbb\xbf" + document(file="inner/net.nnet"))
    found = read_network(path)
    assert is_same(found, network)
    assert (found.inputs, found.outputs) == (("x", "main.y"), ("go", "stay"))
    assert found.filter is False


def test_what_may_be_missing(tmp_path: Path) -> None:
    write(tmp_path, "net.nnet", nnet(random_network(2, 3, 2)))
    path = write(tmp_path, "net.jani2nnet", document(filter=None, elements=None))
    assert read_network(path).filter is None


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"file": 3}, "'file' must name the network"),
        ({"file": "other.nnet"}, r"other\.nnet: there is no such file"),
        ({"file": "net.jani2nnet"}, "'file' must name a network, not an interface file"),
        ({"filter": "yes"}, "'filter' must be true or false"),
        ({"input": None}, "'input' must be a list of names"),
        ({"input": [{"name": 3}, "y"]}, r"input\[0\] has no name"),
        ({"input": ["x", "x"]}, r"input\[1\] names 'x' a second time"),
        ({"input": ["x"]}, r"'input' names 1 inputs, but the network in .*net\.nnet has 2"),
        ({"output": ["a", "b", "c"]}, "'output' names 3 outputs, but the network in .* has 2"),
        ({"elements": [3, 3]}, r"'elements' says hidden layers of \[3, 3\], but .* has \[3\]"),
        ({"elements": "3"}, "'elements' must be a list of the sizes"),
    ],
)
def test_interfaces_that_are_wrong(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    write(tmp_path, "net.nnet", nnet(random_network(2, 3, 2)))
    path = write(tmp_path, "net.jani2nnet", document(**changes))
    with pytest.raises(InputError, match=message):
        read_network(path)


def test_no_json(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"net\.jani2nnet: line 1"):
        read_network(write(tmp_path, "net.jani2nnet", b"{"))
    with pytest.raises(InputError, match=r"net\.jani2nnet: must be an object"):
        read_network(write(tmp_path, "net.jani2nnet", b"[]"))


@pytest.mark.parametrize(
    "name", ["one_way_line_15_10_det/one_way_line_15_10", "beluga_4_2/beluga_4_2"]
)
def test_real_interface_files(tmp_path: Path, name: str) -> None:
    source = SHARED / f"{name}_128_128.jani2nnet"
    if not source.is_file():
        pytest.skip("the benchmarks are not beside the repository")
    described = json.loads(source.read_text("utf-8"))
    network = random_network(len(described["input"]), 128, 128, len(described["output"]))
    write(tmp_path, described["file"], nnet(network))
    found = read_network(write(tmp_path, source.name, source.read_bytes()))
    assert is_same(found, network)
    assert found.outputs == tuple(described["output"])
