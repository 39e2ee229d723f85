"""Bugs that begin later on the policy's run, proven without asking the policy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bugsieve.checkers.cost import CertificateError, check, check_bug
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.bug import FoundBy, make_bug, with_policy_of
from bugsieve.pipeline.bugs.later_start import objection, starting_later
from bugsieve.pipeline.objectives import make_objective
from bugsieve.pipeline.objectives.objective import path_states
from bugsieve.policies.policy import NoPolicy
from tests.unit.bugs.samples import LONG, TablePolicy, fork_task, line_bench, make_sample, proven
from tests.unit.policies.line import at, line_task


def silent(bench: Bench) -> Bench:
    """The same bench with a policy that must not be asked."""
    return Bench(bench.task, NoPolicy(), bench.objective, step_limit=bench.step_limit)


def test_a_run_that_stops_begins_where_it_stops() -> None:
    task = line_task(60)
    bench = line_bench(task, dict.fromkeys(range(50), "right"))
    bug = make_bug(
        bench,
        at(0)[0],
        proven(bench, at(0)[0], tuple(range(59))),
        oracle="x",
        found_by=FoundBy(4, 2, ()),
    )
    later = starting_later(silent(bench), bug, 50, tuple(range(50, 59)))
    assert later is not None
    assert later.certificate["state"] == [50] and later.steps == 0
    assert later.certificate["policy"] == bug.certificate["policy"] == "table"
    assert later.found_by == FoundBy(4, 2, tuple(range(50)))
    check(task.to_sas(), later.certificate)


@pytest.mark.parametrize(
    ("steps", "start", "loop_start"), [(1, 1, 1), (2, 2, 0), (3, 3, 0), (4, 2, 0), (7, 3, 0)]
)
def test_a_loop_begins_where_it_is_entered_or_on_its_way_round(
    steps: int, start: int, loop_start: int
) -> None:
    task = line_task(9)
    bench = line_bench(task, {0: "right", 1: "right", 2: "right", 3: "left"})
    bug = make_bug(bench, at(0)[0], proven(bench, at(0)[0], tuple(range(8))), oracle="x")
    later = starting_later(silent(bench), bug, steps, tuple(range(start, 8)))
    assert later is not None and later.certificate["state"] == [start]
    assert later.certificate["run"]["loop_start"] == loop_start
    check(task.to_sas(), later.certificate)


def test_a_plan_that_is_no_better_than_the_rest_proves_nothing() -> None:
    task = fork_task()
    policy = TablePolicy({(0,): 1, (1,): 2})
    bench = Bench(task, policy, make_objective("quantitative", task))
    bug = make_bug(bench, at(0)[0], proven(bench, at(0)[0], (0,)), oracle="x")
    assert starting_later(silent(bench), bug, 1, (2,)) is None


@pytest.mark.parametrize("objective", ["quantitative", "qualitative", "avoid"])
def test_the_policy_does_from_there_what_is_said_of_it(objective: str) -> None:
    moved = 0
    for seed in range(40):
        sample = make_sample(seed, shape=LONG, objective=objective, count=6)
        bench = sample.bench
        for state, verdict in sample.bugs():
            bug = make_bug(bench, state, verdict, oracle="x")
            run = bug.certificate["run"]
            if objection(bug.certificate) is not None:
                continue
            states = path_states(bench.task, state, tuple(run["operators"]))
            for steps, later in enumerate(states):
                other = sample.verdict(later)
                if other is None or other.plan is None:
                    continue
                asked = make_bug(bench, later, other, oracle="x")
                told = starting_later(silent(bench), bug, steps, other.plan)
                assert told is not None
                check(bench.task.to_sas(), told.certificate)
                assert told.certificate == asked.certificate
                assert told == replace(asked, reason=bug.reason, exact=False)
                moved += steps > 0
    assert moved >= 2


def test_runs_of_which_a_part_is_no_run_stay_as_they_are() -> None:
    task = line_task(9)
    bench = line_bench(task, {0: "right", 1: "left"})
    state = np.array([0], dtype=np.uint16)
    bug = make_bug(bench, state, proven(bench, state, tuple(range(8))), oracle="x")
    run = bug.certificate["run"]
    assert objection(bug.certificate) is None
    for key in ("follows_plan", "chances", "rules"):
        assert objection({**bug.certificate, "run": {**run, key: True}}) is not None


def test_a_run_that_the_limit_cut_still_costs_what_is_left_of_it() -> None:
    task = line_task(60)
    table = line_bench(task, dict.fromkeys(range(1, 60), "left"))
    bench = Bench(task, table.policy, table.objective, step_limit=30)
    bug = make_bug(bench, at(40)[0], proven(bench, at(40)[0], tuple(range(40, 59))), oracle="x")
    assert bug.certificate["run"]["ending"] == "step limit" and bug.certificate["gap"] == 11
    later = starting_later(silent(bench), bug, 5, tuple(range(35, 59)))
    assert later is not None and later.certificate["run"]["cost"] == 25
    assert later.certificate["policy_value"] == 25 and later.certificate["gap"] == 1
    check(task.to_sas(), later.certificate)
    assert starting_later(silent(bench), bug, 6, tuple(range(34, 59))) is None, "24 and 25"


class KeyedPolicy(TablePolicy):
    """A policy that is a network, as far as anybody can tell."""

    def network_key(self) -> str:
        return "ab" * 32


def test_bugs_keep_the_policy_that_their_ids_name() -> None:
    """Without a network's key where certificates of earlier versions have none."""
    task = line_task(9)
    table: dict[tuple[int, ...], int] = {(place,): place for place in range(5)}
    benches = [
        Bench(task, policy(table), make_objective("quantitative", task))
        for policy in (TablePolicy, KeyedPolicy)
    ]
    old, new = (
        make_bug(bench, at(0)[0], proven(bench, at(0)[0], tuple(range(8))), oracle="x")
        for bench in benches
    )
    assert old.id != new.id and "network" not in old.certificate
    assert new.certificate["network"] == "ab" * 32
    for known, other, bench in ((old, new, benches[1]), (new, old, benches[0])):
        renamed = with_policy_of(known, other)
        assert renamed.id == known.id
        assert renamed.certificate == known.certificate
        later = starting_later(bench, known, 5, tuple(range(5, 8)))
        assert later is not None
        assert later.certificate.get("network") == known.certificate.get("network")
        for bug in (renamed, later):
            check_bug(task.to_sas(), bug.to_json())
    for key in ("AB" * 32, "ab" * 31, "", 7, None):
        wrong = {**new.certificate, "network": key}
        with pytest.raises(CertificateError, match="'network' must be a SHA-256"):
            check(task.to_sas(), wrong)
    forged = {**new.to_json(), "certificate": {**new.certificate, "network": "cd" * 32}}
    with pytest.raises(CertificateError, match="the bug's 'id' must be"):
        check_bug(task.to_sas(), forged)
