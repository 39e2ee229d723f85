"""Endings read well wherever they are printed."""

from __future__ import annotations

import json

from bugsieve.policies.decisions import Ending


def test_endings_print_as_words() -> None:
    assert str(Ending.POLICY_CRASH) == "policy crash"
    assert f"{Ending.LOOP}, {Ending.LOOP:>6}" == "loop,   loop"
    assert [ending.label for ending in Ending] == [str(ending) for ending in Ending]


def test_endings_stay_small_integers() -> None:
    assert int(Ending.LOOP) == 2
    assert repr(Ending.LOOP) == "<Ending.LOOP: 2>"
    assert json.dumps(Ending.LOOP) == "2"
