"""What was checked, as build servers read it: JUnit XML, and annotations of GitHub workflows.

What is undecided is an error in JUnit and a warning in a workflow: it is no pass, and nothing that
was left out on purpose.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from xml.etree import ElementTree

from bugsieve.base.wording import printable

Outcome = Literal["passed", "failure", "undecided", "error", "skipped"]

_PARTS: dict[Outcome, str] = {
    "failure": "failure",
    "undecided": "error",
    "error": "error",
    "skipped": "skipped",
}
_LEVELS: dict[Outcome, str] = {"failure": "error", "error": "error", "undecided": "warning"}
_COMMAND = re.compile(r"^([ \t]*):(?=:)|(?<=#)#(?=\[)", re.MULTILINE)


@dataclass(frozen=True)
class Check:
    """One thing that was checked, and what came out."""

    name: str
    group: str
    """What it belongs to, such as a campaign or a file of tests."""
    outcome: Outcome = "passed"
    reason: str = ""
    details: tuple[str, ...] = ()
    """Further lines for people."""
    seconds: float | None = None
    file: str | None = None
    """What was tested, by its path from the current folder."""


def junit_text(name: str, checks: Sequence[Check]) -> str:
    """One test suite."""
    parts = [_PARTS.get(check.outcome) for check in checks]
    suite = ElementTree.Element(
        "testsuite",
        name=printable(name),
        tests=str(len(checks)),
        failures=str(parts.count("failure")),
        errors=str(parts.count("error")),
        skipped=str(parts.count("skipped")),
    )
    for check in checks:
        _add_case(suite, check)
    ElementTree.indent(suite)
    text = ElementTree.tostring(suite, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _add_case(suite: ElementTree.Element, check: Check) -> None:
    item = ElementTree.SubElement(
        suite, "testcase", classname=printable(check.group), name=printable(check.name)
    )
    if check.seconds is not None:
        item.set("time", f"{check.seconds:.3f}")
    if check.outcome != "passed":
        part = ElementTree.SubElement(item, _PARTS[check.outcome], message=printable(check.reason))
        part.set("type", check.outcome)
        part.text = "\n".join(map(printable, check.details)) or None


def github_lines(checks: Sequence[Check]) -> list[str]:
    """A workflow command for each check that is no pass, and nothing else."""
    return [_annotation(check) for check in checks if check.outcome in _LEVELS]


def _annotation(check: Check) -> str:
    about = f"{check.group}: {check.name}" if check.group != check.name else check.name
    properties = {"file": check.file or "", "title": f"{check.outcome}: {about}"}
    shown = ",".join(
        f"{key}={_property(printable(value))}" for key, value in properties.items() if value
    )
    message = "\n".join(map(printable, (check.reason, *check.details)))
    return f"::{_LEVELS[check.outcome]} {shown}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def without_commands(text: str) -> str:
    """The text without what a workflow would obey instead of showing it.

    That is `::` at the start of a line, and `##[` anywhere in it. As for terminals, one character
    becomes an escape of JSON, so that JSON says the same.
    """
    return _COMMAND.sub(lambda match: f"{match[1] or ''}{_ESCAPES[match[0][-1]]}", text)


_ESCAPES = {":": "\\u003a", "#": "\\u0023"}
