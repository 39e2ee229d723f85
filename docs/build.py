"""Writes docs/reference.md, english.md and a picture from the code. Run by `make docs`."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import inspect
import io
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from types import FunctionType

import bugsieve
from bugsieve.base.registry.families import FAMILIES
from bugsieve.base.registry.members import MemberTable
from bugsieve.cli import main
from bugsieve.commands.shared.program import COMMANDS
from bugsieve.rooms.rules.english.page import english_page
from bugsieve.rooms.zoo.instances import instance_names
from bugsieve.tasks import search

DOCS = Path(__file__).parent

BELOW = {"domain": ("lint", "coverage", "mutate", "test")}
"""Commands that have commands of their own."""

SECTIONS = {
    "Policies of planning tasks": FAMILIES["policies"],
    "Policies of models": FAMILIES["model-policies"],
    "Oracles": FAMILIES["oracles"],
    "Safety oracles": FAMILIES["safety-oracles"],
    "Biases": FAMILIES["biases"],
    "Objectives": FAMILIES["objectives"],
    "Pictures": FAMILIES["pictures"],
}


def output_of(*arguments: str) -> str:
    """What the command line prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
        main(list(arguments))
    return printed.getvalue()


def reference() -> str:
    """The reference page."""
    os.environ["COLUMNS"] = "80"
    parts = ["# Reference\n\nGenerated from the code by `make docs`.\n\n## Commands\n"]
    parts += [f"```text\n{output_of('--help')}```\n"]
    for name in COMMANDS:
        parts.append(f"### {name}\n\n```text\n{output_of(name, '--help')}```\n")
        for below in BELOW.get(name, ()):
            help_text = output_of(name, below, "--help")
            parts.append(f"#### {name} {below}\n\n```text\n{help_text}```\n")
    for title, family in SECTIONS.items():
        parts.append(f"## {title}\n\n| name | what it is |\n|---|---|")
        infos = MemberTable[object](family).infos()
        parts += [f"| `{escaped(info.usage)}` | {escaped(info.text)} |" for info in infos]
        parts.append("")
    parts.append("## Domains\n")
    parts += [
        f"### {name}\n\n```text\n{output_of('generate', name, '--help')}```\n"
        for name in instance_names()
    ]
    parts.append("## Python\n")
    parts += list(python_names())
    return "\n".join(parts).rstrip() + "\n"


def escaped(text: str) -> str:
    """For a cell of a table, where a bar would end it."""
    return text.replace("|", "\\|")


def python_names() -> Iterator[str]:
    """An entry for each public name."""
    for name in bugsieve.__all__:
        if not name.startswith("_") and not name.isupper():
            yield entry(f"bugsieve.{name}", getattr(bugsieve, name))
    for name in search.__all__:
        yield entry(f"bugsieve.tasks.search.{name}", getattr(search, name))


def entry(name: str, value: object) -> str:
    """Signature and docstring of a function, or of a class with its fields and methods."""
    lines = [f"### `{name}`\n", inspect.getdoc(value) or "", ""]
    if inspect.isclass(value):
        lines += [*field_lines(value), *member_lines(value), ""]
    else:
        lines.insert(1, f"`{name.rpartition('.')[2]}{signature(value)}`\n")
    return "\n".join(lines)


def field_lines(value: type) -> Iterator[str]:
    """What an instance of a data class is made of, with what each part is by default."""
    if dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            has_default = field.default is not dataclasses.MISSING
            default = f" = {field.default!r}" if has_default else ""
            if not field.name.startswith("_"):
                yield f"- `{field.name}: {field.type}{default}`"


def member_lines(value: type) -> Iterator[str]:
    """The methods and properties of a class, those of our own base classes among them."""
    members: dict[str, object] = {}
    for owner in reversed(value.__mro__):
        if owner.__module__.startswith("bugsieve"):
            members |= vars(owner)
    kinds = (FunctionType, property, cached_property, classmethod, staticmethod)
    for member, attribute in members.items():
        if isinstance(attribute, kinds) and not member.startswith("_") and summary(attribute):
            yield f"- `{member}{signature(attribute)}`: {summary(attribute)}"


def signature(value: object) -> str:
    """The parameters as written, without the first one of a method."""
    function: object = getattr(value, "__func__", value)  # what a class method wraps
    if not inspect.isfunction(function):
        return ""
    text = str(inspect.signature(function))
    return re.sub(r"^\((self|cls)(: [^,)]*)?(, )?", "(", text).replace("'", "")


def summary(value: object) -> str:
    """First sentence of a docstring."""
    return (inspect.getdoc(value) or "").split("\n\n")[0].replace("\n", " ")


def strips() -> str:
    """A bug as pictures of states."""
    with tempfile.TemporaryDirectory() as folder:
        task, results, drawn = (f"{folder}/{name}" for name in ("task", "results", "bug.svg"))
        output_of("generate", "transport", "--packages", "2", "--seed", "3", "-o", task)
        options = ("--pool-size", "20", "-o", results, "--json")
        found = json.loads(output_of("test", task, "--policy", "greedy:hff", *options))
        with contextlib.redirect_stderr(io.StringIO()):
            output_of("explain", results, found["found"][0]["id"], "--svg", drawn)
        return Path(drawn).read_text(encoding="utf-8")


def build(folder: Path) -> None:
    """Write all of them."""
    (folder / "english.md").write_text(english_page(), encoding="utf-8")
    (folder / "reference.md").write_text(reference(), encoding="utf-8")
    (folder / "pictures.svg").write_text(strips(), encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=DOCS)
    build(parser.parse_args(sys.argv[1:]).folder)
