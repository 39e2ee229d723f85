"""Atoms on timelines are read without any model."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from bugsieve.base.errors import InputError, UnsupportedError
from bugsieve.rooms.timelines.models.timeline_atoms import LevelAtom, TimelineAtom, TokenAtom
from tests.hostile.test_rules_files import sentence
from tests.unit.rules.file.rover import atom, bound, marked, rule, rules


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
    "§": "was expected here, not the end",
    "§lvl(Battery) > 3": "(did you mean 'level'?)",
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


def test_a_name_with_many_dots(tmp_path: Path) -> None:
    text = rule("G x", atoms=atom("x", f"level({'a.' * 100_000}b) > 1 1"))
    assert "the end of the condition" in sentence(tmp_path, text.encode())


def test_a_rule_on_timelines_does_not_fit_a_task() -> None:
    clean, place = marked(rule("G x", atoms=atom("x", "§level(Battery) >= 200")))
    with pytest.raises(UnsupportedError, match="is about timelines") as caught:
        bound(clean)
    assert str(caught.value).startswith(place), str(caught.value)


def test_an_atom_of_timelines_that_no_rule_uses_is_no_mistake() -> None:
    found = bound(rule("G dark", atoms=atom("x", "token(Navigator.At, location = rock4)")))
    assert any("no rule uses the atom 'x'" in text for text in found.warnings)
    uses = f"{atom('x', 'level(B) > 1')}[[atom]]\nname = 'y'\nis = '(not (x))'\n"
    with pytest.raises(InputError, match="the atom 'y' uses 'x', which is about timelines"):
        bound(rule("G dark", atoms=uses))


PRINTED = """\
format = 1
[[atom]]                                    # a PDDL condition; typed parameters; quantifiers, =
name = "moving(?r - rover)"
is   = "(exists (?x ?y - waypoint) (going ?r ?x ?y))"
[[atom]]
name = "stowed(?r - rover)"
is   = "(forall (?i - instrument) (imply (on-board ?i ?r) (stowed ?i)))"
[[atom]]
name = "samples(?r - rover)"
is   = "(did take-sample ?r *)"             # the action that led into this state; * = any object
[[atom]]
name = "charged"                            # timelines: level of a reservoir, or a token
is   = "level(Battery) >= 200"              # or "token(Navigator.At, location = rock4)"
[[rule]]                                    # exactly one of ltl, english, pattern
id     = "FR-2"
kind   = "desired"                          # or "forbidden"
forall = "?r - rover"                       # expands to FR-2[rover1], …
ltl    = "G(moving(?r) -> stowed(?r))"
[[rule]]
id      = "FR-3"
kind    = "desired"
forall  = "?r - rover"
english = "Whenever samples(?r), the rover shall immediately satisfy !moving(?r)."
[[rule]]
id      = "FR-4"
kind    = "desired"
forall  = "?r - rover"
pattern = "precedence"                      # p, s (k for bounded existence)
p = "samples(?r)"
s = "stowed(?r)"
scope = "after"
q = "moving(?r)"
"""


def test_the_printed_form_is_read_and_bound() -> None:
    found = bound(PRINTED)
    assert [item.id for item in found.rules] == [
        f"FR-{number}[rover{rover}]" for number in (2, 3, 4) for rover in (1, 2)
    ]
    assert found.warnings == ("rules.toml:12:9: no rule uses the atom 'charged'",)
