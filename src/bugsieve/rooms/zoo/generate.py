"""`bugsieve generate DOMAIN …`: write a random instance of a built-in domain, PDDL or JANI."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bugsieve.base.errors import InputError, UsageError
from bugsieve.commands.shared.numbers import integer, real_number, seed, whole_number
from bugsieve.commands.shared.options import Options
from bugsieve.commands.shared.parser import Parser
from bugsieve.commands.shared.streams import show

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from dataclasses import Field

DESCRIPTION = (
    "Write a random, solvable task of a built-in domain as two PDDL files, "
    "or a model with an unsafety condition as one JANI file."
)

_ORDER = "parameters follow their domain, as in 'bugsieve generate blocksworld --blocks 5'"


def register(parser: Parser) -> None:
    """Describe the command; the flags of a domain are made only when that domain is named."""
    parser.runs(
        run,
        DESCRIPTION,
        epilog="'bugsieve generate --list' shows the domains, "
        "'bugsieve generate DOMAIN --help' the parameters of one.",
    )
    parser.unknown_hint = f"; {_ORDER}"
    parser.add_argument("--list", action="store_true", help="show the domains and stop")
    domain = parser.add_argument(
        "domain",
        metavar="DOMAIN",
        nargs=argparse.PARSER,
        action=_ReadDomain,
        help="name of the domain, then its parameters",
    )
    domain.required = False  # --list does without; `run` asks for it otherwise
    _add_common_options(parser)
    parser.set_defaults(domain=None, seed=0, output=None)


def run(args: argparse.Namespace) -> int:
    """Write the instance, or show the domains."""
    if args.list:
        show(overview())
        return 0
    if args.domain is None:
        raise UsageError("say which domain to generate; 'bugsieve generate --list' shows them")
    from bugsieve.rooms.zoo.instances import generate_instance

    instance = generate_instance(args.domain, seed=args.seed, parameters=args.parameters)
    folder = args.output or Path(instance.name)
    files = {folder / name: text.encode() for name, text in instance.texts.items()}
    _write(folder, files)
    show("\n".join(map(str, files)))
    return 0


def overview() -> str:
    """One line for each domain: its name and what it is about."""
    from bugsieve.rooms.zoo.instances import instance_infos

    infos = instance_infos()
    width = max(len(info.name) for info in infos)
    return "\n".join(f"{info.name:{width}}  {info.text}" for info in infos)


def _write(folder: Path, files: dict[Path, bytes]) -> None:
    """Write all files or none; what an earlier call has written is replaced, nothing else."""
    from bugsieve.base.files_and_processes.files import write_together

    try:
        folder.mkdir(parents=True, exist_ok=True)
        for foreign in _foreign(files):
            raise InputError(
                f"{foreign} was not made by 'bugsieve generate' and will not be replaced: "
                "name another folder with -o"
            )
        write_together(files)
    except (FileExistsError, NotADirectoryError):
        file = next(place for place in (folder, *folder.parents) if place.exists())
        raise InputError(f"{file} is a file, but -o takes the folder to write to") from None
    except OSError as error:
        raise InputError(f"cannot write to the folder {folder}: {error.strerror}") from error


def _foreign(files: dict[Path, bytes]) -> Iterator[Path]:
    """The files in our way that are neither the same as ours nor part of an earlier instance."""
    from bugsieve.rooms.zoo.instances import is_generated

    there = {path: path.read_bytes() for path in files if path.is_file()}
    if not is_generated({path.name: text for path, text in there.items()}):
        yield from (path for path, text in there.items() if text != files[path])


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
        domain_parser.refuse_unknown_options(rest)
        found, unknown = domain_parser.parse_known_args(rest)
        if unknown:
            domain_parser.refuse(unknown[0])
        namespace.domain = name
        namespace.parameters = {}
        for key, value in vars(found).items():
            if key in ("seed", "output"):
                setattr(namespace, key, value)
            else:
                namespace.parameters[key] = value


def _domain_parser(name: str, *, prog: str) -> Parser:
    from dataclasses import fields

    from bugsieve.rooms.zoo.instances import instance_generator

    generator = instance_generator(name)
    summary = f"{generator.SUMMARY[0].upper()}{generator.SUMMARY[1:]}."
    parser = Parser(prog=prog, description=summary)
    parameters = parser.add_argument_group("parameters of this domain")
    for option in fields(generator.Options):
        _add_option(parameters, option)
    _add_common_options(parser)
    return parser


def _add_common_options(parser: argparse.ArgumentParser) -> None:
    """The options that may stand before or after the domain; absent ones leave no trace."""
    parser.add_argument(
        "--seed",
        type=seed,
        default=argparse.SUPPRESS,
        metavar="N",
        help="seed of all random choices (0)",
    )
    Options(parser).output(
        "DIR",
        "folder to write to (named after the instance); an earlier one in it is replaced",
        default=argparse.SUPPRESS,
    )


def _add_option(parser: argparse._ActionsContainer, option: Field[Any]) -> None:
    from bugsieve.rooms.zoo.options import flag_name

    settings: dict[str, Any] = {"default": option.default, "help": option.metadata["help"]}
    if isinstance(option.default, bool):
        settings["action"] = argparse.BooleanOptionalAction
        settings["help"] += " (yes)" if option.default else ""
    else:
        choices = option.metadata.get("choices")
        settings["type"] = _type(option)
        settings["metavar"] = f"{{{','.join(map(str, choices))}}}" if choices else "N"
        settings["help"] += f" ({option.default})"
    parser.add_argument(f"--{flag_name(option)}", **settings)


def _type(option: Field[Any]) -> Callable[[str], int | float | str]:
    """The function that reads an argument; the domain checks if it is one of the choices."""
    if isinstance(option.default, str):
        return str
    if "choices" in option.metadata:
        return integer
    if isinstance(option.default, float):
        return real_number(option.metadata["minimum"], option.metadata["maximum"])
    return whole_number(option.metadata["minimum"], option.metadata["maximum"])
