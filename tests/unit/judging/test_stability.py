"""A policy that changes its answers has no proven bugs, however the work is cut up."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bugsieve.base.registry import families
from bugsieve.base.stopping import StopToken, check_stop
from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.events import AnswersDiffer, Event
from bugsieve.campaigns.options import CostOptions
from bugsieve.campaigns.stop_rules import StopRules
from bugsieve.pipeline.judging import stability
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.policies.asking import decide_anew, is_ours
from bugsieve.policies.built_in.greedy import GreedyPolicy
from bugsieve.policies.built_in.hill_climbing import HillClimbingPolicy
from bugsieve.policies.decisions import Decisions, Ending, Failure
from bugsieve.policies.foreign.python import PythonPolicy
from bugsieve.policies.registry import make_policy
from bugsieve.tasks.grounded.task import NO_ACTION, ActionArray, StateArray, Task
from tests.unit.benches.test_run_sources import PlanFollower, PlanRuns
from tests.unit.campaigns.contents import contents
from tests.unit.judging.suffixes import NAME, PLACE
from tests.unit.policies.generated import generated_task
from tests.unit.policies.line import at, line_task

FUZZ = FuzzOptions(pool_size=30, round_walks=8, novelty=0, bias="uniform", seed=5)


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> Task:
    return generated_task(tmp_path_factory.mktemp("task"), "blocksworld", seed=1, blocks=4)


def options(**changes: Any) -> CostOptions:
    usual = {"task": (), "policy": "twofold", "oracles": ("planner:gbfs-2000",), "fuzz": FUZZ}
    return CostOptions(**{**usual, **changes})


def everything(folder: Path) -> dict[str, Any]:
    """All that a campaign keeps, without times."""
    with CostRecords(folder) as records:
        return {**contents(folder), "unstable": records.unstable()}


class Twofold(HillClimbingPolicy):
    """Asked anew, it answers otherwise where a block is held, and as always elsewhere."""

    def __init__(self, task: Task, held: str = "(holding b1)") -> None:
        super().__init__(task, "hadd")
        self.held = held

    def decide_anew(self, states: StateArray, *, hash_seed: int | None = None) -> Decisions:
        """The usual actions, except where the block is held."""
        decided = self.choose(states).tolist()
        return Decisions.of(
            self.otherwise(action) if self.held in self.task.facts(state) else action
            for action, state in zip(decided, states, strict=True)
        )

    def otherwise(self, action: int) -> int | Failure:
        """The other answer."""
        return action + 1


def test_a_bug_whose_run_has_two_answers_is_none(task: Task, tmp_path: Path) -> None:
    steady = Campaign.create(tmp_path / "steady", options(), task, policy=_steady(task)).run()
    events: list[Event] = []
    folder = tmp_path / "campaign"
    summary = Campaign.create(folder, options(), task, policy=Twofold(task)).run(events.append)
    assert 0 < summary.bugs < steady.bugs
    assert summary.bugs + len(summary.unstable) == steady.bugs
    assert [event.row for event in events if isinstance(event, AnswersDiffer)] == list(
        summary.unstable
    )
    row = summary.unstable[0]
    assert "(holding b1)" in json.loads(row.state)
    assert row.first != row.second
    assert steady.unstable == ()
    with CostRecords(tmp_path / "steady") as records, CostRecords(folder) as ours:
        cases = {bug.case for bug in records.bugs()}
        assert {bug.case for bug in ours.bugs()} | {row.case for row in ours.unstable()} == cases


def _steady(task: Task) -> Twofold:
    return Twofold(task, "(no such fact)")


def test_questions_are_counted_each_state_once(
    task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stability, "_WARY", 0)
    policy = _steady(task)
    summary = Campaign.create(tmp_path / "campaign", options(), task, policy=policy).run()
    with CostRecords(tmp_path / "campaign") as records:
        bugs = [row.bug.certificate for row in records.bugs()]
    states: set[bytes] = set()
    for certificate in bugs:
        state = np.array(certificate["state"], dtype=np.uint16)
        for operator in certificate["run"]["operators"]:
            states.add(state.tobytes())
            state = task.successors(state, operator)[0]
    assert summary.asked_again == len(states) > 0
    assert summary.policy_calls >= len(states)


@pytest.mark.parametrize("changes", [{"batch_size": 1}, {"batch_size": 7}], ids=str)
def test_batches_do_not_matter(task: Task, tmp_path: Path, changes: dict[str, Any]) -> None:
    found = []
    for name, chosen in (("one", {}), ("other", changes)):
        given = options(**chosen)
        Campaign.create(tmp_path / name, given, task, policy=Twofold(task)).run()
        found.append(everything(tmp_path / name))
    assert found[0] == found[1]
    assert found[0]["unstable"]


@pytest.mark.parametrize("most", [1, 3])
@pytest.mark.parametrize("oracles", [("planner:gbfs-2000",), ("lookahead:1", NAME)], ids=str)
def test_a_resumed_campaign_knows_what_changed(
    task: Task,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    oracles: tuple[str, ...],
    most: int,
) -> None:
    monkeypatch.setitem(families.ORACLES.builtin, NAME, PLACE)
    given = options(oracles=oracles, fuzz=replace(FUZZ, pool_size=60, walk_length=15))
    policy = Twofold(task)
    Campaign.create(tmp_path / "whole", given, task, policy=policy).run()
    cut = replace(given, stop=StopRules(max_bugs=most))
    Campaign.create(tmp_path / "cut", cut, task, policy=policy).run()
    Campaign.open(tmp_path / "cut", policy=policy, stop=StopRules()).run()
    assert everything(tmp_path / "cut") == everything(tmp_path / "whole")
    assert everything(tmp_path / "cut")["unstable"]


def test_revisions_are_asked_about_too(
    task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(families.ORACLES.builtin, NAME, PLACE)
    given = options(oracles=(NAME,), fuzz=replace(FUZZ, pool_size=60, walk_length=15))
    Campaign.create(tmp_path / "campaign", given, task, policy=Twofold(task)).run()
    with CostRecords(tmp_path / "campaign") as records:
        later = [row for visit, row in records.unstable_visits() if visit > row.case]
        assert later
        assert len({row.case for row in records.unstable()}) == len(records.unstable())
        assert not {row.case for row in later} & {row.case for row in records.bugs()}


FIRST = """
import os

def is_first():
    try:
        os.close(os.open({folder!r} + "/" + str(os.getppid()), os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True

FIRST = is_first()

def choose(facts, applicable):
    if not FIRST and "(holding b1)" in facts:
        return None
    return sorted(applicable)[0]
"""


def test_a_program_is_asked_in_a_second_process_by_every_worker(
    task: Task, tmp_path: Path
) -> None:
    found = []
    for name, changes in (("one", {}), ("two", {"workers": 2, "batch_size": 3})):
        markers = tmp_path / f"{name}-markers"
        markers.mkdir()
        module = tmp_path / "policy.py"
        module.write_text(FIRST.format(folder=str(markers)))
        given = options(policy=f"python:{module}:choose", **changes)
        Campaign.create(tmp_path / name, given, task).run()
        found.append(everything(tmp_path / name))
    assert found[0] == found[1]
    assert found[0]["unstable"]
    assert {row.second for row in found[0]["unstable"]} == {"no action"}


class Crashing(Twofold):
    """Asked anew, it crashes."""

    def otherwise(self, action: int) -> Failure:
        return Failure(Ending.POLICY_CRASH, "not again")


class Raising(Twofold):
    """Asked anew, it raises."""

    def decide_anew(self, states: StateArray, *, hash_seed: int | None = None) -> Decisions:
        raise ValueError("never again")


@pytest.mark.parametrize(
    ("kind", "second"),
    [
        (Crashing, "policy crash: not again"),
        (Raising, "policy crash: ValueError: never again"),
    ],
)
def test_a_crash_is_another_answer(
    task: Task, tmp_path: Path, kind: type[Twofold], second: str
) -> None:
    folder = tmp_path / "campaign"
    summary = Campaign.create(folder, options(), task, policy=kind(task)).run()
    assert {row.second for row in summary.unstable} == {second}


class Failing:
    """Goes right, but fails at place 3 in its own words each time."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.words = 0

    def decide(self, states: StateArray) -> Decisions:
        """Right or a crash."""
        return Decisions.of(map(self._one, states[:, 0].tolist()))

    def _one(self, place: int) -> int | Failure:
        self.words += 1
        crash = Failure(Ending.POLICY_CRASH, f"the {self.words}th time")
        return crash if place == 3 else place


def test_the_same_failure_is_the_same_answer(tmp_path: Path) -> None:
    task = line_task(6)
    given = options(fuzz=replace(FUZZ, pool_size=5))
    summary = Campaign.create(tmp_path / "c", given, task, policy=Failing(task)).run()
    assert summary.bugs and not summary.unstable
    assert summary.asked_again


class Dice:
    """Takes any applicable action."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.random = random.Random(3)

    def choose(self, states: StateArray) -> ActionArray:
        """Whatever the dice say."""
        rows = [self.task.applicable(state).operators.tolist() for state in states]
        return np.array([self.pick(row) for row in rows], dtype=np.int32)

    def pick(self, row: list[int]) -> int:
        """One of the actions."""
        return self.random.choice(row) if row else NO_ACTION


class Counter(Dice):
    """Takes the actions in turn."""

    asked = 0

    def pick(self, row: list[int]) -> int:
        self.asked += 1
        return row[self.asked % len(row)] if row else NO_ACTION


def dropout(task: Task) -> Any:
    """A network whose dropout was left on."""
    torch = pytest.importorskip("torch")

    class Network(Dice):
        def __init__(self) -> None:
            super().__init__(task)
            torch.manual_seed(1)
            width = len(task.initial_state)
            self.layers = torch.nn.Sequential(
                torch.nn.Linear(width, 32),
                torch.nn.ReLU(),
                torch.nn.Dropout(0.5),
                torch.nn.Linear(32, task.num_operators),
            )

        def choose(self, states: StateArray) -> ActionArray:
            with torch.no_grad():
                scores = self.layers(torch.tensor(states.astype(np.float32))).numpy()
            rows = [self.task.applicable(state).operators for state in states]
            best = [row[np.argmax(score[row])] for row, score in zip(rows, scores, strict=True)]
            return np.array(best, dtype=np.int32)

    return Network()


@pytest.mark.parametrize("make", [Dice, Counter, dropout])
def test_policies_that_change_have_no_bugs(
    task: Task, tmp_path: Path, make: Callable[[Task], Any]
) -> None:
    summary = Campaign.create(tmp_path / "campaign", options(), task, policy=make(task)).run()
    assert (summary.bugs, summary.exit_code) == (0, 6)
    assert len(summary.changed) > 10


class Stopping(Twofold):
    """Asked anew, it takes until the time is over."""

    token = StopToken()

    def decide_anew(self, states: StateArray, *, hash_seed: int | None = None) -> Decisions:
        self.token.stop()
        check_stop()
        return super().decide_anew(states)


def test_the_end_of_the_time_ends_the_asking(task: Task, tmp_path: Path) -> None:
    policy = Stopping(task)
    with policy.token.active():
        summary = Campaign.create(tmp_path / "c", options(), task, policy=policy).run()
    assert (summary.bugs, summary.judged, summary.unstable) == (0, 0, ())
    summary = Campaign.open(tmp_path / "c", policy=_steady(task)).run()
    assert summary.bugs and summary.judged == FUZZ.pool_size


def test_our_own_members_need_not_be_asked(task: Task, tmp_path: Path) -> None:
    given = options(policy="hill-climbing:hadd")
    summary = Campaign.create(tmp_path / "campaign", given, task).run()
    assert summary.bugs and not summary.asked_again
    for spec in ("random", "greedy", "hill-climbing", "optimal", "lazy", "ehc"):
        assert is_ours(make_policy(spec, task)), spec
    assert not is_ours(make_policy("optimal:plans", task))
    assert not is_ours(Twofold(task))  # nor who derives from them

    class Mine(GreedyPolicy):
        """Somebody else's."""

    assert not is_ours(Mine(task))


class Moody(PlanFollower):
    """Makes other plans each time."""

    moods = 0

    def run_source(self, task: Task) -> Any:
        self.moods += 1
        self._plans = {}
        return PlanRuns(self)

    def _plan(self, start: StateArray) -> Any:
        actions, states = super()._plan(start)
        short = max(0, len(actions) - self.moods % 2)
        return actions[:short], states[: short + 1]


@pytest.mark.parametrize(("kind", "changes"), [(PlanFollower, False), (Moody, True)])
def test_runs_of_another_source_are_made_anew(
    task: Task, tmp_path: Path, kind: type[PlanFollower], changes: bool
) -> None:
    summary = Campaign.create(tmp_path / "campaign", options(), task, policy=kind(task)).run()
    assert bool(summary.unstable) == changes
    assert bool(summary.bugs) != changes
    assert summary.asked_again


def test_a_second_process_has_the_recorded_hash_seed(tmp_path: Path) -> None:
    module = tmp_path / "seeds.py"
    module.write_text(
        "import os\n\ndef choose(facts, applicable):\n"
        "    raise KeyError(os.environ['PYTHONHASHSEED'], os.getpid())\n"
    )
    with PythonPolicy(line_task(4), f"{module}:choose") as policy:
        first = policy.decide(at(0)).failures[0].detail
        second = decide_anew(policy, at(0)).failures[0].detail
        other = decide_anew(policy, at(0), hash_seed=7).failures[0].detail
    assert first.startswith("KeyError: ('0', ") and second.startswith("KeyError: ('0', ")
    assert other.startswith("KeyError: ('7', ")
    assert len({first, second, other}) == 3
