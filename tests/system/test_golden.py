"""What each command prints, to the letter, with its exit code.

Times, and names that a run makes up, stand as `…`. Who changes words on purpose writes the files
anew with `BUGSIEVE_WRITE_GOLDEN=1` and reads the difference.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from pathlib import Path

import pytest

from bugsieve.base.registry.families import COMMANDS
from bugsieve.cli import main

GOLDEN = Path(__file__).with_name("golden")
POLICIES = """\
def first(facts, applicable):
    return min(applicable)

def crash(facts, applicable):
    raise KeyError("x")
"""
GRID = """\
policies = ["random:1", "optimal"]
oracles = ["lookahead"]
campaign.fuzz.pool_size = 3
campaign.whole = "no"
[fuzzers.few]
[[domains]]
domain = "balls/domain.pddl"
problems = ["balls/problem.pddl"]
"""
BUG = "$(bugs)"  # the first in the order of names
SHORT = "--inits 1 --start-epochs 1 --main-epochs 1 --steps 2 --hidden 2 --pool-size 2"
SET_UP = """
generate gripper --balls 2 -o balls
generate blocksworld --blocks 4 --seed 2 -o blocks
generate one-way-line --length 6 --packages 1 -o line
generate visitall --width 2 --height 2 -o small
generate visitall --width 3 --height 2 -o other
rules example -o rover
test blocks --policy random:1 --pool-size 20 --bias uniform --escalate-to 0 --whole no -o cost
test blocks --policy greedy:hff --pool-size 20 --bias uniform --whole no -o newer
test balls small --policy random:1 --pool-size 5 --bias uniform --escalate-to 0 -o several
test small --policy optimal --whole yes -o green
safety line --policy random --walks 20 --seed 1 -o danger
rules rover/rover-faulty.pddl rover/one-rover.pddl rover/rules.toml -o broken
measure blocks --policy random:1 --tests 100 --escalate-to 0 -o measured
train asnets small/domain.pddl small/problem.pddl --validate other/problem.pddl SHORT -o trained
experiment grid.toml -o grid
""".replace("SHORT", SHORT)
CALLS = {
    "test": """
test blocks --policy random:1 --pool-size 20 --bias uniform --escalate-to 0 --whole no
test balls --policy random:1 --pool-size 5 --bias uniform --whole no --max-bugs 1
test balls small --policy random:1 --pool-size 5 --bias uniform --escalate-to 0
test small --policy optimal
test blocks --policy python:policies.py:first --pool-size 5 --bias uniform --whole no
test balls --policy python:policies.py:crash --pool-size 5 --bias uniform
test balls --policy greedy:hff --objective qualitative --pool-size 5 --bias uniform --whole no
test balls --policy gredy
test nowhere --policy optimal
test small --policy optimal --pool-size 0
""",
    "safety": """
safety line --policy random --walks 20 --seed 1
safety line --policy random --walks 20 --seed 1 --max-bugs 1
safety blocks --policy random
safety line --policy rndom
""",
    "measure": """
measure blocks --policy random:1 --tests 100 --escalate-to 0
measure line --policy random --tests 100
measure small --policy optimal --tests 100
measure small --policy optimal --tests 0
""",
    "judge": """
judge blocks --policy random:1 --seed 1
judge blocks --policy random:1 --oracle lookahead:x
""",
    "resume": """
resume cost
resume danger
resume broken
resume several
resume trained
resume balls
""",
    "salvage": "salvage cost -o salvaged\nsalvage balls -o rest",
    "status": """
status cost
status cost --causes 0
status green --json
status newer
status several
status green
status danger
status broken
status measured
status trained
status grid
status balls
""",
    "report": "report cost -o page.html\nreport grid -o grid.html\nreport balls",
    "replay": """
replay cost
replay danger
replay green
replay broken
replay several
replay balls
""",
    "explain": f"""
explain cost {BUG}
explain cost {BUG} --json
explain newer {BUG}
explain danger {BUG}
explain broken {BUG}
explain cost 000000000000
explain cost x
""",
    "minimise": f"minimise cost {BUG} -o smallest\nminimise danger {BUG} -o smallest-danger",
    "shield": "shield danger -o shield.json\nshield cost -o shield.json",
    "compare": "compare cost newer\ncompare cost danger",
    "export": """
export cost --csv csv
export cost --json cost.json
export danger --csv csv-danger
export green --green green.json
export cost --regression -o kept
export cost
""",
    "table": "table bugs cost\ntable safety danger\ntable measures measured\ntable icaps22 cost",
    "plot": "plot cost -o bugs.svg\nplot danger -o danger.svg",
    "experiment": """
experiment grid.toml -o grid
experiment example
experiment balls/domain.pddl -o no
""",
    "rollout": """
rollout balls --policy greedy:hff
rollout balls --policy random:1 --step-limit 3
rollout line --policy random
""",
    "decide": "decide line --policy random\ndecide balls",
    "rules": """
rules rover/rover.pddl rover/one-rover.pddl rover/rules.toml
rules rover/rover-faulty.pddl rover/one-rover.pddl rover/rules.toml
rules rover/rover.pddl rover/one-rover.pddl rover/rules.toml --expansions 1
rules explain rover/rules.toml
rules say "G (a -> F b)"
rules patterns
rules rover/rover.pddl rover/one-rover.pddl rover/rover.pddl
""",
    "dominance": "dominance balls\ndominance line",
    "domain": """
domain lint blocks/domain.pddl blocks/problem.pddl
domain coverage rover/suite.ptest.json
domain mutate rover/suite.ptest.json --list
domain test rover/suite.ptest.json
""",
    "train": f"""
train asnets small/domain.pddl small/problem.pddl --validate other/problem.pddl {SHORT} -o again
train asnets small/domain.pddl small/problem.pddl --validate small/problem.pddl -o no
""",
    "select": "select trained -o policy.safetensors\nselect cost -o policy.safetensors",
    "train-q": "train-q line/model.jani -o net.safetensors --steps 20 --warmup 5 --hidden 4",
    "serve": "serve blocks --policy gredy --listen unix:policy.sock",
    "generate": """
generate gripper --balls 2
generate gripper --list
generate griper
generate beluga -o beluga
""",
    "list": "list\nlist oracles\nlist policies --json\nlist oracels",
    "doctor": "",
}
"""`doctor` speaks of the machine alone."""

VARYING = (
    (r"\b\d+(?:\.\d+)?(?:e-\d+)? ?(?:ms|s|min|h)\b", "… s"),
    (r"\b\d[\d ]*(?:\.\d+)? (\w+ )?(?:per|a) second", r"… \1a second"),
    (r'("(?:\w*seconds|\w*time|started|finished|python|version|platform)": )[^,\n]*', r"\1…"),
    (r"\b[0-9a-f]{64}\b", "…"),
    (r"(?:\b\d+\.\d\d\s+){2}\d+\.\d\d|\b0\.0\d\b", "…"),
    (r"\d+\.\d+ (?:kB|MB)|\d+ (?:kB|MB|bytes)", "… kB"),
)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "policies.py").write_text(POLICIES, encoding="utf-8")
    (tmp_path / "grid.toml").write_text(GRID, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    return tmp_path


def words_of(line: str) -> list[str]:
    """The words of a command; BUG is the first one of the campaign that is named before it."""
    words = shlex.split(line)
    for at, word in enumerate(words):
        if word == BUG:
            words[at] = min(path.stem for path in Path(words[at - 1], "bugs").iterdir())
    return words


def constant(text: str, place: Path) -> str:
    for pattern, instead in VARYING:
        text = re.sub(pattern, instead, text)
    return re.sub(r" {3,}", "  ", text.replace(f"{place}/", "").replace(str(place), "."))


def printed(call: str, place: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """The command, what it prints, and how it ends."""
    capsys.readouterr()
    code = main(words_of(call))
    out, err = capsys.readouterr()
    errors = "".join(f"! {line}\n" for line in err.splitlines())
    return f"$ bugsieve {call}\n{constant(out + errors, place)}exit code {code}\n\n"


def test_every_command_has_a_golden_file() -> None:
    assert set(CALLS) == set(COMMANDS.builtin)
    assert {path.stem for path in GOLDEN.iterdir()} == {name for name in CALLS if CALLS[name]}


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="argparse words errors differently")
def test_what_commands_print(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for call in SET_UP.strip().splitlines():
        assert main(words_of(call)) in (0, 1), call
    for command, calls in CALLS.items():
        if calls:
            lines = calls.strip().splitlines()
            text = "".join(printed(call, place, capsys) for call in lines)
            golden = GOLDEN / f"{command}.txt"
            if os.environ.get("BUGSIEVE_WRITE_GOLDEN"):
                golden.write_text(text, encoding="utf-8")
            assert text == golden.read_text(encoding="utf-8"), command
