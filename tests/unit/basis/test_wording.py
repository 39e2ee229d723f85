"""Numbers with their nouns, and what others wrote."""

from __future__ import annotations

import pytest

from bugsieve.basis.wording import counted, printable, shown_value


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
