"""Causes fit the faults that were planted: one group for each, and nothing else in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from bugsieve import find_safety_bugs
from bugsieve.checkers.cost import Checker
from bugsieve.explanation.causes.cost import cause_of
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.cause import Cause
from bugsieve.pipeline.bugs.certificate import certificate_of
from bugsieve.pipeline.bugs.verdict import Outcome, Verdict
from bugsieve.pipeline.objectives import make_objective
from bugsieve.rooms.safety.causes import safety_cause_of
from tests.depth import IS_DEEP, examples
from tests.quality.cause_figures import Figures
from tests.quality.lifted_zoo import LIFTED_EXHIBITS, LiftedExhibit, Specimen
from tests.quality.safety_zoo import SAFETY_EXHIBITS, HabitualPolicy

DEAR = "floortile"  # more states than all others together
LOOKED_AT = [exhibit for exhibit in LIFTED_EXHIBITS if IS_DEEP or exhibit.domain != DEAR]


def causes(specimen: Specimen, rows: list[int]) -> Iterator[Cause]:
    """The causes of the bugs in these states, each of which the checker accepts."""
    habitat = specimen.land.habitat
    task = habitat.task
    bench = Bench(task, specimen.policy, make_objective("quantitative", task))
    checker = Checker(task.to_sas())
    for row in rows:
        verdict = Verdict(Outcome.BUG, "a plan is better", plan=specimen.plan(row))
        certificate = certificate_of(bench, habitat.states[row], verdict)
        checker.check(certificate)
        yield cause_of(bench, certificate)


def spread(specimen: Specimen, most: int) -> list[int]:
    """Some of the bugs' states, from all over the task."""
    rows = np.flatnonzero(specimen.bugs)
    some: list[int] = rows[:: max(1, len(rows) // most)].tolist()
    return some


def test_the_zoo_is_as_it_should_be() -> None:
    kinds = Counter(kind for exhibit in LIFTED_EXHIBITS for kind in exhibit.kinds)
    assert len(LIFTED_EXHIBITS) >= 40
    assert sum(len(exhibit.faults) == 2 for exhibit in LIFTED_EXHIBITS) >= 15
    assert len({exhibit.domain for exhibit in LIFTED_EXHIBITS}) >= 8
    assert set(kinds) == {"loop", "detour", "dead end", "stop"}
    assert max(kinds.values()) <= 1.5 * min(kinds.values()), kinds


@pytest.mark.parametrize("exhibit", LOOKED_AT[: examples(26, quick=8)], ids=lambda e: e.name)
def test_faults_do_what_the_zoo_says(exhibit: LiftedExhibit) -> None:
    for fault, kind in zip(exhibit.faults, exhibit.kinds, strict=True):
        specimen = Specimen(LiftedExhibit(exhibit.domain, (fault,), (kind,)))
        found = Counter(map(specimen.kind, spread(specimen, 40)))
        assert found.most_common(1)[0][0] == kind, found


def test_causes_fit_planted_faults(capsys: pytest.CaptureFixture[str]) -> None:
    total, shared = Figures(), 0
    for exhibit in LOOKED_AT:
        specimen = Specimen(exhibit)
        rows = spread(specimen, examples(100, quick=15))
        faults = [specimen.guilty(row) for row in rows]
        found = zip(faults, causes(specimen, rows), strict=True)
        total += Figures.of((fault, cause) for fault, cause in found if fault is not None)
        shared += faults.count(None)
    with capsys.disabled():
        print(f"\ncauses of cost bugs: {total} ({shared} bugs of two faults at once left out)")
    check_figures(total)
    assert total.faults >= examples(55, quick=40)


def test_causes_fit_planted_faults_of_safety(capsys: pytest.CaptureFixture[str]) -> None:
    total = Figures()
    for exhibit in SAFETY_EXHIBITS[: examples(len(SAFETY_EXHIBITS), quick=3)]:
        policy = HabitualPolicy(exhibit)
        most, walks = examples(60, quick=15), examples(300, quick=30)
        bugs = find_safety_bugs(policy.model, policy, walks=walks, max_bugs=most)
        faults = [policy.fault_in(policy.model.state(bug.state)) for bug in bugs]
        assert min(faults) >= 0, exhibit.name
        found = (safety_cause_of(policy.model, bug.certificate) for bug in bugs)
        total += Figures.of(zip(faults, found, strict=True))
    with capsys.disabled():
        print(f"\ncauses of safety bugs: {total}")
    check_figures(total)
    assert total.faults >= examples(15, quick=3)


def check_figures(total: Figures) -> None:
    """What is asked of them."""
    assert total.groups_per_fault <= 1.5
    assert total.purity_of_bugs >= 0.95
    assert total.purity_of_groups >= 0.95
    assert total.shown >= 0.95


def test_the_zoo_of_safety_is_as_it_should_be() -> None:
    assert sum(len(exhibit.habits) for exhibit in SAFETY_EXHIBITS) >= 15
    assert len({exhibit.domain for exhibit in SAFETY_EXHIBITS}) >= 5
