"""Campaigns that judge the pool of another one, with the policy's runs as they are stored."""

from __future__ import annotations

import shutil
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bugsieve.base.errors import InputError, UnsupportedError, UsageError
from bugsieve.campaigns.campaign import Campaign, summary_of
from bugsieve.campaigns.cost.kind import COST
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.events import Started
from bugsieve.campaigns.options import CostOptions
from bugsieve.campaigns.status import first_lines
from bugsieve.campaigns.stop_rules import StopRules
from bugsieve.campaigns.store.schema import STORE_FILE
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.objectives import make_objective
from bugsieve.pipeline.oracles.planner import PlannerOracle
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.policies.decisions import Decisions, Ending, Failure
from bugsieve.policies.registry import make_policy
from bugsieve.tasks.grounded.task import NO_ACTION, StateArray, Task
from tests.unit.campaigns.contents import contents
from tests.unit.campaigns.interrupting import interrupted
from tests.unit.policies.generated import generated_task

FUZZ = FuzzOptions(pool_size=40, round_walks=8, bias="uniform", seed=5)
ORACLES = ("planner:gbfs-200", "aras-or-ehc", "bounds")


class Moody:
    """Goes down h^add, but fails in every way in some states; remembers what it was asked."""

    spec = "moody"

    def __init__(self, task: Task) -> None:
        self.task = task
        self.asked: list[bytes] = []
        self._inner = make_policy("hill-climbing:hadd", task)

    def decide(self, states: StateArray) -> Decisions:
        """One action per state, or the reason why there is none."""
        self.asked += [state.tobytes() for state in states]
        moods = (self.task.hashes(states) % np.uint64(40)).tolist()
        chosen = self._inner.choose(states).tolist()
        special: dict[int, int | Failure] = {
            0: NO_ACTION,
            1: self.task.num_operators + 3,
            2: 0,
            3: Failure(Ending.POLICY_CRASH, "in a bad mood"),
            4: Failure(Ending.POLICY_CRASH, "out of memory", excused=True),
            5: Failure(Ending.POLICY_HANG, "asleep"),
        }
        return Decisions.of(special.get(m, a) for m, a in zip(moods, chosen, strict=True))


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> Task:
    return generated_task(tmp_path_factory.mktemp("task"), "blocksworld", seed=1, blocks=5)


def options(**changes: Any) -> CostOptions:
    usual = {"task": (), "policy": "hill-climbing:hadd", "fuzz": FUZZ, "escalate_to": 0}
    return CostOptions(**{**usual, **changes})


def run(folder: Path, task: Task, *, policy: object = None, **changes: Any) -> dict[str, Any]:
    made = options(**changes)
    Campaign.create(folder, made, subject=task, policy=policy).run()
    return contents(folder)


@pytest.fixture(scope="module")
def pool(task: Task, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pools") / "pool"
    run(folder, task, mode="pool")
    return folder


def test_a_pool_is_made_and_nothing_judged(task: Task, pool: Path, tmp_path: Path) -> None:
    made = contents(pool)
    usual = run(tmp_path / "usual", task, mode="separate", oracles=ORACLES[:1])
    assert (made["pool"], made["runs"]) == (usual["pool"], usual["runs"])
    assert made["verdicts"] == made["bugs"] == [] and made["finished"] == "pool full"
    line = "no oracle was asked: the pool is for campaigns that take it over"
    assert first_lines(COST, summary_of(pool))[0] == line


@pytest.mark.parametrize("workers", [1, 2])
def test_the_same_is_found_as_in_a_campaign_of_its_own(
    task: Task, pool: Path, tmp_path: Path, workers: int
) -> None:
    usual = run(tmp_path / "usual", task, mode="separate", oracles=ORACLES)
    taken = run(tmp_path / "taken", task, oracles=ORACLES, pool_from=str(pool), workers=workers)
    assert len(taken["bugs"]) > 5
    for name in ("pool", "runs", "verdicts", "bugs", "rejected"):
        assert taken[name] == usual[name], name
    with CostRecords(tmp_path / "taken") as records:
        assert records.progress().policy_calls == 0


def test_the_policy_is_not_asked_again(task: Task, tmp_path: Path) -> None:
    first = Moody(task)
    made = run(tmp_path / "pool", task, policy=first, mode="pool")
    endings = set(made["runs"][1])
    assert endings > {Ending.SOLVED, Ending.NO_ACTION, Ending.POLICY_CRASH, Ending.ILLEGAL_ACTION}
    for oracle, asks in (("planner:ehc", False), ("bounds", False), ("lookahead:1", True)):
        again, alone = Moody(task), Moody(task)
        name = oracle.replace(":", "-")
        usual = run(tmp_path / f"alone-{name}", task, policy=alone, oracles=(oracle,))
        source = str(tmp_path / "pool")
        folder = tmp_path / name
        taken = run(folder, task, policy=again, oracles=(oracle,), pool_from=source)
        assert (taken["runs"], taken["verdicts"]) == (usual["runs"], usual["verdicts"])
        assert [row.bug.certificate for row in taken["bugs"]] == [
            row.bug.certificate for row in usual["bugs"]
        ]
        assert bool(again.asked) == asks and taken["bugs"]
        assert not set(again.asked) & set(first.asked)


@pytest.mark.parametrize("cut", [0, 1, 3])
def test_it_goes_on_where_it_was_cut(task: Task, pool: Path, tmp_path: Path, cut: int) -> None:
    settings = {"oracles": ORACLES, "pool_from": str(pool), "mode": "separate", "batch_size": 8}
    whole = run(tmp_path / "whole", task, **settings)
    folder = tmp_path / "cut"
    interrupted(Campaign.create(folder, options(**settings), subject=task), cut)
    Campaign.open(folder).run()
    assert contents(folder) == whole


def test_both_may_be_moved_together(task: Task, pool: Path, tmp_path: Path) -> None:
    before, after = tmp_path / "before", tmp_path / "after"
    shutil.copytree(pool, before / "pool")
    stop = StopRules(max_bugs=2)
    settings = {"oracles": ORACLES[:1], "pool_from": str(before / "pool")}
    run(before / "cut", task, stop=stop, **settings)
    whole = run(tmp_path / "whole", task, **settings)
    before.rename(after)
    Campaign.open(after / "cut", stop=StopRules()).run()
    assert contents(after / "cut") == whole
    shutil.rmtree(after / "pool")
    with pytest.raises(InputError, match="after/pool"):
        Campaign.open(after / "cut")


def test_a_pool_that_has_lost_states_is_refused(task: Task, pool: Path, tmp_path: Path) -> None:
    folder = tmp_path / "taken"
    run(folder, task, oracles=ORACLES[:1], pool_from=str(pool), stop=StopRules(max_bugs=1))
    with sqlite3.connect(folder / STORE_FILE) as store:
        store.execute("DELETE FROM pool WHERE number = (SELECT MAX(number) FROM pool)")
    with pytest.raises(InputError, match="has another pool than the campaign it took it from"):
        Campaign.open(folder, stop=StopRules())


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"policy": "greedy:hff"}, "has runs of another policy \\(hill-climbing:hadd\\)"),
        ({"policy_seed": 3}, "another version or seed of it: make the pool anew"),
        ({"step_limit": 7}, "has runs of at most 10000 steps, not of 7"),
    ],
)
def test_runs_must_be_what_they_would_be_here(
    task: Task, pool: Path, tmp_path: Path, changes: dict[str, Any], sentence: str
) -> None:
    made = options(oracles=ORACLES, pool_from=str(pool), **changes)
    with pytest.raises(InputError, match=sentence) as caught:
        Campaign.create(tmp_path / "taken", made, subject=task)
    assert str(caught.value).startswith(str(pool)) and not (tmp_path / "taken").exists()


def test_another_task_or_a_campaign_without_runs(task: Task, pool: Path, tmp_path: Path) -> None:
    other = generated_task(tmp_path, "gripper", seed=1)
    with pytest.raises(InputError, match="is a campaign on another task"):
        run(tmp_path / "taken", other, pool_from=str(pool))
    run(tmp_path / "usual", task, oracles=ORACLES[:1])
    with pytest.raises(InputError, match="has no runs of the policy to take over: make its pool"):
        run(tmp_path / "taken", task, pool_from=str(tmp_path / "usual"))
    with pytest.raises(InputError, match="nowhere"):
        run(tmp_path / "taken", task, pool_from=str(tmp_path / "nowhere"))


def test_a_pool_must_be_finished(task: Task, tmp_path: Path) -> None:
    folder = tmp_path / "pool"
    interrupted(Campaign.create(folder, options(mode="pool"), subject=task), 2)
    with pytest.raises(InputError, match=f"is not finished: 'bugsieve resume {folder}' first"):
        run(tmp_path / "taken", task, pool_from=str(folder))


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"mode": "pool", "oracles": ("aras",)},
            "the mode 'pool' judges nothing: name no oracles",
        ),
        ({"mode": "pool", "pool_from": "x"}, "pool_from takes a pool as it is"),
        ({"from_states": "x", "pool_from": "x"}, "leave out from_states"),
        (
            {"mode": "pool", "stop": StopRules(stale_rounds=3)},
            "stale_rounds needs the",
        ),
    ],
)
def test_refused(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        options(**changes)


def test_a_policy_that_looks_at_more_than_the_state_has_no_such_runs(task: Task) -> None:
    class Elsewhere(Moody):
        def run_source(self, task: Task) -> Any:
            return object()

    policy: Any = Elsewhere(task)
    bench = Bench(task, policy, make_objective("quantitative", task))
    with pytest.raises(UnsupportedError, match="looks at more than the state"):
        bench.take_over(None)  # type: ignore[arg-type]


class Prepared(PlannerOracle):
    """Says that it took ten minutes to get ready."""

    prepared_seconds = 600.0


def test_what_an_oracle_prepares_counts_as_running_time(
    task: Task, pool: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bugsieve.base.registry import families

    monkeypatch.setitem(families.ORACLES.builtin, "prepared", f"{__name__}:Prepared")
    seen: list[Any] = []
    oracles = ("best-of:prepared:gbfs-200+aras",)
    made = options(oracles=oracles, pool_from=str(pool))
    Campaign.create(tmp_path / "enough", made, subject=task).run(seen.append)
    (started,) = [event for event in seen if isinstance(event, Started)]
    assert not started.resumed
    with CostRecords(tmp_path / "enough") as records:
        assert records.timeline()[0].event == "start"
        assert min(seconds for _, seconds in records.bug_times()) > 600
    made = replace(made, stop=StopRules(max_time=500.0))
    Campaign.create(tmp_path / "late", made, subject=task).run()
    assert contents(tmp_path / "late")["verdicts"][0][1] == []
