"""A current folder that holds a file for each module of Python: none of them is ever imported."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bugsieve.cli import main
from bugsieve.commands.shared.program import COMMANDS
from tests.system.warm_commands import warm_commands
from tests.unit.pytest_plugin.projects import PLUGIN

POLICY = """
def choose(facts, applicable):
    import colorsys
    return min(applicable)

def value(facts):
    import colorsys
    return len(facts)
"""
PROGRAM = """
import json, sys
json.loads(sys.stdin.readline())
print(json.dumps({"ready": True}), flush=True)
for line in sys.stdin:
    batch = json.loads(line)
    actions = [min(state["applicable"]) for state in batch["states"]]
    print(json.dumps({"id": batch["id"], "actions": actions}), flush=True)
"""
SCRIPT = """
import sys
import bugsieve
task = ("blocks/domain.pddl", "blocks/problem.pddl")
for folder in ("once", "again"):  # the second time only the children have anything to import
    options = bugsieve.CostOptions(task=task, policy="random:1", oracles=("lookahead",), workers=2)
    bugsieve.Campaign.create(folder, options).run()
    sys.path.insert(0, "")  # as in notebooks
print("done")
"""
GRID = """
policies = ["random:1"]
oracles = ["lookahead"]
campaign.fuzz.pool_size = 2
[fuzzers.few]
[[domains]]
domain = "blocks/domain.pddl"
problems = ["blocks/problem.pddl"]
"""

TRAININGS = """
seeds = [0]
budgets = [2]
configurations = ["line"]
campaign.schedule.inits = 1
campaign.schedule.start_epochs = 1
campaign.asnets.steps = 2
campaign.fuzz.pool_size = 2
test.fuzz.pool_size = 2
test.oracles = ["lookahead"]
[[trainings]]
label = "small"
domain = "small/domain.pddl"
training = { problems = ["small/problem.pddl"] }
validation = { problems = ["other/problem.pddl"] }
test = { problems = ["small/problem.pddl"] }
"""
CHECK = """
domain = "blocks/domain.pddl"
problems = "blocks/problem.pddl"
policy = "random:1"
pool_size = 2
workers = 2
"""
PLANS = """
def get_plan(objects, init, goal):
    import colorsys
    return []
"""
CHECKERS = (
    "checkers.cost",
    "checkers.green",
    "rooms.safety.checker.safety",
    "rooms.safety.checker.safety_green",
    "rooms.rules.checker.rules",
)
SHORT = "--workers 2 --inits 1 --start-epochs 1 --main-epochs 1 --steps 2 --hidden 2 --pool-size 2"
BUG = "$(ls {0}/bugs | head -n 1 | cut -d. -f1)"
SCENARIO = f"""
generate blocksworld --blocks 3 --seed 2 -o blocks
generate one-way-line --length 3 --packages 1 --variant deterministic -o line
generate visitall --width 2 --height 2 -o small
generate visitall --width 3 --height 2 -o other
list
doctor
test blocks --policy random:1 --max-bugs 1 --workers 2 -o results
test blocks --policy "python:$ELSEWHERE/policy.py:choose" --pool-size 2 -o python
test blocks --policy "cmd:$PYTHON $ELSEWHERE/program.py" --pool-size 2 -o program
measure blocks --policy random:1 --tests 100 --workers 2 -o measured
test blocks --policy "python:$ELSEWHERE/policy.py:choose" --pool-size 2 --workers 2 -o drawn
test blocks --policy "plans:python:$ELSEWHERE/plans.py:get_plan" --max-bugs 1 -o plans
test blocks --policy "greedy:python:$ELSEWHERE/policy.py:value" --pool-size 2 -o values
test small --policy optimal --whole yes -o green
replay green
export green --green green.json
test blocks small --policy random:1 --pool-size 2 --workers 2 -o both
resume both --max-bugs 3 --workers 2
resume results --max-bugs 3 --workers 2
safety line/model.jani --policy random --walks 9 -o danger
safety line/model.jani --policy "python:$ELSEWHERE/policy.py:choose" --walks 2 -o first
judge blocks --policy random:1
salvage results -o salvaged
status results
report results
replay results
export results --regression -o kept
explain results {BUG.format("results")}
minimise results {BUG.format("results")} -o smallest
shield danger -o shield.json
compare results python
export results --csv csv
table bugs results
plot results -o bugs.svg
experiment grid.toml -o grid
experiment trainings.toml --workers 2 -o trainings
rollout blocks --policy random:1
decide line/model.jani --policy random
rules example -o rover
rules rover/rover.pddl rover/one-rover.pddl rover/rules.toml -o rules
rules rover.nddl rover-timelines.toml -o timelines
dominance blocks
domain lint blocks/domain.pddl blocks/problem.pddl
domain coverage rover/suite.ptest.json
domain mutate rover/suite.ptest.json --list
domain test rover/suite.ptest.json
train asnets small/domain.pddl small/problem.pddl --validate other/problem.pddl $SHORT -o t
select t -o policy.safetensors
train-q line/model.jani -o net.safetensors --steps 20 --warmup 5 --hidden 4
"""
TIMELINES = Path(__file__).parents[2] / "examples/flight-rules"
SERVE = ["serve", "blocks", "--policy", "random:1", "--listen", "unix:policy.sock"]


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with warm_commands(tmp_path_factory.mktemp("commands")) as folder:
        yield folder


@pytest.fixture
def shadows(tmp_path: Path) -> Path:
    """The folder, in which each file leaves a mark beside the folder when it is imported."""
    folder, marks = tmp_path / "shadows", tmp_path / "marks"
    folder.mkdir()
    marks.mkdir()
    for name in sys.stdlib_module_names:
        (folder / f"{name}.py").write_text(f"open({str(marks / name)!r}, 'w').close()\n")
    return folder


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """Files of the user's own."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    for name, text in (
        ("policy", POLICY),
        ("program", PROGRAM),
        ("script", SCRIPT),
        ("plans", PLANS),
    ):
        (folder / f"{name}.py").write_text(text)
    return folder


def marks(folder: Path) -> list[str]:
    return sorted(os.listdir(folder.parent / "marks"))


def test_no_command_imports_from_the_current_folder(
    shadows: Path, elsewhere: Path, warm: Path
) -> None:
    """Its own process does not, as it would not when started anew, nor any kind of child."""
    for name, text in (("grid", GRID), ("trainings", TRAININGS)):
        (shadows / f"{name}.toml").write_text(text)
    for name in ("rover.nddl", "rover-timelines.toml"):
        shutil.copy(TIMELINES / name, shadows)
    lines = [line for line in SCENARIO.splitlines() if line]
    assert {line.split()[0] for line in lines} | {SERVE[0]} == set(COMMANDS)
    path = os.pathsep.join((str(warm), os.environ["PATH"]))
    own = {"SHORT": SHORT, "ELSEWHERE": str(elsewhere), "PYTHON": sys.executable, "PATH": path}
    for line in lines:
        done = subprocess.run(
            f"bugsieve {line}",
            shell=True,
            cwd=shadows,
            env={**os.environ, **own},
            capture_output=True,
            text=True,
        )
        assert done.returncode in (0, 1, 6), (line, done.stderr)
        assert marks(shadows) == [], line
    require_failing_tests(shadows, "kept")


def require_failing_tests(folder: Path, *tests: str) -> None:
    """Run pytest with our plug-in in the folder, whose tests fail and import nothing of it."""
    command = [str(Path(sys.executable).parent / "pytest"), "-q", *PLUGIN, *tests]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert ran.returncode == 1 and re.search(r"\d failed", ran.stdout), ran.stdout + ran.stderr
    assert marks(folder) == [], tests


def test_processes_from_their_very_beginning(shadows: Path, elsewhere: Path) -> None:
    """The program itself, checkers as they are printed, scripts as in notebooks, and a server."""
    folder = Path(sys.executable).parent
    blocks = ["generate", "blocksworld", "--blocks", "2", "-o", "blocks"]
    commands = [
        [str(folder / "bugsieve"), *blocks],
        [sys.executable, str(elsewhere / "script.py")],
        *([sys.executable, "-I", "-m", f"bugsieve.{name}"] for name in CHECKERS),
    ]
    for command in commands:
        done = subprocess.run(command, cwd=shadows, capture_output=True, text=True)
        assert marks(shadows) == [], command
        assert done.returncode == (4 if "-I" in command else 0), done.stderr
    (shadows / "check.bugsieve.toml").write_text(CHECK)
    require_failing_tests(shadows, "check.bugsieve.toml")
    server = subprocess.Popen(
        [str(folder / "bugsieve"), *SERVE], cwd=shadows, stdout=subprocess.PIPE
    )
    assert server.stdout is not None and b"policy.sock" in server.stdout.readline()
    server.send_signal(signal.SIGINT)
    server.communicate()
    assert marks(shadows) == []


def test_checkers_are_always_named_with_the_option_that_leaves_the_folder_out() -> None:
    """Wherever we print how to start one, or write it in the documentation."""
    root = Path(__file__).parents[2]
    places = [*(root / "src").rglob("*.py"), *(root / "docs").glob("*.md"), root / "README.md"]
    named = [
        match
        for place in places
        for match in re.findall(r"python3? (-I )?-m bugsieve", place.read_text("utf-8"))
    ]
    without = named.count("")
    assert len(named) > 5 and without == 1, "`python -m bugsieve` itself alone does without"


MODULE = """
import colorsys, helper
assert colorsys.mine and helper.mine
def choose(facts, applicable):
    return min(applicable)
"""


def test_a_module_that_is_named_there_keeps_its_neighbours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The current folder is first on the path for those who name a policy in it."""
    for name, text in (("mine", MODULE), ("colorsys", "mine = 1"), ("helper", "mine = 1")):
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    assert main(["generate", "blocksworld", "--blocks", "2", "-o", "blocks"]) == 0
    assert main(["rollout", "blocks", "--policy", "python:mine:choose"]) == 0
