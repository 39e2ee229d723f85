"""Experiment files: the grid they stand for, and a sentence for each mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from bugsieve.base.errors import InputError
from bugsieve.campaigns.options import CostOptions
from bugsieve.pipeline.objectives.objective import FOR_PLANS, Objective
from bugsieve.rooms.lab.commands.experiment import example
from bugsieve.rooms.lab.experiments import file as experiment_file
from bugsieve.rooms.lab.experiments.file import read_experiment
from bugsieve.rooms.lab.experiments.grid import Cell, folder_name
from bugsieve.rooms.zoo.domains import generate
from tests.unit.experiments.experiments import check_refused, read, shipped

SMALL = """
policies = ["random"]
[[domains]]
generator = "gripper"
"""


def options_of(cell: Cell) -> CostOptions:
    assert isinstance(cell.options, CostOptions)
    return cell.options


def test_the_smallest_file_has_defaults(tmp_path: Path) -> None:
    grid = read(tmp_path, SMALL)
    (cell,) = grid.cells
    made = generate("gripper", seed=0)
    assert grid.name == "grid"
    assert cell.instance.texts == (made.domain.encode(), made.problem.encode())
    assert (cell.instance.domain, cell.policy, cell.fuzzer) == ("gripper", "random", "default")
    assert cell.options.oracles == FOR_PLANS
    assert cell.folder == "gripper/gripper-seed-0/random_default_seed-0"


def test_usual_oracles_are_those_of_the_objective(tmp_path: Path) -> None:
    (cell,) = read(tmp_path, f'{SMALL}\n[campaign]\nobjective = "avoid:(free left)"\n').cells
    assert cell.options.oracles == Objective.usual_oracles
    with pytest.raises(InputError, match="campaign: .*objective 'quick'"):
        read(tmp_path, f'{SMALL}\n[campaign]\nobjective = "quick"\n')


def test_every_combination_is_a_campaign(tmp_path: Path) -> None:
    grid = read(
        tmp_path,
        """
        name = "all"
        seeds = [3, 4]
        policies = { lucky = "random", clever = "greedy:hff" }
        [oracles]
        fast = ["lookahead:1"]
        slow = ["lookahead:3", "perfect"]
        [campaign]
        objective = "qualitative"
        limits.expansions = 7
        fuzz.pool_size = 20
        [fuzzers.on]
        [fuzzers.off]
        bias = "uniform"
        novelty = 0
        [[domains]]
        generator = "blocksworld"
        label = "Blocks"
        parameters = { blocks = [3, 4] }
        seeds = [1, 2]
        [[domains]]
        generator = "visitall"
        parameters = [{ width = [2, 3], height = 2 }, { width = 4 }]
        policies = ["optimal"]
        """,
    )
    assert grid.name == "all"
    assert len(grid.cells) == len({cell.folder for cell in grid.cells})
    blocks = [cell for cell in grid.cells if cell.instance.domain == "Blocks"]
    visitall = [cell for cell in grid.cells if cell.instance.domain == "visitall"]
    assert len(blocks) == 4 * 2 * 2 * 2 * 2
    assert len(visitall) == 3 * 1 * 2 * 2 * 2
    assert grid.cells[:4] == (blocks[0], visitall[0], blocks[1], visitall[1])  # in turn
    assert {cell.policy for cell in visitall} == {"optimal"}
    names = {cell.instance.name for cell in visitall}
    assert names == {
        "visitall-width-2-height-2-seed-0",
        "visitall-height-2-seed-0",
        "visitall-width-4-seed-0",
    }
    (chosen,) = [
        cell
        for cell in blocks
        if (cell.policy, cell.fuzzer, cell.oracles, cell.seed) == ("clever", "off", "slow", 4)
        and cell.instance.name == "blocksworld-blocks-3-seed-2"
    ]
    options = options_of(chosen)
    assert (options.policy, options.policy_seed) == ("greedy:hff", 4)
    assert (options.objective, options.limits.expansions) == ("qualitative", 7)
    assert options.oracles == ("lookahead:3", "perfect")
    fuzz = options.fuzz
    assert (fuzz.pool_size, fuzz.bias, fuzz.novelty, fuzz.seed) == (20, "uniform", 0, 4)
    assert chosen.folder == "Blocks/blocksworld-blocks-3-seed-2/clever_off_slow_seed-4"


def test_files_of_ones_own(tmp_path: Path) -> None:
    for name in ("a/p1.pddl", "a/p2.pddl", "b/p1.pddl", "mine/domain.pddl"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"({name})")
    grid = read(
        tmp_path,
        """
        policies = ["random"]
        [[domains]]
        domain = "mine/domain.pddl"
        problems = ["a/p?.pddl", "b/p1.pddl", "a/p1.pddl"]
        """,
    )
    assert [cell.instance.domain for cell in grid.cells] == ["mine"] * 3
    assert [cell.instance.name for cell in grid.cells] == ["a-p1", "p2", "b-p1"]
    assert grid.cells[1].instance.texts == (b"(mine/domain.pddl)", b"(a/p2.pddl)")
    domain, problem = (tmp_path / "mine/domain.pddl", tmp_path / "b/p1.pddl")
    assert grid.cells[2].instance.files == (str(domain), str(problem))


def test_the_example_is_right(tmp_path: Path) -> None:
    grid = read(tmp_path, example())
    assert len(grid.cells) == 12
    fuzzers = {(options_of(c).fuzz.bias, options_of(c).fuzz.novelty) for c in grid.cells}
    assert fuzzers == {("policy-quality", 2), ("uniform", 2), ("policy-quality", 0)}


def test_the_example_on_oracles_is_right(tmp_path: Path) -> None:
    grid = read(tmp_path, example("oracles"))
    assert grid.shares_pools and len(grid.cells) == 20


def test_the_shipped_experiment_is_right() -> None:
    grid = shipped("icaps22-small.toml")
    assert len({cell.instance.domain for cell in grid.cells}) >= 8
    assert len({(options_of(c).fuzz.bias, options_of(c).fuzz.novelty) for c in grid.cells}) == 4


def test_the_experiment_on_oracles_is_right() -> None:
    grid = shipped("icaps23-small.toml")
    assert grid.shares_pools
    domains = {cell.instance.domain for cell in grid.cells}
    assert len(domains) >= 9 and "spanner" not in domains
    assert len({cell.oracles for cell in grid.cells}) == 18  # one of them makes the pools
    fuzz = {(options_of(c).fuzz.bias, options_of(c).fuzz.pool_size) for c in grid.cells}
    assert fuzz == {("uniform", 200)}


def test_labels_that_look_alike_as_folders_are_kept_apart(tmp_path: Path) -> None:
    grid = read(
        tmp_path,
        """
        policies = { "a b" = "random", "a:b" = "random:1", "A B" = "random:2" }
        [[domains]]
        generator = "gripper"
        """,
    )
    names = [cell.folder.rpartition("/")[2] for cell in grid.cells]
    assert names == ["a-b_default_seed-0", "a-b_default_seed-0-2", "A-B_default_seed-0-3"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a/b:c", "a-b-c"), ("..", "-"), ("", "-"), ("é.x_1", "-.x_1"), ("x" * 200, "x" * 100)],
)
def test_folder_names(text: str, expected: str) -> None:
    assert folder_name(text) == expected


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("x = ", "is no TOML"),
        ("", "is empty"),
        ("name = 'x'", r"needs at least one \[\[domains\]\] table"),
        ("domains = []", "needs at least one"),
        ("domains = 3", "needs at least one"),
        ("polices = []" + SMALL, "no key 'polices' .did you mean 'policies'"),
        ("name = 3" + SMALL, "name must be a text, got 3"),
        ("seeds = []" + SMALL, "seeds must be a list of whole numbers, at least one"),
        ("seeds = [1.5]" + SMALL, "seeds must be whole numbers, got 1.5"),
        ("seeds = [true]" + SMALL, "seeds must be whole numbers, got True"),
        ("seeds = [1, 1]" + SMALL, "seeds: 1 is there twice"),
        ("seeds = [9223372036854775807, -9223372036854775809]" + SMALL, "whole numbers"),
        ("oracles = ['lookahed']" + SMALL, "no oracle 'lookahed' .did you mean 'lookahead'"),
        ("oracles = 'aras'" + SMALL, "oracles must be a list of texts"),
        ("oracles = {}" + SMALL, "name at least one list of oracles"),
        ("oracles = { a = ['x'] }" + SMALL, "oracles.a: there is no oracle 'x'"),
        ("fuzzers = 3" + SMALL, "fuzzers must be a table"),
        ("fuzzers.a = 3" + SMALL, "fuzzers.a must be a table"),
        ("fuzzers.a.bais = ''" + SMALL, "fuzzers.a: there is no key 'bais' .did you mean 'bias'"),
        ("fuzzers.a.bias = 'unifrm'" + SMALL, "fuzzers.a: there is no bias 'unifrm' .did you"),
        ("fuzzers.a.seed = 1" + SMALL, "fuzzers.a: there is no key 'seed'"),
        ("fuzzers.a.novelty = 9" + SMALL, "fuzzers.a: the novelty must be"),
        ("fuzzers.a.novelty = 'x'" + SMALL, "fuzzers.a: novelty must be a whole number"),
        ("campaign = 3" + SMALL, "campaign must be a table"),
        ("campaign.policy = 'x'" + SMALL, "campaign: there is no key 'policy'"),
        ("campaign.workers = 2" + SMALL, "campaign: there is no key 'workers'"),
        ("campaign.mode = 'x'" + SMALL, "campaign: there is no mode 'x'"),
        ("campaign.fuzz = 3" + SMALL, "campaign.fuzz must be a table"),
        ("campaign.fuzz.poolsize = 3" + SMALL, "no key 'poolsize' .did you mean 'pool_size'"),
        ("campaign.limits.expansion = 1" + SMALL, "no option 'expansion' .did you mean 'expan"),
        ("campaign.limits.expansions = -1" + SMALL, "campaign: a limit on expansions must be"),
        ("[[domains]]\ngenerator = 'gripper'", "domains, no. 1: there is no policy to test"),
        ("policies = 3\n[[domains]]\ngenerator = 'gripper'", "policies must be a list"),
        ("policies = ['x']\n[[domains]]\ngenerator = 'gripper'", "policies: .*'x'"),
        ("policies = [3]\n[[domains]]\ngenerator = 'gripper'", "policies must be a text, got 3"),
        (SMALL + "seed = 1", "domains, no. 1: there is no key 'seed' .did you mean 'seeds'"),
        (SMALL + "problems = []", "'problems' has no meaning for a domain with a generator"),
        (SMALL + "domain = 'x'", "needs a 'generator', or a 'domain' file"),
        (SMALL + "[[domains]]\nlabel = 'x'", "domains, no. 2: needs a 'generator', or"),
        (SMALL + "label = ''", "label must be a text"),
        (SMALL + "seeds = 3", "domains, no. 1: seeds must be a list"),
        (SMALL + "parameters = 3", "parameters must be a table or a list of tables, got 3"),
        (SMALL + "parameters = { bals = 3 }", "no parameter 'bals' .did you mean 'balls'"),
        (SMALL + "parameters = { balls = 0 }", "balls must be at least 1, got 0"),
        (SMALL + "policies = ['gredy']", "domains, no. 1: policies: .*'gredy' .did you mean"),
        (SMALL + "[[domains]]\ngenerator = 'gripper'", "gripper has gripper-seed-0 twice"),
        (SMALL.replace("gripper", "griper"), "domains, no. 1: .*'griper' .did you mean 'gripper'"),
        (SMALL.replace('"gripper"', "3"), "generator must be a text"),
    ],
)
def test_mistakes_have_a_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    check_refused(tmp_path, text, sentence)


@pytest.mark.parametrize(
    ("domain", "problems", "sentence"),
    [
        ("missing.pddl", ["p.pddl"], "missing.pddl: there is no such file"),
        ("d.pddl", ["missing.pddl"], "missing.pddl: there is no such file"),
        ("d.pddl", ["*.txt"], r"no file is named like '\*.txt'"),
        ("d.pddl", [], "problems must be a list of texts"),
        ("d.pddl", ["."], "is a directory"),
    ],
)
def test_mistakes_in_files_of_ones_own(
    tmp_path: Path, domain: str, problems: list[str], sentence: str
) -> None:
    (tmp_path / "d.pddl").write_text("(define (domain d))")
    (tmp_path / "p.pddl").write_text("(define (problem p))")
    text = f"policies = ['random']\n[[domains]]\ndomain = '{domain}'\nproblems = {problems}\n"
    check_refused(tmp_path, text, sentence)


def test_what_is_no_text_file(tmp_path: Path) -> None:
    (tmp_path / "grid.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match=r"grid.toml: is no UTF-8 text \(byte 0\)"):
        read_experiment(tmp_path / "grid.toml")
    with pytest.raises(InputError, match="there is no such file"):
        read_experiment(tmp_path / "missing.toml")


def test_a_grid_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(experiment_file, "MAX_CAMPAIGNS", 5)
    with pytest.raises(InputError, match="asks for more than 5 campaigns"):
        read(tmp_path, "seeds = [1, 2, 3, 4, 5, 6]" + SMALL)
