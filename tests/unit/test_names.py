"""One name for one thing: no two classes of the core, or of a room, share their name."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "bugsieve"
CORE = "core"
NAMED_BY_MODULE = {"zoo": "Options"}
"""Each generator of the zoo has its own, which is named as in `floortile.generator.Options`."""


def home_of(module: Path) -> str:
    """The room that a module is in, or the core."""
    top, *below = module.parts
    if top == "rooms" and len(below) > 1:
        return below[0]
    return top if top == "testing" else CORE


def is_checker(module: Path) -> bool:
    """Return true for checkers: they share nothing, so that they have names of their own."""
    return bool({"checkers", "checker"} & set(module.parent.parts))


def public_classes(path: Path) -> Iterator[str]:
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield node.name


@cache
def homes() -> Mapping[str, Mapping[str, list[str]]]:
    """The modules of each public class, by the core or the room that they are in."""
    found: dict[str, dict[str, list[str]]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        module = path.relative_to(SOURCE)
        home = home_of(module)
        for name in [] if is_checker(module) else public_classes(path):
            if name != NAMED_BY_MODULE.get(home):
                found.setdefault(home, {}).setdefault(name, []).append(module.as_posix())
    return found


def test_classes_are_found() -> None:
    assert {CORE, "rules", "zoo"} <= homes().keys()
    assert homes()[CORE]["Run"] == ["policies/runs.py"]
    assert sum(map(len, homes().values())) > 1000


@pytest.mark.parametrize("home", sorted(homes()))
def test_no_two_classes_share_a_name(home: str) -> None:
    assert not {name: modules for name, modules in homes()[home].items() if len(modules) > 1}


@pytest.mark.parametrize("room", sorted(homes().keys() - {CORE}))
def test_rooms_use_no_name_of_the_core(room: str) -> None:
    both = homes()[room].keys() & homes()[CORE].keys()
    assert not {name: homes()[room][name] + homes()[CORE][name] for name in both}
