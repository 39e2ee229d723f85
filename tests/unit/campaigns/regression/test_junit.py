"""JUnit XML: whatever names hold, it says what came out, no more."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bugsieve.campaigns.checks import Check, CheckOutcome
from bugsieve.rooms.regression.junit import junit_text
from tests.unit.cli.test_workflows import HOSTILE, OUTCOMES, TEXTS


@pytest.mark.parametrize(
    ("outcome", "part"),
    [
        ("passed", None),
        ("failure", "failure"),
        ("undecided", "error"),
        ("error", "error"),
        ("skipped", "skipped"),
    ],
)
def test_only_what_passed_is_green(outcome: CheckOutcome, part: str | None) -> None:
    suite = ElementTree.fromstring(junit_text("suite", [Check("name", "group", outcome, "no")]))
    assert [child.tag for child in suite[0]] == ([] if part is None else [part])
    assert int(suite.get("errors", "")) == (part == "error")


def test_a_hostile_name_stays_a_name() -> None:
    check = Check(HOSTILE, HOSTILE, "failure", HOSTILE, (HOSTILE,), file=HOSTILE)
    shown = HOSTILE.replace("\r\n", "\\r\\n")
    case = ElementTree.fromstring(junit_text(HOSTILE, [check]))[0]
    assert (case.get("name"), case[0].get("message")) == (shown, shown)


@given(TEXTS, st.sampled_from(OUTCOMES))
def test_any_text_makes_a_file_that_can_be_read(text: str, outcome: CheckOutcome) -> None:
    ElementTree.fromstring(junit_text(text, [Check(text, text, outcome, text, (text,))]))
