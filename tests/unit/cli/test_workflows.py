"""Annotations of workflows: whatever names hold, they say what came out, no more."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bugsieve.campaigns.checks import Check, CheckOutcome
from bugsieve.commands.shared.workflows import github_lines, without_commands

OUTCOMES: tuple[CheckOutcome, ...] = ("passed", "failure", "undecided", "error", "skipped")
HOSTILE = "a,b=c::error file=x::y%0A##[error]z]\r\n::warning::w"


def obeyed(line: str) -> tuple[str, dict[str, str], str] | None:
    """The command that the runner of a workflow takes a line for: name, properties, message.

    As actions/runner reads it: `::` after blanks, or `##[` anywhere.
    """
    text = line.lstrip()
    if not text.startswith("::"):
        return ("##", {}, line) if "##[" in line else None
    head, separator, message = text[2:].partition("::")
    if not separator:
        return None
    name, _, rest = head.partition(" ")
    pairs = (part.partition("=") for part in rest.split(",") if part)
    return name, {key: decoded(value) for key, _, value in pairs}, decoded(message)


def decoded(text: str) -> str:
    for code, character in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ",")):
        text = text.replace(code, character)
    return text.replace("%25", "%")


@pytest.mark.parametrize(
    ("outcome", "level"),
    [
        ("passed", None),
        ("failure", "error"),
        ("undecided", "warning"),
        ("error", "error"),
        ("skipped", None),
    ],
)
def test_only_what_passed_is_green(outcome: CheckOutcome, level: str | None) -> None:
    lines = github_lines([Check("name", "group", outcome, "reason")])
    assert [line.partition(" ")[0] for line in lines] == ([] if level is None else [f"::{level}"])


def test_a_hostile_name_stays_a_name() -> None:
    check = Check(HOSTILE, HOSTILE, "failure", HOSTILE, (HOSTILE,), file=HOSTILE)
    (line,) = github_lines([check])
    found = obeyed(line)
    assert found is not None and "\n" not in line and "\r" not in line
    name, properties, message = found
    shown = HOSTILE.replace("\r\n", "\\r\\n")
    assert (name, properties["file"]) == ("error", shown)
    assert properties["title"] == f"failure: {shown}" and properties.keys() == {"file", "title"}
    assert message == f"{shown}\n{shown}"


TEXTS = st.text(alphabet="a:#[]%,=\n\t \x1b\r", max_size=20) | st.text(max_size=20)


@given(TEXTS, st.sampled_from(OUTCOMES))
def test_one_line_for_each_check(text: str, outcome: CheckOutcome) -> None:
    for line in github_lines([Check(text, text, outcome, text, (text,), file=text)]):
        found = obeyed(line)
        assert found is not None and found[0] in ("error", "warning")
        assert found[1].keys() <= {"file", "title"}
        assert line.splitlines() == [line]


@given(st.text(alphabet='a:#["\\ \t\n', max_size=30))
def test_other_lines_are_no_commands(text: str) -> None:
    shown = without_commands(text)
    assert [line for line in shown.split("\n") if obeyed(line) is not None] == []
    read = re.sub(r"\\u003a", ":", re.sub(r"\\u0023", "#", shown))
    assert read == text
