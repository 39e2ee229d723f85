"""Atoms on timelines are read without any model."""

from __future__ import annotations

from fractions import Fraction

import pytest

from bugsieve.base.errors import InputError
from bugsieve.rooms.timelines.models.timeline_atoms import LevelAtom, TimelineAtom, TokenAtom
from tests.unit.rules.file.rover import atom, marked, rule, rules


def read(text: str, name: str = "x") -> object:
    return rules(rule("G dark", atoms=atom(name, text))).atoms["x"].condition


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("level(Battery) >= 200", LevelAtom("Battery", ">=", Fraction(200))),
        (" level( rover.Battery )<-0.5 ", LevelAtom("rover.Battery", "<", Fraction(-1, 2))),
        ("level(b) != 1.", LevelAtom("b", "!=", Fraction(1))),
        ("token(Navigator.At)", TokenAtom("Navigator", "At")),
        (
            "token(rover.Navigator.Going, from = rock4, to=?L, hops = 3)",
            TokenAtom(
                "rover.Navigator", "Going", (("from", "rock4"), ("to", "?l"), ("hops", "3"))
            ),
        ),
    ],
)
def test_levels_and_tokens(text: str, meaning: TimelineAtom) -> None:
    assert read(text, "x(?L - Location)") == meaning


def test_names_keep_their_case_and_variables_do_not() -> None:
    file = rules(rule("G x(rock4)", atoms=atom("x(?L - Location)", "token(N.At, at = ?l)")))
    assert dict(file.atoms["x"].parameters.types) == {"?l": "Location"}


WRONG = {
    "§levels(B) > 1": "(did you mean 'level'?)",
    "level §>= 3": "'(' was expected here, not '>='",
    "level(B)§ ": "one of <= >= < > = != was expected here, not the end",
    "level(B) §, 3": "one of <= >=",
    "level(B) > §x": "a number was expected here",
    "level(B) > 3 §4": "the end of the condition was expected",
    "level(B) > §" + "9" * 60: "more than 50 digits",
    "token(§At)": "TIMELINE.PREDICATE",
    "token(N.At §location)": "',' or ')' was expected",
    "token(N.At, §= 3)": "the name of a parameter",
    "token(N.At, x = §)": "a value",
    "token(N.At, x = 1, §x = 2)": "the parameter 'x' is given twice",
    "token(N.At, x = §?y)": "'?y' is no parameter of the atom 'x'",
    "level(B) > 3 §é": "the end of the condition was expected here, not 'é'",
}


@pytest.mark.parametrize(("text", "sentence"), WRONG.items(), ids=WRONG)
def test_what_is_wrong_is_said_with_its_place(text: str, sentence: str) -> None:
    clean, place = marked(rule("G dark", atoms=atom("x", text)))
    with pytest.raises(InputError) as caught:
        rules(clean)
    assert sentence in str(caught.value)
    assert str(caught.value).startswith(place)
