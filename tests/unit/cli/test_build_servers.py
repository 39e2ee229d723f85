"""`--junit` and `--github` on the commands that test."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

import pytest

from bugsieve.base.registry import families
from bugsieve.base.registry.family import Entry, Manifest
from bugsieve.campaigns.checks import Check
from bugsieve.commands.shared.build_servers import RESULT_WRITERS
from tests.unit.campaigns.safety.ledge import ledge
from tests.unit.cli.commands import Run
from tests.unit.tasks.jani.small import write

GRIPPER = ("generate", "gripper", "--balls", "2")


@pytest.fixture
def domain(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two problems, one of them in a folder whose name is a workflow command."""
    monkeypatch.chdir(tmp_path)
    for seed, name in enumerate(("a", "::error::b##[c]")):
        run(*GRIPPER, "--seed", seed, "-o", Path("problems", name))
    return Path("problems")


def outcomes(junit: str) -> dict[str, list[tuple[str, str | None]]]:
    """The parts of each case by its name."""
    cases = ElementTree.parse(junit).getroot().findall("testcase")
    return {c.get("name", ""): [(p.tag, p.get("type")) for p in c] for c in cases}


def test_bugs_are_failures(run: Run, domain: Path) -> None:
    command = ("test", domain / "a", "--policy", "random:1", "--pool-size", 5)
    code, out, _ = run(*command, "--github", "--junit", "j.xml", "-o", "r")
    (annotation,) = (line for line in out.splitlines() if line.startswith("::"))
    assert code == 1
    assert annotation.startswith("::error file=problems/a/problem.pddl,title=failure%3A cost")
    assert "%0A" in annotation and "bugsieve explain r " in annotation
    assert outcomes("j.xml") == {"gripper-balls-2-seed-0": [("failure", "failure")]}
    bug = next(Path("r", "bugs").iterdir()).stem
    code, out, _ = run("replay", "r", bug, "--github", "--junit", "replay.xml")
    assert code == 1 and f"::error title=failure%3A r%3A {bug}::STILL FAILS: " in out
    assert outcomes("replay.xml") == {bug: [("failure", "failure")]}
    code, out, _ = run("replay", "r", bug, "--policy", "optimal", "--github", "--junit", "r.xml")
    assert code == 0 and "::" not in out and outcomes("r.xml") == {bug: []}


def test_a_problem_set_has_a_check_for_each_problem(run: Run, domain: Path) -> None:
    (domain / "broken").mkdir()
    (domain / "broken" / "domain.pddl").write_text("(define")
    (domain / "broken" / "problem.pddl").write_text("(define")
    command = ("test", *sorted(domain.iterdir()), "--policy", "optimal", "--pool-size", 3)
    code, out, _ = run(*command, "--github", "--junit", "j.xml", "-o", "r")
    assert code == 4
    assert outcomes("j.xml") == {
        "a": [],
        "--error--b---c-": [],
        "broken": [("error", "error")],
    }
    (annotation,) = (line for line in out.splitlines() if line.startswith("::"))
    assert annotation.startswith("::error title=error%3A r%3A broken::could not be tested: ")


def test_undecided_is_no_pass(run: Run, domain: Path) -> None:
    command = ("test", domain / "a", "--policy", "random:1", "--pool-size", 3)
    nothing = ("--expansions", 1, "--escalate-to", 0, "--oracle", "planner:astar-blind")
    code, out, _ = run(*command, *nothing, "--github", "--junit", "j.xml", "-o", "r")
    assert code == 6 and outcomes("j.xml") == {"gripper-balls-2-seed-0": [("error", "undecided")]}
    assert "\n::warning file=" in out and "\n::error" not in out


def test_no_name_becomes_a_command(run: Run, domain: Path) -> None:
    hostile = domain / "::error::b##[c]"
    results = Path("::warning::r##[x]")
    command = ("test", hostile, "--policy", "random:1", "--pool-size", 3, "-o", results)
    _, out, _ = run(*command, "--github")
    lines = out.splitlines()
    commands = [line for line in lines if line.lstrip().startswith("::")]
    assert len(commands) == 1 and commands[0].startswith("::error file=problems/%3A%3Aerror")
    assert not [line for line in lines if "##[" in line and line not in commands]
    assert "results in ::warning::r#\\u0023[x]" in lines
    code, _, err = run("test", "::x##[y]", "--policy", "random:1", "--github")
    assert code == 4 and "##[" not in err and "::x#\\u0023[y]" in err


def test_json_is_not_mixed_with_annotations(run: Run, domain: Path) -> None:
    code, _, err = run("test", domain / "a", "--policy", "random:1", "--json", "--github")
    assert code == 4 and "--github and --json both print" in err


def test_a_file_that_cannot_be_written_loses_nothing(run: Run, domain: Path) -> None:
    command = ("test", domain / "a", "--policy", "optimal", "--pool-size", 2, "-o", "r")
    code, _, err = run(*command, "--junit", "nowhere/j.xml")
    assert code == 4 and "nowhere/j.xml: " in err and "the results are kept in r" in err


def test_rules(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run("rules", "example", "-o", "rover")
    files = [Path("rover", name) for name in ("rover.pddl", "one-rover.pddl", "rules.toml")]
    code, out, _ = run("rules", *files, "--expansions", 1, "--github", "--junit", "j.xml")
    commands = [line for line in out.splitlines() if line.startswith("::")]
    assert code == 6 and {line.partition(" ")[0] for line in commands} == {"::warning"}
    assert sum(parts == [("error", "undecided")] for parts in outcomes("j.xml").values()) == 15
    strict = ("--min-coverage", 100, "--github", "--junit", "j.xml", "-o", "r")
    code, out, _ = run("rules", *files, *strict)
    wrong = [parts for parts in outcomes("j.xml").values() if parts == [("failure", "failure")]]
    assert code == 1 and len(wrong) == 1, "what no obligation shows is a check of its own"
    assert out.splitlines()[-1].startswith("::error file=rover/rover.pddl,title=failure%3A ")
    domain = ("replay", "r", "--domain", Path("rover", "rover-faulty.pddl"))
    code, out, _ = run(*domain, "--github", "--junit", "j.xml")
    assert code == 1 and "\n::error title=failure%3A r%3A " in out and "::NOW VIOLATED" in out


def test_safety(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(write(tmp_path, ledge()).parent)
    rows = [[[place], "left"] for place in range(1, 6)]
    Path("left.json").write_text(json.dumps({"rows": rows}))
    command = ("safety", "model.jani", "--policy", "table:left.json", "--walks", 20)
    code, out, _ = run(*command, "--github", "--junit", "j.xml", "-o", "r")
    assert code == 1 and outcomes("j.xml") == {"ledge": [("failure", "failure")]}
    assert "\n::error file=model.jani,title=failure%3A safety testing of table%3Aleft.json" in out


def test_what_was_interrupted_is_not_green(
    run: Run, domain: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("bugsieve.commands.shared.campaign_report.run_displayed", interrupt)
    command = ("test", domain / "a", "--policy", "optimal", "--junit", "j.xml", "--github")
    code, out, _ = run(*command, "-o", "r")
    assert code == 2 and outcomes("j.xml") == {"gripper-balls-2-seed-0": [("error", "undecided")]}
    assert "\n::warning file=problems/a/problem.pddl" in out


def write_toy(path: Path, name: str, checks: Sequence[Check]) -> None:
    """Write a line for each check, as a format that a room adds."""
    path.write_text("".join(f"{check.name}: {check.outcome}\n" for check in checks))


TOY = Manifest(
    members={"result-writers": (Entry(102, "toy", f"{__name__}:write_toy", "write toy lines"),)}
)


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """A room that adds a format: its function, and the entry in its manifest."""
    family = families.merged([*map(families.manifest_of, families.ROOMS), TOY])["result-writers"]
    monkeypatch.setattr(RESULT_WRITERS, "family", family)


@pytest.mark.usefixtures("toy")
def test_a_format_is_a_function_and_an_entry(run: Run, domain: Path) -> None:
    command = ("test", domain / "a", "--policy", "random:1", "--pool-size", 5, "-o", "r")
    code, _, _ = run(*command, "--toy", "toy.txt", "--junit", "j.xml")
    assert code == 1 and Path("toy.txt").read_text() == "gripper-balls-2-seed-0: failure\n"
    assert outcomes("j.xml") == {"gripper-balls-2-seed-0": [("failure", "failure")]}
    bug = next(Path("r", "bugs").iterdir()).stem
    run("replay", "r", bug, "--toy", "replay.txt")
    assert Path("replay.txt").read_text() == f"{bug}: failure\n"
    code, _, err = run(*command, "--json", "--github")
    assert code == 4 and "give one of them, or --junit, or --toy" in err


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize("command", ["test", "replay", "safety", "rules", "domain test"])
def test_every_command_that_tests_takes_it(run: Run, command: str) -> None:
    code, out, _ = run(*command.split(), "--help")
    assert code == 0 and "--toy FILE" in out and "write toy lines" in out
