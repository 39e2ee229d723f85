"""Results of tests as JUnit XML, which build servers read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from xml.etree import ElementTree

from bugsieve.basis.wording import printable

Outcome = Literal["passed", "failure", "error", "skipped"]


@dataclass(frozen=True)
class JUnitCase:
    """A test. What is undecided is an error, since it is no pass."""

    name: str
    group: str
    outcome: Outcome = "passed"
    reason: str = ""
    details: tuple[str, ...] = ()
    seconds: float | None = None


def junit_text(name: str, cases: Sequence[JUnitCase]) -> str:
    """One test suite."""
    outcomes = [case.outcome for case in cases]
    suite = ElementTree.Element(
        "testsuite",
        name=printable(name),
        tests=str(len(cases)),
        failures=str(outcomes.count("failure")),
        errors=str(outcomes.count("error")),
        skipped=str(outcomes.count("skipped")),
    )
    for case in cases:
        _add_case(suite, case)
    ElementTree.indent(suite)
    text = ElementTree.tostring(suite, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _add_case(suite: ElementTree.Element, case: JUnitCase) -> None:
    item = ElementTree.SubElement(
        suite, "testcase", classname=printable(case.group), name=printable(case.name)
    )
    if case.seconds is not None:
        item.set("time", f"{case.seconds:.3f}")
    if case.outcome != "passed":
        part = ElementTree.SubElement(item, case.outcome, message=printable(case.reason))
        part.set("type", "undecided" if case.outcome == "error" else case.outcome)
        part.text = "\n".join(map(printable, case.details)) or None
