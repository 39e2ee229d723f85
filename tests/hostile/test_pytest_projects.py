"""Projects whose policies hang or live elsewhere, and pytest that is interrupted."""

from __future__ import annotations

import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from bugsieve.campaigns.campaign import summary_of
from bugsieve.campaigns.store.schema import STORE_FILE
from tests.depth import IS_DEEP
from tests.hostile.processes import children, needs_proc, wait_until_gone
from tests.unit.pytest_plugin.projects import (
    command,
    environment,
    problem,
    run_pytest,
    write_project,
)

CHECK = 'policy = "{}"\nproblems = "problems/p1.pddl"\npool_size = 2\n'


def test_policies_that_misbehave(tmp_path: Path) -> None:
    checks = {
        f"{name}.bugsieve.toml": CHECK.format(f"python:policy.py:{name}").replace("2", "1")
        + "deadline = 0.3\n"
        for name in ("crash", "hang", "missing")
    }
    ran = run_pytest(write_project(tmp_path, **checks))
    assert set(ran.outcomes.values()) == {"FAILED"} and len(ran.outcomes) == 3
    assert "runs ended at their first decision, policy crash" in ran.out
    assert "RuntimeError: no idea" in ran.out
    assert "could not be tested: " in ran.out and "Traceback" not in ran.out
    assert "missing" in ran.out and "INTERNALERROR" not in ran.out


@pytest.mark.skipif(not IS_DEEP, reason="a policy that hangs is waited for: make test-deep")
def test_a_bug_and_a_policy_that_hangs(tmp_path: Path) -> None:
    project = write_project(tmp_path, **{"x.bugsieve.toml": CHECK.format("random:1")})
    run_pytest(project)
    (kept,) = (project / ".pytest_cache" / "d" / "bugsieve").iterdir()
    export = ["export", "--regression", str(kept), "-o", str(project / "bugs")]
    subprocess.run([command()[0], "-m", "bugsieve", *export], check=True)
    ran = run_pytest(project, "bugs", "--bugsieve-policy", "python:policy.py:hang")
    assert set(ran.outcomes.values()) == {"FAILED"} and "CANNOT REPLAY: " in ran.out


def test_what_leaves_the_root_folder_is_not_started(tmp_path: Path) -> None:
    """Neither by a file of checks, nor by the configuration; typed on the command line it is."""
    outside = tmp_path / "outside.py"
    outside.write_text(
        "def right(facts, applicable):\n"
        f"    open({str(tmp_path / 'ran')!r}, 'w').close()\n"
        "    return next((a for a in applicable if 'right' in a), None)\n"
    )
    named = CHECK.format("python:../outside.py:right")
    unnamed = named.partition("\n")[2]
    ini = "[pytest]\nbugsieve_policy = python:../outside.py:right\n"
    files = {"a.bugsieve.toml": named, "b.bugsieve.toml": unnamed, "pytest.ini": ini}
    project = write_project(tmp_path / "project", **files)
    ran = run_pytest(project)
    assert set(ran.outcomes.values()) == {"FAILED"} and not (tmp_path / "ran").exists()
    for source in ("a.bugsieve.toml", "pytest.ini"):
        assert f"{source} names the policy 'python:../outside.py:right'" in ran.out
    assert "leaves the root folder of pytest: say --bugsieve-trust-policy" in ran.out
    typed = run_pytest(project, "b.bugsieve.toml", "--bugsieve-policy=python:../outside.py:right")
    assert typed.code == 0 and (tmp_path / "ran").exists()
    shutil.rmtree(project / ".state")  # now it is no longer known as typed
    assert run_pytest(project, "a.bugsieve.toml", "--bugsieve-trust-policy").code == 0


@needs_proc
def test_interrupted_in_the_middle_of_a_check(tmp_path: Path) -> None:
    check = CHECK.format("python:policy.py:slow").replace("pool_size = 2", "pool_size = 100")
    files = {"x.bugsieve.toml": check, "problems/p1.pddl": problem(60)}
    project = write_project(tmp_path, **files)
    process = subprocess.Popen(
        command("x.bugsieve.toml"),
        cwd=project,
        env=environment(project),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    place = project / ".pytest_cache" / "d" / "bugsieve"
    # The policy is asked before there is a folder, too, to see how fast it answers.
    while not any(place.glob(f".run-*/work/*/{STORE_FILE}")) and process.poll() is None:
        time.sleep(0.02)
    (project / "asked").unlink(missing_ok=True)
    while not (project / "asked").exists() and process.poll() is None:
        time.sleep(0.02)
    started = children(process.pid)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert (process.returncode, err) == (2, "") and "KeyboardInterrupt" in out
    wait_until_gone(started)
    (kept,) = place.iterdir()
    assert kept.name.startswith("p1-") and summary_of(kept).reason is None, "it can go on"
