"""The native dominance function is sound on small tasks of every built-in domain."""

from __future__ import annotations

from math import inf
from pathlib import Path

import pytest

import bugsieve
from bugsieve._native import DEAD_END
from bugsieve.rooms.dominance.function import DominanceFunction
from bugsieve.rooms.dominance.options import DominanceOptions
from bugsieve.rooms.zoo.domains import DOMAINS, generate
from bugsieve.tasks.search import exact_goal_distances
from tests.unit.dominance.checks import assert_sound
from tests.unit.dominance.merging import dfp_blocks
from tests.unit.dominance.random_tasks import needs_all_variables

SMALL: dict[str, dict[str, int | str]] = {
    "blocksworld": {"blocks": 3},
    "childsnack": {"children": 1, "tables": 1},
    "ferry": {"cars": 2, "locations": 2},
    "floortile": {"rows": 1, "columns": 2},
    "gripper": {"balls": 2},
    "matching-blocksworld": {"blocks": 2},
    "miconic": {"passengers": 2, "floors": 2},
    "rovers": {"rovers": 1, "waypoints": 2, "objectives": 1},
    "satellite": {"instruments": 1, "modes": 1, "directions": 2, "images": 1},
    "scanalyzer": {"size": 1, "cycle": 4},
    "sokoban": {"rows": 3, "columns": 3, "stones": 1, "walls": 0},
    "spanner": {"spanners": 2, "nuts": 1, "locations": 1},
    "storage": {"crates": 1, "rows": 1},
    "transport": {"vehicles": 1, "packages": 1, "nodes": 3},
    "visitall": {"width": 2, "height": 2},
}


@pytest.mark.parametrize("limit", [0, 300, 10_000])
@pytest.mark.parametrize("domain", DOMAINS)
def test_sound_on_all_pairs_of_reachable_states(domain: str, limit: int, tmp_path: Path) -> None:
    drawn = generate(domain, seed=1, **SMALL[domain])
    (tmp_path / "domain.pddl").write_text(drawn.domain)
    (tmp_path / "problem.pddl").write_text(drawn.problem)
    task = bugsieve.load_task(tmp_path)
    rows, distances = exact_goal_distances(task, max_states=2500)
    states = [tuple(row) for row in rows.tolist()]
    exact = [inf if value == DEAD_END else value for value in distances.tolist()]
    function = DominanceFunction.compute(task, DominanceOptions(max_transitions=limit))
    if needs_all_variables(task):
        assert function.blocks == dfp_blocks(task, limit)
    h = dict(zip(states, exact, strict=True))
    assert_sound(function.between(rows, rows), states, h)
