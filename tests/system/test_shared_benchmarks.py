"""The benchmarks beside the repository, where present: the PDDL check raises no false alarm."""

from __future__ import annotations

from pathlib import Path

import pytest

from bugsieve.tasks.pddl.check import check_pddl

BENCHMARKS = Path(__file__).parents[2].parent / "shared" / "benchmarks"


def _domain_beside(problem: Path) -> Path | None:
    return next((p / "domain.pddl" for p in problem.parents if (p / "domain.pddl").exists()), None)


@pytest.mark.parametrize("collection", ["pddl", "asnets", "gnn"])
def test_no_false_alarm_on_benchmarks(collection: str) -> None:
    folder = BENCHMARKS / collection
    if not folder.is_dir():
        pytest.skip(f"the benchmarks are not beside the repository ({folder})")
    problems = [path for path in sorted(folder.rglob("*.pddl")) if "domain" not in path.name]
    pairs = [(_domain_beside(path), path) for path in problems]
    assert pairs
    for domain, problem in pairs:
        assert domain is not None, problem
        task = check_pddl(domain, problem)
        given = domain.read_bytes(), problem.read_bytes()
        # Some files have neither costs nor a metric, though their domain counts the costs.
        assert task.texts == given or b":metric" not in given[1]
