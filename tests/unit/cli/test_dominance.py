"""`bugsieve dominance`: what it prints, draws and refuses."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bugsieve.commands.shared.heartbeat import Heartbeat
from bugsieve.rooms.dominance import command, function, options
from tests.unit.cli.commands import Run
from tests.unit.clock import Clock
from tests.unit.dominance.small_tasks import small_task
from tests.unit.policies.generated import write_task
from tests.unit.policies.line import line_task


@dataclass(frozen=True)
class Hurried(options.DominanceOptions):
    """Options of which the user has no say."""

    max_work: int | None = 1


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BUGSIEVE_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def line(tmp_path: Path) -> Path:
    """A file with a line of four places; the steps to the right cost 1, 2, 3."""
    path = tmp_path / "line.sas"
    line_task(4, right_costs=[1, 2, 3]).write_sas(path)
    return path


def test_what_it_says_of_a_line(run: Run, line: Path) -> None:
    code, out, _ = run("dominance", line)
    assert code == 0
    first, _, *rest = out.splitlines()
    assert re.fullmatch(
        r"100\.0 % of pairs of states can be compared: (\d+) of \1 random pairs of different "
        r"states on random walks \(seed 0\)",
        first,
    )
    assert rest == [
        "task line: 1 factor of 1 variable",
        "",
        "factor 1: (at ?)",
        "  4 states, 100.0 % of their pairs comparable",
        "  with (at p3) it is at least 6 cheaper than with (at p0)",
        "  with (at p2) it is at least 2 cheaper than with (at p1)",
        "  with (at p0) it is at most 1 dearer than with (at p1)",
        "  with (at p1) it is at most 2 dearer than with (at p2)",
    ]


def test_pddl_and_what_differs_by_options(run: Run, tmp_path: Path) -> None:
    files = write_task(tmp_path, "transport", packages=1)
    reports = {
        options: json.loads(run("dominance", *files, "--json", *options.split())[1])
        for options in ("", "--merging atomic", "--max-transitions 0", "--tau none --seed 3")
    }
    atomic = reports["--merging atomic"]
    assert atomic["factors"] == reports["--max-transitions 0"]["factors"]
    assert all(len(factor["variables"]) == 1 for factor in atomic["factors"])
    assert len(reports[""]["factors"]) < len(atomic["factors"])
    assert reports["--tau none --seed 3"]["options"]["tau"] == "none"
    assert reports["--tau none --seed 3"]["pairs"]["seed"] == 3
    assert reports[""]["pairs"]["share"] >= atomic["pairs"]["share"]


def test_the_fields_are_in_the_help(run: Run, line: Path) -> None:
    content = json.loads(run("dominance", line, "--json")[1])
    text = run("dominance", "--help")[1].partition("--json prints one object")[2]
    (factor,) = content["factors"]
    for fields in (content, content["pairs"], factor, factor["strongest"][0]):
        assert [name for name in fields if not re.search(rf"\b{name}\b", text)] == []
    assert factor["strongest"][0] == {
        "source": ["(at p0)"],
        "target": ["(at p3)"],
        "where": [],
        "value": 6,
        "text": "with (at p3) it is at least 6 cheaper than with (at p0)",
    }
    assert content["cut"] is None and content["truncated"] == 0


def test_many_factors_are_counted(run: Run, tmp_path: Path) -> None:
    letters = "abcdefghijklmnopqrstuvw"
    goal = ",".join(f"{letter}=1" for letter in letters)
    switches = [step for x in letters for step in (f"{x}=0 -> {x}=1", f"{x}=1 -> {x}=0")]
    path = tmp_path / "switches.sas"
    small_task(goal, *switches).write_sas(path)
    out = run("dominance", path, "--merging", "atomic")[1]
    assert "factor 20:" in out and "factor 21:" not in out
    assert out.endswith("and 3 smaller factors; --json lists all\n")


def test_variables_that_no_plan_needs(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "small.sas"
    small_task("a=1", "-> a=1", "-> b=1").write_sas(path)
    assert (
        "1 factor of 1 variable; no plan needs the 1 other variable" in run("dominance", path)[1]
    )


def test_limits_and_values_below_the_floor_are_told(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "sinking.sas"
    small_task("a=1", "-> a=1,b=1", "b=0 -> a=1 (0)").write_sas(path)
    out = run("dominance", path, "--merging", "atomic")[1]
    assert re.search(r"^\d+ pairs? of factor states fell below the floor", out, re.MULTILINE)
    monkeypatch.setattr(command, "DominanceOptions", Hurried)
    out = run("dominance", path)[1]
    assert "limits were met, the function says less than it could: merging stopped" in out


@pytest.mark.parametrize("ending", [".svg", ".png", ".pdf"])
def test_pictures(run: Run, line: Path, tmp_path: Path, ending: str) -> None:
    picture = tmp_path / f"map{ending}"
    code, out, _ = run("dominance", line, "--picture", picture)
    assert code == 0 and out.endswith(f"\nwrote {picture}\n")
    content = picture.read_bytes()
    assert content.startswith({".svg": b"<?xml", ".png": b"\x89PNG", ".pdf": b"%PDF"}[ending])
    assert run("dominance", line, "--picture", picture, "--json")[0] == 0
    assert picture.read_bytes() == content


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "required: FILE"),
        (["{}", "--merging", "dpf"], "--merging"),
        (["{}", "--tau", "all"], "--tau"),
        (["{}", "--max-transitions", "-1"], "--max-transitions must be"),
        (["{}", "--max-transition", "1"], "did you mean '--max-transitions'"),
        (["{}", "--picture", "a.jpeg"], "a.jpeg: the name of a picture must end in one of .svg"),
        (["{}", "--picture", "missing/a.svg"], "missing: cannot be read or written"),
        (["missing.sas"], "missing.sas"),
        (["{}", "{}", "{}"], "not more"),
    ],
)
def test_what_is_refused(
    run: Run,
    line: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    sentence: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, errors = run("dominance", *(word.format(line) for word in arguments))
    assert code == 4
    assert sentence in errors and errors.count("\n") == 1


def test_an_operator_with_too_many_conditions_is_named(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "many.sas"
    effects = ",".join(f"a=1 if {letter}=1" for letter in "bcdefgh")
    small_task("a=1", "-> b=1", f"-> {effects}").write_sas(path)
    code, out, errors = run("dominance", path)
    assert (code, out) == (4, "")
    assert "the conditional effects of op1 depend on too many facts at once" in errors
    assert errors.count("\n") == 1


@pytest.mark.parametrize("command", [["dominance"], ["judge", "--policy", "greedy"]])
def test_the_computation_is_a_sign_of_life(
    run: Run, line: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    """In this command, and where an oracle is the first to need the function."""
    clock = Clock(monkeypatch)
    compute = function.DominanceFunction.compute

    def slowly(*arguments: Any) -> function.DominanceFunction:
        clock.now += 31
        heart.beat()
        return compute(*arguments)

    heart = Heartbeat()
    monkeypatch.setattr(function.DominanceFunction, "compute", slowly)
    oracle = ["--oracle", "bmo:10"] if command[0] == "judge" else []
    code, _, errors = run(*command, line, *oracle)
    assert code in (0, 1, 6)
    assert errors.splitlines() == ["still computing the dominance function of line, 31 s"]


def test_without_matplotlib(
    run: Run, line: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert run("dominance", line)[0] == 0
    code, _, errors = run("dominance", line, "--picture", tmp_path / "a.svg")
    assert code == 4 and "pip install 'bugsieve[plot]'" in errors
