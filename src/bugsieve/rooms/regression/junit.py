"""JUnit XML for build servers.

What is undecided is an error there: it is not a pass, and nothing that was left out on purpose.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

from bugsieve.base.files_and_processes.files import write_text
from bugsieve.base.wording import printable
from bugsieve.campaigns.checks import Check, CheckOutcome

_PARTS: dict[CheckOutcome, str] = {
    "failure": "failure",
    "undecided": "error",
    "error": "error",
    "skipped": "skipped",
}


def write_junit(path: Path, name: str, checks: Sequence[Check]) -> None:
    """Write one test suite of this name."""
    write_text(path, junit_text(name, checks))


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
