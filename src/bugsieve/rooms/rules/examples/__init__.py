"""The example of papers/004 in PDDL: a rover, its flight rules, and a fault that was planted."""

from __future__ import annotations

from importlib.resources import files

FILES = (
    "rover.pddl",
    "one-rover.pddl",
    "two-rovers.pddl",
    "rover-faulty.pddl",
    "rules.toml",
    "suite.ptest.json",
)


def example_files() -> dict[str, bytes]:
    """The files of the example by their names; they name each other, so they stay together."""
    return {name: (files(__name__) / name).read_bytes() for name in FILES}
