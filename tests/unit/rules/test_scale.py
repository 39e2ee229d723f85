"""The scale of verdicts: each is worth what the table in the documentation says."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from bugsieve.rooms.rules.obligations.answers import VERDICTS_ON
from bugsieve.rooms.rules.obligations.grading import graded
from bugsieve.rooms.rules.scale import (
    SCALE,
    Expectation,
    Grade,
    Standing,
    shown_grade,
    standing,
)

DOCS = Path(__file__).parents[3] / "docs" / "rules.md"


def test_each_verdict_has_its_row_in_the_documentation() -> None:
    text = DOCS.read_text()
    assert set(SCALE) == set(get_args(Grade))
    for grade, rung in SCALE.items():
        if grade != "not judged":
            assert f"| {grade} | {rung.means} | {rung.exit_code}" in text


@pytest.mark.parametrize(
    ("grade", "expect", "wanted"),
    [
        ("holds", "", "right"),
        ("never", "", "right"),
        ("never", "holds", "right"),
        ("safety part holds", "", "open"),
        ("safety part holds", "safety part holds", "right"),
        ("holds", "safety part holds", "right"),
        ("violated", "safety part holds", "wrong"),
        ("violated", "violated", "right"),
        ("holds", "violated", "wrong"),
        ("undecided", "violated", "open"),
        ("safety part holds", "violated", "open"),
        ("holds up to K", "", "open"),
        ("not judged", "", "open"),
    ],
)
def test_what_a_verdict_is_worth(grade: Grade, expect: str, wanted: Standing) -> None:
    assert standing(grade, expect) == wanted


def test_bounds_can_be_enough() -> None:
    assert standing("holds up to K", accept_bounded=True) == "right"
    assert standing("holds up to K", "violated", accept_bounded=True) == "wrong"
    assert shown_grade("holds up to K", 12) == "holds up to 12"


def test_vacuity_is_beside_the_verdict() -> None:
    assert standing("holds", "vacuous", is_vacuous=True) == "right"
    assert standing("holds", "vacuous") == "wrong"
    assert standing("holds", "vacuous", may_be_vacuous=True) == "open"
    assert standing("violated", "vacuous", is_vacuous=True) == "wrong"
    assert standing("safety part holds", "vacuous", is_vacuous=True) == "open"


def test_every_answer_has_a_grade_and_every_grade_but_bounds_an_answer() -> None:
    found = {
        graded(verdict, is_forbidden=is_forbidden)
        for verdict in (None, *VERDICTS_ON["violation"])
        for is_forbidden in (True, False)
    }
    assert found == set(get_args(Grade)) - {"holds up to K"}
    assert graded("passed", is_forbidden=True, bound=2) == "holds up to K"


def test_a_file_may_expect_what_can_be_decided() -> None:
    assert set(get_args(Expectation)) - {"vacuous"} <= set(SCALE)
