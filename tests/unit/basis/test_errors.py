"""The texts of errors: one line, whatever names they quote."""

from __future__ import annotations

import pytest

from bugsieve.base.errors import BugsieveError, InputError


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("plain.pddl", "plain.pddl"),
        ("größe.pddl", "größe.pddl"),
        ("two\nlines\r\n.pddl", r"two\nlines\r\n.pddl"),
        ("red\x1b[31m", r"red\x1b[31m"),
        ("tab\t.pddl", r"tab\t.pddl"),
        ("separator\u2028", r"separator\u2028"),
        ("backwards\u202e", r"backwards\u202e"),
        ("byte\udcff", r"byte\xff"),
        ("half\ud800", r"half\ud800"),
    ],
)
def test_control_characters_are_escaped(name: str, shown: str) -> None:
    error = InputError(f"{name}: is wrong")
    assert str(error) == f"{shown}: is wrong"
    assert str(BugsieveError(str(error))) == str(error)
