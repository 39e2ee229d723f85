"""The layer table of ARCHITECTURE.md holds for every import, lazy ones too."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "bugsieve"
ISLAND = "checkers"


class Import(NamedTuple):
    """A file of one folder imports from another one; folders are written as in `tasks/fdr`."""

    place: str
    folder: str
    target: str


def layers() -> list[str]:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    table = text.split("## Layers")[1].split("## ")[0]
    return re.findall(r"^\| `(\w+)` \|", table, flags=re.MULTILINE)


def modules_of(node: ast.AST) -> list[str]:
    """The dotted names that an import may stand for; those that are no module are harmless."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        assert node.level == 0, f"relative import in line {node.lineno}"
        return [f"{node.module}.{alias.name}" for alias in node.names]
    return []


def folder_of(module: str) -> str | None:
    """The folder that a module of ours is in; None for modules of others."""
    top, *parts = module.split(".")
    if top != "bugsieve" or not parts:
        return None
    path = SOURCE.joinpath(*parts)
    while not (path.is_dir() or path.with_suffix(".py").exists()):
        if path.parent == SOURCE:
            break  # the native core, or a name of the package itself
        path = path.parent
    folder = path if path.is_dir() or path.parent == SOURCE else path.parent
    return folder.relative_to(SOURCE).as_posix()


@cache
def imports() -> tuple[Import, ...]:
    """Every import of one folder from another, those for type checkers excepted."""
    return tuple(_imports())


def _imports() -> Iterator[Import]:
    for path in sorted(SOURCE.rglob("*.py")):
        folder = path.parent.relative_to(SOURCE).as_posix()
        if folder == ".":
            continue  # the package's own __init__ and __main__ stand above all layers
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
                node.body = []
        for node in ast.walk(tree):
            for module in modules_of(node):
                target = folder_of(module)
                if target is not None and target != folder:
                    place = f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 0)}"
                    yield Import(place, folder, target)


def top(folder: str) -> str:
    return folder.split("/")[0]


def test_every_folder_is_a_layer() -> None:
    folders = {p.parent.name for p in SOURCE.glob("*/__init__.py")}
    assert folders | {"_native"} == set(layers())


def test_imports_point_upwards() -> None:
    order = {name: rank for rank, name in enumerate(layers())}
    found = imports()
    wrong = [i for i in found if order.get(top(i.target), -1) > order[top(i.folder)]]
    assert not wrong
    assert len(found) > 500


def test_the_island_imports_nothing_of_ours() -> None:
    assert not [i for i in imports() if top(i.folder) == ISLAND and top(i.target) != ISLAND]


@pytest.mark.parametrize("layer", [name for name in layers() if name != "_native"])
def test_no_two_subfolders_import_each_other(layer: str) -> None:
    graph: dict[str, set[str]] = {}
    for found in imports():
        if top(found.folder) == top(found.target) == layer:
            graph.setdefault(found.folder, set()).add(found.target)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        cycle = error.args[1]
        pytest.fail(f"{' -> '.join(cycle)}: see {[i for i in imports() if i.folder in cycle]}")
