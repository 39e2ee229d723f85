"""Checks of arguments, where the public functions do not show all of what they do."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bugsieve.base.arguments import check_fields, require_kind, texts, whole_number
from bugsieve.base.errors import UsageError


class Nameless:
    """Its repr fails."""

    def __repr__(self) -> str:
        raise RuntimeError


@dataclass(frozen=True)
class Plain:
    """A field of each kind."""

    whole: int = 1
    real: float | None = 1.0
    flag: bool = True
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_fields(self)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("x" * 500, "'" + "x" * 79 + "…"),
        (Nameless(), "an object of type Nameless"),
        ("a\nb", r"'a\\nb'"),
    ],
)
def test_values_are_shown_in_short(value: object, shown: str) -> None:
    with pytest.raises(UsageError, match=rf"^seed must be an int, got {shown}$"):
        require_kind(value, int, "seed", "an int")


@pytest.mark.parametrize("given", ["a", ["a"], ("a",), {"a"}, iter(["a"]), Path("a")])
def test_lists_of_texts(given: object) -> None:
    assert texts(given, "names") == ("a",)


@pytest.mark.parametrize(("number", "taken"), [(2**70, 2**63 - 1), (-(2**70), 1 - 2**63), (5, 5)])
def test_numbers_have_64_bits(number: int, taken: int) -> None:
    assert whole_number(number, "depth") == taken


def test_fields_become_plain() -> None:
    given: Any = Plain(np.int16(3), np.float32(0.5), names=["a", Path("b")])  # type: ignore[arg-type]
    assert given == Plain(3, 0.5, names=("a", "b"))
    assert [type(v) for v in (given.whole, given.real, given.names)] == [int, float, tuple]
    assert Plain(2**70, None).whole == 2**70  # a seed may have any size


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"whole": None}, "whole must be a whole number, got None"),
        ({"whole": True}, "whole must be a whole number, got True"),
        ({"real": "1"}, "real must be a number, got '1'"),
        ({"real": False}, "real must be a number, got False"),
        ({"flag": 1}, "flag must be True or False, got 1"),
        ({"names": 3}, "names must be a list of texts, got 3"),
        ({"names": [b"x"]}, "each of names must be a text, got b'x'"),
    ],
)
def test_fields_of_a_wrong_type(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError, match=f"^{sentence}$"):
        Plain(**changes)
