"""The layer tables of ARCHITECTURE.md hold for every import, lazy ones too."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "bugsieve"
ISLAND = "checkers"
ABOVE_ALL = ("cli", "pytest_plugin")
"""Names that other programs load, with nothing of their own below them."""


class Import(NamedTuple):
    """A module imports another one; both as paths without `.py`, as in `tasks/grounded/task`."""

    module: str
    target: str

    def __str__(self) -> str:
        return f"{self.module} -> {self.target}"


def table(heading: str) -> str:
    """The rows below a heading."""
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    return text.split(f"### {heading}\n")[1].split("\n#")[0]


@cache
def core() -> tuple[str, ...]:
    """The top folders of the core, from the bottom to the top."""
    return tuple(re.findall(r"^\| `(\w+)` \|", table("Core"), flags=re.MULTILINE))


@cache
def rooms() -> Mapping[str, frozenset[str]]:
    """What each room may import beside the core and itself."""
    rows = re.findall(r"^\| `([\w/]+)` \| (.*?) \|", table("Rooms"), flags=re.MULTILINE)
    return {name: frozenset(re.findall(r"`(\w+)`", allowed)) for name, allowed in rows}


def home_of(module: str) -> str:
    """The top folder of the core, or the room, that a module is in."""
    parts = module.split("/")
    return parts[1] if parts[0] == "rooms" and len(parts) > 1 else parts[0]


def imported_modules(node: ast.AST) -> list[str]:
    """The dotted names that an import may stand for; those that name no module are harmless."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        assert node.level == 0, f"relative import in line {node.lineno}"
        return [f"{node.module}.{alias.name}" for alias in node.names]
    return []


def module_at(name: str) -> str | None:
    """The module of ours that a dotted name is, or is in; None for those of others."""
    top, *parts = name.split(".")
    if top != "bugsieve" or not parts:
        return None
    while parts:
        path = SOURCE.joinpath(*parts)
        if path.with_suffix(".py").exists() or path.is_dir() or len(parts) == 1:
            return "/".join(parts)  # a single part may be the native core
        parts.pop()
    return None


@cache
def imports() -> tuple[Import, ...]:
    """Every import of one module of ours from another, those for type checkers excepted."""
    return tuple(sorted(set(find_imports())))


def find_imports() -> Iterator[Import]:
    for path in sorted(SOURCE.rglob("*.py")):
        module = path.relative_to(SOURCE).with_suffix("").as_posix().removesuffix("/__init__")
        if "/" not in module and path.name != "__init__.py":
            continue  # `__main__`
        if module == "__init__":
            continue  # the package's own names stand above all layers
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
                node.body = []
        for node in ast.walk(tree):
            for name in imported_modules(node):
                target = module_at(name)
                if target is not None and target != module:
                    yield Import(module, target)


def is_allowed(found: Import) -> bool:
    here, there = home_of(found.module), home_of(found.target)
    if here == there or here in ABOVE_ALL:
        return True
    if here in core():
        return there in core() and core().index(there) < core().index(here)
    return there in core() or there in rooms()[here]


def test_every_folder_is_in_a_table() -> None:
    tops = {path.parent.name for path in SOURCE.glob("*/__init__.py")} - {"rooms", *ABOVE_ALL}
    inside = {path.parent.name for path in SOURCE.glob("rooms/*/__init__.py")}
    assert tops | {"_native"} == {*core(), *(set(rooms()) - inside)}
    assert inside <= set(rooms()) and not inside & set(core())


def test_imports_follow_the_tables() -> None:
    assert not [str(found) for found in imports() if not is_allowed(found)]
    assert len(imports()) > 2000


def test_checkers_import_nothing_but_checkers() -> None:
    """The island: certificates are checked by code that shares none with the engine."""
    for found in imports():
        folder = found.module.rpartition("/")[0]
        is_checker = folder == ISLAND or folder.endswith("/checker")
        if is_checker:
            assert found.target.rpartition("/")[0] in (folder, ISLAND), found


@pytest.mark.parametrize("home", [name for name in (*core(), *rooms()) if name != "_native"])
def test_no_two_subfolders_import_each_other(home: str) -> None:
    graph: dict[str, set[str]] = {}
    for found in imports():
        if home_of(found.module) == home_of(found.target) == home:
            here, there = folder_of(found.module), folder_of(found.target)
            if here != there:
                graph.setdefault(here, set()).add(there)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        cycle = error.args[1]
        edges = [
            str(i)
            for i in imports()
            if folder_of(i.module) in cycle
            and folder_of(i.target) in cycle
            and folder_of(i.module) != folder_of(i.target)
        ]
        pytest.fail(f"{' -> '.join(cycle)}: see {edges}")


def folder_of(module: str) -> str:
    return module if (SOURCE / module).is_dir() else module.rpartition("/")[0]
