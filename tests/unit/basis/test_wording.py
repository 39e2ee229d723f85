"""Numbers with their nouns, and what others wrote."""

from __future__ import annotations

import pytest

from bugsieve.base.wording import counted, csv_cell, printable, shown_value


@pytest.mark.parametrize(("number", "words"), [(0, "0 states"), (1, "1 state"), (2, "2 states")])
def test_plurals(number: int, words: str) -> None:
    assert counted(number, "state") == words


@pytest.mark.parametrize(
    ("value", "words"),
    [(None, "null"), (True, "true"), ([[1]], "a list"), ({}, "an object"), (1.5, "1.5")],
)
def test_values_are_those_of_json(value: object, words: str) -> None:
    assert shown_value(value) == words


def test_control_characters_are_escaped() -> None:
    assert printable("a\x1b[31m\nπ") == r"a\x1b[31m\nπ"


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("-2+3", "'-2+3"),
        (" =1", "' =1"),
        ("\t=1", "\\t=1"),
        ("a\r\n\x1b[2J", "a\\r\\n\\x1b[2J"),
        ("-2.5e-3", "-2.5e-3"),
        ("-inf", "-inf"),
        ("(on a b)", "(on a b)"),
        ("", ""),
        (-3, -3),
        (None, None),
    ],
)
def test_cells_of_spreadsheets(value: object, cell: object) -> None:
    assert csv_cell(value) == cell
