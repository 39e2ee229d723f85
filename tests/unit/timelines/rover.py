"""The rover of the slides, its atoms, and a small model of a door; both for many tests."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from bugsieve.rooms.rules.ltl.formula import Formula
from bugsieve.rooms.rules.ltl.reader import Place, read_ltl
from bugsieve.rooms.timelines.models.loading import read_model
from bugsieve.rooms.timelines.models.model import Model
from bugsieve.rooms.timelines.models.timeline_atoms import LevelAtom, TimelineAtom, TokenAtom

REASON = "the extra 'timeline' is not installed"
pytest.importorskip("lark", reason=REASON)
pytest.importorskip("ortools", reason=REASON)

FOLDER = Path(__file__).parents[3] / "examples" / "flight-rules"
ROVER = (FOLDER / "rover.nddl").read_text(encoding="utf-8")
GUARD = "  contained_by(Navigator.At standing);\n  met_by(object.Stowed before_it);"
ATOMS: dict[str, TimelineAtom] = {
    "moving": TokenAtom("Navigator", "Going"),
    "stowed": TokenAtom("Instrument", "Stowed"),
    "charged": LevelAtom("Battery", ">=", Fraction(60)),
    "there": TokenAtom("Navigator", "At", (("location", "rock4"),)),
}

DOOR = """
enum Colour { red, green };
class Door extends Timeline {
  predicate Open { Colour lamp; eq(duration, [1 2]); }
  predicate Closed { }
}
Door::Open { met_by(object.Closed a); meets(object.Closed b); eq(lamp, green); }
Door::Closed { met_by(object.Open a); meets(object.Open b); }
PlannerConfig world = new PlannerConfig(0, 6);
Door door = new Door();
"""
DOOR_ATOMS: dict[str, TimelineAtom] = {
    "open": TokenAtom("Door", "Open"),
    "closed": TokenAtom("door", "Closed"),
    "red": TokenAtom("Door", "Open", (("lamp", "red"),)),
}


def ltl(text: str) -> Formula:
    return read_ltl(text, place=Place("test", 1, 1))


def door(more: str = "") -> Model:
    return read_model([("door.nddl", DOOR + more)])
