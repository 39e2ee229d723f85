"""Experiment files on safety: the grid they stand for, and a sentence for each mistake."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bugsieve.base.errors import InputError
from bugsieve.rooms.lab.experiments.grid import Grid
from bugsieve.rooms.lab.experiments.models import ModelInstance
from bugsieve.rooms.safety.campaign.options import DEFAULT_SAFETY_ORACLES, SafetyOptions
from bugsieve.rooms.training.options import QOptions
from bugsieve.rooms.zoo.model_domains import generate_model
from tests.unit.campaigns.safety.ledge import ledge
from tests.unit.experiments.experiments import check_refused, read, shipped

SMALL = """
policies = ["random"]
[[models]]
generator = "beluga"
"""
TRAINED = SMALL.replace('["random"]', "{ net = { train = { %s } } }")


def options_of(grid: Grid) -> list[SafetyOptions]:
    options = [cell.options for cell in grid.cells]
    assert all(isinstance(each, SafetyOptions) for each in options)
    return [each for each in options if isinstance(each, SafetyOptions)]


def test_the_smallest_file_has_defaults(tmp_path: Path) -> None:
    grid = read(tmp_path, SMALL)
    (cell,) = grid.cells
    made = generate_model("beluga")
    assert grid.is_safety
    assert isinstance(cell.instance, ModelInstance)
    assert cell.instance.texts == (made.text.encode(),)
    assert json.loads(cell.instance.document)["variables"] == made.document["variables"]
    assert (cell.policy, cell.options.policy, cell.training) == ("random", "random", None)
    assert cell.options.oracles == DEFAULT_SAFETY_ORACLES
    assert cell.folder == "beluga/beluga-seed-0/random_default_seed-0"


def test_every_combination_is_a_campaign(tmp_path: Path) -> None:
    grid = read(
        tmp_path,
        """
        seeds = [3, 4]
        policies = { lucky = "random" }
        oracles = ["tarjan", "lrtdp:inf"]
        [campaign]
        alone = 7
        limits.expansions = 9
        fuzz.walks = 20
        fuzz.choice = "uniform"
        [fuzzers.one]
        lookahead = 1
        oracles = ["vi"]
        [fuzzers.all]
        choice = "sampling"
        lookahead = "inf"
        [[models]]
        generator = "one-way-line"
        label = "Line"
        parameters = { length = [5, 6], packages = 1 }
        [[models]]
        generator = "beluga"
        parameters = { jigs = 2 }
        oracles = { fast = ["tarjan:1"], slow = ["lao"] }
        policies = { net = { train = { steps = 100, hidden = [4] } }, lucky = "random" }
        """,
    )
    lines = [cell for cell in grid.cells if cell.instance.domain == "Line"]
    beluga = [cell for cell in grid.cells if cell.instance.domain == "beluga"]
    assert (len(lines), len(beluga)) == (2 * 2 * 2, 2 * 2 * 3)
    found = {(cell.fuzzer, cell.oracles, cell.options.oracles) for cell in (*lines[:2], *beluga)}
    assert found == {
        ("one", "", ("vi",)),
        ("all", "", ("tarjan", "lrtdp")),
        ("all", "fast", ("tarjan:1",)),
        ("all", "slow", ("lao",)),
    }
    fuzz = {(o.fuzz.choice, o.fuzz.lookahead, o.fuzz.walks) for o in options_of(grid)}
    assert fuzz == {("uniform", 1, 20), ("sampling", None, 20)}
    assert {(o.alone, o.limits.expansions) for o in options_of(grid)} == {(7, 9)}
    assert {(o.fuzz.seed, o.policy_seed) for o in options_of(grid)} == {(3, 3), (4, 4)}


def test_a_network_is_trained_once_for_each_model(tmp_path: Path) -> None:
    text = "seeds = [0, 1]\n" + TRAINED % "steps = 100, hidden = [4, 5], stop_at = 1"
    grid = read(tmp_path, text + "parameters = { jigs = [2, 3] }\n")
    trainings = {cell.training for cell in grid.cells}
    assert len(grid.cells) == 4
    assert {t.network for t in trainings if t} == {
        "networks/beluga/beluga-jigs-2-seed-0/net.safetensors",
        "networks/beluga/beluga-jigs-3-seed-0/net.safetensors",
    }
    assert {t.options for t in trainings if t} == {QOptions(steps=100, hidden=(4, 5), stop_at=1.0)}


def test_networks_of_labels_that_look_alike_are_kept_apart(tmp_path: Path) -> None:
    policies = "{ 'a b' = { train = {} }, 'a:b' = { train = {} } }"
    grid = read(tmp_path, SMALL.replace('["random"]', policies))
    names = [cell.training.network.rpartition("/")[2] for cell in grid.cells if cell.training]
    assert names == ["a-b.safetensors", "a-b-2.safetensors"]


def test_files_of_ones_own(tmp_path: Path) -> None:
    document = ledge()
    document["constants"] = [{"name": "N", "type": "int"}]
    properties = document.pop("properties")
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "ledge.jani").write_text(json.dumps(document))
    (tmp_path / "p.jani").write_text(json.dumps({"properties": properties}))
    grid = read(
        tmp_path,
        """
        policies = ["random"]
        [[models]]
        model = "m/ledge.jani"
        property = "p.jani"
        constants = { N = [1, 2] }
        """,
    )
    assert [cell.instance.name for cell in grid.cells] == ["ledge-N-1", "ledge-N-2"]
    assert {cell.instance.domain for cell in grid.cells} == {"ledge"}
    files = (str(tmp_path / "m" / "ledge.jani"), str(tmp_path / "p.jani"))
    assert [cell.instance.files for cell in grid.cells] == [files] * 2
    instances = [cell.instance for cell in grid.cells]
    assert [i.constants for i in instances if isinstance(i, ModelInstance)] == [
        ("N=1",),
        ("N=2",),
    ]
    assert instances[0] != instances[1]


def test_the_shipped_experiment_is_right() -> None:
    grid = shipped("safety-small.toml")
    assert len({cell.instance.domain for cell in grid.cells}) >= 6
    assert len({(o.fuzz.choice, o.fuzz.lookahead) for o in options_of(grid)}) == 5
    assert all(cell.training is not None for cell in grid.cells)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (SMALL + "[[domains]]\ngenerator = 'gripper'", r"has \[\[domains\]\] and \[\[models\]\]"),
        ("models = []", r"needs at least one .* or \[\[models\]\]"),
        ("[[models]]\ngenerator = 'beluga'", "models, no. 1: there is no policy to test"),
        (SMALL + "seed = 1", "models, no. 1: there is no key 'seed' .did you mean 'seeds'"),
        (SMALL + "property = 'p'", "'property' has no meaning for a model with a generator"),
        (SMALL + "model = 'm'", "models, no. 1: needs a 'generator', or a 'model' file"),
        (SMALL + "parameters = { jig = 3 }", "no parameter 'jig' .did you mean 'jigs'"),
        (SMALL + "policies = ['rnadom']", "models, no. 1: policies: .*'rnadom' .did you mean"),
        (SMALL + "oracles = ['tarjn']", "models, no. 1: oracles: .*'tarjn' .did you mean 'tarj"),
        (SMALL.replace("beluga", "belga"), "models, no. 1: .*'belga' .did you mean 'beluga'"),
        (SMALL.replace("beluga", "gripper"), "models, no. 1: .*'gripper'"),
        ("oracles = ['aras']" + SMALL, "oracles: oracle 'aras' is for planning tasks"),
        ("oracles = ['tarjan:x']" + SMALL, "oracles: .*a radius is a whole number"),
        ("fuzzers.a.lookahed = 1" + SMALL, "fuzzers.a: .*'lookahed' .did you mean 'lookahead'"),
        ("fuzzers.a.lookahead = 0" + SMALL, "fuzzers.a: the lookahead must be"),
        ("fuzzers.a.choice = 'gredy'" + SMALL, "fuzzers.a: .*'gredy' .did you mean 'greedy'"),
        ("fuzzers.a.choice = 'uniform'" + SMALL, "fuzzers.a: the uniform choice looks one step"),
        ("fuzzers.a.oracles = ['x']" + SMALL, "fuzzers.a.oracles: .*'x'"),
        ("campaign.fuzz.pool_size = 3" + SMALL, "campaign.fuzz: there is no key 'pool_size'"),
        ("campaign.model = ['x']" + SMALL, "campaign: there is no key 'model'"),
        ("campaign.alone = -1" + SMALL, "campaign: .*alone"),
        (TRAINED % "step = 3", "policies.net: train: .*'step' .did you mean 'steps'"),
        (TRAINED % "steps = 0", "policies.net: train: steps must be a whole number from 1"),
        (TRAINED % "hidden = 3", "policies.net: train: hidden must be a list"),
        (SMALL.replace('["random"]', "{ n = { trian = {} } }"), "policies.n: .*'trian' .did you"),
        ("campaign.fuzz.walks = 0" + SMALL, "campaign.fuzz: the walks must be"),
        (SMALL.replace('["random"]', "{ n = {} }"), "policies.n: must be a text, or a table"),
        (SMALL.replace('["random"]', "{ n = 3 }"), "policies must be a text, got 3"),
    ],
)
def test_mistakes_have_a_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    check_refused(tmp_path, text, sentence)


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ("model = 'missing.jani'", "missing.jani: there is no such file"),
        ("model = 'bad.jani'", "bad.jani"),
        ("model = 'good.jani'\nproperty = 'missing.jani'", "missing.jani: there is no such file"),
        ("model = 'good.jani'\nproperty_name = 'x'", "'x'"),
        ("model = 'good.jani'\nconstants = { N = 1 }", "N"),
        ("model = 'good.jani'\nconstants = { N = 'x' }", "the constant 'N' must be a number"),
        ("model = 'good.jani'\nseeds = [1]", "'seeds' has no meaning for a model with files"),
        ("model = 3", "model must be a text, got 3"),
    ],
)
def test_mistakes_in_files_of_ones_own(tmp_path: Path, keys: str, sentence: str) -> None:
    (tmp_path / "good.jani").write_text(json.dumps(ledge()))
    (tmp_path / "bad.jani").write_text("{")
    text = f"policies = ['random']\n[[models]]\n{keys}\n"
    check_refused(tmp_path, text, sentence, place=": models, no. 1")


def test_training_is_for_models_only(tmp_path: Path) -> None:
    text = "policies = { n = { train = {} } }\n[[domains]]\ngenerator = 'gripper'\n"
    with pytest.raises(InputError, match="policies must be a text"):
        read(tmp_path, text)
