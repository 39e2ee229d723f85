"""A door on a timeline with two flight rules, one of which fails, as files."""

from __future__ import annotations

from pathlib import Path

import pytest

for package in ("lark", "ortools"):
    pytest.importorskip(package, reason="the extra 'timeline' is missing")

CLASSES = """
class Door extends Timeline { predicate Open { eq(duration, [1 2]); } predicate Closed { } }
Door::Open { met_by(object.Closed before_it); meets(object.Closed after_it); }
Door::Closed { met_by(object.Open before_it); meets(object.Open after_it); }
"""
FAULTY = CLASSES.replace("[1 2]", "[1 3]")
"""Here the door stays open for longer."""
WORLD = """
#include "classes.nddl"
PlannerConfig world = new PlannerConfig(0, 6);
Door door = new Door();
goal(Door.Closed first); eq(first.start, 0);
"""
RULES = """format = 1
[[atom]]
name = "open"
is = "token(Door.Open)"
[[atom]]
name = "closed"
is = "token(Door.Closed)"
[[rule]]
id = "short"
kind = "desired"
ltl = "G !(open & X(open & X open))"
[[rule]]
id = "shut"
kind = "desired"
ltl = "G !open"
"""
OBLIGATIONS = 13


def written(folder: Path, *, rules: str = RULES) -> list[str]:
    """Two files of a model and the rules."""
    texts = {"classes.nddl": CLASSES, "world.nddl": WORLD, "rules.toml": rules}
    for name, text in texts.items():
        (folder / name).write_text(text)
    return [str(folder / name) for name in texts]
