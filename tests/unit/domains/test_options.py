"""Options that make no sense are refused with one sentence."""

from __future__ import annotations

import pytest

from bugsieve.base.errors import UsageError
from bugsieve.rooms.zoo.domains import generate


@pytest.mark.parametrize(
    ("domain", "parameters", "sentence"),
    [
        ("blocksworld", {"blocks": 0}, "blocks must be at least 1, got 0"),
        ("blocksworld", {"blocks": 501}, "blocks must be at most 500, got 501"),
        ("blocksworld", {"blocks": "3"}, "blocks must be a whole number, got '3'"),
        ("blocksworld", {"blocks": True}, "blocks must be a whole number, got True"),
        ("blocksworld", {"blocks": 2.0}, "blocks must be a whole number, got 2.0"),
        ("gripper", {"scattered": 1}, "scattered must be true or false, got 1"),
        ("scanalyzer", {"cycle": 3}, "cycle must be 2 or 4, got 3"),
        ("scanalyzer", {"analysis": "x"}, "analysis must be all or lane or single, got x"),
        (
            "childsnack",
            {"children": 2, "allergic": 3},
            "allergic must be at most the number of children (2), got 3",
        ),
        (
            "floortile",
            {"columns": 2, "robots": 3},
            "robots must be at most the number of columns (2), got 3",
        ),
        ("rovers", {"soils": 5}, "soils must be at most the number of waypoints (4), got 5"),
        ("rovers", {"images": 7}, "images must be at most three times the objectives (6), got 7"),
        (
            "rovers",
            {"soils": 0, "rocks": 0, "images": 0},
            "soils, rocks and images are all 0, which leaves nothing to do",
        ),
        (
            "satellite",
            {"satellites": 3},
            "instruments must be at least as many as satellites (3), got 2",
        ),
        (
            "satellite",
            {"images": 11},
            "images must be at most directions times modes (10), got 11",
        ),
        (
            "satellite",
            {"pointings": 2},
            "pointings must be at most the number of satellites (1), got 2",
        ),
        (
            "sokoban",
            {"rows": 3, "columns": 3, "walls": 6},
            "stones and walls must take at most 7 of the 9 squares, got 8",
        ),
        ("spanner", {"nuts": 4}, "spanners must be at least as many as nuts (4), got 3"),
        ("storage", {"crates": 5}, "crates must be at most the number of places (4), got 5"),
        ("storage", {"hoists": 5}, "hoists must be at most the number of places (4), got 5"),
        (
            "storage",
            {"depots": 100, "rows": 100, "columns": 100, "crates": 1000},
            "depots times rows times columns must be at most 10000, got 1000000",
        ),
        (
            "transport",
            {"nodes": 1000, "degree": 1000},
            "nodes times degree must be at most 100000, got 999000",
        ),
        (
            "visitall",
            {"width": 1, "height": 1},
            "a grid of width 1 and height 1 leaves nothing to visit",
        ),
        ("visitall", {"missing": 8}, "missing must leave two of the 9 places, got 8"),
    ],
)
def test_sentence(domain: str, parameters: dict[str, int | str], sentence: str) -> None:
    with pytest.raises(UsageError) as caught:
        generate(domain, seed=0, **parameters)
    assert str(caught.value) == sentence


def test_a_room_without_room_to_push_is_refused() -> None:
    with pytest.raises(UsageError, match="no room was found .* use fewer walls or stones"):
        generate("sokoban", rows=2, columns=2, stones=1, walls=0)
