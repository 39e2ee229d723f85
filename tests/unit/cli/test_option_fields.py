"""Parsers filled from the fields of options dataclasses, and options made of arguments."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

import pytest

from bugsieve.base.errors import UsageError
from bugsieve.base.option_fields import MEBIBYTE, Alias, OptionField, option, parts, places
from bugsieve.campaigns.options import CostOptions
from bugsieve.commands.shared.option_fields import (
    add_options,
    add_to_group,
    arguments_of,
    options_from,
    part_from,
)
from bugsieve.commands.shared.options import Options
from bugsieve.commands.shared.parser import Parser
from bugsieve.rooms.safety.campaign.options import SafetyOptions


@dataclass(frozen=True)
class Spending:
    time: float | None = option(None, "at most", is_time=True, metavar="S", group="work")
    bytes: int | None = None
    share: float = 0.5


@dataclass(frozen=True)
class Work:
    names: tuple[str, ...] = option((), "who works", name="name", metavar="NAME", group="work")
    count: int = option(3, "how many", least=2, most=5, group="work", rank=1)
    size: str = option("small", "how large", metavar="SIZE", group="work", is_default_told=True)
    speed: str = option("slow", "work fast", name="fast", dest="speed", const="fast", group="work")
    careful: bool = option(False, "look twice", group="care")
    place: str = option(
        "here", "where", metavar="AT", group="care", alias=Alias("room", "room:", "R", "in a room")
    )
    tries: int = option(0, "again", usual=7, least=0, group="care", rank=-1)
    seed: int = option(1, name="start")
    plain: int = 4
    spent: Spending = field(
        default=Spending(bytes=6 * MEBIBYTE),
        metadata=parts(
            bytes=OptionField(help="memory", name="memory", scale=MEBIBYTE, group="work", rank=2)
        ),
    )


def parser(**others: Any) -> Parser:
    made = Parser(prog="work")
    add_options(made, Work, "work", **others)
    add_options(made, Work, "care")
    return made


def read(*words: str) -> Work:
    return options_from(parser().parse_args(words), Work)


def test_help_tells_what_fields_say() -> None:
    shown = parser().format_help().partition("work:\n")[2]
    assert [" ".join(line.split()) for line in shown.splitlines()] == [
        "--name NAME who works",
        "--size SIZE how large (small)",
        "--fast work fast",
        "--time S at most",
        "--count N how many (3)",
        "--memory N memory (6)",
        "",
        "care:",
        "--tries N again (7)",
        "--careful look twice",
        "--place AT where",
        "--room R in a room",
    ]


def test_without_words_options_are_as_usual() -> None:
    assert read() == Work(tries=7)


def test_words_set_fields_and_parts_of_them() -> None:
    words = "--name a --name b --count 5 --fast --careful --room 3 --tries 0 --memory 9 --time 2.5"
    wanted = Work(
        names=("a", "b"),
        count=5,
        speed="fast",
        careful=True,
        place="room:3",
        spent=Spending(time=2.5, bytes=9 * MEBIBYTE),
    )
    assert read(*words.split()) == wanted


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--count", "1"), "--count must be at least 2, got 1"),
        (("--count", "6"), "--count must be at most 5, got 6"),
        (("--time", "0"), "--time must be greater than 0, got 0"),
        (("--start", "2"), "unknown argument|unrecognized arguments: --start"),
        (("--place", "x", "--room", "y"), "not allowed with argument"),
    ],
)
def test_what_is_out_of_range_is_refused(words: tuple[str, ...], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        parser().parse_args(words)


def test_options_can_be_left_out_and_read_otherwise() -> None:
    assert "--count" not in parser(without=["count"]).format_help()
    made = Parser(prog="work")
    group = Options(made, "mine")
    add_to_group(group, Work, "work", remarks={"count": "; or so"}, types={"size": str.upper})
    assert "how many (3); or so" in made.format_help()
    assert made.parse_args(["--size", "xl"]).size == "XL"


def test_arguments_of_options_make_them_again() -> None:
    options = Work(plain=8, seed=5, spent=Spending(bytes=MEBIBYTE, share=0.25), names=("a",))
    made = parser()
    made.set_defaults(**arguments_of(options))
    assert options_from(made.parse_args([]), Work) == options
    assert part_from(made.parse_args(["--memory", "2"]), Work, "spent").bytes == 2 * MEBIBYTE
    assert options_from(made.parse_args([]), Work, spent=Spending()).spent == Spending()


@pytest.mark.parametrize("kind", [CostOptions, SafetyOptions])
def test_each_value_has_one_name_among_arguments(kind: type) -> None:
    seeds = {("policy_seed",), ("fuzz", "seed")}
    names = [place.dest for place in places(kind) if place.path not in seeds]
    assert len(names) == len(set(names))
    assert {place.path[0] for place in places(kind)} >= {part.name for part in fields(kind)} - {
        "fuzz"
    }
