"""Campaigns end to end: the same seed gives the same result however the work is cut up."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bugsieve.base.errors import (
    InputError,
    InternalError,
    PolicyError,
    UnsupportedError,
    UsageError,
)
from bugsieve.campaigns.campaign import Campaign, make_folder
from bugsieve.campaigns.cost.kind import COST
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.events import (
    BugFound,
    ClaimRejected,
    Event,
    Finished,
    OracleSkipped,
    RoundDone,
    Started,
)
from bugsieve.campaigns.options import CostOptions
from bugsieve.campaigns.stop_rules import StopRules
from bugsieve.campaigns.store.folder import restore
from bugsieve.checkers.cost import check
from bugsieve.pipeline.oracles import registry
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.policies.foreign.function import policy
from bugsieve.tasks.grounded.task import Task
from tests.unit.campaigns.contents import contents
from tests.unit.campaigns.interrupting import interrupted
from tests.unit.policies.generated import generated_task, write_task
from tests.unit.results.small_disk import small_disk
from tests.unit.results.unprivileged import unprivileged

FUZZ = FuzzOptions(pool_size=40, round_walks=8, bias="uniform", seed=5)


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> Task:
    return generated_task(tmp_path_factory.mktemp("task"), "blocksworld", seed=1, blocks=5)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "campaign"


def options(**changes: Any) -> CostOptions:
    usual = {
        "task": (),
        "policy": "hill-climbing:hadd",
        "oracles": ("lookahead", "planner:gbfs-2000"),
        "fuzz": FUZZ,
    }
    return CostOptions(**{**usual, **changes})


def run(folder: Path, task: Task, **changes: Any) -> dict[str, Any]:
    """The contents of a campaign with these options, run to its end."""
    Campaign.create(folder, options(**changes), subject=task).run()
    return contents(folder)


@pytest.fixture(scope="module")
def reference(task: Task, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the campaign with the usual options finds."""
    found = run(tmp_path_factory.mktemp("reference") / "campaign", task)
    assert len(found["bugs"]) > 5 and found["finished"] == "pool full"
    return found


@pytest.mark.parametrize(
    "changes",
    [{"batch_size": 1}, {"batch_size": 7}, {"workers": 2}, {"workers": 3, "batch_size": 2}],
)
def test_batches_and_workers_do_not_matter(
    folder: Path, task: Task, reference: dict[str, Any], changes: dict[str, int]
) -> None:
    assert run(folder, task, **changes) == reference


@pytest.mark.parametrize("workers", [1, 2])
def test_separate_mode_finds_the_same(
    folder: Path, task: Task, reference: dict[str, Any], workers: int
) -> None:
    assert run(folder, task, mode="separate", workers=workers) == reference


def test_another_seed_finds_something_else(
    folder: Path, task: Task, reference: dict[str, Any]
) -> None:
    assert run(folder, task, fuzz=replace(FUZZ, seed=6))["pool"] != reference["pool"]


@pytest.mark.parametrize("mode", ["interleaved", "separate"])
@pytest.mark.parametrize("cut", [0, 1, 2, 5, 9])
def test_a_campaign_that_is_interrupted_goes_on_as_if_it_had_not_been(
    folder: Path, task: Task, reference: dict[str, Any], cut: int, mode: str
) -> None:
    events = interrupted(Campaign.create(folder, options(mode=mode), subject=task), cut)
    assert events[-1] == Finished("interrupted")
    Campaign.open(folder).run()
    assert contents(folder) == reference


@pytest.mark.parametrize("cut", [3, 11, 30])
def test_a_round_that_takes_long_is_stored_in_parts(
    folder: Path,
    task: Task,
    reference: dict[str, Any],
    cut: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("bugsieve.campaigns.session._COMMIT_SECONDS", -1.0)
    rounds: list[RoundDone] = []

    def interrupt(event: Event) -> None:
        if isinstance(event, RoundDone):
            rounds.append(event)
            if len(rounds) == cut:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Campaign.create(folder, options(batch_size=1), subject=task).run(interrupt)
    assert any(event.judged < event.cases for event in rounds)
    with CostRecords(folder) as records:
        assert (records.case_count(), records.progress().visits) == (
            rounds[-1].cases,
            rounds[-1].judged,
        )
    Campaign.open(folder).run()
    assert contents(folder) == reference


def test_a_full_disk_costs_nothing_that_was_stored(folder: Path, task: Task) -> None:
    given = options(fuzz=replace(FUZZ, round_walks=1))
    whole = folder.with_name("whole")
    Campaign.create(whole, given, subject=task).run()
    campaign = Campaign.create(folder, given, subject=task)
    with small_disk(200_000), pytest.raises(InputError, match="the disk is full"):
        campaign.run()
    with CostRecords(folder) as records:
        assert 0 < records.progress().visits < 40
    Campaign.open(folder).run()
    assert contents(folder) == contents(whole)


def test_a_place_where_no_folder_can_be_made(tmp_path: Path, task: Task) -> None:
    tmp_path.chmod(0o555)
    with (
        unprivileged(tmp_path / "x"),
        pytest.raises(InputError, match="cannot be written .* check its permissions"),
    ):
        Campaign.create(tmp_path / "campaign", options(), subject=task)


def test_every_bug_is_written_down_with_a_certificate_that_holds(folder: Path, task: Task) -> None:
    run(folder, task)
    with CostRecords(folder) as records:
        bugs = records.bugs()
        counts = records.bugs_by_kind()
    files = sorted((folder / "bugs").iterdir())
    assert [path.stem for path in files] == sorted(row.id for row in bugs)
    sas = (folder / "task.sas").read_text()
    for path in files:
        check(sas, json.loads(path.read_text())["certificate"])
    assert sum(counts.values()) == len(bugs)


def test_events_tell_the_story(folder: Path, task: Task) -> None:
    events: list[Event] = []
    summary = Campaign.create(folder, options(), subject=task).run(events.append)
    started = events[0]
    assert isinstance(started, Started) and not started.resumed
    assert (started.cases, started.bugs, started.seed) == (1, 0, 5)
    assert isinstance(events[-1], Finished) and events[-1].reason == summary.reason == "pool full"
    rounds = [event for event in events if isinstance(event, RoundDone)]
    assert [event.cases for event in rounds] == sorted(event.cases for event in rounds)
    assert rounds[-1].cases == rounds[-1].judged == rounds[-1].limit == 40
    found = [event for event in events if isinstance(event, BugFound)]
    assert len(found) == summary.bugs == sum(rounds[-1].bugs.values())
    assert rounds[-1].last_bug_seconds == found[-1].row.seconds
    assert sum(summary.endings.values()) == summary.judged == 40


def test_an_oracle_that_does_not_apply_is_left_out_with_a_notice(
    folder: Path, tmp_path: Path
) -> None:
    one_way = generated_task(tmp_path, "spanner")
    events: list[Event] = []
    given = options(oracles=("undo-qual", "lookahead"), fuzz=replace(FUZZ, pool_size=5))
    summary = Campaign.create(folder, given, subject=one_way).run(events.append)
    (skipped,) = (event for event in events if isinstance(event, OracleSkipped))
    assert skipped.oracle == "undo-qual" and summary.skipped == {"undo-qual": skipped.reason}
    assert list(summary.outcomes) == ["lookahead"]
    nothing = folder.with_name("nothing")
    with pytest.raises(UnsupportedError, match="there is no oracle left: oracle 'undo-qual'"):
        Campaign.create(nothing, options(oracles=("undo-qual",)), subject=one_way)
    assert not nothing.exists()


def test_the_timeline_counts_every_bug(folder: Path, task: Task) -> None:
    run(folder, task)
    with CostRecords(folder) as records:
        rows, bugs = records.timeline(), records.bugs()
    assert [row.seconds for row in rows] == sorted(row.seconds for row in rows)
    assert (rows[0].event, rows[-1].event, rows[-1].detail) == ("start", "end", "pool full")
    found = [row for row in rows if row.event == "bug"]
    assert [row.bugs for row in found] == list(range(1, len(bugs) + 1))
    assert [row.detail.split()[0] for row in found] == [row.id for row in bugs]
    before = (folder / "timeline.csv").read_text()
    with CostRecords(folder) as records:
        restore(records, COST.describe(records.header))
    assert (folder / "timeline.csv").read_text() == before


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("mode", ["interleaved", "separate"])
def test_the_first_bugs_in_the_order_of_the_pool(
    folder: Path, task: Task, reference: dict[str, Any], mode: str, workers: int
) -> None:
    stop = StopRules(max_bugs=4)
    found = run(folder, task, mode=mode, workers=workers, batch_size=64, stop=stop)
    assert found["finished"] == "enough bugs"
    assert found["bugs"] == reference["bugs"][:4]
    judged = found["progress"][3]
    assert judged == found["bugs"][-1].case + 1
    assert found["runs"][0] == list(range(judged))
    Campaign.open(folder, stop=StopRules()).run()
    assert contents(folder) == reference


def test_rounds_without_a_bug(folder: Path, task: Task) -> None:
    found = run(folder, task, policy="optimal", stop=StopRules(stale_rounds=2))
    assert found["finished"] == "no new bugs"
    assert not found["bugs"] and found["progress"][2] == 2


@pytest.mark.parametrize("mode", ["interleaved", "separate"])
def test_a_pool_that_does_not_grow_any_more(folder: Path, task: Task, mode: str) -> None:
    found = run(
        folder, task, mode=mode, fuzz=replace(FUZZ, pool_size=10**6, novelty=2, patience=160)
    )
    walks, _, _, judged = found["progress"]
    assert found["finished"] == "the walks find nothing new"
    assert judged == len(found["pool"][0]) and walks >= found["pool"][2][-1] + 160


def test_time_is_counted_over_all_sessions(folder: Path, task: Task) -> None:
    endless = replace(FUZZ, pool_size=10**9, novelty=0)
    summary = Campaign.create(
        folder, options(fuzz=endless, stop=StopRules(max_time=0.3)), subject=task
    ).run()
    assert summary.reason == "out of time" and summary.seconds >= 0.3
    again = Campaign.open(folder).run()
    assert again.reason == "out of time" and again.rounds == summary.rounds
    longer = Campaign.open(folder, stop=StopRules(max_time=summary.seconds + 0.3)).run()
    assert longer.rounds > summary.rounds and longer.seconds >= summary.seconds + 0.3


def test_seconds_without_a_bug(folder: Path, task: Task) -> None:
    endless = replace(FUZZ, pool_size=10**9, novelty=0)
    stop = StopRules(until_stale=0.2)
    given = options(policy="optimal", oracles=("lookahead",), fuzz=endless, stop=stop)
    summary = Campaign.create(folder, given, subject=task).run()
    assert summary.reason == "no new bugs" and summary.seconds >= 0.2


def test_a_finished_campaign_stays_finished(folder: Path, task: Task) -> None:
    found = run(folder, task)
    events: list[Event] = []
    Campaign.open(folder).run(events.append)
    assert contents(folder) == found
    assert isinstance(events[0], Started) and events[0].resumed
    assert [type(event) for event in events] == [Started, Finished]


def test_start_states_from_a_file_and_from_a_pool(
    tmp_path: Path, task: Task, reference: dict[str, Any]
) -> None:
    states = np.array(reference["pool"][0][:3], dtype=np.uint16)
    listed = [sorted(task.facts(state)) for state in (*states, states[0])]
    (tmp_path / "states.json").write_text(json.dumps(listed))
    first = run(tmp_path / "one", task, from_states=str(tmp_path / "states.json"))
    assert first["pool"][0][:3] == states.tolist()
    assert first["pool"][1][:4] == [-1, -1, -1, first["pool"][1][3]]  # a state twice is one root
    second = run(tmp_path / "two", task, from_states=str(tmp_path / "one"))
    assert second["pool"][0] == first["pool"][0]  # full from the beginning: judged only
    assert second["pool"][1] == [-1] * 40 and second["progress"][0] == 0
    given = Campaign.create(tmp_path / "three", options(), subject=task, states=states)
    given.run()
    assert contents(tmp_path / "three")["pool"] == first["pool"]


def test_start_states_of_another_task(tmp_path: Path, task: Task) -> None:
    run(tmp_path / "one", task)
    other = generated_task(tmp_path, "gripper")
    with pytest.raises(InputError, match="is a campaign on another task"):
        Campaign.create(
            tmp_path / "two", options(from_states=str(tmp_path / "one")), subject=other
        )


def test_pddl_files_are_kept_for_replay(folder: Path, tmp_path: Path) -> None:
    domain, problem = write_task(tmp_path, "blocksworld", seed=1, blocks=3)
    fuzz = replace(FUZZ, pool_size=5)
    with Campaign.create(folder, options(task=(domain, problem), fuzz=fuzz)):
        pass
    assert (folder / "domain.pddl").read_text() == Path(domain).read_text()
    assert (folder / "problem.pddl").read_text() == Path(problem).read_text()
    Path(domain).unlink()
    assert Campaign.open(folder).run().reason is not None  # needs nothing but its folder


@policy
def takes_the_first(facts: frozenset[str], applicable: list[str]) -> str | None:
    """The first applicable action, whatever it is."""
    return applicable[0] if applicable else None


def test_a_policy_that_is_a_python_object(folder: Path, task: Task) -> None:
    Campaign.create(folder, options(), subject=task, policy=takes_the_first).run()
    found = contents(folder)
    assert found["bugs"]
    with pytest.raises(UsageError, match="tests the Python object function:takes_the_first"):
        Campaign.open(folder)
    Campaign.open(folder, policy=takes_the_first).run()
    assert contents(folder) == found
    with pytest.raises(UsageError, match="one worker only"):
        Campaign.open(folder, policy=takes_the_first, workers=2)
    with pytest.raises(UsageError, match="one worker only"):
        Campaign.create(folder / "x", options(workers=2), subject=task, policy=takes_the_first)


class BreaksDown:
    """Answers some batches, then nonsense."""

    def __init__(self, task: Task, answers: int) -> None:
        self.task = task
        self.answers = answers

    def choose(self, states: Any) -> Any:
        self.answers -= 1
        if self.answers < 0:
            return np.zeros(0)
        operators, offsets = self.task.applicable(states)
        return operators[offsets[:-1]]


def test_a_policy_that_dies_in_the_middle(folder: Path, task: Task) -> None:
    rounds: list[RoundDone] = []

    def listen(event: Event) -> None:
        if isinstance(event, RoundDone):
            rounds.append(event)

    dying = BreaksDown(task, 12)
    with pytest.raises(PolicyError, match="BreaksDown must answer an integer array"):
        Campaign.create(folder, options(), subject=task, policy=dying).run(listen)
    with CostRecords(folder) as records:
        assert rounds and records.progress().visits == rounds[-1].judged == records.case_count()
    Campaign.open(folder, policy=BreaksDown(task, 10**9)).run()
    whole = folder.with_name("whole")
    Campaign.create(whole, options(), subject=task, policy=BreaksDown(task, 10**9)).run()
    assert contents(folder) == contents(whole)


def test_an_oracle_that_lies_never_makes_a_bug(
    folder: Path, task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    lying = "tests.unit.campaigns.lying:LyingOracle"
    monkeypatch.setitem(registry.ORACLES.family.builtin, "lying", lying)
    events: list[Event] = []
    given = options(oracles=("lying",), fuzz=replace(FUZZ, pool_size=10))
    summary = Campaign.create(folder, given, subject=task).run(events.append)
    assert summary.bugs == 0 and len(summary.rejected) == 10
    assert sum(isinstance(event, ClaimRejected) for event in events) == 10
    assert summary.outcomes == {"lying": {"bug": 10}}


@pytest.mark.parametrize(
    ("changes", "error", "sentence"),
    [
        ({"policy": "gredy"}, UsageError, "no policy 'gredy' .did you mean 'greedy'"),
        ({"oracles": ("lookahed",)}, UsageError, "no oracle 'lookahed' .did you mean 'lookahead'"),
        ({"objective": "quantative"}, UsageError, "did you mean 'quantitative'"),
        ({"from_states": "nowhere.json"}, InputError, "nowhere.json: there is no such file"),
    ],
)
def test_mistakes_leave_no_folder(
    folder: Path, task: Task, changes: dict[str, Any], error: type[Exception], sentence: str
) -> None:
    with pytest.raises(error, match=sentence):
        Campaign.create(folder, options(**changes), subject=task)
    assert not folder.exists()


def test_a_campaign_without_a_task(folder: Path) -> None:
    with pytest.raises(UsageError, match="needs a task"):
        Campaign.create(folder, options())


def test_a_folder_is_run_by_one_process_at_a_time(folder: Path, task: Task) -> None:
    with Campaign.create(folder, options(), subject=task):
        with pytest.raises(UsageError, match="another process"):
            Campaign.open(folder)
        with pytest.raises(UsageError, match="holds a campaign already"):
            Campaign.create(folder, options(), subject=task)
    assert Campaign.open(folder).run().reason == "pool full"


def test_nothing_is_written_to_a_folder_that_is_no_campaign(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not the folder of a campaign"):
        Campaign.open(tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("fail", [lambda: 1 / 0, lambda: None])
def test_the_folder_is_free_again_whatever_ends_the_run(
    folder: Path, task: Task, fail: Callable[[], Any]
) -> None:
    def listen(event: Event) -> None:
        fail()
        raise InternalError("the listener is at fault")

    with pytest.raises((ZeroDivisionError, InternalError)):
        Campaign.create(folder, options(), subject=task).run(listen)
    assert Campaign.open(folder).run().reason == "pool full"


def test_a_folder_whose_name_is_no_text_is_not_begun(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no valid UTF-8"):
        make_folder(tmp_path / "o\udcff", lambda: None)
    assert not list(tmp_path.iterdir())
