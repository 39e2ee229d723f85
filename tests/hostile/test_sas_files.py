"""Bad SAS files through the command line: exit code 4, one line with file and line number."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from bugsieve.cli import main
from tests.hostile.children import bugsieve
from tests.hostile.sas_texts import LAMP, NO_GOAL_TO_REACH

LINES = LAMP.splitlines(keepends=True)
HUGE = str(10**12)

SPOILED = {
    "huge number of variables": ("end_metric\n3\n", f"end_metric\n{HUGE}\n", 7),
    "negative number of variables": ("end_metric\n3\n", "end_metric\n-3\n", 7),
    "words for a number": ("end_metric\n3\n", "end_metric\nthree\n", 7),
    "number with a tail": ("end_metric\n3\n", "end_metric\n3x\n", 7),
    "fraction": ("end_metric\n3\n", "end_metric\n3.0\n", 7),
    "number beyond 64 bits": ("end_metric\n3\n", f"end_metric\n{10**30}\n", 7),
    "huge number of values": ("var1\n-1\n3\n", f"var1\n-1\n{HUGE}\n", 18),
    "no values": ("var1\n-1\n3\n", "var1\n-1\n0\n", 18),
    "too few values": ("var1\n-1\n3\n", "var1\n-1\n4\n", 23),
    "other version": ("begin_version\n3", "begin_version\n4", 2),
    "metric out of range": ("begin_metric\n1", "begin_metric\n7", 5),
    "huge mutex group": ("begin_mutex_group\n2", f"begin_mutex_group\n{HUGE}", 32),
    "mutex variable out of range": ("group\n2\n1 1", "group\n2\n9 1", 33),
    "mutex value out of range": ("group\n2\n1 1", "group\n2\n1 7", 33),
    "initial value out of range": ("begin_state\n1\n0", "begin_state\n1\n3", 38),
    "initial value negative": ("begin_state\n1\n0", "begin_state\n1\n-1", 38),
    "initial value huge": ("begin_state\n1\n0", f"begin_state\n1\n{HUGE}", 38),
    "goal variable out of range": ("goal\n2\n1 1", "goal\n2\n3 1", 43),
    "goal value out of range": ("goal\n2\n1 1", "goal\n2\n1 3", 43),
    "goal negative": ("goal\n2\n1 1", "goal\n2\n-1 1", 43),
    "huge goal": ("goal\n2\n", f"goal\n{HUGE}\n", 42),
    "huge number of operators": ("end_goal\n3", f"end_goal\n{HUGE}", 46),
    "prevail out of range": ("press lamp\n1\n0 0", "press lamp\n1\n0 2", 58),
    "effect variable out of range": ("0 0 1 0\n2", "0 5 1 0\n2", 52),
    "effect before out of range": ("0 0 1 0\n2", "0 0 2 0\n2", 52),
    "effect after out of range": ("0 0 1 0\n2", "0 0 1 2\n2", 52),
    "effect after negative": ("0 0 1 0\n2", "0 0 1 -1\n2", 52),
    "effect cut": ("0 0 1 0\n2", "0 0 1\n2", 52),
    "effect with a tail": ("0 0 1 0\n2", "0 0 1 0 0\n2", 52),
    "condition out of range": ("1 2 0 1 -1 1", "1 2 2 1 -1 1", 60),
    "condition count huge": ("1 2 0 1 -1 1", f"{HUGE} 2 0 1 -1 1", 60),
    "condition count negative": ("1 2 0 1 -1 1", "-1 2 0 1 -1 1", 60),
    "negative cost": ("0 0 1 0\n2", "0 0 1 0\n-2", 53),
    "huge cost": ("0 0 1 0\n2", f"0 0 1 0\n{HUGE}", 53),
    "NUL byte": ("plug lamp", "plug\0lamp", 48),
    "NUL in a number": ("begin_state\n1", "begin_state\n1\0", 37),
    "misspelt keyword": ("begin_goal", "begin_gaol", 41),
}


def spoiled(case: str) -> tuple[str, int]:
    old, new, line = SPOILED[case]
    assert LAMP.count(old) == 1, case
    return LAMP.replace(old, new), line


def refused(path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """The complaint of the command line, run in this process."""
    assert main(["rollout", str(path), "--policy", "random"]) == 4
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"bugsieve: error: {path}")
    assert captured.err.count("\n") == 1
    return captured.err


@pytest.mark.parametrize("case", SPOILED)
def test_spoiled_in_one_place(
    case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, line = spoiled(case)
    path = tmp_path / "task.sas"
    path.write_text(text)
    found = re.search(r"task\.sas:(\d+): ", refused(path, capsys))
    assert found
    assert int(found.group(1)) == line


@pytest.mark.parametrize("kept", range(1, len(LINES)))
def test_cut_after_every_line(
    kept: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "task.sas"
    path.write_text("".join(LINES[:kept]))
    assert re.search(r"task\.sas:\d+: ", refused(path, capsys))


@pytest.mark.parametrize("kept", range(8, len(LINES), 12))
def test_cut_within_a_line_in_a_process_of_its_own(kept: int, tmp_path: Path) -> None:
    path = tmp_path / "task.sas"
    path.write_text("".join(LINES[:kept]) + LINES[kept][:1])
    assert "task.sas:" in bugsieve("rollout", path, "--policy", "random").complaint()


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("task.sas", b"", "task.sas: is empty"),
        ("task.sas", b"(define (domain d))", "task.sas:1: "),
        ("task.sas", random.Random(2).randbytes(1_000_000), "task.sas:2: "),
        ("task.sas", b"\0" * 1_000_000, "task.sas:1: "),
        ("task.sas", b"begin_version\n" * 1_000_000, "task.sas:2: "),
        ("task.sas", LAMP.encode().replace(b"\n", b"\n\n"), "task.sas:2: "),
        ("task.sas", LAMP.encode() + b"more\n", f"task.sas:{len(LINES) + 1}: "),
        ("task", b"begin_version\n2\n", "task:2: "),
        ("task", b"no text that we know", "task: is neither PDDL nor SAS; give a domain"),
        ("task", b'[{"a": 1}]', "task: is neither PDDL nor SAS; give a domain"),
        ("task", b" ;a\n\n(define (domain d))", "needs a problem file"),
    ],
)
def test_files_that_are_something_else(
    name: str, data: bytes, sentence: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    assert sentence in bugsieve("rollout", path, "--policy", "random").complaint()


def test_a_byte_order_mark_is_skipped(tmp_path: Path) -> None:
    path = tmp_path / "task"
    path.write_bytes(b"\xef\xbb\xbf" + LAMP.encode())
    outcome = bugsieve("rollout", path, "--policy", "optimal")
    assert (outcome.code, outcome.stderr) == (0, "")


def test_axioms_are_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "task.sas"
    path.write_text(LAMP.replace("var0\n-1\n", "var0\n0\n"))
    assert "axioms" in bugsieve("rollout", path, "--policy", "random").complaint()


@pytest.mark.parametrize("text", [LAMP, NO_GOAL_TO_REACH])
def test_the_texts_themselves_are_fine(text: str, tmp_path: Path) -> None:
    path = tmp_path / "task.sas"
    path.write_text(text)
    outcome = bugsieve("rollout", path, "--policy", "optimal")
    assert (outcome.code, outcome.stderr) == (0, "")
