"""Bugs that one rule of a policy explains are one line, wherever causes are listed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import bugsieve
from bugsieve.campaigns.campaign import Campaign, summary_of
from bugsieve.campaigns.causes import UNKNOWN_RULES
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.cost.store import CostStore
from bugsieve.campaigns.options import CostOptions, with_typed_walks
from bugsieve.campaigns.python_calls.bugs import Bugs
from bugsieve.campaigns.several.several import joint_causes, joint_summary
from bugsieve.campaigns.stop_rules import StopRules
from bugsieve.cli import main
from bugsieve.explanation.causes.groups import count_lines
from bugsieve.explanation.causes.pattern import NOTE, Pattern, pattern_from
from bugsieve.explanation.patterns import naming
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.pipeline.pool.sample import sampling
from bugsieve.rooms.zoo.domains import generate
from bugsieve.tasks.grounded.task import Task
from bugsieve.tasks.search import exact_costs
from tests.quality.planted import ChangedPolicy

RULE = Pattern("unstack", ("(clear b3)",))


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> Task:
    folder = tmp_path_factory.mktemp("task")
    made = generate("blocksworld", blocks=4, seed=1)
    (folder / "domain.pddl").write_text(made.domain)
    (folder / "problem.pddl").write_text(made.problem)
    return bugsieve.load_task(folder / "domain.pddl", folder / "problem.pddl")


@pytest.fixture(scope="module")
def policy(task: Task) -> ChangedPolicy:
    """Optimal, but where b3 is clear it takes the first `unstack` that is possible."""
    exact = exact_costs(task)
    table = {}
    for row, state in enumerate(exact.states):
        choices = task.applicable(state).operators.tolist()
        wrong = [number for number in choices if "unstack" in task.operator_names[number]]
        if exact.costs[row] > 0:
            planted = wrong if "(clear b3)" in task.facts(state) else []
            table[state.tobytes()] = (planted or exact.plan(row) or (-1,))[0]
    return ChangedPolicy(table)


@pytest.fixture(scope="module")
def folder(task: Task, policy: ChangedPolicy, tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("found") / "campaign"
    Campaign.create(where, CostOptions(task=(), policy="planted"), task, policy=policy).run()
    return where


def test_bugs_of_one_rule_are_one_line(folder: Path) -> None:
    with CostRecords(folder) as records:
        (line,) = records.causes()
        assert len(records.groups_by_cause()) == len(line.cause_ids) == 2
        assert set(records.patterns().values()) == {RULE}
        assert (line.pattern, line.id, str(line)) == (RULE, RULE.id, f"{line.count} × {RULE}")
        assert line.count == summary_of(folder).bugs
    assert summary_of(folder).cause_count == 1


def test_shown_wherever_causes_are(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bugs = summary_of(folder).bugs
    assert main(["status", str(folder)]) == 0
    shown = capsys.readouterr().out
    assert f"{bugs} bugs have 1 cause:\n  {bugs} × unstack where (clear b3)\n" in shown
    assert UNKNOWN_RULES not in shown
    assert main(["status", str(folder), "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["causes"]
    assert (row["words"], row["conditions"]) == ("unstack where (clear b3)", ["(clear b3)"])
    assert len(row["causes"]) == 2
    page = folder.parent / "page.html"
    assert main(["report", str(folder), "-o", str(page)]) == 0
    assert "unstack where (clear b3)" in page.read_text()
    assert main(["export", str(folder), "--csv", str(folder.parent / "tables")]) == 0
    assert "unstack where (clear b3)" in (folder.parent / "tables" / "causes.csv").read_text()
    assert f",{RULE.id}\n" in (folder.parent / "tables" / "bugs.csv").read_text()
    assert main(["table", "bugs", str(folder)]) == 0
    table = capsys.readouterr().out.splitlines()
    row = next(line.split() for line in table if line.startswith(str(folder)))
    assert row[1:5] == ["125", "0", str(bugs), "1"]  # judged, undecided, bugs, causes


def test_python_lists_the_same_lines(task: Task, policy: ChangedPolicy, folder: Path) -> None:
    found = bugsieve.find_bugs(task, policy)
    assert isinstance(found, Bugs)
    (line,) = found.causes()
    assert (line.words, line.count) == ("unstack where (clear b3)", len(found))
    assert {bug.pattern for bug in found} == {RULE}
    assert found.summary.cause_count == 1
    assert [str(line) for line in bugsieve.load_bugs(folder).causes()] == [str(line)]


def test_causes_compare_campaigns(folder: Path) -> None:
    """They mean the same everywhere, which rules of one campaign do not."""
    found = bugsieve.compare(folder, folder)
    with CostRecords(folder) as records:
        assert {cause.id for cause in found.causes} == {
            group.cause.id for group in records.groups_by_cause()
        }


def test_resuming_finds_what_one_session_does(
    task: Task, policy: ChangedPolicy, folder: Path, tmp_path: Path
) -> None:
    few = CostOptions(task=(), policy="planted", stop=StopRules(max_bugs=3))
    Campaign.create(tmp_path / "cut", few, task, policy=policy).run()
    with CostRecords(tmp_path / "cut") as records:
        assert len(records.patterns()) == 3
    Campaign.open(tmp_path / "cut", policy=policy, stop=StopRules()).run()
    with CostRecords(tmp_path / "cut") as one, CostRecords(folder) as other:
        assert one.patterns() == other.patterns()


def test_what_is_known_is_not_found_again(
    task: Task,
    policy: ChangedPolicy,
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else whoever resumes a campaign that is done would read all certificates."""
    few = CostOptions(task=(), policy="planted", stop=StopRules(max_bugs=3))
    Campaign.create(tmp_path / "cut", few, task, policy=policy).run()
    asked: list[bool] = []

    def pattern_notes(*_: object, search: bool) -> dict[str, object]:
        asked.append(search)
        return {}

    monkeypatch.setattr("bugsieve.campaigns.cost.driver.pattern_notes", pattern_notes)
    Campaign.open(tmp_path / "cut", policy=policy).run()
    assert asked == []
    Campaign.open(tmp_path / "cut", policy=policy, stop=StopRules()).run()
    assert asked == [True]


def test_a_measurement_looks_for_no_rules(
    task: Task, policy: ChangedPolicy, tmp_path: Path
) -> None:
    options = CostOptions(
        task=(), policy="planted", sample="1/1", fuzz=sampling(), stop=StopRules(tests=100)
    )
    Campaign.create(tmp_path / "sample", options, task, policy=policy).run()
    with CostRecords(tmp_path / "sample") as records:
        assert records.bug_kinds() and not records.patterns()


def test_causes_stay_where_regrets_are_unknown(
    task: Task,
    policy: ChangedPolicy,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(naming, "costs_for", lambda bench: None)
    monkeypatch.setattr("bugsieve.explanation.patterns.searched.MOST_EXPANSIONS", 0)
    where = tmp_path / "campaign"
    Campaign.create(where, CostOptions(task=(), policy="planted"), task, policy=policy).run()
    with CostRecords(where) as records:
        assert not records.patterns()
        assert count_lines(records.causes()) == summary_of(where).cause_count == 2
    assert main(["status", str(where)]) == 0
    assert f"  {UNKNOWN_RULES}\n" in capsys.readouterr().out


def test_rules_are_found_by_searches(
    task: Task,
    policy: ChangedPolicy,
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As on tasks that are too large to explore."""
    monkeypatch.setattr(naming, "costs_for", lambda bench: None)
    options = CostOptions(
        task=(), policy="planted", fuzz=FuzzOptions(pool_size=100, novelty=0, bias="uniform")
    )
    where = tmp_path / "campaign"
    Campaign.create(where, with_typed_walks(options), task, policy=policy).run()
    with CostRecords(where) as records:
        assert {pattern.action for pattern in records.patterns().values()} == {"unstack"}
        assert summary_of(where).cause_count < len(records.groups_by_cause())


def test_problems_together_are_listed_by_causes(folder: Path) -> None:
    """Rules name objects of one task."""
    summary = joint_summary(folder.parent)
    groups = joint_causes(folder.parent, summary)
    assert all(group.pattern is None for group in groups)
    assert summary.cause_count == count_lines(groups) == 2


def test_a_note_may_be_a_strangers(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="another shape"):
        pattern_from(["unstack", "(clear b3)", "", 0])
    store = CostStore.open(folder)
    try:
        with CostRecords(folder) as records:
            before = {bug: one.to_json() for bug, one in records.patterns().items()}
        store.put_notes(NOTE, {bug: ["a\x1b[2Jb", ["\x07"], "", 0] for bug in before})
        with CostRecords(folder) as records:
            (line,) = records.causes()
            assert line.words.isprintable()
        store.put_notes(NOTE, {bug: {"no": "pattern"} for bug in before})
        with CostRecords(folder) as records, pytest.raises(bugsieve.InputError, match="damaged"):
            records.causes()
    finally:
        store.put_notes(NOTE, before)
        store.close()
