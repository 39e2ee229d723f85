"""Names of files on the way to a node and back."""

from __future__ import annotations

from pathlib import Path

import pytest

from bugsieve.campaigns.campaign import Campaign, read_campaign
from bugsieve.campaigns.options import CostOptions
from bugsieve.rooms.cluster.node_paths import Places
from bugsieve.rooms.lab.experiments.final_jobs import FinalJob, TestedModel
from bugsieve.rooms.lab.experiments.final_options import FinalTestOptions
from bugsieve.rooms.lab.experiments.jobs import Job
from bugsieve.rooms.zoo.domains import generate
from tests.unit.campaigns.contents import contents

ROOT = "/tmp/root"
PLACES = Places(ROOT, ["/a", "/a/b.pddl", "/a/b c.pddl", "/a.b"])


@pytest.mark.parametrize(
    ("text", "moved"),
    [
        ("/a/b.pddl", "/tmp/root/a/b.pddl"),
        ("mlp:/a/b.pddl?x", "mlp:/tmp/root/a/b.pddl?x"),
        ("/a/b c.pddl /a/b.pddl", "/tmp/root/a/b c.pddl /tmp/root/a/b.pddl"),
        ("/a", "/tmp/root/a"),
        ("/a.b", "/tmp/root/a.b"),
        ("/ab", "/ab"),
        ("/x/a", "/x/a"),
        ("x/a/b.pddl", "x/a/b.pddl"),
        ("./a", "./a"),
        ("/a-b", "/a-b"),
    ],
)
def test_texts(text: str, moved: str) -> None:
    assert PLACES.text(text) == moved
    assert PLACES.back(moved) == text


def test_no_names_no_changes() -> None:
    assert Places(ROOT, []).text("/a /") == "/a /"


def test_a_campaign() -> None:
    task = ("/a/b.pddl", "tasks/p.pddl")
    options = CostOptions(task=task, policy="asnets:/a.b", policy_folder="/a", pool_from="/a")
    moved = PLACES.job(Job(3, "out/x", options))
    assert isinstance(moved, Job)
    assert (moved.number, moved.directory, moved.trust_policy) == (3, "out/x", True)
    assert isinstance(moved.options, CostOptions)
    assert moved.options.task == ("/tmp/root/a/b.pddl", "tasks/p.pddl")
    assert moved.options.policy == "asnets:/a.b"
    assert (moved.options.policy_folder, moved.options.pool_from) == ("/tmp/root/a",) * 2


def test_a_final_test() -> None:
    models = (TestedModel("/a/t", 1, "d"),)
    job = FinalJob(1, "/a/r.json", ("d.pddl", "/a/p.pddl"), False, FinalTestOptions(), models)
    moved = PLACES.job(job)
    assert isinstance(moved, FinalJob)
    assert (moved.record, moved.task) == ("/tmp/root/a/r.json", ("d.pddl", "/tmp/root/a/p.pddl"))
    assert moved.models[0].training == "/tmp/root/a/t"


def test_a_stored_campaign_there_and_back(tmp_path: Path) -> None:
    task = generate("visitall", seed=0, width=2, height=3)
    files = tmp_path / "domain.pddl", tmp_path / "problem.pddl"
    for file, text in zip(files, (task.domain, task.problem), strict=True):
        file.write_text(text)
    options = CostOptions(task=tuple(map(str, files)), policy="lazy", oracles=("lookahead:1",))
    folder = tmp_path / "campaign"
    Campaign.create(folder, options).run()
    before, texts = contents(folder), (folder / "options.toml").read_text()
    places = Places(ROOT, map(str, files))
    places.settle(folder)
    assert read_campaign(folder)[2].task == tuple(ROOT + str(file) for file in files)
    (folder / "README.txt").write_text(f"see {ROOT}/x and {ROOT}")
    places.unsettle(folder)
    assert (folder / "README.txt").read_text() == "see /x and "
    assert (contents(folder), (folder / "options.toml").read_text()) == (before, texts)
    places.settle(tmp_path / "nothing is there")
