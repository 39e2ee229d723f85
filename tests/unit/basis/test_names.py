"""Suggestions: the nearest name, or nothing when none is near."""

from __future__ import annotations

import pytest

from bugsieve.base.names import no_such, suggest

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


def test_no_such_name_lists_the_others() -> None:
    sentence = (
        "there is no domain 'visital' (did you mean 'visitall'?); there are towers, visitall"
    )
    assert no_such("domain", "visital", ["towers", "visitall"]) == sentence
    assert no_such("domain", "x", iter(["towers"])) == "there is no domain 'x'; there are towers"
    assert no_such("domain", "x", []) == "there is no domain 'x'; there are none"


def test_long_names_are_cut() -> None:
    assert no_such("domain", "x" * 5000, ["y"]) == f"there is no domain '{'x' * 80}…'; there are y"
