"""`bugsieve generate`: files, help that fits the domain, and refusals in one line."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import pytest

from bugsieve.base.errors import InputError, UsageError
from bugsieve.commands.shared.parser import Parser
from bugsieve.rooms.zoo import generate as command
from bugsieve.rooms.zoo.domains import DOMAINS, generate
from bugsieve.rooms.zoo.model_domains import MODEL_DOMAINS, generate_model


def call(*arguments: str) -> int:
    parser = Parser(prog="bugsieve")
    commands: argparse._SubParsersAction[Parser] = parser.add_subparsers()
    command.register(commands.add_parser("generate"))
    commands.choices["generate"].refuse_unknown_options(arguments)
    args = parser.parse_args(["generate", *arguments])
    return int(args.run(args))


def test_two_files_are_written_and_their_paths_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "new" / "folder"
    flags = ["--vehicles", "3", "--packages", "5", "--nodes", "10", "--seed", "1"]
    assert call("transport", *flags, "-o", str(folder)) == 0
    task = generate("transport", vehicles=3, packages=5, nodes=10, seed=1)
    assert (folder / "domain.pddl").read_text() == task.domain
    assert (folder / "problem.pddl").read_text() == task.problem
    printed = capsys.readouterr().out.split()
    assert printed == [str(folder / "domain.pddl"), str(folder / "problem.pddl")]
    assert {path.name for path in folder.iterdir()} == {"domain.pddl", "problem.pddl"}


def test_a_model_is_one_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flags = ["--length", "15", "--packages", "10", "--variant", "park", "--max-speed", "2"]
    assert call("one-way-line", *flags, "--no-loss", "--seed", "1", "-o", str(tmp_path)) == 0
    model = generate_model("one-way-line", length=15, packages=10, max_speed=2, loss=False, seed=1)
    assert (tmp_path / "model.jani").read_text("utf-8") == model.text
    assert capsys.readouterr().out.split() == [str(tmp_path / "model.jani")]
    assert [path.name for path in tmp_path.iterdir()] == ["model.jani"]


def test_the_command_in_a_model_makes_it_again(tmp_path: Path) -> None:
    for domain in MODEL_DOMAINS:
        call(domain, "--seed", "5", "--starts", "2", "-o", str(tmp_path / "first"))
        made = (tmp_path / "first" / "model.jani").read_text("utf-8")
        described = json.loads(made)["metadata"]["description"]
        line = described.removeprefix("Made by: bugsieve generate ")
        call(*line.split(), "-o", str(tmp_path / "second"))
        assert (tmp_path / "second" / "model.jani").read_text("utf-8") == made


def test_an_earlier_model_is_replaced_but_no_other(tmp_path: Path) -> None:
    for domain in ("cartpole", "follow-car"):
        assert call(domain, "-o", str(tmp_path)) == 0
        assert (tmp_path / "model.jani").read_text("utf-8") == generate_model(domain).text
    (tmp_path / "model.jani").write_text('{"jani-version": 1, "name": "mine"}')
    with pytest.raises(InputError, match=r"model\.jani was not made by 'bugsieve generate'"):
        call("cartpole", "-o", str(tmp_path))
    assert "mine" in (tmp_path / "model.jani").read_text()


def test_the_command_in_a_problem_makes_it_again(tmp_path: Path) -> None:
    for domain in DOMAINS:
        call(domain, "--seed", "5", "-o", str(tmp_path / "first"))
        made = (tmp_path / "first" / "problem.pddl").read_text()
        line = made.partition("\n")[0].removeprefix("; Made by: bugsieve generate ")
        call(*line.split(), "-o", str(tmp_path / "second"))
        assert (tmp_path / "second" / "problem.pddl").read_text() == made


def test_folder_is_named_after_the_task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    call("gripper", "--scattered", "--balls", "2")
    assert (tmp_path / "gripper-balls-2-scattered-seed-0" / "problem.pddl").exists()


def test_list_shows_every_domain(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("--list") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == sorted([*DOMAINS, *MODEL_DOMAINS])
    assert all(len(line) <= 100 for line in lines)


def test_help_of_a_domain_shows_its_parameters(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        call("scanalyzer", "--help")
    assert ended.value.code == 0
    text = capsys.readouterr().out
    assert "usage: bugsieve generate scanalyzer" in text
    assert "--size N" in text
    assert "(3)" in text
    assert "{all,lane,single}" in text
    assert "--vehicles" not in text


ORDER = "; parameters follow their domain, as in 'bugsieve generate blocksworld --blocks 5'"


def test_seed_and_folder_may_come_first(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("first", "last", "both")]
    call("--seed", "7", "-o", str(folders[0]), "ferry", "--cars", "2")
    call("ferry", "--cars", "2", "--seed", "7", "-o", str(folders[1]))
    call("--seed", "3", "ferry", "--cars", "2", "--seed=7", f"--output={folders[2]}")
    texts = {(folder / "problem.pddl").read_text() for folder in folders}
    assert texts == {generate("ferry", cars=2, seed=7).problem}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("", "say which domain to generate; 'bugsieve generate --list' shows them"),
        ("transprt", "no domain 'transprt' (did you mean 'transport'?)"),
        (
            "transport --vehicle 3",
            "unknown argument '--vehicle' (did you mean '--vehicles'?); "
            "see 'bugsieve generate transport --help'",
        ),
        ("transport --nodse=3", "unknown argument '--nodse' (did you mean '--nodes'?)"),
        ("transport problem.pddl", "unknown argument 'problem.pddl'"),
        ("transport --vehicles 0", "--vehicles must be at least 1, got 0"),
        (
            "transport --vehicles many",
            "--vehicles must be a whole number, got 'many'; "
            "see 'bugsieve generate transport --help'",
        ),
        ("transport --vehicles", "--vehicles must be followed by a value"),
        (f"transport --vehicles {'9' * 5000}", f"must be a whole number, got '{'9' * 40}…'"),
        (f"transport --vehicles {'9' * 50}", f"must be at most 1000, got {'9' * 40}…"),
        ("scanalyzer --cycle 3", "cycle must be 2 or 4, got 3"),
        ("scanalyzer --cycle x", "--cycle must be a whole number, got 'x'"),
        ("scanalyzer --analysis x", "analysis must be all or lane or single, got x"),
        ("bouncing-ball --dt 5", "--dt must be at most 0.9, got 5"),
        ("bouncing-ball --dt nan", "--dt must be at least 0.01, got nan"),
        ("bouncing-ball --dt x", "--dt must be a number, got 'x'"),
        ("one-way-line --max_speed 2", "'--max_speed' (did you mean '--max-speed'?)"),
        ("one-way-line --variant wet", "variant must be park or icy or deterministic, got wet"),
        ("ferry --seed -1", "--seed must be at least 0, got -1"),
        ("ferry --seed 1.5", "--seed must be a whole number, got '1.5'"),
        ("--cars 4 ferry", ORDER),
        ("--cars=4 ferry", ORDER),
        ("--scattered gripper", ORDER),
        ("--sed 4 ferry", "unknown argument '--sed' (did you mean '--seed'?)"),
    ],
)
def test_wrong_calls(arguments: str, sentence: str) -> None:
    with pytest.raises(UsageError) as caught:
        call(*arguments.split())
    assert sentence in str(caught.value)


def test_a_file_in_the_way(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("mine")
    for folder in (file, file / "inner", file / "inner" / "most"):
        with pytest.raises(InputError, match="file is a file, but -o takes the folder"):
            call("ferry", "-o", str(folder))
    assert file.read_text() == "mine"


@pytest.mark.parametrize("name", ["domain.pddl", "problem.pddl"])
def test_both_files_or_none(name: str, tmp_path: Path) -> None:
    (tmp_path / name).mkdir()
    with pytest.raises(InputError, match="cannot write to the folder .*: Is a directory"):
        call("ferry", "-o", str(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_an_earlier_task_is_replaced(tmp_path: Path) -> None:
    for domain in ("ferry", "gripper"):
        assert call(domain, "--seed", "1", "-o", str(tmp_path)) == 0
        assert (tmp_path / "domain.pddl").read_text() == generate(domain, seed=1).domain
        assert (tmp_path / "problem.pddl").read_text() == generate(domain, seed=1).problem


@pytest.mark.parametrize("name", ["domain.pddl", "problem.pddl"])
def test_the_work_of_others_is_not_replaced(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("(define (written by hand))")
    with pytest.raises(InputError, match=f"{name} was not made by 'bugsieve generate'"):
        call("ferry", "-o", str(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text() == "(define (written by hand))"


def test_only_the_chosen_domain_is_imported(tmp_path: Path) -> None:
    from subprocess import run

    code = (
        "import sys; from bugsieve.cli import main; "
        f"main(['generate', 'ferry', '-o', {str(tmp_path)!r}]); "
        "print(*(name for name in sys.modules if name in "
        "('numpy', 'bugsieve._native', 'bugsieve.rooms.zoo.ferry.generator', "
        "'bugsieve.rooms.zoo.rovers.generator', 'bugsieve.rooms.zoo.lines')))"
    )
    child = run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert child.stdout.splitlines()[2:] == ["bugsieve.rooms.zoo.ferry.generator"]
