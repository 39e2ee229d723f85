"""`--unit-cost`: every action costs 1, in all that a campaign keeps and says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bugsieve.base.errors import UsageError
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.python_calls.find import find_bugs
from bugsieve.checkers.cost import CertificateError, check, main
from bugsieve.pipeline.bugs.certificate import certificate_of
from bugsieve.tasks.grounded.loading import load_task, with_unit_costs
from bugsieve.tasks.grounded.saved import SavedTask
from bugsieve.tasks.grounded.task import Task
from tests.unit.bugs.samples import line_bench, proven
from tests.unit.cli.commands import Run
from tests.unit.policies.generated import generated_task, write_task
from tests.unit.policies.line import at, line_task

TESTED = ("--policy", "greedy:hff", "--oracle", "planner:astar-lmcut", "--pool-size", 30)


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    return write_task(tmp_path, "transport", seed=3)


def certificates(folder: Path) -> list[dict[str, Any]]:
    with CostRecords(folder) as records:
        return [dict(row.bug.certificate) for row in records.bugs()]


def test_every_operator_costs_1_and_the_task_is_another_one(files: list[str]) -> None:
    task, plain = load_task(*files), load_task(*files, unit_cost=True)
    assert task.operator_costs.max() > 1 and not task.unit_cost
    assert (plain.operator_costs == 1).all() and plain.unit_cost and not plain.uses_costs
    assert plain.sha256 != task.sha256
    assert plain.operator_names == task.operator_names
    assert np.array_equal(plain.initial_state, task.initial_state)
    assert plain.static_facts == task.static_facts and plain.pddl == task.pddl
    saved = SavedTask.of(plain)
    assert (saved.load().unit_cost, saved.load().sha256) == (True, plain.sha256)
    assert saved.title == f"{task.name} with unit costs"


def test_a_task_without_costs_stays_as_it_is(tmp_path: Path) -> None:
    task = generated_task(tmp_path, "gripper")
    assert with_unit_costs(task) is task
    with pytest.raises(UsageError, match="unit_cost"):
        load_task("domain.pddl", unit_cost="yes")  # type: ignore[arg-type]


def test_costs_of_a_sas_file_do_not_count_either(tmp_path: Path, files: list[str]) -> None:
    load_task(*files).write_sas(tmp_path / "task.sas")
    read = load_task(tmp_path / "task.sas", unit_cost=True)
    assert read.sha256 == load_task(*files, unit_cost=True).sha256


def test_a_campaign_keeps_it_through_everything(
    tmp_path: Path, files: list[str], run: Run
) -> None:
    folder = tmp_path / "c"
    given = (*files, *TESTED, "--unit-cost", "--max-bugs", 2, "-o", folder)
    code, out, _ = run("test", *given)
    assert code == 1 and " with unit costs, policy greedy:hff" in out
    assert run("resume", folder, "--max-bugs", 6)[0] == 1
    found = certificates(folder)
    assert len(found) == 6
    for certificate in found:
        assert certificate["task"]["unit_cost"] is True
        assert certificate["plan"]["cost"] == len(certificate["plan"]["operators"])
        check((folder / "task.sas").read_text(), certificate)
    bug = next((folder / "bugs").iterdir())
    assert main([str(folder / "task.sas"), str(bug)]) == 0
    code, out, _ = run("replay", folder, bug.stem)
    assert (code, "STILL FAILS" in out) == (1, True)
    assert "with unit costs" in run("explain", folder, bug.stem)[1]
    assert json.loads(run("status", folder, "--json")[1])["costs"] == "unit"
    rescued = tmp_path / "rescued"
    assert run("salvage", folder, "-o", rescued)[0] == 0
    assert certificates(rescued) == found
    with CostRecords(rescued) as records:
        assert records.header.subject.unit_cost
    again = tmp_path / "again"
    assert run("test", "--from", folder, "--max-bugs", 6, "-o", again)[0] == 1
    assert certificates(again) == found


def test_an_old_campaign_made_anew_with_unit_costs(
    tmp_path: Path, files: list[str], run: Run
) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    assert run("test", *files, *TESTED, "--max-bugs", 1, "-o", old)[0] == 1
    assert run("test", "--from", old, "--unit-cost", "-o", new)[0] == 1
    assert all("unit_cost" not in made["task"] for made in certificates(old))
    assert all(made["task"]["unit_cost"] for made in certificates(new))
    code, _, err = run("compare", old, new)
    assert code == 4 and "different tasks (" in err and err.endswith(" with unit costs)\n")
    code, _, err = run("test", *files, *TESTED, "--from", new, "-o", tmp_path / "x")
    assert code == 4 and "is a campaign on another task" in err


def test_rollout_and_judge_take_it_too(files: list[str], run: Run) -> None:
    def told(*more: str) -> dict[str, Any]:
        code, out, _ = run("rollout", *files, "--policy", "greedy:hff", "--json", *more)
        assert code == 0
        return dict(json.loads(out))

    plain, unit = told(), told("--unit-cost")
    assert (plain.get("costs"), unit["costs"]) == (None, "unit")
    assert unit["runs"][0]["cost"] == unit["runs"][0]["steps"] < plain["runs"][0]["cost"]
    code, out, _ = run("judge", *files, *TESTED[:4], "--json", "--unit-cost")
    judged = json.loads(out)
    assert code in (0, 1) and judged["costs"] == "unit"


def test_experiments_and_their_tables_say_it(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("grid.toml").write_text(
        'policies = ["hill-climbing:hadd"]\noracles = ["lookahead"]\n[campaign]\n'
        'unit_cost = true\nfuzz.pool_size = 5\n[[domains]]\ngenerator = "transport"\n'
    )
    assert run("experiment", "grid.toml")[0] == 0
    for table in ("icaps22", "icaps23"):
        out = run("table", table, "grid", "--all-instances")[1]
        assert "unit costs in 1 of 1 campaign: every action costs 1" in out
    Path("grid.toml").write_text(Path("grid.toml").read_text().replace("true", "false"))
    code, _, err = run("experiment", "grid.toml")
    assert code == 4 and "unit_cost was True and is False" in err


def test_the_library_takes_it_as_a_task(files: list[str]) -> None:
    bugs = find_bugs(load_task(*files, unit_cost=True), "greedy:hff", pool_size=10)
    assert bugs and all(bug.certificate["task"]["unit_cost"] for bug in bugs)


def test_the_checker_wants_costs_of_1_where_a_certificate_says_so() -> None:
    task = line_task(3)
    assert task.uses_costs
    plain = with_unit_costs(task)
    made, said = (_certificate(given) for given in (task, plain))
    assert list(made["task"]) == ["name", "sha256"]
    assert said["task"] == {"name": "line", "sha256": plain.sha256, "unit_cost": True}
    check(task.to_sas(), made)
    check(plain.to_sas(), said)
    with pytest.raises(CertificateError, match="belongs to another task"):
        check(task.to_sas(), said)
    lying = {**made, "task": {**made["task"], "unit_cost": True}}
    with pytest.raises(CertificateError, match="every operator cost 1, but the task has costs"):
        check(task.to_sas(), lying)
    for wrong in (False, 1, "yes", None):
        with pytest.raises(CertificateError, match="'unit_cost' must be true or left out"):
            check(plain.to_sas(), {**said, "task": {**said["task"], "unit_cost": wrong}})


def _certificate(task: Task) -> dict[str, Any]:
    bench = line_bench(task, {0: "right"})
    return certificate_of(bench, at(0)[0], proven(bench, at(0)[0], (0, 1)))
