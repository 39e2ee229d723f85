"""Every command and every piece of Python in the README and the docs runs and prints what it says.

A page is run from top to bottom in an empty folder. `console` blocks show commands after "$ " and
their output; `python` blocks share one namespace per page. `BUGSIEVE_WRITE_DOCS=1` writes what the
commands printed into the pages.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.depth import IS_DEEP
from tests.system.warm_commands import warm_commands

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
BUGS_FOUND = 1
SECONDS = re.compile(r"\b\d+\.\d s\b|\b\d+\.\d\ds\b")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with commands that start at once."""
    with warm_commands(tmp_path_factory.mktemp("commands")) as folder:
        yield folder


def environment(*folders: Path) -> dict[str, str]:
    """Ours, in which programs are found in the folders first, then beside this Python."""
    places = [*map(str, folders), str(Path(sys.executable).parent), os.environ["PATH"]]
    return {**os.environ, "PATH": os.pathsep.join(places)}


def run_command(command: str, folder: Path, variables: dict[str, str]) -> str:
    done = subprocess.run(
        command, shell=True, cwd=folder, env=variables, capture_output=True, text=True
    )
    assert done.returncode in (0, BUGS_FOUND), f"{command}: {done.stderr}"
    return done.stdout


def run_console(block: str, folder: Path, variables: dict[str, str]) -> str:
    commands = [line[2:] for line in block.splitlines() if line.startswith("$ ")]
    assert commands, block
    return "".join(
        f"$ {command}\n{run_command(command, folder, variables)}" for command in commands
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page(page: Path, tmp_path: Path, warm: Path) -> None:
    """Quickly, only the commands of the README are processes from their very beginning."""
    variables = environment() if IS_DEEP or page.name == "README.md" else environment(warm)
    text = page.read_text(encoding="utf-8")
    program, done = "", ""
    for kind, block in [*BLOCK.findall(text), ("end", "")]:
        if kind in {"console", "end"} and program != done:
            run_python(program, tmp_path)
            done = program
        if kind == "console":
            printed = run_console(block, tmp_path, variables)
            if os.environ.get("BUGSIEVE_WRITE_DOCS"):
                text = text.replace(f"```console\n{block}```", f"```console\n{printed}```")
                page.write_text(text, encoding="utf-8")
            else:
                assert SECONDS.sub("… s", printed) == SECONDS.sub("… s", block)
        elif kind == "python":
            program += block
        elif kind == "sh":
            check_targets(block)
        else:
            assert kind in {"json", "text", "end"}, kind


def run_python(program: str, folder: Path) -> None:
    """Later blocks build on earlier ones, so the page so far is run as one program."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-"],
        input=program,
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def check_targets(block: str) -> None:
    """Commands of a checkout are make targets; they are run by whoever runs these tests."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"^make (\S+)", block, re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)


def test_the_number_of_lanes() -> None:
    """As many states as values of 8 bits in a line of the cache, which the core takes."""
    header = (ROOT / "native" / "heuristics" / "lane_exploration.h").read_text(encoding="utf-8")
    (lanes,) = re.findall(r"kLanes = (\d+) / sizeof\(T\)", header)
    told = (ROOT / "docs" / "engine.md").read_text(encoding="utf-8")
    assert f"One pass over the relaxed task serves {lanes} states" in told
    assert f"of {lanes} states at once" in (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="argparse words help differently")
def test_generated_pages_are_up_to_date(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "docs" / "build.py"), str(tmp_path)]
    subprocess.run(command, check=True, env=environment())
    for name in ("reference.md", "english.md", "pictures.svg"):
        assert (tmp_path / name).read_text("utf-8") == (ROOT / "docs" / name).read_text("utf-8")
