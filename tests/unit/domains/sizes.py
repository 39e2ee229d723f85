"""Parameters of small tasks of every domain, and how many objects of each type they must have."""

from __future__ import annotations

from typing import NamedTuple


class Size(NamedTuple):
    domain: str
    parameters: dict[str, int | str]
    objects: dict[str, int]


SIZES = [
    Size("blocksworld", {"blocks": 4}, {"block": 4}),
    Size("blocksworld", {"blocks": 1}, {"block": 1}),
    Size(
        "childsnack",
        {"children": 2, "allergic": 1, "trays": 2, "tables": 3, "spare": 1},
        {
            "child": 2,
            "bread-portion": 2,
            "content-portion": 2,
            "sandwich": 3,
            "tray": 2,
            "place": 4,  # with the kitchen
        },
    ),
    Size("ferry", {"cars": 4, "locations": 2}, {"car": 4, "location": 2}),
    Size("floortile", {"rows": 1, "columns": 2, "robots": 2}, {"tile": 4, "robot": 2, "color": 2}),
    Size("floortile", {"rows": 3, "columns": 1}, {"tile": 4, "robot": 1, "color": 2}),
    Size(
        "gripper",
        {"balls": 3, "rooms": 3, "grippers": 1, "scattered": True},
        {"ball": 3, "room": 3, "gripper": 1},
    ),
    Size("matching-blocksworld", {"blocks": 3}, {"block": 3, "hand": 2}),
    Size("miconic", {"passengers": 4, "floors": 2}, {"passenger": 4, "floor": 2}),
    Size(
        "rovers",
        {"rovers": 1, "waypoints": 3, "objectives": 1, "cameras": 2, "soils": 3, "images": 3},
        {
            "rover": 1,
            "store": 1,
            "waypoint": 3,
            "objective": 1,
            "camera": 2,
            "mode": 3,
            "lander": 1,
        },
    ),
    Size(
        "satellite",
        {"satellites": 2, "instruments": 3, "modes": 3, "directions": 3, "images": 4},
        {"satellite": 2, "instrument": 3, "mode": 3, "direction": 3},
    ),
    Size("scanalyzer", {"size": 2, "analysis": "all"}, {"segment": 4, "car": 4}),
    Size("scanalyzer", {"size": 1, "cycle": 4, "analysis": "single"}, {"segment": 4, "car": 4}),
    Size(
        "sokoban",
        {"rows": 3, "columns": 4, "stones": 1, "walls": 2, "pulls": 10},
        {"location": 10, "stone": 1, "player": 1, "direction": 4},
    ),
    Size(
        "spanner",
        {"spanners": 2, "nuts": 2, "locations": 1},
        {"spanner": 2, "nut": 2, "location": 3, "man": 1},
    ),
    Size(
        "storage",
        {"crates": 3, "hoists": 2, "depots": 2, "rows": 1, "columns": 2},
        {
            "crate": 3,
            "hoist": 2,
            "depot": 2,
            "container": 1,
            "storearea": 7,
            "transitarea": 1,
        },
    ),
    Size(
        "transport",
        {"vehicles": 3, "packages": 2, "nodes": 4, "capacity": 1, "degree": 1},
        {"vehicle": 3, "package": 2, "location": 4, "capacity-number": 2},
    ),
    Size("visitall", {"width": 4, "height": 2, "missing": 2, "visit": 50}, {"place": 6}),
]
