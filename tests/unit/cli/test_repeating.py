"""`--from DIR`: a new campaign like an old one, as when its policy has changed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bugsieve.campaigns.campaign import Campaign, read_campaign
from bugsieve.campaigns.options import CostOptions
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.policies.limits import WorkerLimits
from tests.unit.campaigns.contents import contents
from tests.unit.campaigns.safety.contents import contents as safety_contents
from tests.unit.campaigns.safety.ledge import ledge
from tests.unit.cli.commands import Run
from tests.unit.policies.generated import generated_task, write_task

FIRST = "from helper import pick\n\ndef choose(state, applicable):\n    return pick(applicable)\n"


@pytest.fixture
def spec(tmp_path: Path) -> str:
    (tmp_path / "mine.py").write_text(FIRST)
    (tmp_path / "helper.py").write_text("pick = min\n")
    return f"python:{tmp_path}/mine.py:choose"


def test_a_changed_policy_is_tested_in_a_new_folder(tmp_path: Path, spec: str, run: Run) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    task = write_task(tmp_path, "ferry", seed=2)
    given = ("--policy", spec, "--oracle", "planner:gbfs-200", "--pool-size", 12, "--seed", 4)
    code, _, _ = run("test", *task, *given, "--hash-seed", 5, "--max-bugs", 1, "-o", old)
    assert code == 1
    # The policy has loaded it. A file of the same size and second would pass for the compiled one.
    (tmp_path / "helper.py").write_text("pick = max  # not min\n")
    code, _, err = run("resume", old, "--max-bugs", 9)
    assert (code, f"'bugsieve test --from {old} -o NEW'" in err) == (4, True)
    for file in task:
        Path(file).unlink()  # the campaign has kept the task
    assert run("test", "--from", old, "--max-bugs", 2, "-o", new)[0] == 1
    before, after = (read_campaign(folder)[2] for folder in (old, new))
    assert (after.stop.max_bugs, before.stop.max_bugs) == (2, 1)
    assert after.to_toml().replace("max_bugs = 2", "max_bugs = 1") == before.to_toml()
    assert contents(new)["bugs"][:1] != contents(old)["bugs"]
    code, _, _ = run("resume", new, "--max-bugs", 3)
    assert code == 1


def test_options_that_only_python_sets_are_kept_too(tmp_path: Path, run: Run) -> None:
    task = generated_task(tmp_path, "ferry", seed=2)
    given = CostOptions(
        task=(),
        policy="greedy:hff",
        oracles=("lookahead:1", "planner:gbfs-200"),
        policy_limits=WorkerLimits(batch_size=3, startup=7.0),
        fuzz=FuzzOptions(pool_size=9, prune_dead_ends=False, bias="uniform"),
        batch_size=4,
    )
    Campaign.create(tmp_path / "old", given, task).run()
    run("test", "--from", tmp_path / "old", "-o", tmp_path / "new")
    assert read_campaign(tmp_path / "new")[2] == given
    assert contents(tmp_path / "new") == contents(tmp_path / "old")
    run("test", "--from", tmp_path / "old", "--oracle", "aras", "-o", tmp_path / "other")
    assert read_campaign(tmp_path / "other")[2].oracles == ("aras",)


def test_safety_campaigns_can_be_repeated(tmp_path: Path, spec: str, run: Run) -> None:
    model, old, new = tmp_path / "model.jani", tmp_path / "old", tmp_path / "new"
    model.write_text(json.dumps(ledge()))
    given = ("--policy", spec, "--walks", 20, "--lookahead", 3, "--oracle", "vi:1")
    assert run("safety", model, *given, "-o", old)[0] == 1
    model.unlink()
    assert run("safety", "--from", old, "-o", new)[0] == 1
    assert read_campaign(new)[2] == read_campaign(old)[2]
    assert safety_contents(new) == safety_contents(old)
    (tmp_path / "helper.py").write_text("pick = max\n")
    code, _, err = run("resume", old)
    assert (code, f"'bugsieve safety --from {old} -o NEW'" in err) == (4, True)


def test_what_cannot_be_repeated(tmp_path: Path, run: Run) -> None:
    task = generated_task(tmp_path, "ferry", seed=2)

    class Mine:
        def choose(self, states: object) -> object:
            """Nothing."""

    fuzz = FuzzOptions(bias="uniform")  # else the policy is asked at once
    given = CostOptions(task=(), policy="Mine", whole="no", fuzz=fuzz)
    Campaign.create(tmp_path / "old", given, task, policy=Mine()).close()
    for words, sentence in (
        (("test", "--from", tmp_path / "old"), "tests the Python object Mine: name a policy"),
        (("safety", "--from", tmp_path / "old"), "is a campaign of cost testing"),
        (("test", "--policy", "random"), "the following arguments are required: FILE"),
        (("test", tmp_path), "the following arguments are required: --policy"),
        (("safety", "--policy", "random"), "the following arguments are required: MODEL"),
        (("safety", "m.jani", "--from", tmp_path / "old"), "give no model beside it"),
    ):
        code, _, err = run(*words, "-o", tmp_path / "new")
        assert (code, sentence in err) == (4, True), err
    _, out, _ = run("status", tmp_path / "old")
    assert "policy Mine (a Python object: changes of it are not noticed)" in out
    assert "changes of it are not noticed" in (tmp_path / "old" / "README.txt").read_text()


def test_the_policy_of_a_stranger_is_not_started(
    tmp_path: Path, spec: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = write_task(tmp_path, "ferry", seed=2)
    old, new = tmp_path / "old", tmp_path / "new"
    run("test", *task, "--policy", spec, "--pool-size", 3, "-o", old)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "another user"))
    for _ in range(2):  # refusing it makes nobody trust it
        code, _, err = run("test", "--from", old, "-o", new)
        assert (code, "mine.py" in err, new.exists()) == (4, True, False)
    run("test", "--from", old, "--trust-policy", "-o", new)
    assert new.exists()
    run("test", "--from", old, "--policy", "random", "-o", tmp_path / "other")
    assert read_campaign(tmp_path / "other")[2].policy == "random:0"
