"""What the command line says of an experiment beside its file, and the files that need it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bugsieve.base.errors import InputError, UsageError
from bugsieve.campaigns.options import CostOptions
from bugsieve.cli import main
from bugsieve.rooms.formats.asnets.files import save_weights
from bugsieve.rooms.formats.asnets.grounding import ground
from bugsieve.rooms.formats.asnets.weights import random_weights
from bugsieve.rooms.lab.experiments.adjustments import Adjustments
from bugsieve.rooms.lab.experiments.experiment import Experiment, ExperimentStarted
from bugsieve.rooms.lab.experiments.file import read_experiment
from bugsieve.rooms.lab.experiments.grid import Cell, Grid
from bugsieve.rooms.zoo.domains import generate
from bugsieve.tasks.grounded.loading import load_task
from tests.unit.experiments.experiments import read, shipped

GRID = """
data = "here"
policies = { net = "asnets:gripper/net.safetensors", built-in = "random" }
oracles = ["lookahead:1"]
[campaign]
stop.max_time = 7
fuzz.pool_size = 9
[[domains]]
domain = "gripper/domain.pddl"
problems = ["gripper/p[12].pddl"]
[[domains]]
label = "other"
domain = "gripper/domain.pddl"
problems = ["gripper/p3.pddl"]
"""
SHARED = Path(__file__).parents[4] / "shared" / "benchmarks"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder of three problems and a network with random weights."""
    folder = tmp_path / "elsewhere"
    (folder / "gripper").mkdir(parents=True)
    for balls in (1, 2, 3):
        made = generate("gripper", balls=balls)
        (folder / "gripper" / "domain.pddl").write_text(made.domain)
        (folder / "gripper" / f"p{balls}.pddl").write_text(made.problem)
    signature = ground(load_task(folder / "gripper/domain.pddl", folder / "gripper/p1.pddl"))
    weights = random_weights(signature.signature, np.random.default_rng(0))
    save_weights(folder / "gripper" / "net.safetensors", weights, signature.signature)
    return folder


def adjusted(folder: Path, text: str = GRID, **changes: object) -> Grid:
    path = folder / "grid.toml"
    path.write_text(text)
    return read_experiment(path, Adjustments(**changes))  # type: ignore[arg-type]


def options_of(cell: Cell) -> CostOptions:
    assert isinstance(cell.options, CostOptions)
    return cell.options


def test_files_and_policies_are_in_the_data_folder(tmp_path: Path, data: Path) -> None:
    grid = adjusted(tmp_path, data=data)
    names = {(cell.instance.domain, cell.instance.name) for cell in grid.cells}
    assert names == {("gripper", "p1"), ("gripper", "p2"), ("other", "p3")}
    folders = {cell.policy: options_of(cell).policy_folder for cell in grid.cells}
    assert folders == {"net": str(data), "built-in": ""}  # the last one names no file
    data.rename(tmp_path / "here")
    assert [cell.folder for cell in adjusted(tmp_path).cells] == [c.folder for c in grid.cells]


def test_a_folder_that_is_not_there_or_not_wanted(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"grid\.toml: data: there is no folder .*here: .*--data"):
        adjusted(tmp_path)
    with pytest.raises(InputError, match="there is no folder nowhere"):
        adjusted(tmp_path, data=Path("nowhere"))
    with pytest.raises(UsageError, match="names no 'data' folder"):
        adjusted(tmp_path, GRID.replace('data = "here"', ""), data=tmp_path)
    with pytest.raises(InputError, match="data must be a text"):
        read(tmp_path, GRID.replace('"here"', "3"))


def test_a_policy_file_is_sought_below_the_data_folder_only(
    tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(data)
    (tmp_path / "here" / "gripper").mkdir(parents=True)
    with pytest.raises(InputError, match=r"there is no file 'gripper/net\.safetensors'"):
        adjusted(tmp_path)


def test_limits_and_options(tmp_path: Path, data: Path) -> None:
    settings = (
        "fuzz.pool_size=3",
        "fuzz.bias = uniform",
        "limits.expansions=none",
        "step_limit=5",
    )
    for cell in adjusted(tmp_path, data=data, limit=30.0, settings=settings).cells:
        options = options_of(cell)
        assert options.stop.max_time == 30 and options.limits.expansions is None
        assert (options.fuzz.pool_size, options.fuzz.bias) == (3, "uniform")
        assert options.step_limit == 5


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("fuzz.pool_size", "--set fuzz.pool_size: must be KEY=VALUE"),
        ("=3", "--set =3: must be KEY=VALUE"),
        ("fuz.pool_size=3", "campaign: there is no key 'fuz' .*'fuzz'"),
        ("fuzz.pool_size=many", r"must be a whole number, got 'many' \(with --set fuzz"),
        ("fuzz.pool_size=0", "the pool size must be at least 1"),
    ],
)
def test_wrong_settings(tmp_path: Path, data: Path, text: str, sentence: str) -> None:
    with pytest.raises((UsageError, InputError), match=sentence):
        adjusted(tmp_path, data=data, settings=(text,))


def test_a_part_of_the_grid(tmp_path: Path, data: Path) -> None:
    whole = adjusted(tmp_path, data=data).cells
    assert adjusted(tmp_path, data=data, only=("gripper", "other")).cells == whole
    one = adjusted(tmp_path, data=data, only=("*/p[13]",)).cells
    assert [cell.instance.name for cell in one] == ["p1", "p3", "p1", "p3"]
    assert set(one) < set(whole)
    with pytest.raises(UsageError, match=r"--only griper: .*did you mean 'gripper'"):
        adjusted(tmp_path, data=data, only=("gripper", "griper"))


@pytest.mark.usefixtures("no_preloaded_sanitizer")
def test_a_part_then_all_and_from_a_folder_that_was_moved(tmp_path: Path, data: Path) -> None:
    """Campaigns keep what they need, so that those which are done stay done."""
    place = tmp_path / "out"
    part = adjusted(tmp_path, data=data, only=("gripper/p1",))
    assert Experiment(part, place).run(workers=1).done == 2
    data.rename(tmp_path / "here")
    grid = adjusted(tmp_path)
    done: list[object] = []
    summary = Experiment(grid, place).run(workers=1, on_event=done.append)
    assert (summary.done, summary.exit_code) == (6, 0)
    assert isinstance(done[0], ExperimentStarted) and done[0].done == 2


@pytest.mark.usefixtures("no_preloaded_sanitizer")
def test_the_options_of_the_command(
    tmp_path: Path, data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "grid.toml").write_text(GRID)
    command = ["experiment", str(tmp_path / "grid.toml"), "-o", str(tmp_path / "out")]
    command += ["--data", str(data), "--only", "other", "--limit", "60", "--workers", "1"]
    assert main([*command, "--set", "fuzz.pool_size=2"]) == 0
    assert "2 campaigns: 2 done" in capsys.readouterr().out
    kept = (tmp_path / "out/other/p3/net_default_seed-0/options.toml").read_text()
    assert "pool_size = 2" in kept and "max_time = 60.0" in kept
    assert main([*command, "--set", "fuzz.pool_size=3"]) == 4
    assert "fuzz.pool_size was 2 and is 3" in capsys.readouterr().err


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs the published policies")
@pytest.mark.parametrize("name", ["icaps22-asnets.toml", "icaps23-asnets.toml"])
def test_the_experiments_on_published_policies(name: str) -> None:
    """Nine ASNets and four graph networks, four problems each, within three hours on two cores."""
    cells = shipped(name).cells
    instances = {(cell.policy, cell.instance.domain): set[str]() for cell in cells}
    for cell in cells:
        instances[cell.policy, cell.instance.domain].add(cell.instance.name)
    policies = [policy for policy, _ in instances]
    assert (policies.count("asnets"), policies.count("gnn")) == (9, 4)
    assert {len(names) for names in instances.values()} == {4}
    seconds = [options_of(cell).stop.max_time or np.inf for cell in cells]
    assert sum(seconds) / 2 <= 2.7 * 3600
    for options in map(options_of, cells):
        assert options.unit_cost and options.fuzz.pool_size == 200


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs the published policies")
def test_an_oracle_has_at_most_half_a_minute_for_a_task() -> None:
    together = options_of(shipped("icaps22-asnets.toml").cells[0])
    assert together.limits.seconds is not None
    assert together.limits.seconds * together.fuzz.pool_size <= 30
    cells = shipped("icaps23-asnets.toml").cells
    assert all((options_of(cell).stop.max_time or 31) <= 30 for cell in cells)
    assert all(len(cell.options.oracles) == 1 for cell in cells if not cell.makes_pool)
