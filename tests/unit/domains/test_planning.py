"""Generated tasks are accepted by the translator and solved by a planner, domain by domain."""

from __future__ import annotations

from pathlib import Path

import pytest

from bugsieve.rooms.zoo.domains import DOMAINS, generate
from tests.reference.pddl import parse_task, validate_plan
from tests.unit.domains.planner import optimal_plan, search_program, translate
from tests.unit.domains.sizes import SIZES

CASES: list[tuple[str, int, dict[str, int | str]]] = [
    *((name, seed, {}) for name in DOMAINS for seed in (0, 1)),
    *((size.domain, seed, size.parameters) for seed, size in enumerate(SIZES)),
]


@pytest.mark.parametrize(("domain", "seed", "parameters"), CASES, ids=str)
def test_solvable(
    domain: str, seed: int, parameters: dict[str, int | str], tmp_path: Path
) -> None:
    task = generate(domain, seed=seed, **parameters)
    sas = translate(task, tmp_path)
    program = search_program()
    if program is None:
        pytest.skip("translated; solving it needs the package up-fast-downward")
    plan = optimal_plan(program, sas)
    cost = validate_plan(parse_task(task.domain, task.problem), plan)
    assert (cost > 0) == bool(plan) == (parameters != {"blocks": 1})
