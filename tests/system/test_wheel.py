"""The plug-in as an installed package has it: found by its entry point, in a project of a user.

`make wheel` makes the environments, from the wheel and from the source archive.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.depth import IS_DEEP
from tests.unit.pytest_plugin.projects import write_project

ROOT = Path(__file__).parents[2]
CHECK = 'policy = "{}"\nproblems = "problems"\npool_size = 3\n'
FIXTURE = 'def test_it(bugsieve_check):\n    bugsieve_check("optimal", "problems", pool_size=3)\n'


def run(environment: Path, project: Path, *arguments: str) -> tuple[int, str, dict[str, str]]:
    """pytest of an environment, without a word about the plug-in."""
    clean = {name: text for name, text in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [str(environment / "bin" / "pytest"), "-rA", "--color=no", *arguments],
        cwd=project,
        env={**clean, "XDG_STATE_HOME": str(project / ".state")},
        capture_output=True,
        text=True,
    )
    found = re.findall(r"^(PASSED|FAILED|ERROR|XFAIL) (\S+)", done.stdout, re.MULTILINE)
    return done.returncode, done.stdout, {name: outcome for outcome, name in found}


@pytest.mark.skipif(not IS_DEEP, reason="packages take minutes to build: make test-deep")
@pytest.mark.parametrize("package", ["wheel", "sdist"])
def test_the_installed_plug_in(package: str, tmp_path: Path) -> None:
    environment = ROOT / "build" / "packages" / package
    assert environment.is_dir(), "run 'make wheel' first"
    files = {
        "tests/test_policy.py": FIXTURE,
        "bad.bugsieve.toml": CHECK.format("random:1"),
        "good.bugsieve.toml": CHECK.format("optimal"),
    }
    project = write_project(tmp_path, **files)
    code, out, outcomes = run(environment, project)
    assert code == 1 and "plugins: bugsieve-" in out, out
    assert outcomes == {
        "tests/test_policy.py::test_it": "PASSED",
        **{f"good.bugsieve.toml::{name}": "PASSED" for name in ("p1", "p2")},
        **{f"bad.bugsieve.toml::{name}": "FAILED" for name in ("p1", "p2")},
    }
    (kept,) = (project / ".pytest_cache" / "d" / "bugsieve").glob("p1-*")
    export = ["export", "--regression", str(kept), "-o", str(project / "tests" / "bugs")]
    subprocess.run([str(environment / "bin" / "bugsieve"), *export], check=True)
    for policy, outcome in (("optimal", "PASSED"), ("random:1", "FAILED")):
        _, out, alone = run(environment, project, "tests/bugs", "--bugsieve-policy", policy)
        assert set(alone.values()) == {outcome}, out
        spread = run(environment, project, "tests/bugs", "--bugsieve-policy", policy, "-n", "2")
        assert spread[2] == alone
    named = run(environment, project, "-p", "bugsieve.pytest_plugin", "tests/test_policy.py")
    assert named[0] == 0, "named beside the entry point, it is loaded once"
    off = run(environment, project, "-p", "no:bugsieve.pytest_plugin", "tests/test_policy.py")
    assert off[0] == 1 and "fixture 'bugsieve_check' not found" in off[1]
