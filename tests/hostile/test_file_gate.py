"""The one gate for files of others: what may be opened, and what may be made of it."""

from __future__ import annotations

import io
import json
import os
import socket
import struct
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bugsieve.base import allowances
from bugsieve.base.allowances import MEMORY, WORK, allow_for, allowance, take_memory, take_work
from bugsieve.base.errors import InputError
from bugsieve.rooms.formats.networks import read_network
from bugsieve.rooms.formats.trees.policy import read_forest
from bugsieve.rooms.jani.model.loading import load_model
from bugsieve.rooms.lab.experiments.file import read_experiment
from bugsieve.rooms.safety.checker.jani_interpreter import JaniInterpreter, RefusedModelError
from bugsieve.tasks.json_text import load_json
from bugsieve.tasks.sources import read_regular
from tests.unit.policies.networks.files import message, onnx_model, onnx_node, pth
from tests.unit.tasks.jani.small import counter

PRICE = 8


def read(path: Path, *, is_typed: bool = True, most: int = 100) -> bytes:
    return read_regular(path, kind="PDDL", max_bytes=most, is_typed=is_typed)


def refusal(path: Path, **how: Any) -> str:
    with pytest.raises(InputError) as caught:
        read(path, **how)
    return str(caught.value)


def test_only_regular_files_are_read(tmp_path: Path) -> None:
    """None of the others is waited for."""
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(tmp_path / "socket"))
        for name in ("pipe", "socket", "/dev/zero", "/dev/tty"):
            said = refusal(tmp_path / name)
            assert "is a pipe or a device" in said or "cannot be read" in said
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    assert "is a pipe or a device" in refusal(tmp_path / "link")


def test_the_size_is_looked_at_first(tmp_path: Path) -> None:
    whole, large = tmp_path / "whole", tmp_path / "large"
    whole.write_bytes(b"x" * 100)
    assert read(whole) == b"x" * 100
    with large.open("wb") as file:
        file.truncate(1 << 40)  # it takes no room, and would take all memory
    assert "is larger than 0 KiB, the limit for a PDDL file" in refusal(large)


def test_what_shells_write_for_commands_is_read(tmp_path: Path) -> None:
    program = "import sys; from tests.hostile.test_file_gate import read; print(read(sys.argv[1]))"
    line = f"{sys.executable} -c '{program}' <(sleep 0.1; echo typed)"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True)
    assert done.stdout == "b'typed\\n'\n", done.stderr
    out, into = os.pipe()
    os.write(into, b"text")
    os.close(into)
    assert "is a pipe" in refusal(Path(f"/dev/fd/{out}"), is_typed=False)
    assert read(Path(f"/dev/fd/{out}")) == b"text"
    os.close(out)


def test_weights_beside_a_network_that_are_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "weights")
    place = message((1, "location"), (2, "weights"))
    tensor = message((1, 1), (1, 1), (2, 1), (8, "w"), (14, 1), (13, place))
    network = onnx_model([onnx_node("MatMul", ["x", "w"], "y")], [tensor], output="y")
    (tmp_path / "net.onnx").write_bytes(network)
    with pytest.raises(InputError, match="weights: is a pipe or a device"):
        read_network(tmp_path / "net.onnx")


def test_all_that_one_file_names_draws_on_one_allowance() -> None:
    with allowance("outer"), allowance("inner"):
        allow_for(1000)
        take_memory(MEMORY + PRICE * 1000)
        take_work(WORK + 500)
        with pytest.raises(InputError, match="outer: would take too much memory"):
            take_memory(1)
        with pytest.raises(InputError, match="outer: would take too long to read"):
            take_work()
    take_memory(1 << 60)  # outside of any, nothing is counted


def overlapping() -> bytes:
    entry = {"dtype": "F32", "shape": [1000, 1000], "data_offsets": [0, 4_000_000]}
    header = json.dumps({f"{number}.weight": entry for number in range(900)}).encode()
    return struct.pack("<Q", len(header)) + header + bytes(4_000_000)


def shared_weights() -> bytes:
    """Each layer multiplies the same weights anew: 4 MB that were 7 GB."""
    weights = message((1, 1000), (1, 1000), (2, 1), (8, "w"), (9, bytes(4_000_000)))
    nodes, value = [], "x"
    for number in range(900):
        nodes += [onnx_node("Gemm", [value, "w"], f"g{number}")]
        nodes += [onnx_node("Relu", [f"g{number}"], f"r{number}")]
        value = f"r{number}"
    return onnx_model(nodes, [weights], output=value)


def packed(**members: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return stream.getvalue()


def array(size: int) -> bytes:
    stream = io.BytesIO()
    np.save(stream, np.zeros((1, size), "<f2"))
    return stream.getvalue()


LARGE: dict[str, tuple[Callable[[], bytes], str]] = {
    "overlap.safetensors": (overlapping, "overlaps another one"),
    "shared.onnx": (shared_weights, "too much memory"),
    "zeros.npz": (lambda: packed(a=array(150_000_000)), "too much memory"),
    "dictionaries.pth": (
        lambda: pth({}, pickle=b"\x80\x02" + b"}" * 2_000_000 + b"."),
        "too long to read",
    ),
}


@pytest.mark.parametrize("name", LARGE)
def test_small_files_that_become_large(tmp_path: Path, name: str) -> None:
    make, sentence = LARGE[name]
    (tmp_path / name).write_bytes(make())
    assert (tmp_path / name).stat().st_size < 10_000_000
    with pytest.raises(InputError, match=sentence):
        read_network(tmp_path / name, activation="relu")


@pytest.mark.parametrize(("ends", "missing"), [("begin", "unused bytes"), ("end", "no tensor")])
def test_bytes_of_no_tensor(tmp_path: Path, ends: str, missing: str) -> None:
    """Neither before a tensor nor behind the last one, as the format demands."""
    offsets = [4, 8] if ends == "begin" else [0, 4]
    entry = {"dtype": "F32", "shape": [1, 1], "data_offsets": offsets}
    header = json.dumps({"a.weight": entry}).encode()
    (tmp_path / "net.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + bytes(8))
    with pytest.raises(InputError, match=missing):
        read_network(tmp_path / "net.safetensors")


def synchronised(automata: int, edges: int, guard: bool) -> dict[str, Any]:
    """All automata move at once, each by any of its edges."""
    model: dict[str, Any] = counter()
    edge: dict[str, Any] = {"location": "l", "action": "all", "guard": {"exp": guard}}
    edge["destinations"] = [{"location": "l"}]
    names = [f"A{number}" for number in range(automata)]
    model["actions"] = [{"name": "all"}]
    model["automata"] = [
        {
            "name": name,
            "locations": [{"name": "l"}],
            "initial-locations": ["l"],
            "edges": [edge] * edges,
        }
        for name in names
    ]
    sync = {"synchronise": ["all"] * automata, "result": "all"}
    model["system"] = {"elements": [{"automaton": name} for name in names], "syncs": [sync]}
    return model


def test_products_of_automata(tmp_path: Path) -> None:
    """20 to the 8th joint edges, of which none can move, or all."""
    for guard in (False, True):
        document = synchronised(8, 20, guard)
        (tmp_path / "model.jani").write_text(json.dumps(document))
        if guard:
            with pytest.raises(InputError, match="more than 200000 destinations"):
                load_model(tmp_path / "model.jani")
            with pytest.raises(RefusedModelError, match="more than 200000 destinations"):
                JaniInterpreter(document)
        else:
            assert len(load_model(tmp_path / "model.jani").actions) <= 1
            assert JaniInterpreter(document).actions == ["all"]


@pytest.fixture
def little_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tenth of what is allowed, so that what is refused is refused soon."""
    monkeypatch.setattr(allowances, "WORK", WORK // 10)


@pytest.mark.usefixtures("little_work")
def test_joint_edges_that_assign_much(tmp_path: Path) -> None:
    document = synchronised(4, 16, True)
    assigned = [{"ref": "x", "value": 0, "index": index} for index in range(200)]
    for automaton in document["automata"]:
        for edge in automaton["edges"]:
            edge["destinations"] = [{"location": "l", "assignments": assigned}]
    (tmp_path / "model.jani").write_text(json.dumps(document))
    with pytest.raises(InputError, match="too long to read"):
        load_model(tmp_path / "model.jani")
    with pytest.raises(RefusedModelError, match="too many to check"):
        JaniInterpreter(document)


@pytest.mark.usefixtures("little_work")
def test_deep_lists_that_are_long(tmp_path: Path) -> None:
    depth, length = 3000, 200_000
    (tmp_path / "x.json").write_bytes(b"[" * depth + b"1," * length + b"1" + b"]" * depth)
    with pytest.raises(InputError, match="too long to read"):
        load_json(tmp_path / "x.json")


@pytest.mark.usefixtures("little_work")
def test_an_automaton_in_many_places(tmp_path: Path) -> None:
    """Each place reads its variables anew: 3 MB of them in 40 000 places were not read in 60 s."""
    document = synchronised(1, 1, True)
    (automaton,) = document["automata"]
    own = {"type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 3}}
    automaton["variables"] = [{"name": f"v{number}", **own} for number in range(300)]
    document["system"] = {"elements": [{"automaton": automaton["name"]}] * 1000}
    (tmp_path / "model.jani").write_text(json.dumps(document))
    with pytest.raises(InputError, match="too long to read"):
        load_model(tmp_path / "model.jani")


def test_models_of_many_names_take_time_in_proportion(tmp_path: Path) -> None:
    """Twice as many locations, actions and places take nothing like four times as long."""

    def seconds(size: int) -> float:
        document = synchronised(1, 0, True)
        (automaton,) = document["automata"]
        names = [f"l{number}" for number in range(size)]
        automaton.update(locations=[{"name": name} for name in names])
        automaton["initial-locations"] = names[:1]
        automaton["edges"] = [
            {"location": name, "action": f"a{name}", "destinations": [{"location": name}]}
            for name in names
        ]
        document["actions"] = [{"name": f"a{name}"} for name in names]
        places = [{"name": "a"}, {"name": "b"}]
        other = {"name": "B", "locations": places, "initial-locations": ["a"], "edges": []}
        document["automata"].append(other)
        elements = [{"automaton": name} for name in (automaton["name"], *["B"] * (size // 4))]
        document["system"] = {"elements": elements}
        (tmp_path / "model.jani").write_text(json.dumps(document))
        start = time.process_time()
        load_model(tmp_path / "model.jani")
        return time.process_time() - start

    assert any(seconds(8000) / seconds(2000) < 8 for _ in range(3))


@pytest.mark.usefixtures("little_work")
@pytest.mark.parametrize("form", ["txt", "json"])
def test_many_trees_of_one_leaf(tmp_path: Path, form: str) -> None:
    """200 000 of them took 20 s, whatever they are worth."""
    count = 20_000
    if form == "txt":
        one = "Tree=0\nnum_leaves=1\nnum_cat=0\nleaf_value=1\n\n"
        head = "tree\nmax_feature_idx=0\nnum_tree_per_iteration=1\n\n"
        text = f"{head}{one * count}end of trees\n"
    else:
        columns = ("left", "right", "feature", "threshold", "value")
        tree = {**{name: [-1] for name in columns}, "output": 0}
        about = {"format": "bugsieve-trees", "version": 1, "inputs": 1, "outputs": 1}
        text = json.dumps({**about, "trees": [tree] * count}, separators=(",", ":"))
    (tmp_path / f"trees.{form}").write_text(text)
    with pytest.raises(InputError, match="too long to read"):
        read_forest(tmp_path / f"trees.{form}")


FOUR_LISTS = """
policies = {policies}
oracles = ["lookahead"]
seeds = {numbers}
{fuzzers}
[[domains]]
generator = "blocksworld"
seeds = {numbers}
"""
PARAMETERS = """
policies = ["random"]
[[domains]]
generator = "transport"
parameters = {{ vehicles = {numbers}, packages = {numbers}, nodes = {numbers} }}
seeds = {numbers}
"""


@pytest.mark.parametrize("text", [FOUR_LISTS, PARAMETERS])
def test_grids_of_many_cells(tmp_path: Path, text: str) -> None:
    numbers = list(range(200))
    policies = [f"random:{number}" for number in numbers]
    fuzzers = "".join(f"[fuzzers.f{number}]\n" for number in numbers)
    grid = tmp_path / "grid.toml"
    filled = text.format(policies=policies, numbers=numbers, fuzzers=fuzzers)
    grid.write_text(filled.replace("'", '"'))
    with pytest.raises(InputError, match="more than 10+ (campaigns|instances)"):
        read_experiment(grid)
