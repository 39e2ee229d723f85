"""`bugsieve generate DOMAIN …`: write a random task of a built-in domain as two PDDL files."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from bugsieve.basis.errors import InputError, UsageError
from bugsieve.basis.names import suggest
from bugsieve.cli.program import Parser

if TYPE_CHECKING:
    from collections.abc import Sequence
    from dataclasses import Field
    from pathlib import Path

DESCRIPTION = "Write a random, solvable task of a built-in domain as two PDDL files."


def register(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Add the command; the flags of a domain are made only when that domain is named."""
    parser = subparsers.add_parser(
        "generate",
        help="write a random task of a built-in domain",
        description=DESCRIPTION,
        epilog="'bugsieve generate --list' shows the domains, "
        "'bugsieve generate DOMAIN --help' the parameters of one.",
    )
    parser.add_argument("--list", action="store_true", help="show the domains and stop")
    domain = parser.add_argument(
        "domain",
        metavar="DOMAIN",
        nargs=argparse.PARSER,
        action=_ReadDomain,
        help="name of the domain, then its parameters",
    )
    domain.required = False  # --list does without; `run` asks for it otherwise
    parser.set_defaults(run=run, domain=None)


def run(args: argparse.Namespace) -> int:
    """Write the task, or show the domains."""
    if args.list:
        print(overview())
        return 0
    if args.domain is None:
        raise UsageError("say which domain to generate; 'bugsieve generate --list' shows them")
    from pathlib import Path

    from bugsieve.domains import generate

    task = generate(args.domain, seed=args.seed, **args.parameters)
    folder = args.output or Path(task.name)
    for path in _write(folder, {"domain.pddl": task.domain, "problem.pddl": task.problem}):
        print(path)
    return 0


def overview() -> str:
    """One line for each domain: its name and what it is about."""
    from bugsieve.domains import domain_generator, domain_names

    width = max(map(len, domain_names()))
    return "\n".join(
        f"{name:{width}}  {domain_generator(name).SUMMARY}" for name in domain_names()
    )


def _write(folder: Path, texts: dict[str, str]) -> list[Path]:
    from bugsieve.basis.files import write_text

    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            write_text(folder / name, text)
    except OSError as error:
        raise InputError(f"cannot write to the folder {folder}: {error.strerror}") from error
    return [folder / name for name in texts]


class _ReadDomain(argparse.Action):
    """Reads the domain's name and, with a parser made for that domain, all that follows it."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        name, *rest = [str(value) for value in values or ()]
        domain_parser = _domain_parser(name, prog=f"{parser.prog} {name}")
        found, unknown = domain_parser.parse_known_args(rest)
        if unknown:
            given = unknown[0].partition("=")[0]
            flags = [f"--{flag}" for flag in vars(found)]
            domain_parser.error(f"unknown argument {given!r}{suggest(given, flags)}")
        namespace.domain = name
        namespace.seed = found.seed
        namespace.output = found.output
        namespace.parameters = {
            key: value for key, value in vars(found).items() if key not in ("seed", "output")
        }


def _domain_parser(name: str, *, prog: str) -> Parser:
    from dataclasses import fields
    from pathlib import Path

    from bugsieve.domains import domain_generator

    generator = domain_generator(name)
    summary = f"{generator.SUMMARY[0].upper()}{generator.SUMMARY[1:]}."
    parser = Parser(prog=prog, description=summary, allow_abbrev=False)
    parameters = parser.add_argument_group("parameters of this domain")
    for option in fields(generator.Options):
        _add_option(parameters, option)
    parser.add_argument("--seed", type=int, default=0, help="seed of all random choices (0)")
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="DIR",
        help="folder to write to (named after the task)",
    )
    return parser


def _add_option(parser: argparse._ActionsContainer, option: Field[Any]) -> None:
    settings: dict[str, Any] = {"default": option.default, "help": option.metadata["help"]}
    if isinstance(option.default, bool):
        settings["action"] = argparse.BooleanOptionalAction
    else:
        settings["type"] = type(option.default)
        settings["choices"] = option.metadata.get("choices")
        settings["metavar"] = None if settings["choices"] else "N"
        settings["help"] += f" ({option.default})"
    parser.add_argument(f"--{option.name}", **settings)
