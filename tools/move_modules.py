"""Move modules of src/bugsieve to the places that moves.txt names, and rewrite who names them.

Run it on a clean tree: `python tools/move_modules.py`, then `ruff check --select I --fix` and
`ruff format`. It moves files, rewrites imports, dotted names and paths in all tracked files, and
writes packages that are new with an empty docstring. Names of entry-point groups stay as they are.
"""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = "src/bugsieve"
GROUPS = {
    f"bugsieve.{name}"
    for name in ("policies", "oracles", "biases", "objectives", "domains", "pictures")
}
_MOVED = ""
"""Stands before a name that is new already, which may be the old name of another module."""
REWRITTEN = {".py", ".pyi", ".md", ".toml", ".h", ".cpp", ".sh", ".txt", ""}
NOT_REWRITTEN = {"CHANGELOG.md", "tools/moves.txt"}


def main() -> None:
    files = [name for name in tracked() if name.startswith(f"{SOURCE}/")]
    places = places_of([name.removeprefix(f"{SOURCE}/") for name in files])
    modules = {dotted(old): dotted(new) for old, new in places.items() if is_code(old)}
    for old, new in places.items():
        if old != new:
            (ROOT / SOURCE / new).parent.mkdir(parents=True, exist_ok=True)
            git("mv", "-f", f"{SOURCE}/{old}", f"{SOURCE}/{new}")
    write_packages()
    for name in tracked():
        path = ROOT / name
        if path.suffix in REWRITTEN and name not in NOT_REWRITTEN and path.is_file():
            old = path.read_text(encoding="utf-8")
            new = rewritten(old, modules, places, is_python=path.suffix in {".py", ".pyi"})
            if new != old:
                path.write_text(new, encoding="utf-8")


def git(*arguments: str) -> str:
    return subprocess.run(
        ["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout


def tracked() -> list[str]:
    return git("ls-files").splitlines()


def is_code(name: str) -> bool:
    return name.endswith((".py", ".pyi"))


def dotted(name: str) -> str:
    """`bugsieve.tasks.pddl` for `tasks/pddl/__init__.py`."""
    stem = re.sub(r"(/__init__)?\.pyi?$", "", name)
    return f"bugsieve.{stem.replace('/', '.')}"


def places_of(files: list[str]) -> dict[str, str]:
    """The new name of each file; of two `__init__.py` for one folder the longer one stays."""
    rules = dict(read_rules())
    places = {name: place_of(name, rules) for name in files}
    for name in [name for name in files if name.endswith("/__init__.py")]:
        rivals = [other for other in files if places.get(other) == places.get(name)]
        longest = max(rivals, key=lambda other: len((ROOT / SOURCE / other).read_text("utf-8")))
        if name in places and (name != longest or is_left_empty(name, places)):
            git("rm", "-q", f"{SOURCE}/{name}")
            del places[name]
    twice = sorted({new for new in places.values() if list(places.values()).count(new) > 1})
    assert not twice, twice
    return places


def is_left_empty(init: str, places: Mapping[str, str]) -> bool:
    """Whether nothing else moves to its folder, and it holds no code itself."""
    folder = places[init].removesuffix("__init__.py")
    if (
        places[init] == folder
        or len(ast.parse((ROOT / SOURCE / init).read_text("utf-8")).body) > 1
    ):
        return False
    return not any(
        new.startswith(folder) for old, new in places.items() if not old.endswith("__init__.py")
    )


def read_rules() -> Iterator[tuple[str, str]]:
    for line in (ROOT / "tools" / "moves.txt").read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            folder, olds = line.split(": ")
            for old in olds.split():
                source, _, renamed = old.partition("=")
                leaf = renamed or source.rpartition("/")[2]
                yield source, f"{folder}/{leaf}" if leaf else f"{folder}/"


def place_of(name: str, rules: Mapping[str, str]) -> str:
    """Files by their names first, then by the innermost folder that has a rule."""
    for key, end in ((name, ""), (name.removesuffix(".py"), ".py")):
        if key in rules and (end or not name.endswith(".py")):
            return rules[key] + end
    folder = name
    while "/" in folder:
        folder = folder.rpartition("/")[0]
        if f"{folder}/" in rules:
            return rules[f"{folder}/"] + name.removeprefix(f"{folder}/")
    return name


def write_packages() -> None:
    for folder in sorted({path.parent for path in (ROOT / SOURCE).rglob("*.py")}):
        for package in (folder, *folder.parents):
            if package == ROOT / SOURCE:
                break
            if not (package / "__init__.py").exists():
                (package / "__init__.py").write_text('"""."""\n', encoding="utf-8")
                git("add", str(package / "__init__.py"))


def rewritten(
    text: str, modules: Mapping[str, str], places: Mapping[str, str], *, is_python: bool
) -> str:
    if is_python and "bugsieve" in text:
        text = with_split_imports(text, modules)
    text = re.sub(
        r"(?P<quote>[\"'`]?)(?P<name>\bbugsieve(?:\.\w+)+)(?P<end>[\"'`]?)",
        lambda found: renamed(found, modules),
        text,
    )
    text = text.replace(_MOVED, "")
    return re.sub(rf"{SOURCE}/([\w/-]+(?:\.\w+)?)", lambda found: moved_path(found, places), text)


def renamed(found: re.Match[str], modules: Mapping[str, str]) -> str:
    name = found["name"]
    if found["quote"] and found["end"] and name in GROUPS:
        return found[0]
    return f"{found['quote']}{new_name(name, modules)}{found['end']}"


def new_name(name: str, modules: Mapping[str, str]) -> str:
    """The longest module in it is replaced."""
    parts = name.split(".")
    for length in range(len(parts), 1, -1):
        if (old := ".".join(parts[:length])) in modules:
            return ".".join([modules[old], *parts[length:]])
    return name


def moved_path(found: re.Match[str], places: Mapping[str, str]) -> str:
    return f"{SOURCE}/{places.get(found[1], found[1])}"


def with_split_imports(text: str, modules: Mapping[str, str]) -> str:
    """`from package import module` stands alone where the module leaves its package."""
    lines = text.splitlines(keepends=True)
    try:
        imports = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom)]
    except SyntaxError:
        return text
    for node in sorted(imports, key=lambda node: -node.lineno):
        package = node.module or ""
        names = {alias.name: f"{package}.{alias.name}" for alias in node.names}
        gone = [alias for alias in node.names if names[alias.name] in modules]
        if not gone or not package.startswith("bugsieve"):
            continue
        indent = " " * node.col_offset
        kept = [alias for alias in node.names if alias not in gone]
        new = [f"{indent}{ast.unparse(ast.ImportFrom(package, kept, 0))}\n"] if kept else []
        for alias in gone:
            home, _, leaf = modules[names[alias.name]].rpartition(".")
            used = alias.asname or alias.name
            said = leaf if leaf == used else f"{leaf} as {used}"
            new.append(f"{indent}from {_MOVED}{home} import {said}\n")
        lines[node.lineno - 1 : node.end_lineno] = new
    return "".join(lines)


if __name__ == "__main__":
    main()
