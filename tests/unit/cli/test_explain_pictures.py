"""`bugsieve explain --svg`: both runs as pictures, in one file that other programs can read."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

import bugsieve
from tests.unit.campaigns.rules.small import written
from tests.unit.cli.commands import Run
from tests.unit.pictures.subjects import model_of, task_of

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def cost(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cost") / "campaign"
    assert bugsieve.find_bugs(task_of("gripper"), "random:1", pool_size=4, folder=folder)
    return folder


@pytest.fixture(scope="module")
def safety(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("safety") / "campaign"
    model = model_of("one-way-line")
    assert bugsieve.find_safety_bugs(model, "random:1", walks=20, folder=folder)
    return folder


def first_bug(folder: Path) -> str:
    return min(path.stem for path in (folder / "bugs").iterdir())


def texts(path: Path) -> list[str]:
    root = ElementTree.parse(path).getroot()
    return ["".join(element.itertext()) for element in root.iter(f"{SVG}text")]


def test_both_runs_of_a_cost_bug(run: Run, cost: Path, tmp_path: Path) -> None:
    bug, svg = first_bug(cost), tmp_path / "bug.svg"
    code, out, err = run("explain", cost, bug, "--json", "--svg", svg)
    assert (code, err) == (0, f"wrote {svg}\n")
    found, said = json.loads(out), texts(svg)
    assert {"the policy random:1", "a better run", "[goal]"} <= set(said)
    name = f"step {found['step'] + 1}"
    assert said.count(f"▶ {name}: the decision") == 2
    assert f"{name}: {found['action']}" in said and f"{name}: {found['better_action']}" in said
    assert any(text.startswith(f"[{found['ending']}: the same state a") for text in said)


def test_the_same_picture_from_the_same_folder(run: Run, cost: Path, tmp_path: Path) -> None:
    files = [tmp_path / "a.svg", tmp_path / "b.svg"]
    for file in files:
        run("explain", cost, first_bug(cost), "--svg", file)
    assert files[0].read_bytes() == files[1].read_bytes()


def test_a_safety_bug(run: Run, safety: Path, tmp_path: Path) -> None:
    bug, svg = first_bug(safety), tmp_path / "bug.svg"
    code, out, _ = run("explain", safety, bug, "--json", "--svg", svg)
    found, said = json.loads(out), texts(svg)
    assert code == 0
    safe, count = found["safe_action"], len(found["safe_outcomes"])
    assert {"[danger]", "[danger can be avoided from here on]", "unsafe"} <= set(said)
    rows = [text for text in said if text.startswith(f"what is safe there: {safe}, outcome")]
    assert len(rows) == min(3, count)
    name = f"step {found['step'] + 1}"
    assert said.count(f"▶ {name}: the decision") == 1 + len(rows)
    assert said.count(f"{name}: {safe}") == len(rows)


def test_curves_of_all_strips_have_one_scale(run: Run, tmp_path: Path) -> None:
    folder, svg = tmp_path / "campaign", tmp_path / "bug.svg"
    model = model_of("inverted-pendulum")
    assert bugsieve.find_safety_bugs(model, "random:1", walks=3, folder=folder)
    assert run("explain", folder, first_bug(folder), "--svg", svg)[0] == 0
    ends = {text for text in texts(svg) if text.replace(".", "", 1).lstrip("-").isdigit()}
    assert len(ends) == 2


@pytest.mark.parametrize(
    ("more", "complaint"),
    [
        (["--svg", "a.png"], "the name of the file must end in .svg"),
        (["--svg", "nowhere/a.svg"], "there is no folder nowhere"),
        (["--picture", "graph"], "say where, too, with --svg FILE"),
        (["--svg", "a.svg", "--picture", "grph"], "did you mean 'graph'?"),
        (["--svg", "a.svg", "--picture", "blocks"], "picture 'blocks' cannot be drawn of"),
        (["--svg", "a.svg", "--picture", "python:no.py:f"], "there is no file 'no.py'"),
    ],
)
def test_what_cannot_be_drawn(
    run: Run,
    cost: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    more: list[str],
    complaint: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, err = run("explain", cost, first_bug(cost), *more)
    assert code == 4 and complaint in err
    assert list(tmp_path.iterdir()) == []


def test_a_picture_of_the_users_own(
    run: Run, cost: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [
        "from bugsieve.pictures import Drawing, Text",
        "def draw(scene): return Drawing(50, 20, [Text('a', 1, 1, f'state {scene.index}')])",
        "def fail(scene): raise ValueError('no ink')",
    ]
    Path("own_pictures.py").write_text("\n".join(lines))
    options = ("explain", cost, first_bug(cost), "--svg", "a.svg", "--picture")
    assert run(*options, "python:own_pictures.py:draw")[::2] == (0, "wrote a.svg\n")
    assert "state 0" in texts(Path("a.svg"))
    code, _, err = run(*options, "python:own_pictures.py:fail")
    assert code == 0
    note = "the picture 'python:own_pictures.py:fail' gave way to a general one"
    assert err == f"note: {note}: ValueError: no ink\nwrote a.svg\n"


def test_a_place_that_cannot_be_written(run: Run, cost: Path, tmp_path: Path) -> None:
    target = tmp_path / "folder.svg"
    target.mkdir()
    code, out, err = run("explain", cost, first_bug(cost), "--svg", target)
    assert code == 4 and str(tmp_path) in err and err.count("\n") == 1
    assert out.startswith("bug ")


def test_the_trace_of_a_rule(run: Run, tmp_path: Path) -> None:
    folder, svg = tmp_path / "campaign", tmp_path / "bug.svg"
    assert run("rules", *written(tmp_path), "-o", folder)[0] == 1
    code, out, err = run("explain", folder, first_bug(folder), "--svg", svg)
    assert (code, err) == (0, f"wrote {svg}\n")
    said = texts(svg)
    assert "start" in said and any("(heat a)" in text for text in said) and "(heat a)" in out
    assert any(text.startswith("a trace against ") for text in said)
