"""Adds options to parsers; the default of a number is written once and shown in its help."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from bugsieve.base.option_fields import MOST
from bugsieve.commands.shared.numbers import whole_number

MEBIBYTES = whole_number(1, 1 << 40)
"""Whoever wants "no limit" types large numbers: this fits what the operating system takes."""


class Options:
    """The options of a parser, or of a group of it with a title."""

    def __init__(self, parser: argparse.ArgumentParser, title: str | None = None) -> None:
        group = parser if title is None else parser.add_argument_group(title)
        self.add = group.add_argument
        self.exclusive = group.add_mutually_exclusive_group
        """For options of which one at most is given."""

    def number(
        self,
        name: str,
        default: int | None,
        text: str,
        *,
        least: int = 1,
        most: int = MOST,
        metavar: str = "N",
    ) -> None:
        """A whole number within limits."""
        self.add(
            name,
            type=whole_number(least, most),
            default=default,
            metavar=metavar,
            help=text if default is None else f"{text} ({default})",
        )

    def mebibytes(self, name: str, default: int, text: str) -> None:
        """An amount of memory."""
        self.add(name, type=MEBIBYTES, default=default, metavar="MIB", help=f"{text} ({default})")

    def output(self, metavar: str, text: str, **settings: Any) -> None:
        """The file or folder to write to."""
        self.add("-o", "--output", type=Path, metavar=metavar, help=text, **settings)

    def trust(self) -> None:
        """Whether what a file says is as good as typed."""
        self.add(
            "--trust-policy",
            action="store_true",
            help="start the policy and the oracles that the folder or file names, also if you "
            "never typed them",
        )

    def json(self, text: str = "print one JSON object") -> None:
        """Whether to print for programs."""
        self.add("--json", action="store_true", help=text)
