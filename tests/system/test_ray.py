"""Experiments on a Ray cluster of two nodes: the same records as on one machine, whatever dies."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bugsieve.campaigns.kind import kind_in
from bugsieve.campaigns.several.index import read_index
from bugsieve.campaigns.store.schema import STORE_FILE
from bugsieve.rooms.lab.experiments.final_records import FINAL_FOLDER, read_choices, read_record
from tests.depth import IS_DEEP
from tests.hostile.processes import needs_proc
from tests.system.ray_clusters import RayCluster, ended, killed, ray_cluster, require_ray, started
from tests.system.test_digests import contents
from tests.unit.experiments.test_final_tests import _TEXT as TRAININGS
from tests.unit.experiments.test_safety_experiment import TRAINING as NETWORKS
from tests.unit.experiments.test_shared_pools import GRID as POOLS

pytestmark = needs_proc
deep = pytest.mark.skipif(not IS_DEEP, reason="starts many processes: make test-deep")

GRID = """
name = "policies"
files = ["hel*.py"]
oracles = ["lookahead"]
[campaign]
policy_limits = { deadline = 2.0, startup = 60.0, memory_mb = 1024 }
step_limit = 20
fuzz.pool_size = 2
fuzz.bias = "uniform"
[policies]
built-in = "hill-climbing:hadd"
module = "python:mine:choose"
program = "cmd:./program mine.py"
hungry = "python:./mine.py:hungry"
hanging = "python:./mine.py:hanging"
[[domains]]
generator = "visitall"
parameters = { width = 2, height = 3 }
"""
POLICIES = """
import time
import helper
def choose(facts, applicable):
    return helper.first(applicable)
def hungry(facts, applicable):
    return str(bytearray(4 << 30))
def hanging(facts, applicable):
    time.sleep(1e6)
"""
HELPER = "def first(names):\n    return min(names)\n"
PROGRAM = """#!{python}
import json, sys
sys.path.insert(0, ".")
import mine
task = json.loads(sys.stdin.readline())
print(json.dumps({{"ready": True}}), flush=True)
for line in sys.stdin:
    print(json.dumps({{"actions": [0 for _ in json.loads(line)["states"]]}}), flush=True)
"""
SLOW = (
    "import time\ndef choose(facts, applicable):\n    time.sleep({})\n    return applicable[0]\n"
)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RayCluster]:
    """Shared by tests that leave it as it was."""
    require_ray()
    with ray_cluster(tmp_path_factory.mktemp("cluster")) as made:
        yield made


@pytest.fixture
def own_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RayCluster]:
    """For tests that break it."""
    require_ray()
    with ray_cluster(tmp_path_factory.mktemp("own")) as made:
        yield made


def write(folder: Path, text: str, **files: str) -> list[str]:
    """An experiment with files beside it; returns the beginning of the command."""
    for name, content in files.items():
        (folder / f"{name}.py").write_text(content)
    (folder / "grid.toml").write_text(text)
    return ["grid.toml", "--trust-policy"]


def campaigns(folder: Path) -> dict[str, Path]:
    found = sorted(folder.glob(f"*/*/*/{STORE_FILE}"))
    return {path.parent.relative_to(folder).as_posix(): path.parent for path in found}


def check_equal(one: Path, other: Path) -> None:
    """Both folders have the same campaigns, which say and found the same."""
    mine, its = campaigns(one), campaigns(other)
    assert list(mine) == list(its)
    for name, folder in mine.items():
        assert contents(folder) == contents(its[name])
        assert header(folder) == header(its[name])


def header(folder: Path) -> tuple[str, str, str]:
    """What a campaign says of itself."""
    with kind_in(folder).records(folder) as records:
        found = records.header
    options = (folder / "options.toml").read_text()
    assert options == found.options
    return options, found.policy, found.policy_fingerprint


def both(folder: Path, cluster: RayCluster, command: list[str], code: int = 0) -> None:
    """Run the experiment on the cluster and here, under the same name, with equal results."""
    on_nodes = ended(started(folder, *command, "-o", "out", "--ray", cluster.address))
    assert on_nodes.code == code, on_nodes
    (folder / "out").rename(folder / "on-nodes")
    here = ended(started(folder, *command, "-o", "out", "--workers", "2"))
    assert here.code == code, here
    assert here.output == on_nodes.output
    check_equal(folder / "out", folder / "on-nodes")


def check_same_here(folder: Path, command: list[str]) -> None:
    """What was made on nodes is what this machine alone makes."""
    (folder / "out").rename(folder / "on-nodes")
    assert ended(started(folder, *command, "-o", "out", "--workers", "2")).code == 0
    check_equal(folder / "out", folder / "on-nodes")


def times(folder: Path) -> dict[str, int]:
    """When the campaigns were written last."""
    return {n: (f / STORE_FILE).stat().st_mtime_ns for n, f in campaigns(folder).items()}


def wait_for_a_campaign(folder: Path, process: subprocess.Popen[str]) -> None:
    while not campaigns(folder / "out"):
        assert process.poll() is None, ended(process)
        time.sleep(0.02)


def errors_in(folder: Path) -> dict[str, str]:
    index = read_index(folder)
    assert index is not None
    return {entry.policy: entry.error for entry in index.entries.values() if entry.error}


def wait_for(cluster: RayCluster, count: int, process: subprocess.Popen[str]) -> None:
    """So many jobs are at work."""
    while len(cluster.ours()) < count:
        assert process.poll() is None, ended(process)
        time.sleep(0.05)


def test_good_and_bad_policies_as_on_one_machine(cluster: RayCluster, tmp_path: Path) -> None:
    command = write(tmp_path, GRID, mine=POLICIES, helper=HELPER)
    program = tmp_path / "program"
    program.write_text(PROGRAM.format(python=sys.executable))
    program.chmod(0o755)
    both(tmp_path, cluster, command)
    cluster.wait_until_gone()
    endings = {
        folder.name.partition("_")[0]: json.loads(folder.with_suffix(".json").read_text())
        for folder in campaigns(tmp_path / "on-nodes").values()
    }
    assert "policy crash" in json.dumps(endings["hungry"])
    assert "policy hang" in json.dumps(endings["hanging"])


def test_a_missing_module_is_named(cluster: RayCluster, tmp_path: Path) -> None:
    text = GRID.replace('files = ["hel*.py"]', "").replace("program =", "# program =")
    command = write(tmp_path, text, mine=POLICIES, helper=HELPER)
    result = ended(started(tmp_path, *command, "-o", "out", "--ray", cluster.address))
    assert result.code == 4
    failed = errors_in(tmp_path / "out")
    assert list(failed) == ["module", "hungry", "hanging"]
    for sentence in failed.values():
        assert "No module named 'helper'" in sentence
        assert "travels if 'files' in the experiment names it" in sentence
        assert "bugsieve-node-" not in sentence


@deep
def test_a_wrong_token(cluster: RayCluster, tmp_path: Path) -> None:
    command = write(tmp_path, POOLS)
    (tmp_path / "token").write_text("00" * 32)
    variables = {"RAY_AUTH_TOKEN_PATH": str(tmp_path / "token")}
    result = ended(started(tmp_path, *command, "--ray", cluster.address, **variables))
    assert result.code == 4
    assert "the cluster does not take our token" in result.errors
    assert result.errors.count("\n") == 1


@deep
@pytest.mark.parametrize(
    "text", [POOLS, NETWORKS, TRAININGS], ids=["pools", "networks", "trainings"]
)
def test_all_kinds_of_experiments(cluster: RayCluster, tmp_path: Path, text: str) -> None:
    pytest.importorskip("torch")
    both(tmp_path, cluster, write(tmp_path, text))
    if text == TRAININGS:
        assert read_choices(tmp_path / "out") == read_choices(tmp_path / "on-nodes")
        records = sorted((tmp_path / "out" / FINAL_FOLDER / "gripper").glob("*.json"))
        assert len(records) == 3
        for path in records:
            one = read_record(path)
            other = read_record(tmp_path / "on-nodes" / path.relative_to(tmp_path / "out"))
            assert one is not None
            assert other is not None
            assert (one.task, one.tests) == (other.task, other.tests)
            # which of the worse models are run depends on the order of jobs
            both_know = one.solved.keys() & other.solved.keys()
            assert {d: one.solved[d] for d in both_know} == {d: other.solved[d] for d in both_know}


SLOW_GRID = """
seeds = [0, 1, 2, 3]
policies = ["python:./slow.py:choose"]
oracles = ["lookahead:1"]
[campaign]
fuzz.pool_size = 6
policy_limits = { deadline = 100.0, startup = 100.0, batch_size = 1 }
[[domains]]
generator = "visitall"
parameters = { width = 2, height = 3 }
"""


@deep
def test_a_node_is_killed_in_the_middle(own_cluster: RayCluster, tmp_path: Path) -> None:
    command = write(tmp_path, SLOW_GRID, slow=SLOW.format(0.2))
    process = started(tmp_path, *command, "-o", "out", "--ray", own_cluster.address)
    wait_for(own_cluster, 4, process)  # two jobs, and two policies
    own_cluster.kill(own_cluster.second)
    result = ended(process)
    assert result.output.startswith("4 campaigns: 4 done\n"), result
    assert "raylet" not in result.errors
    own_cluster.wait_until_gone()
    check_same_here(tmp_path, command)


@deep
def test_a_job_that_kills_its_process_dies_three_times(
    own_cluster: RayCluster, tmp_path: Path
) -> None:
    killer = "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\n"
    text = SLOW_GRID.replace("[0, 1, 2, 3]", "[0]").replace("slow.py", "killer.py")
    command = write(tmp_path, text, killer=f"{killer}def choose(facts, applicable): ...\n")
    result = ended(started(tmp_path, *command, "-o", "out", "--ray", own_cluster.address))
    assert result.code == 4, result
    (sentence,) = errors_in(tmp_path / "out").values()
    assert (
        "it was begun 3 times, and each time it died; at last its process was killed" in sentence
    )


@deep
def test_a_killed_driver_goes_on_with_what_is_missing(
    own_cluster: RayCluster, tmp_path: Path
) -> None:
    command = [*write(tmp_path, SLOW_GRID, slow=SLOW.format(0.1)), "--ray", own_cluster.address]
    process = started(tmp_path, *command, "-o", "out")
    wait_for_a_campaign(tmp_path, process)
    killed(process)
    own_cluster.wait_until_gone()
    stamps = times(tmp_path / "out")
    assert 1 <= len(stamps) < 4
    result = ended(started(tmp_path, *command, "-o", "out"))
    assert result.output.startswith("4 campaigns: 4 done\n"), result
    assert stamps.items() <= times(tmp_path / "out").items()
    check_same_here(tmp_path, command[:2])


@deep
def test_a_half_done_campaign_goes_on_on_a_node(cluster: RayCluster, tmp_path: Path) -> None:
    command = write(tmp_path, SLOW_GRID.replace("[0, 1, 2, 3]", "[0]"), slow=SLOW.format(0.05))
    process = started(tmp_path, *command, "-o", "out")
    wait_for_a_campaign(tmp_path, process)
    killed(process)
    both(tmp_path, cluster, command)


@deep
@pytest.mark.parametrize("change", ["version", "core"])
def test_a_node_with_another_bugsieve(
    own_cluster: RayCluster, tmp_path: Path, change: str
) -> None:
    import bugsieve

    other = tmp_path / "other"
    shutil.copytree(Path(bugsieve.__file__).parent, other / "bugsieve", symlinks=False)
    if change == "version":
        info = other / "bugsieve-9.9.9.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: bugsieve\nVersion: 9.9.9\n")
    else:
        (core,) = (other / "bugsieve").glob("_native*.so")
        with open(core, "ab") as file:
            file.write(b"0")
    own_cluster.add({"PYTHONPATH": str(other)})
    command = write(tmp_path, POOLS)
    result = ended(started(tmp_path, *command, "-o", "out", "--ray", own_cluster.address))
    assert result.code == 4, result
    what = (
        "has Bugsieve 9.9.9, and this machine" if change == "version" else "has a compiled core "
    )
    assert what in result.errors
    assert result.errors.count("\n") == 1
    assert not (tmp_path / "out").exists()


@deep
def test_a_cluster_of_our_own_leaves_nothing_behind(tmp_path: Path) -> None:
    require_ray()
    command = [*write(tmp_path, SLOW_GRID, slow=SLOW.format(0.2)), "-o", "out", "--ray"]
    mark = {"BUGSIEVE_TEST_OWN": tmp_path.name}
    for end in (killed, ended):
        process = started(tmp_path, *command, **mark)
        while end is killed and not (tmp_path / "out").exists():
            assert process.poll() is None, ended(process)
            time.sleep(0.05)
        end(process)
        while marked(f"BUGSIEVE_TEST_OWN={tmp_path.name}"):
            time.sleep(0.1)
    assert len(campaigns(tmp_path / "out")) == 4


def marked(text: str) -> list[str]:
    """Processes with this in their environment."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            if text.encode() in Path(f"/proc/{name}/environ").read_bytes():
                found.append(name)
        except OSError:
            continue
    return found
