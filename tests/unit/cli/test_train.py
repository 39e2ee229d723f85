"""train, select, status, resume, export and plot on a tiny training, and what they refuse."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from bugsieve.campaigns.events import RoundDone
from bugsieve.commands.shared.campaign_display import progress_line
from bugsieve.commands.shared.program import main
from bugsieve.rooms.training.campaign.options import TrainingOptions
from bugsieve.rooms.training.campaign.summary import BestModel
from bugsieve.rooms.training.campaign.wording import TrainingWording, best_line
from bugsieve.rooms.training.commands.train import command_of
from bugsieve.rooms.training.store.records import TrainingRecords
from tests.unit.training.networks import write_visitall

Captured = pytest.CaptureFixture[str]
QUICK = [
    "--inits=2", "--start-epochs=1", "--main-epochs=2", "--steps=2", "--hidden=4", "--layers=1",
    "--pool-size=5", "--seed=3",
]  # fmt: skip
TOLD = "no model solves a validation task, so scores say nothing: choose with --by loss"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    domain, problems = write_visitall(tmp_path_factory.mktemp("files"), 2, 3, 2, 3)
    return [domain, *problems]


@pytest.fixture(scope="module")
def training(files: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("torch")
    folder = tmp_path_factory.mktemp("training") / "dir"
    words = ["train", "asnets", *files[:2], "--validate", *files[2:], "-o", str(folder), *QUICK]
    assert main(words) == 0
    return folder


def test_status_says_how_far_it_is(training: Path, capsys: Captured) -> None:
    assert main(["status", str(training)]) == 0
    text = capsys.readouterr().out
    for part in (
        "training of ASNets for the domain",
        "6 of 6 models in",
        "(all models are trained)",
        "training tasks: 1, at most",
        "validation tasks: 3, at most",
        TOLD,
        "teacher:",
        "of which the limit on work cut 0",
    ):
        assert part in text
    assert main(["status", str(training), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["models"], report["planned"], report["found"]) == (6, 6, [])
    assert 0 <= report["best"]["score"] <= 1
    assert report["best"]["validation_tasks"] == 3


def test_status_of_several_asks_trainings_for_no_bugs(training: Path, capsys: Captured) -> None:
    assert main(["status", str(training)]) == 0
    best, *_ = capsys.readouterr().out.splitlines()
    assert main(["status", str(training.parent)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "1 campaign, bugs were not looked for",
        f"  dir  {best} (all models are trained)",
    ]


def test_select_writes_a_policy_that_can_be_tested(
    training: Path, files: list[str], tmp_path: Path, capsys: Captured
) -> None:
    file = tmp_path / "policy.safetensors"
    words = ["select", str(training), "--tree", "-o", str(file)]
    assert main(words) == 0
    text = capsys.readouterr().out
    assert [line.split()[0] for line in text.splitlines()[2:6]] == [
        *("early", "loss", "solved", "pi-test"),
    ]
    assert "untrained" in text and "<- " in text
    assert ", which solves 0 of 3 validation tasks; scores are relative to the best model" in text
    assert f"use it as asnets:{file}" in text
    size = int.from_bytes(file.read_bytes()[:8], "little")
    about = json.loads(file.read_bytes()[8 : 8 + size])["__metadata__"]
    assert about["seed"] == "3" and about["criterion"] == "pi-test"
    assert about["command"].startswith("bugsieve train asnets ")
    assert main(["rollout", files[0], files[1], "--policy", f"asnets:{file}"]) in (0, 1)


def test_select_says_where_scores_say_nothing(
    training: Path, tmp_path: Path, capsys: Captured
) -> None:
    for by, note in (("pi-test", f"note: {TOLD}\n"), ("loss", "")):
        assert main(["select", str(training), "--by", by, "-o", f"{tmp_path}/a.safetensors"]) == 0
        assert capsys.readouterr().err == note


def test_select_by_test_tasks_peeks(training: Path, files: list[str], capsys: Captured) -> None:
    words = ["select", str(training), "--by", "test", "--json", "--test", *files[1:3]]
    assert main(words) == 0
    report = json.loads(capsys.readouterr().out)
    rows = {row["criterion"]: row for row in report["criteria"]}
    assert rows["test"]["test"] == max(row["test"] for row in rows.values())
    assert report["chosen"] == rows["test"]["model"]


def test_the_command_is_told_as_it_was_typed(training: Path, files: list[str]) -> None:
    with TrainingRecords(training) as records:
        options = TrainingOptions.from_toml(records.header.options, name="options")
    words = shlex.split(command_of(options))
    assert words[:3] == ["bugsieve", "train", "asnets"]
    typed = [word for option in QUICK for word in option.split("=")]
    rest = words[3 + len(files) + 1 :]
    pairs = sorted(zip(rest[::2], rest[1::2], strict=True))
    assert pairs == sorted(zip(typed[::2], typed[1::2], strict=True))


def test_a_score_is_told_as_relative() -> None:
    """The best of all models has 1, however few tasks it solves."""
    model = BestModel(
        number=7,
        epoch=3,
        score=1.0,
        solved=2,
        validation_tasks=5,
        states=50,
        solved_states=20,
        bug_states=31,
    )
    assert best_line(model) == (
        "best score 1.000 (relative to the best models): model 7 after 3 epochs solves 2 of 5 "
        "validation tasks and 40.0 % of 50 pool states, 62.0 % are bugs"
    )


@pytest.mark.parametrize(
    ("made", "seconds", "told"),
    [
        (0, 1.0, ["model 0 of 12"]),
        (3, 60.0, ["model 3 of 12", "about 3 min left to train"]),
        (11, 22.0, ["model 11 of 12", "about 2 s left to train"]),
        (12, 60.0, ["model 12 of 12"]),
    ],
)
def test_time_left_is_told(made: int, seconds: float, told: list[str]) -> None:
    state = RoundDone(
        kind="training",
        walks=0,
        rounds=made,
        cases=made,
        limit=12,
        judged=made,
        bugs={},
        seconds=seconds,
        per_second=1.0,
        policy_calls=0,
        last_bug_seconds=None,
    )
    assert TrainingWording().progress(state) == told
    assert progress_line(state, None).startswith(", ".join(told))


def test_a_file_is_not_for_training_and_validation(
    files: list[str], tmp_path: Path, capsys: Captured
) -> None:
    """Neither under its own name, nor by a link, nor as a copy."""
    domain, first, second, *_ = files
    link, copy = tmp_path / "link.pddl", tmp_path / "copy.pddl"
    link.symlink_to(first)
    copy.write_bytes(Path(first).read_bytes())
    for twin in (first, str(link), str(copy)):
        words = ["train", "asnets", domain, first, "--validate", second, twin, *QUICK]
        assert main([*words, "-o", str(tmp_path / "dir")]) == 4
        told = capsys.readouterr().err
        assert f"{twin}: is " in told and "among the tasks to train on" in told
        assert len(told.strip().splitlines()) == 1
        assert not (tmp_path / "dir").exists()


def test_a_finished_training_has_nothing_to_go_on_with(training: Path, capsys: Captured) -> None:
    assert main(["resume", str(training)]) == 0
    assert "6 of 6 models" in capsys.readouterr().out


def test_export_and_plot(training: Path, tmp_path: Path) -> None:
    assert main(["export", str(training), "--json", str(tmp_path / "out.json")]) == 0
    tables = json.loads((tmp_path / "out.json").read_text())
    assert len(tables["models"]) == 6 and len(tables["tests"]) == 18
    assert {row["role"] for row in tables["tasks"]} == {"training", "validation"}
    pytest.importorskip("matplotlib")
    for name in ("a.svg", "b.svg"):
        words = ["plot", str(training), "--kind", "models", "-o", str(tmp_path / name)]
        assert main(words) == 0
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_without_validation_tasks_no_untrained_model_is_taken_for_the_best(
    files: list[str], tmp_path: Path, capsys: Captured
) -> None:
    pytest.importorskip("torch")
    folder = str(tmp_path / "dir")
    assert main(["train", "asnets", *files[:2], "-o", folder, *QUICK, "--main-epochs=0"]) == 0
    text = capsys.readouterr().out
    assert "--by loss -o" in text and "best score" not in text
    assert main(["select", folder, "-o", str(tmp_path / "a.safetensors")]) == 4
    assert "--by (early, loss)" in capsys.readouterr().err
    assert not (tmp_path / "a.safetensors").exists()
    assert main(["select", folder, "--by", "loss", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["chosen"] in (1, 3)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["train", "asnets", "{d}"], "required: PROBLEM"),
        (["train", "gnn", "{d}", "{p}"], "invalid choice"),
        (["train", "asnets", "{d}", "{p}"], "name some (--validate)"),
        (["train", "asnets", "{d}", "{p}", "{p}"], "named twice"),
        (["train", "asnets", "{d}", "{p}", "--online", "x"], "there is no online selection 'x'"),
        (["train", "asnets", "{d}", "{p}", "--teacher", "x"], "there is no teacher 'x'"),
        (["train", "asnets", "{d}", "{p}", "--online=random", "--oracle=x"], "no oracle 'x'"),
        (["train", "asnets", "{d}", "{p}", "--dropout", "1"], "--dropout must be less than 1"),
        (["train", "asnets", "{d}", "{d}", "--online=random"], "is a domain"),
        (["train", "asnets", "{d}", "{p}", "--online=random", "-o", "{t}"], "holds a campaign"),
        (["select", "{t}", "--by", "x"], "there is no criterion 'x'"),
        (["select", "{t}", "--by", "test"], "needs test tasks"),
        (["select", "{t}", "-o", "x.txt"], "must end in .safetensors"),
        (["select", "{t}", "--test", "{d}"], "none of the test tasks can be used"),
        (["select", "{t}", "--test", "{p}", "{d}/x"], "domain.pddl/x: "),
        (["train", "asnets", "{d}", "{p}", "--validate", "{t}"], "is a directory"),
        (["test", "--from", "{t}"], "is a campaign of training, which"),
        (["plot", "{t}", "-o", "x.svg"], "'--kind models' draws its models"),
        (["plot", "{t}", "{t}", "--kind=models", "-o", "x.svg"], "the folder of one training"),
        (["compare", "{t}", "{t}"], "is a campaign of training, which"),
        (["table", "icaps22", "{t}"], "training"),
        (["replay", "{t}", "x"], "training"),
        (["explain", "{t}", "x"], "training"),
    ],
)
def test_what_is_refused(
    training: Path, files: list[str], capsys: Captured, words: list[str], sentence: str
) -> None:
    filled = [word.format(d=files[0], p=files[1], t=training) for word in words]
    assert main(filled) == 4
    error = capsys.readouterr().err
    assert sentence in error and error.count("\n") <= 3
