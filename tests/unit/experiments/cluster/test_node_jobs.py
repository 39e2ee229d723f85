"""What travels with a job: the files that it names, by content, if they are trusted."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

from bugsieve.base.errors import InputError, UsageError
from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.options import CostOptions
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.rooms.cluster.builds import Build, this_build
from bugsieve.rooms.cluster.node import Delivery, Node, Terms
from bugsieve.rooms.cluster.node_jobs import NodeJob, node_job_of
from bugsieve.rooms.cluster.packing import digest_of, unpack
from bugsieve.rooms.lab.experiments.jobs import Job, JobDone, JobFailed
from bugsieve.rooms.zoo.domains import generate
from tests.unit.campaigns.contents import contents
from tests.unit.experiments.experiments import check_refused, read
from tests.unit.experiments.test_shared_pools import GRID

POLICY = "def choose(facts, applicable):\n    return applicable[0]\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a task and a policy, in which commands are typed."""
    task = generate("visitall", seed=0, width=2, height=2)
    (tmp_path / "domain.pddl").write_text(task.domain)
    (tmp_path / "problem.pddl").write_text(task.problem)
    (tmp_path / "mine.py").write_text(POLICY)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LD_PRELOAD", raising=False)
    return tmp_path


def job(policy: str = "lazy", **changes: object) -> Job:
    settings = {"task": ("domain.pddl", "problem.pddl"), "oracles": ("lookahead:1",), **changes}
    return Job(0, "out", CostOptions(policy=policy, **settings))  # type: ignore[arg-type]


def sent(made: Job, *more: str) -> list[str]:
    node_job, texts = node_job_of(made, more)
    assert {file.digest for file in node_job.files} == set(texts)
    assert all(digest_of(text) == digest for digest, text in texts.items())
    return sorted(os.path.relpath(file.name) for file in node_job.files)


@pytest.mark.parametrize(
    ("policy", "files"),
    [
        ("lazy", []),
        ("python:mine:choose", ["mine.py"]),
        ("python:./mine.py:choose", ["mine.py"]),
        ("python:json:choose", []),
        ("cmd:python3 mine.py --fast", ["mine.py"]),
        ("cmd:./mine.py", ["mine.py"]),
        ("greedy:python:./mine.py:choose", ["mine.py"]),
        ("asnets:mine.py", ["mine.py"]),
        ("asnets:gripper", []),
    ],
)
def test_the_files_of_policies(here: Path, policy: str, files: list[str]) -> None:
    (here / "mine.py").chmod(0o755)
    assert sent(job(policy)) == sorted(["domain.pddl", "problem.pddl", *files])


def test_rules_and_pools_travel(here: Path) -> None:
    (here / "rules.toml").write_text("")
    (here / "pool").mkdir()
    (here / "pool" / "campaign.sqlite").write_text("")
    (here / "pool" / "other").write_text("")
    made = job(objective=f"rules:{here}/rules.toml", pool_from=f"{here}/pool")
    wanted = ["domain.pddl", "pool/campaign.sqlite", "problem.pddl", "rules.toml"]
    assert sent(made) == wanted
    assert node_job_of(made)[0].folders == (f"{here}/pool",)


def test_code_must_be_named_as_seen_from_its_folder(here: Path) -> None:
    for policy in (f"cmd:python3 {here}/mine.py", f"python:{here}/mine.py:choose"):
        with pytest.raises(UsageError, match="on other machines it will be elsewhere"):
            node_job_of(job(policy))


def test_programs_stay_programs_and_equal_files_travel_once(here: Path) -> None:
    (here / "mine.py").chmod(0o755)
    (here / "copy.py").write_text(POLICY)
    node_job, texts = node_job_of(job("cmd:./mine.py"), ["copy.py"])
    assert {Path(f.name).name for f in node_job.files if f.is_program} == {"mine.py"}
    assert len(node_job.files) == len(texts) + 1


def test_a_file_that_cannot_be_read(here: Path) -> None:
    with pytest.raises(InputError, match=r"gone\.py: there is no such file"):
        node_job_of(job(), ["gone.py"])


def test_a_begun_campaign_of_a_stranger_is_not_sent(here: Path) -> None:
    made = job("python:mine:choose")
    Campaign.create("out", made.options).close()
    state = here / "other-state"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(state))
        with pytest.raises(UsageError, match="which you have not typed"):
            node_job_of(job())
    assert "out/campaign.sqlite" in sent(made)


def on_node(node_job: NodeJob, texts: dict[str, bytes], build: Build | None = None) -> Delivery:
    """What a node would do with it: this does not need Ray."""
    with Node() as node:
        return node.run(node_job, Terms(build or this_build(), None), texts.__getitem__)


def test_a_job_on_a_node(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It starts in a folder of its own: files that did not travel are not there."""
    monkeypatch.setattr(sys, "path", [*sys.path, str(here)])
    (here / "mine.py").write_text("def choose(facts, applicable):\n    open(__file__ + 'x')\n")
    # A bias is named, for the usual one depends on how fast the policy answers.
    made = job("python:mine:choose", fuzz=FuzzOptions(bias="uniform"))
    node_job, texts = node_job_of(made)
    delivery = on_node(node_job, texts)
    assert isinstance(delivery.report, JobDone)
    unpack(delivery.files, [Path(name) for name in node_job.brings])
    with Campaign.create("local", made.options) as local:
        local.run()
    assert contents(Path("out")) == contents(Path("local"))
    assert Path("out/options.toml").read_text() == Path("local/options.toml").read_text()
    assert not [
        p for p in Path("out").rglob("*") if p.is_file() and b"bugsieve-node" in p.read_bytes()
    ]


def test_a_module_that_did_not_travel(here: Path) -> None:
    (here / "helper.py").write_text("")
    (here / "mine.py").write_text(f"import helper\n{POLICY}")
    delivery = on_node(*node_job_of(job("python:mine:choose")))
    assert isinstance(delivery.report, JobFailed)
    assert "No module named 'helper'" in delivery.report.error
    assert "bugsieve-node" not in delivery.report.error
    assert isinstance(
        on_node(*node_job_of(job("python:mine:choose"), ["helper.py"])).report, JobDone
    )


def test_a_node_with_another_build(here: Path) -> None:
    build = this_build()
    for other, sentence in (
        (Build("9.9", build.core, build.python), "has Bugsieve .*, and this machine 9.9"),
        (Build(build.version, "0" * 64, build.python), "has a compiled core .* 000000000000:"),
        (Build(build.version, build.core, "2.7"), "has Python .*, and this machine 2.7"),
    ):
        report = on_node(*node_job_of(job()), build=other).report
        assert isinstance(report, JobFailed)
        assert re.search(sentence, report.error)


def test_a_content_that_was_damaged(here: Path) -> None:
    node_job, texts = node_job_of(job())
    report = on_node(node_job, dict.fromkeys(texts, b"other")).report
    assert isinstance(report, JobFailed)
    assert "was damaged on its way to a node" in report.error


def test_files_of_an_experiment(tmp_path: Path) -> None:
    for name in ("a.py", "b.py", "c.txt", "sub/d.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    grid = read(tmp_path, 'files = ["*.py", "a.py", "**/d.py"]\n' + GRID)
    assert [os.path.relpath(name, tmp_path) for name in grid.files] == ["a.py", "b.py", "sub/d.py"]


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ('["/etc/passwd"]', "files: '/etc/passwd' must be below the folder"),
        ('["../*"]', "must be below the folder"),
        ('["sub/../../x"]', "must be below the folder"),
        ('["*.gone"]', r"files: no file is named like '\*.gone'"),
        ('["link"]', "link is a link to somewhere else"),
        ('["sub/*"]', "is a link to somewhere else"),
        ('"a"', "must be a list of texts"),
    ],
)
def test_files_stay_below_the_folder(tmp_path: Path, value: str, sentence: str) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    (outside / "secret").write_text("")
    (inside / "link").symlink_to(outside / "secret")
    (inside / "sub").symlink_to(outside)
    check_refused(inside, f"files = {value}\n{GRID}", sentence)
