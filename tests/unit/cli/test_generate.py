"""`bugsieve generate`: files, help that fits the domain, and refusals in one line."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import pytest

from bugsieve.basis.errors import InputError, UsageError
from bugsieve.cli import generate as command
from bugsieve.domains import domain_names, generate


def call(*arguments: str) -> int:
    parser = argparse.ArgumentParser(prog="bugsieve")
    command.register(parser.add_subparsers())
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


def test_the_command_in_a_problem_makes_it_again(tmp_path: Path) -> None:
    for domain in domain_names():
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
    assert [line.split()[0] for line in lines] == list(domain_names())
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


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("", "say which domain to generate; 'bugsieve generate --list' shows them"),
        ("transprt", "no built-in domain 'transprt' (did you mean 'transport'?)"),
        (
            "transport --vehicle 3",
            "unknown argument '--vehicle' (did you mean '--vehicles'?); "
            "see 'bugsieve generate transport --help'",
        ),
        ("transport --nodse=3", "unknown argument '--nodse' (did you mean '--nodes'?)"),
        ("transport problem.pddl", "unknown argument 'problem.pddl'"),
        ("transport --vehicles 0", "vehicles must be at least 1, got 0"),
        ("transport --vehicles many", "argument --vehicles: invalid int value: 'many'"),
        ("transport --vehicles", "argument --vehicles: expected one argument"),
        ("scanalyzer --cycle 3", "argument --cycle: invalid choice: 3"),
    ],
)
def test_wrong_calls(arguments: str, sentence: str) -> None:
    with pytest.raises(UsageError) as caught:
        call(*arguments.split())
    assert sentence in str(caught.value)


def test_a_file_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot write to the folder .*file: File exists"):
        call("ferry", "-o", str(tmp_path / "file"))
    (tmp_path / "dir" / "domain.pddl").mkdir(parents=True)
    with pytest.raises(InputError, match="cannot write to the folder .*dir: Is a directory"):
        call("ferry", "-o", str(tmp_path / "dir"))
    assert [path.name for path in (tmp_path / "dir").iterdir()] == ["domain.pddl"]


def test_only_the_chosen_domain_is_imported(tmp_path: Path) -> None:
    from subprocess import run

    code = (
        "import sys; from bugsieve.cli import main; "
        f"main(['generate', 'ferry', '-o', {str(tmp_path)!r}]); "
        "print(*(name for name in sys.modules if name in "
        "('numpy', 'bugsieve._native', 'bugsieve.domains.ferry', 'bugsieve.domains.rovers')))"
    )
    child = run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert child.stdout.splitlines()[2:] == ["bugsieve.domains.ferry"]
