"""No oracle ever lies: every verdict on more than a thousand tasks, against exhaustive values.

`BUGSIEVE_HYPOTHESIS=explore` looks at many more tasks.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bugsieve.base.errors import UnsupportedError
from bugsieve.pipeline.bugs.verdict import Outcome
from bugsieve.pipeline.oracles.fast_downward import find_fast_downward
from bugsieve.pipeline.oracles.registry import ORACLES as REGISTERED
from bugsieve.tasks.search import Limits
from tests.depth import examples
from tests.property.soundness import (
    BUILT_IN,
    COMBINATIONS,
    HOME_MADE,
    MEMBERS,
    OBJECTIVES,
    ORACLES,
    PERFECT,
    Case,
    check,
    check_certificates,
    check_larger_limits,
    check_verdicts,
    judged,
    make_case,
    some_task,
)
from tests.property.strategies import SMALL, sas_tasks, seeds
from tests.reference.sas import SasTask, parse
from tests.unit.policies.generated import generated_task

PROFILE = os.environ.get("BUGSIEVE_HYPOTHESIS", "fixed")
EXAMPLES = examples(300, quick=100) if PROFILE == "fixed" else 10_000
"""For each objective."""

FOR_ANY_PLAN = {spec for spec in MEMBERS if spec.startswith(("morph", "local", "bmo"))}
"""They compare plans whose states do not matter."""

UNSUITABLE = {
    "quantitative": set[str](),
    "qualitative": {"aras", "bounds:blind,aras", "local"},
    "avoid": {"aras", "exact", "bounds:blind,aras", "undo-qual", *FOR_ANY_PLAN},
}


def test_every_oracle_of_the_registry_takes_part() -> None:
    assert {spec.partition(":")[0] for spec in ORACLES} == set(REGISTERED)
    assert {member for members in COMBINATIONS.values() for member in members} <= set(MEMBERS)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_every_verdict_is_true(objective: str) -> None:
    seen: Counter[str] = Counter()

    def look(sas: SasTask | None, seed: int) -> None:
        seen.update(check(make_case(seed, objective, sas)))

    # Drawn numbers depend on which modules happen to be loaded, and variety is asked for below.
    if PROFILE == "fixed":
        for seed in range(EXAMPLES):
            look(None, seed)
    else:
        tasks = sas_tasks(SMALL) if PROFILE == "shrink" else st.none()
        settings(max_examples=EXAMPLES)(given(tasks, seeds())(look))()
    if PROFILE == "shrink":
        return  # minimal tasks show little variety
    assert 0.5 < seen["solvable tasks"] / seen["tasks"] < 0.9
    assert min(seen[f"policy {policy}"] for policy in (*HOME_MADE, *BUILT_IN)) >= examples(10)
    silent = {spec for spec in ORACLES if not seen[f"{spec} bug"]}
    assert silent == UNSUITABLE[objective], "every other oracle must have had something to find"


@pytest.mark.parametrize(
    ("domain", "parameters"),
    [
        ("spanner", {}),
        ("matching-blocksworld", {"blocks": 3}),
        ("floortile", {"rows": 2, "columns": 2}),
    ],
)
@pytest.mark.parametrize("objective", ["quantitative", "qualitative"])
def test_domain_knowledge_is_true(
    tmp_path: Path, domain: str, parameters: dict[str, int], objective: str
) -> None:
    seen: Counter[Outcome] = Counter()
    for seed in range(3):
        task = generated_task(tmp_path, domain, seed=seed, **parameters)
        case = Case(parse(task.to_sas()), objective, "erratic", seed)
        check(case)
        check_larger_limits(case, PERFECT)
        seen.update(
            verdict.outcome for verdict in judged(case, PERFECT, Limits(expansions=1)) or ()
        )
    known = seen[Outcome.BUG] + seen[Outcome.IMPLIED]
    assert known >= 3, "known to be bugs, though hardly any search is allowed"


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_fast_downward_as_a_planner(objective: str) -> None:
    try:
        find_fast_downward()
    except UnsupportedError as error:
        pytest.skip(str(error))
    specs = ("planner:fd:astar(blind())", "planner:fd:lazy_greedy([ff()])")
    bugs = 0
    for seed in range(4):
        case = Case(some_task(seed), objective, "erratic", seed)
        verdicts = {spec: judged(case, spec, Limits(bytes=1 << 30)) for spec in specs}
        for found in verdicts.values():
            assert found is not None
            check_verdicts(case, found)
            bugs += sum(verdict.is_bug for verdict in found)
        check_certificates(case, verdicts)
    assert bugs >= 2
