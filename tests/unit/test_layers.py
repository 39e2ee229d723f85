"""The layer table of ARCHITECTURE.md holds for every import, lazy ones too."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "bugsieve"


def layers() -> list[str]:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    table = text.split("## Layers")[1].split("## ")[0]
    return re.findall(r"^\| `(\w+)` \|", table, flags=re.MULTILINE)


def imported(path: Path) -> list[tuple[int, str]]:
    """Line and top folder of each import from within Bugsieve, type-checking ones excepted."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            node.body = []
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, (ast.Import, ast.ImportFrom)):
            continue
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: relative import"
            base = node.module or ""
            names = [f"{base}.{a.name}" for a in node.names] if base == "bugsieve" else [base]
        else:
            names = [alias.name for alias in node.names]
        for name in names:
            if name.startswith("bugsieve."):
                found.append((node.lineno, name.split(".")[1]))
    return found


def test_every_folder_is_a_layer() -> None:
    folders = {p.parent.name for p in SOURCE.glob("*/__init__.py")}
    assert folders | {"_native"} == set(layers())


def test_imports_point_upwards() -> None:
    order = {name: rank for rank, name in enumerate(layers())}
    wrong = []
    checked = 0
    for path in SOURCE.rglob("*.py"):
        folder = path.relative_to(SOURCE).parts[0]
        if folder not in order:
            continue  # the package's own __init__ and __main__ stand above all layers
        for line, target in imported(path):
            checked += 1
            if order[target] > order[folder]:
                wrong.append(f"{path.relative_to(ROOT)}:{line} imports {target}")
    assert not wrong
    assert checked > 50
