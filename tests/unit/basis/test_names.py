"""Suggestions: the nearest name, or nothing when none is near."""

from __future__ import annotations

import pytest

from bugsieve.basis.names import suggest

NAMES = ("transport", "visitall", "blocksworld", "matching-blocksworld")


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("transprt", "transport"),
        ("visit-all", "visitall"),
        ("blockworld", "blocksworld"),
        ("BLOCKSWORLD", "blocksworld"),
    ],
)
def test_nearest_name(given: str, meant: str) -> None:
    assert suggest(given, NAMES) == f" (did you mean '{meant}'?)"


def test_nothing_is_near() -> None:
    assert suggest("zzz", NAMES) == ""
    assert suggest("transport", ()) == ""


def test_case_of_the_choice_is_kept() -> None:
    assert suggest("alpha", ["Alpha", "Beta"]) == " (did you mean 'Alpha'?)"
