"""Oracles that learn: they revise earlier cases, and nothing depends on how the work is cut up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bugsieve.base.errors import InternalError, UsageError
from bugsieve.base.registry import families
from bugsieve.base.wording import counted
from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.cost.summary import CostSummary
from bugsieve.campaigns.cost.taken_pool import restored_pool
from bugsieve.campaigns.cost.wording import CostWording
from bugsieve.campaigns.events import BugFound, BugImproved, Event
from bugsieve.campaigns.options import CostOptions
from bugsieve.campaigns.stop_rules import StopRules
from bugsieve.checkers.cost import check
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.verdict import implied, inconclusive
from bugsieve.pipeline.judging.cases import Parcel
from bugsieve.pipeline.judging.examiner import Examiner
from bugsieve.pipeline.objectives import make_objective
from bugsieve.pipeline.oracles.learning import Learnt, Revision
from bugsieve.pipeline.oracles.registry import make_oracle
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.pipeline.pool.pool import Pool
from bugsieve.policies.registry import make_policy
from bugsieve.tasks.grounded.task import Task
from tests.unit.campaigns.contents import contents
from tests.unit.campaigns.interrupting import interrupted
from tests.unit.judging.suffixes import NAME, PLACE, SuffixOracle
from tests.unit.policies.generated import generated_task

FUZZ = FuzzOptions(pool_size=60, walk_length=15, round_walks=8, novelty=0, bias="uniform", seed=5)


@pytest.fixture(autouse=True)
def _listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(families.ORACLES.builtin, NAME, PLACE)


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> Task:
    return generated_task(tmp_path_factory.mktemp("task"), "blocksworld", seed=1, blocks=4)


def options(**changes: Any) -> CostOptions:
    usual = {
        "task": (),
        "policy": "hill-climbing:hadd",
        "oracles": ("lookahead:1", NAME),
        "fuzz": FUZZ,
        "escalate_to": 0,
    }
    return CostOptions(**{**usual, **changes})


def learnt(folder: Path) -> dict[str, Any]:
    """All that a campaign with a learning oracle keeps, without times."""
    with CostRecords(folder) as records:
        more = {"lessons": records.lessons(), "bounds": records.bounds()}
    return {**contents(folder), **more}


@pytest.fixture(scope="module")
def reference(task: Task, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(families.ORACLES.builtin, NAME, PLACE)
        folder = tmp_path_factory.mktemp("reference") / "campaign"
        Campaign.create(folder, options(), task).run()
        return learnt(folder)


def test_earlier_cases_are_revised(reference: dict[str, Any]) -> None:
    revised = [row for row in reference["bugs"] if row.found > row.case]
    improved = [row for row in reference["bugs"] if row.changed > row.found]
    assert revised and improved
    assert all(NAME in row.finders for row in (*revised, *improved))
    assert len(reference["lessons"]) == 60
    order = [(row.found, row.case) for row in reference["bugs"]]
    assert order == sorted(order)


@pytest.mark.parametrize(
    "changes",
    [
        {"batch_size": 1},
        {"batch_size": 7},
        {"workers": 2},
        {"workers": 4, "batch_size": 7},
        {"workers": 2, "mode": "separate"},
    ],
    ids=str,
)
def test_batches_and_workers_do_not_matter(
    tmp_path: Path, task: Task, reference: dict[str, Any], changes: dict[str, Any]
) -> None:
    Campaign.create(tmp_path / "campaign", options(**changes), task).run()
    assert learnt(tmp_path / "campaign") == reference


@pytest.mark.parametrize("cut", [0, 1, 3, 6, 9])
def test_an_interrupted_campaign_recalls_what_it_learnt(
    tmp_path: Path, task: Task, reference: dict[str, Any], cut: int
) -> None:
    folder = tmp_path / "campaign"
    interrupted(Campaign.create(folder, options(batch_size=5), task), cut)
    Campaign.open(folder).run()
    assert learnt(folder) == reference


@pytest.mark.parametrize("most", range(1, 16, 2))
def test_enough_bugs_cut_exactly_after_the_last_one(
    tmp_path: Path, task: Task, reference: dict[str, Any], most: int
) -> None:
    folder = tmp_path / "campaign"
    summary = Campaign.create(folder, options(stop=StopRules(max_bugs=most)), task).run()
    assert (summary.bugs, summary.reason) == (most, "enough bugs")
    found = [(row.id, row.found) for row in contents(folder)["bugs"]]
    assert found == [(row.id, row.found) for row in reference["bugs"][:most]]
    Campaign.open(folder, stop=StopRules()).run()
    assert learnt(folder) == reference


def test_every_certificate_holds_and_files_follow_improvements(tmp_path: Path, task: Task) -> None:
    folder = tmp_path / "campaign"
    events: list[Event] = []
    Campaign.create(folder, options(), task).run(events.append)
    found = [event.row.id for event in events if isinstance(event, BugFound)]
    improved = [event.row.id for event in events if isinstance(event, BugImproved)]
    dates = {event.row.id: event.row.seconds for event in events if isinstance(event, BugFound)}
    for event in events:
        if isinstance(event, BugImproved):
            assert event.row.seconds == dates[event.row.id] > 0
    assert improved and set(improved) <= set(found) and len(set(found)) == len(found)
    with CostRecords(folder) as records:
        moments = [row.event for row in records.timeline()]
        assert moments.count("better") == len(improved)
        for row in records.bugs():
            check(task.to_sas(), row.bug.certificate)
            assert f'"cost": {row.bug.certificate["plan"]["cost"]}' in (
                folder / "bugs" / f"{row.id}.json"
            ).read_text("utf-8")


def test_the_summary_tells_bugs_of_earlier_states_apart(tmp_path: Path, task: Task) -> None:
    summary = Campaign.create(tmp_path / "campaign", options(), task).run()
    with CostRecords(tmp_path / "campaign") as records:
        cases = {visit: case for case, visit in records.first_visits().items()}
        later = sum(cases[row.found] != row.case for row in records.bugs())
    assert isinstance(summary, CostSummary)
    lines = CostWording().count_lines(summary)
    assert summary.revised == later > 0
    assert f"  {counted(later, 'bug')} became known when other states were judged" in lines


def test_one_more_finder_is_no_improvement(tmp_path: Path, task: Task) -> None:
    events: list[Event] = []
    twice = options(oracles=("lookahead:1", NAME, f"any:{NAME}"))
    Campaign.create(tmp_path / "campaign", twice, task).run(events.append)
    known: dict[str, Any] = {}
    for event in events:
        if isinstance(event, BugFound | BugImproved):
            assert event.row.bug.certificate != known.get(event.row.id)
            known[event.row.id] = event.row.bug.certificate


def test_files_of_bugs_that_improved_before_a_kill_are_renewed(tmp_path: Path, task: Task) -> None:
    folder = tmp_path / "campaign"
    Campaign.create(folder, options(), task).run()
    files = sorted((folder / "bugs").iterdir())
    written = [file.read_text("utf-8") for file in files]
    with CostRecords(folder) as records:
        improved = [row.id for row in records.bugs() if row.changed > row.found]
    for name in improved:
        (folder / "bugs" / f"{name}.json").write_text("the old certificate", "utf-8")
    Campaign.open(folder).close()
    assert improved and [file.read_text("utf-8") for file in files] == written


def test_a_combined_oracle_tells_its_learner_of_plans(tmp_path: Path, task: Task) -> None:
    spec = f"best-of:{NAME}+planner:gbfs-12"
    Campaign.create(tmp_path / "one", options(oracles=(spec,)), task).run()
    whole = learnt(tmp_path / "one")
    assert any(row.found > row.case or row.changed > row.found for row in whole["bugs"])
    stop = StopRules(max_bugs=3)
    Campaign.create(tmp_path / "two", options(oracles=(spec,), workers=2, stop=stop), task).run()
    Campaign.open(tmp_path / "two", stop=StopRules(), workers=1).run()
    assert learnt(tmp_path / "two") == whole


def test_a_learner_hears_of_those_before_it_as_of_those_after_it(
    tmp_path: Path, task: Task
) -> None:
    members = (NAME, "planner:gbfs-12")
    found = []
    for place, order in enumerate((members, members[::-1])):
        folder = tmp_path / str(place)
        Campaign.create(folder, options(oracles=(f"best-of:{'+'.join(order)}",)), task).run()
        lessons = learnt(folder)["lessons"].values()
        found.append([lesson.content for (lesson,) in lessons])
    heard = json.dumps("heard").encode().hex().encode()
    assert found[0] == found[1] and any(heard in content for content in found[0])


def test_only_cases_that_were_told_can_be_revised(
    task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    revision = Revision(99, implied("so", gap=1.0))
    said = Learnt(inconclusive(""), (revision,))
    monkeypatch.setattr(SuffixOracle, "learn", lambda self, case: said)
    bench = Bench(task, make_policy("random:1", task), make_objective("quantitative", task))
    with (
        Examiner(bench, [make_oracle(NAME, bench)]) as examiner,
        pytest.raises(InternalError, match="suffixes revises case 99, of which it was never told"),
    ):
        examiner.examine(Parcel.given(task.initial_state[None]))


def test_a_learner_is_combined_once(task: Task) -> None:
    bench = Bench(task, make_policy("random:1", task), make_objective("quantitative", task))
    with pytest.raises(UsageError, match="names one that learns twice"):
        make_oracle(f"any:{NAME}+{NAME}", bench)


def test_oracles_side_by_side_do_not_know_of_each_other(
    tmp_path: Path, task: Task, reference: dict[str, Any]
) -> None:
    Campaign.create(tmp_path / "alone", options(oracles=(NAME,)), task).run()
    alone = learnt(tmp_path / "alone")
    assert alone["verdicts"][0] == reference["verdicts"][1]
    assert alone["lessons"] == reference["lessons"]


def test_an_examiner_needs_no_folder(
    tmp_path: Path, task: Task, reference: dict[str, Any]
) -> None:
    Campaign.create(tmp_path / "campaign", options(oracles=("lookahead:1",)), task).run()
    with CostRecords(tmp_path / "campaign") as records:
        pool = restored_pool(Pool(task), records.pool())
    policy = make_policy("hill-climbing:hadd", task)
    bench = Bench(task, policy, make_objective("quantitative", task))
    oracles = [make_oracle(spec, bench) for spec in ("lookahead:1", NAME)]
    with Examiner(bench, oracles) as examiner:
        findings = examiner.examine(Parcel.of(pool, 0, 20))
        findings += examiner.examine(Parcel.of(pool, 20, 60))
    bugs = {row.id for finding in findings for row in finding.bugs}
    assert bugs == {row.id for row in reference["bugs"]}


@pytest.mark.parametrize("spec", [NAME, f"any:{NAME}+lookahead:1"])
def test_what_was_learnt_of_the_task_serves_other_policies(
    tmp_path: Path, task: Task, spec: str
) -> None:
    Campaign.create(tmp_path / "one", options(oracles=(spec,)), task).run()
    with CostRecords(tmp_path / "one") as records:
        pool = restored_pool(Pool(task), records.pool())
        lessons = [lesson for found in records.lessons().values() for lesson in found]
    counts = []
    for known in ([], lessons):
        bench = Bench(task, make_policy("random:1", task), make_objective("quantitative", task))
        with Examiner(bench, [make_oracle(spec, bench)], known) as examiner:
            findings = examiner.examine(Parcel.of(pool, 0, 60))
        counts.append(sum(len(finding.bugs) for finding in findings))
    assert counts[1] > counts[0]


def test_notes_are_dropped_when_the_certificate_improves(tmp_path: Path, task: Task) -> None:
    folder = tmp_path / "campaign"
    with pytest.raises(KeyboardInterrupt):
        Campaign.create(folder, options(batch_size=1), task).run(_interrupt_at_bug(6))
    campaign = Campaign.open(folder)
    with CostRecords(folder) as records, campaign.kind.store.open(folder) as store:
        for row in records.bugs():
            store.note(row.id, "colour", {"of": row.changed})
        before = {row.id: row.changed for row in records.bugs()}
    campaign.run()
    with CostRecords(folder) as records:
        rows = [row for row in records.bugs() if row.id in before]
        kept = [row.id for row in rows if "colour" in records.notes(row.id)]
        assert kept == [row.id for row in rows if row.changed == before[row.id]]
        assert kept and len(kept) < len(rows)


def _interrupt_at_bug(number: int) -> Any:
    seen: list[Event] = []

    def listen(event: Event) -> None:
        seen.extend([event] * isinstance(event, BugFound))
        if len(seen) == number:
            raise KeyboardInterrupt

    return listen
