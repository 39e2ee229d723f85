"""Experiments whose objective is a file of rules, which is beside the file of the experiment."""

from __future__ import annotations

from pathlib import Path

import pytest

from bugsieve.base.errors import InputError
from bugsieve.campaigns.options import CostOptions
from bugsieve.rooms.lab.experiments.experiment import Experiment
from bugsieve.rooms.lab.experiments.file import read_experiment
from tests.unit.benches.test_rules import RULES
from tests.unit.experiments.experiments import run

GRID = """
name = "ruled"
policies = ["random"]
oracles = ["planner:gbfs-2000"]
{data}
[campaign]
objective = "{objective}"
fuzz.pool_size = 4
fuzz.round_walks = 2
[[domains]]
generator = "ferry"
"""


def written(folder: Path, objective: str = "rules:rules.toml", *, data: str = "") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "rules.toml").write_text(RULES)
    (folder / "grid.toml").write_text(GRID.format(objective=objective, data=data))
    return folder / "grid.toml"


def test_rules_are_beside_the_experiment_and_must_not_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path / "there")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    for named in (path, Path("../there/grid.toml")):
        (cell,) = read_experiment(named).cells
        assert isinstance(cell.options, CostOptions)
        assert cell.options.objective == f"rules:{tmp_path / 'there' / 'rules.toml'}"
    for _ in range(2):  # what is finished is known again, though the campaigns keep the rules
        summary, _ = run(Experiment(read_experiment(path), tmp_path / "out"))
        assert (summary.done, summary.failures) == (1, {})
    (path.parent / "rules.toml").write_text(RULES.replace("FR-1", "FR-9"))
    with pytest.raises(InputError, match="objective was"):
        Experiment(read_experiment(path), tmp_path / "out").run()


def test_with_a_data_folder_rules_are_there(tmp_path: Path) -> None:
    path = written(tmp_path / "there", data='data = "../data"')
    (tmp_path / "data").mkdir()
    (cell,) = read_experiment(path).cells
    assert isinstance(cell.options, CostOptions)
    place = Path(cell.options.objective.removeprefix("rules:"))
    assert place == (tmp_path / "data" / "rules.toml")


@pytest.mark.parametrize("objective", ["rules:constraints", "qualitative", "rules:/a/rules.toml"])
def test_what_names_no_file_beside_it_stays_as_it_is(tmp_path: Path, objective: str) -> None:
    (cell,) = read_experiment(written(tmp_path, objective)).cells
    assert isinstance(cell.options, CostOptions)
    assert cell.options.objective == objective
