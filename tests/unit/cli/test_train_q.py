"""train-q: writes a network that a policy can be made of, and says how good it is."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from bugsieve.base.errors import UsageError
from bugsieve.commands.shared.program import main
from bugsieve.rooms.training.commands import train_q
from bugsieve.rooms.training.torch_loading import require_torch
from tests.unit.tasks.jani.small import write
from tests.unit.training.path import document

QUICK = [
    "--hidden=16", "--steps=8000", "--learning-rate=0.005", "--epsilon-decay=5000",
    "--buffer=5000", "--batch=32", "--warmup=200", "--target-every=50", "--envs=16",
    "--episode-limit=40", "--evaluate-every=1000", "--evaluation-runs=50",
]  # fmt: skip


@pytest.fixture
def model(tmp_path: Path) -> str:
    return str(write(tmp_path, document(), "path.jani"))


def test_a_network_is_written(
    model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch")
    from bugsieve.rooms.formats.networks import read_network

    file = tmp_path / "net.safetensors"
    assert main(["train-q", model, "-o", str(file), *QUICK]) == 0
    text = capsys.readouterr().out
    assert "best network     goal 100.0 %, unsafe 0.0 %" in text
    assert f"use it as mlp:{file}" in text
    network = read_network(str(file))
    assert network.inputs == ("position", "load")
    assert network.filter
    size = int.from_bytes(file.read_bytes()[:8], "little")
    about = json.loads(file.read_bytes()[8 : 8 + size])["__metadata__"]
    assert json.loads(about["options"])["hidden"] == [16]
    assert json.loads(about["results"])["best"]["goal_rate"] == 1.0


def test_json(model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch")
    file = tmp_path / "net.safetensors"
    assert main(["train-q", model, "-o", str(file), "--json", "--seed=5", *QUICK]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["network"] == str(file)
    assert report["options"]["seed"] == 5
    assert report["random"]["unsafe_rate"] > 0
    assert not report["interrupted"]


def test_an_interruption_writes_the_best_network(
    model: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("torch")
    taken = train_q.TrainingDisplay.take

    def take(self: train_q.TrainingDisplay, event: object) -> None:
        taken(self, event)  # type: ignore[arg-type]
        if getattr(event, "steps", 0) >= 2000:
            raise KeyboardInterrupt

    monkeypatch.setattr(train_q.TrainingDisplay, "take", take)
    file = tmp_path / "net.safetensors"
    assert main(["train-q", model, "-o", str(file), "--stop-at=2", *QUICK]) == 2
    assert "interrupted after 2000 steps" in capsys.readouterr().out
    assert file.is_file()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--hidden=0"], "--hidden must be at least 1"),
        (["--seed", "-1"], "--seed must be at least 0, got -1"),
        (["--hidden=8,x"], "--hidden must be a whole number"),
        (["--discount=1.5"], "--discount must be at most 1"),
        (["--steps=0"], "--steps must be at least 1"),
        (["--epsilon-start=0.1", "--epsilon-end=0.5"], "--epsilon-end must be at most --eps"),
        (["--batch=64", "--buffer=32"], "error: --batch must be at most --buffer"),
        (["--learning-rate=0"], "error: --learning-rate must be greater than 0"),
        (["-o", "no/such/folder/net.safetensors"], "create it first"),
        (["-o", "."], "is a folder"),
        (["-o", "net.txt"], "net.txt: the name must end in .safetensors"),
    ],
)
def test_bad_calls(
    arguments: list[str], expected: str, model: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["train-q", model, *arguments]) == 4
    assert expected in capsys.readouterr().err


def test_a_missing_model(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train-q", "no-such.jani"]) == 4
    assert "no-such.jani" in capsys.readouterr().err


def test_without_pytorch(
    model: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(UsageError, match="PyTorch"):
        require_torch()
    assert main(["train-q", model]) == 4
    assert "pip install 'bugsieve[train]'" in capsys.readouterr().err


def test_the_display_says_how_far_it_is() -> None:
    pytest.importorskip("torch")
    from bugsieve.rooms.training.environments import Evaluation
    from bugsieve.rooms.training.q_learning import Evaluated, TrainingStarted

    display = train_q.TrainingDisplay(1000)
    assert display.lines()[0].startswith("starting")
    display.take(TrainingStarted(Evaluation(0.0, 1.0, 3.0), ""))
    display.take(Evaluated(500, Evaluation(0.5, 0.25, 9.0), True, 0.125, 0.3, 2.0))
    (line,) = display.lines()
    assert line.startswith("step 500 of 1000, goal 50.0 %, unsafe 25.0 %, loss 0.1250")
    assert line.endswith("best goal 50.0 %, unsafe 25.0 % after 500 steps")
