"""A made-up SAS task with very many operators, the hard case for a successor generator.

Every operator tests three of many large variables, so that few operators share a path and a
decision tree with one child per value in each node would take gigabytes.
"""

from __future__ import annotations

import random
from pathlib import Path

VARIABLES = 60
VALUES = 200
OPERATORS = 170_000


def write_many_operators(path: Path) -> Path:
    """Write the task unless the file is there; it is the same on every machine."""
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(".partial")
        partial.write_text("\n".join(_lines()) + "\n")
        partial.replace(path)
    return path


def _lines() -> list[str]:
    rng = random.Random(170_000)
    lines = ["begin_version", "3", "end_version", "begin_metric", "0", "end_metric"]
    lines.append(str(VARIABLES))
    for variable in range(VARIABLES):
        lines += ["begin_variable", f"var{variable}", "-1", str(VALUES)]
        lines += [f"Atom at({variable}, {value})" for value in range(VALUES)]
        lines.append("end_variable")
    lines += ["0", "begin_state", *["0"] * VARIABLES, "end_state"]
    lines += ["begin_goal", "1", f"{VARIABLES - 1} {VALUES - 1}", "end_goal"]
    lines.append(str(OPERATORS))
    for operator in range(OPERATORS):
        lines += _operator(operator, rng)
    return [*lines, "0"]


def _operator(number: int, rng: random.Random) -> list[str]:
    first, second, third = rng.sample(range(VARIABLES), 3)
    before, after = rng.sample(range(VALUES), 2)
    prevail = sorted((first, second))
    return [
        "begin_operator",
        f"op {number}",
        "2",
        *(f"{variable} {rng.randrange(VALUES)}" for variable in prevail),
        "1",
        f"0 {third} {before} {after}",
        "1",
        "end_operator",
    ]
