"""`bugsieve decide`: what it prints, what it refuses, and its exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bugsieve.cli import main
from tests.unit.tasks.jani.small import (
    binary,
    bounded,
    condition,
    edge,
    safety,
    simple,
    variable,
    write,
)

Json = Any


def road(**more: Json) -> Json:
    """`go` adds 1 or 2 to x, `stop` sets `done`, up to x = 2; 4 is unsafe, a stop the goal."""
    moving = {"op": "¬", "exp": "done"}
    steps = [{"x": binary("+", "x", 1)}, {"x": binary("+", "x", 2)}]
    go = edge(*steps, guard=binary("∧", moving, binary("<", "x", 4)))
    stop = edge({"done": True}, action="stop", guard=binary("≤", "x", 2))
    variables = [variable("x", bounded(0, 5), 0), variable("done", "bool", False)]
    usual = {"variables": variables, "unsafe": binary("≥", "x", 4), "goal": "done"}
    return simple(go, stop, **{**usual, **more})


@pytest.fixture
def jani(tmp_path: Path) -> str:
    return str(write(tmp_path, road()))


def states(folder: Path, content: Json) -> str:
    path = folder / "states.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return str(path)


def decided(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> Json:
    assert main(["decide", *arguments, "--json"]) == code
    return json.loads(capsys.readouterr().out)


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["decide", *arguments]) == 4
    captured = capsys.readouterr()
    assert not captured.out
    return captured.err


def test_the_text(jani: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = states(tmp_path, [[1, False], {"done": False, "x": 3}, [0, True], [4, False]])
    assert main(["decide", jani, "--states", file]) == 0
    assert capsys.readouterr().out == (
        "model small, tarjan, radius ∞\n"
        f"states of {file}\n"
        "\n"
        "state 0: x = 1, done = false\n"
        "  safe\n"
        "  go: x = 2 | x = 3\n"
        "  stop: done = true\n"
        "\n"
        "state 1: x = 3, done = false\n"
        "  lost\n"
        "  go: x = 4 | x = 5\n"
        "\n"
        "state 2: x = 0, done = true\n"
        "  goal, safe\n"
        "  stop: nothing changes\n"
        "\n"
        "state 3: x = 4, done = false\n"
        "  unsafe\n"
        "  no action is applicable\n"
        "\n"
        "4 states: 2 safe, 2 lost, 0 undecided\n"
    )


@pytest.mark.parametrize("algorithm", ["tarjan", "lrtdp", "lao", "vi"])
def test_json(
    jani: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], algorithm: str
) -> None:
    file = states(tmp_path, {"states": [[2, False], [3, False]]})
    report = decided(capsys, jani, "--states", file, "--algorithm", algorithm)
    entries = report.pop("states")
    assert report == {
        "model": "small", "algorithm": algorithm, "radius": None, "policy": None,
        "variables": ["x", "done"], "actions": ["go", "stop"],
    }  # fmt: skip
    assert entries[0] == {
        "state": [2, False], "goal": False, "unsafe": False,
        "successors": {"go": [[3, False], [4, False]], "stop": [[2, True]]},
        "safe": True, "limit": None,
    }  # fmt: skip
    assert entries[1]["safe"] is False


def table(folder: Path, default: Json = None) -> str:
    """A policy that always goes on."""
    rows = [[[x, False], "go"] for x in range(4)]
    path = folder / "policy.json"
    path.write_text(json.dumps({"model": "small", "default": default, "rows": rows}))
    return f"table:{path}"


def test_a_policy_and_its_faults(
    jani: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = states(tmp_path, [[0, False], [1, False], [3, False], [0, True]])
    policy = ["--policy", table(tmp_path)]
    entries = decided(capsys, jani, "--states", file, *policy)["states"]
    assert [entry["choice"] for entry in entries] == ["go", "go", "go", None]
    assert [entry["fault"] for entry in entries] == [False, True, False, False]
    report = decided(capsys, jani, "--states", file, *policy, "--radius", "0")
    assert report["radius"] == 0
    assert [entry["safe"] for entry in report["states"]] == [False, False, False, True]
    assert main(["decide", jani, "--states", file, *policy, "--radius", "1"]) == 0
    text = capsys.readouterr().out
    assert "radius 1, policy table:" in text
    assert "the policy chooses go: a fault" in text
    assert "the policy chooses no action" in text


def test_a_policy_that_fails(jani: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["decide", jani, "--policy", "cmd:true"]) == 0
    text = capsys.readouterr().out
    reason = "first: at its start: ended with exit code 0"
    assert "  the policy gives no action, see below\n" in text
    assert "\nthe policy: policy crash in " in text and text.endswith(f"{reason}\n")
    assert decided(capsys, jani, "--policy", "cmd:true")["troubles"][0].endswith(reason)


def test_without_states_the_start_states(
    jani: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert [entry["state"] for entry in decided(capsys, jani)["states"]] == [[0, False]]
    start = condition(binary("∧", binary("≥", "x", 1), binary("≤", "x", 2)))
    other = str(write(tmp_path, road(start=start), "other.jani"))
    found = [decided(capsys, other, "--seed", str(seed))["states"] for seed in range(8)]
    assert {entry["state"][0] for (entry,) in found} == {1, 2}
    assert main(["decide", other]) == 0
    assert "\na start state, drawn by seed 0\n" in capsys.readouterr().out


def test_limits(jani: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = states(tmp_path, [[0, False]])
    chain = [edge({"x": binary("+", "x", 1)}, guard=binary("<", "x", 5))]
    long = str(write(tmp_path, simple(*chain), "long.jani"))
    entries = decided(capsys, long, "--expansions", "2", code=5)["states"]
    assert [(entry["safe"], entry["limit"]) for entry in entries] == [(None, "expansions")]
    assert main(["decide", long, "--expansions", "2"]) == 5
    assert "undecided (limit on expansions)" in capsys.readouterr().out
    assert decided(capsys, jani, "--states", file, "--expansions", "50")["states"][0]["safe"]


def test_constants(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    constants = [{"name": "far", "type": "int"}, {"name": "b", "type": "bool"}]
    unsafe = binary("∧", "b", binary("≥", "x", "far"))
    path = str(write(tmp_path, road(constants=constants, unsafe=unsafe)))
    start = ["--states", states(tmp_path, [[3, False]])]
    given = [path, *start, "--constant", "b=true", "--constant"]
    assert decided(capsys, *given, "far=3")["states"][0]["unsafe"]
    assert not decided(capsys, *given, "far=4")["states"][0]["unsafe"]
    assert "has no value" in refused(capsys, path)
    assert "'far' is given two values" in refused(capsys, *given, "far=1", "--constant", "far=2")
    assert "cannot be 1.5" in refused(capsys, *given, "far=1.5")
    assert "there is no constant 'fr'" in refused(capsys, *given, "fr=1")
    assert "must be NAME=VALUE, got 'far'" in refused(capsys, *given, "far")
    for value in ("x", "inf", "nan", "1e999", ""):
        assert "must give 'far' a number, true or false" in refused(capsys, *given, f"far={value}")


def test_properties_in_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = road()
    (property_,) = document.pop("properties")
    bare = str(write(tmp_path, document, "bare.jani"))
    two = {"properties": [property_, {**safety(), "name": "other"}]}
    whole = str(write(tmp_path, two, "property.jani"))
    assert "several properties" in refused(capsys, bare, whole)
    named = ["--property-name", "safety"]
    start = ["--states", states(tmp_path, [[4, False]])]
    assert decided(capsys, bare, whole, *named, *start)["states"][0]["unsafe"]
    parts = property_["expression"]
    files = [
        part
        for name, key in (("start", "start"), ("goal", "objective"), ("unsafe", "reach"))
        for part in (f"--{name}", str(write(tmp_path, parts[key], f"{name}.jani")))
    ]
    assert decided(capsys, bare, *files, *start)["states"][0]["unsafe"]
    assert decided(capsys, bare, *files[4:], *start)["states"][0]["unsafe"]
    initial = decided(capsys, bare, *files[4:])["states"]
    assert [state["state"] for state in initial] == [[0, False]]
    assert "--start needs --unsafe beside it" in refused(capsys, bare, *files[:4])
    assert "two properties; give one" in refused(capsys, bare, whole, *files)


@pytest.mark.parametrize(("content", "sentence"), [
    ([[0, False], [0]], "state 1 (counted from 0): a state has 2 values"),
    ([[7, False]], "state 0 (counted from 0): 7 is no value of 'x'"),
    ([{"x": 0}], "the state has no value for 'done'"),
    ([{"x": 0, "dne": 1}], "there is no variable 'dne'"),
    ([[0, "no"]], "'no' is no value; values are numbers, true and false"),
    ([[0, None]], "null is no value"),
    ([[True, True]], "true is no value of 'x'"),
    ([[0, [True]]], "a list is no value"),
    ([3], "a state is a list of values, or an object"),
    ([], "must hold a list of states, at least one"),
    ({"state": []}, "must hold a list of states"),
    ("[[0, NaN]]", "NaN is no JSON number"),
    ("[[0,", "is not valid JSON"),
    ("[" * 100_000, "is nested more than 10000 levels deep"),
])  # fmt: skip
def test_wrong_states(
    jani: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    content: Json,
    sentence: str,
) -> None:
    error = refused(capsys, jani, "--states", states(tmp_path, content))
    assert sentence in error
    assert "states.json" in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(("arguments", "sentence"), [
    (["--radius", "1"], "give --policy, too"),
    (["--radius", "one"], "a radius is a whole number"),
    (["--algorithm", "dijkstra"], "there is no safety oracle 'dijkstra'"),
    (["--algorithm", "vi:1"], "give the radius by --radius"),
    (["--policy", "nonsense"], "nonsense"),
    (["--states", "nowhere.json"], "there is no such file"),
    (["--expansions", "0"], "at least 1"),
])  # fmt: skip
def test_wrong_arguments(
    jani: str, capsys: pytest.CaptureFixture[str], arguments: list[str], sentence: str
) -> None:
    assert sentence in refused(capsys, jani, *arguments)


def test_a_model_that_goes_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The state itself is fine, the one after it is not."""
    edges = [edge({"x": binary("+", "x", 1)}), edge({"x": binary("%", 1, binary("-", 1, "x"))})]
    path = str(write(tmp_path, simple(*edges)))
    assert "divides by zero in the state x = 1" in refused(capsys, path)
