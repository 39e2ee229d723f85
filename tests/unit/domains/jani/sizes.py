"""Parameters that cover the options of every domain of models, all small or quick to walk."""

from __future__ import annotations

from typing import Any, NamedTuple


class Size(NamedTuple):
    domain: str
    parameters: dict[str, Any]

    def __str__(self) -> str:
        shown = [f"{name}={value}" for name, value in self.parameters.items()]
        return ",".join([self.domain, *shown])


LINES = [
    Size(domain, {"length": 5, "packages": 2, **parameters})
    for domain in ("one-way-line", "two-way-line")
    for parameters in (
        {},
        {"variant": "icy"},
        {"variant": "deterministic"},
        {"icy": 0},
        {"length": 6, "icy": 3},
        {"failing": False},
        {"loss": False},
        {"capacity": 1},
        {"max_speed": 1},
        {"max_speed": 9},
        {"length": 4, "icy": 1},
        {"length": 3, "icy": 0},
    )
]

FINITE = [
    *LINES,
    Size("n-puzzle", {"rows": 2, "columns": 2, "cell": 4}),
    Size("n-puzzle", {"rows": 2, "columns": 2, "variant": "cost", "max_cost": 3}),
    Size("n-puzzle", {"rows": 2, "columns": 3, "failing": False}),
    Size("n-puzzle", {"rows": 2, "columns": 3, "max_cost": 1, "tile": 4, "cell": 1}),
    Size("nd-blocksworld", {"blocks": 4}),
    Size("nd-blocksworld", {"blocks": 3, "max_cost": 2}),
    Size("nd-blocksworld", {"blocks": 2, "table": 1}),
    Size("nd-blocksworld", {"blocks": 4, "failing": False, "table": 3}),
    Size("nd-blocksworld", {"blocks": 3, "variant": "time", "time": 8, "max_cost": 2}),
    Size("nd-blocksworld", {"blocks": 3, "variant": "time", "time": 8, "failing": False}),
    Size("beluga", {"jigs": 3}),
    Size("beluga", {"jigs": 3, "racks": 1, "slots": 2, "spare": 0}),
    Size("beluga", {"jigs": 2, "racks": 3, "slots": 1, "spare": 3}),
    Size("beluga", {"jigs": 4, "racks": 1, "slots": 3}),
]

REAL = [
    *(Size("bouncing-ball", {"dt": dt}) for dt in (0.01, 0.1, 0.3, 0.9)),
    *(Size("cartpole", {"dt": dt}) for dt in (0.001, 0.02, 0.1)),
    Size("cartpole", {"episodes": 1}),
    Size("follow-car", {}),
    Size("follow-car", {"episodes": 10}),
    Size("inverted-pendulum", {}),
]

LARGE = [
    Size("one-way-line", {"length": 15, "packages": 10}),
    Size("two-way-line", {"length": 20, "packages": 15, "capacity": 5, "icy": 9}),
    Size("n-puzzle", {}),
    Size("n-puzzle", {"rows": 4, "columns": 4, "variant": "cost", "limit": 30}),
    Size("nd-blocksworld", {"blocks": 7, "table": 4, "max_cost": 3}),
    Size("nd-blocksworld", {"variant": "time", "time": 100}),
    Size("beluga", {"jigs": 8, "racks": 3, "spare": 4}),
]
