"""Files of experiments with trainings: selections of tasks, and a sentence for each mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from bugsieve.rooms.lab.experiments.file import read_experiment
from bugsieve.rooms.lab.experiments.trainings import TrainingInstance
from bugsieve.rooms.training.campaign.options import TrainingOptions
from tests.unit.experiments.experiments import check_refused, read

DATA_FOLDER = "../../shared/benchmarks"

_TEXT = """
seeds = [3, 4]
budgets = [4, 6]
campaign.schedule = { inits = 2, start_epochs = 1 }

[[trainings]]
training = { generator = "gripper", parameters = { balls = [1, 2] } }
validation = { generator = "gripper", parameters = { balls = [3] } }
test = { generator = "gripper", parameters = { balls = [3, 4] } }
"""


def _instance(folder: Path, text: str) -> TrainingInstance:
    instance = read(folder, text).cells[0].instance
    assert isinstance(instance, TrainingInstance)
    return instance


def test_trainings_of_a_file(tmp_path: Path) -> None:
    grid = read(tmp_path, _TEXT)
    labels = ["start", "line 4", "line 6", "line pi-test", "tree", "tree pi-test"]
    assert [(c.policy, c.seed) for c in grid.cells] == [(x, s) for s in (3, 4) for x in labels]
    for cell in grid.cells:
        assert isinstance(cell.options, TrainingOptions) and cell.options.fuzz.seed == cell.seed
        is_main = cell.policy in labels[3:]
        assert cell.after == (f"gripper/training/start_seed-{cell.seed}" if is_main else "")
    assert grid.final is not None and grid.final.fuzz.pool_size == 100


def test_tasks_are_selected_by_rules(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    for number in range(1, 10):
        (tmp_path / "p" / f"p{number}.pddl").write_text(f"problem {number}")
    (tmp_path / "domain.pddl").write_text("domain")
    text = """
    budgets = [4]
    campaign.schedule = { inits = 2, start_epochs = 1 }
    [[trainings]]
    label = "x"
    domain = "domain.pddl"
    training = { problems = ["p/*.pddl"], most = 3 }
    validation = { problems = ["p/*.pddl"], after = 3, every = 2, most = 2 }
    test = { problems = ["p/*.pddl"], after = 7 }
    """
    instance = _instance(tmp_path, text)
    assert [task.name for task in instance.training] == ["p1", "p2", "p3"]
    assert [task.name for task in instance.validation] == ["p4", "p6"]
    assert [task.name for task in instance.test] == ["p8", "p9"]
    options = instance.named_in(read(tmp_path, text).cells[0].options, instance.files_in(tmp_path))
    assert isinstance(options, TrainingOptions)
    assert options.domain == str(tmp_path / "domain.pddl")
    assert options.validation == tuple(str(tmp_path / "p" / f"p{n}.pddl") for n in (4, 6))
    assert instance.contents_in(tmp_path) == {}
    assert instance.difference(options) is None


def test_other_tasks_are_a_difference(tmp_path: Path) -> None:
    instance = _instance(tmp_path, _TEXT)
    cell = read(tmp_path, _TEXT).cells[0]
    moved = instance.named_in(cell.options, instance.files_in(Path("/elsewhere")))
    assert instance.difference(moved) is None
    other = _instance(tmp_path, _TEXT.replace("balls = [3] }", "balls = [5] }"))
    assert other.difference(moved) == "it has other validation tasks"


def test_generated_tasks_are_written(tmp_path: Path) -> None:
    instance = _instance(tmp_path, _TEXT)
    contents = instance.contents_in(tmp_path / "tasks")
    files = (*instance.files_in(tmp_path / "tasks"),)
    tests = [f for pair in instance.tests_in(tmp_path / "tasks").values() for f in pair]
    assert {str(path) for path in contents} >= {*files, *tests}


@pytest.mark.parametrize(
    ("old", "new", "sentence", "place"),
    [
        ("budgets = [4, 6]", "", "budgets must be a list", ""),
        ("budgets = [4, 6]", "budgets = [5]", "5 epochs cannot be divided", ""),
        ("budgets = [4, 6]", "budgets = [4]\nmore_epochs = 1.5", "more_epochs must be whole", ""),
        ("budgets", "budgts = 1\nbudgets", "budgts", ""),
        ("balls = [3] }", "balls = [3] }, most = 0", "most must be", ": trainings, no. 1"),
        ("balls = [3] }", "balls = [3] }, after = 1", "no task is left", ": trainings, no. 1"),
        ('{ generator = "gripper", parameters = { balls = [3] } }', "7", "must be a table", ""),
        ('"gripper", parameters = { balls = [3] }', '"ferry"', "one domain file", ": trainings"),
        ("inits = 2", "intis = 2", "inits", ": campaign"),
        ("campaign.schedule", "campaign.workers = 2\ncampaign.schedule", "workers", ": campaign"),
        ("[[trainings]]", "[test]\npool = 3\n[[trainings]]", "pool", ": test"),
        ("[[trainings]]", "[test]\nfuzz.bias = 'loop'\n[[trainings]]", "bias", ": test"),
        ("[[trainings]]", "[test]\noracles = ['bm:1']\n[[trainings]]", "bm", ": test"),
    ],
)
def test_mistakes_have_a_sentence(
    tmp_path: Path, old: str, new: str, sentence: str, place: str
) -> None:
    assert old in _TEXT
    check_refused(tmp_path, _TEXT.replace(old, new), sentence, place=place)


@pytest.mark.parametrize("name", ["icaps25-small.toml", "icaps25.toml"])
def test_shipped_experiments_can_be_read(name: str) -> None:
    path = Path(__file__).parents[3] / "experiments" / name
    if not path.exists():
        pytest.skip("the experiment is part of the repository, not of the package")
    if not (path.parent / DATA_FOLDER).is_dir():
        pytest.skip("the problems are in a data folder beside the repository")
    for cell in read_experiment(path).cells:
        assert isinstance(cell.instance, TrainingInstance)
        assert len(cell.instance.test) >= 30
