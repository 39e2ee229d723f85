"""NDDL files that are no NDDL, or too much of it, end with a sentence."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from bugsieve.base.errors import InputError
from tests.depth import examples
from tests.unit.timelines.rover import DOOR, ROVER

pytest.importorskip("lark", reason="the extra 'timeline' is not installed")

from bugsieve.rooms.timelines.deciding import decide
from bugsieve.rooms.timelines.encoding import variables
from bugsieve.rooms.timelines.models.loading import load_timelines, read_model


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "is empty"),
        (b"\x00\x01", "is not a text file"),
        (b"class A { } // \xff", "is not UTF-8"),
        (b"int x = " + b"1 + " * 5000 + b"1;", "more than 200 operators"),
        (b"int x = " + b"(" * 5000 + b"1" + b")" * 5000 + b";", "nest more than 50"),
        (b"A::B " + b"{ if (x) " * 3000, "nest more than 50"),
        (b"eq(a" + b".a" * 5000 + b", 1);", "more than 200 operators and dots"),
        (b"if (a) if (b) x(1);", "'if' is not expected here"),
        (b"int x = 99999999999999999999;", "numbers may be as large as"),
        (b"int x = 1e400;", "numbers may be as large as"),
        (b"int x = 1000 * 1000 * 1000 * 1000;", "numbers may be as large as"),
        (b"/* never closed", "is no part of NDDL"),
        (b'string s = "never closed;', "is no part of NDDL"),
        (b"x" * 200_000, "ends in the middle"),
        (b"class A { }\n" * 2, "already taken"),
        (b"PlannerConfig w = new PlannerConfig(0, 999999);", "between 1 and 2000 steps"),
        (b"PlannerConfig w = new PlannerConfig(5, 5);", "between 1 and 2000 steps"),
        (b"class A { } " + b"".join(b"A a%d = new A();" % n for n in range(600)), "more than 500"),
        (b" " * (1 << 19) + b";;", "larger than 512 KiB"),
    ],
)
def test_strange_files(data: bytes, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "strange.nddl"
    path.write_bytes(data)
    with pytest.raises(InputError, match=sentence):
        load_timelines(path)


def test_missing_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file"):
        load_timelines(tmp_path / "none.nddl")
    with pytest.raises(InputError, match="no NDDL file is given"):
        load_timelines()


def mutated(text: str, random: Random) -> str:
    """The text with some pieces dropped, doubled or exchanged."""
    words = text.split(" ")
    for _ in range(random.randint(1, 4)):
        place = random.randrange(len(words))
        other = random.choice(words)
        words[place] = random.choice(["", other, f"{words[place]} {other}", "{", ")", ";", "7"])
    return " ".join(words)


def test_damaged_files_are_read_or_refused() -> None:
    random = Random(3)
    refused = 0
    for number in range(examples(1000, quick=150)):
        text = mutated(ROVER if number % 5 == 0 else DOOR, random)
        try:
            read_model([("damaged.nddl", text)])
        except InputError:
            refused += 1
    assert refused > examples(300, quick=50)


def test_too_many_variables_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(variables, "MAX_VARIABLES", 5000)
    text = DOOR.replace("(0, 6)", "(0, 2000)") + "Door::Open { after(Door.Open other); }"
    with pytest.raises(InputError, match="needs more than 5000 variables: take fewer slots"):
        decide(read_model([("door.nddl", text)]), slots=2000)
