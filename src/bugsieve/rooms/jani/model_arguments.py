"""The arguments that name a model and a policy of it, shared by all commands that take them.

A command adds the groups it needs, and then calls `check_model_policy`, `model_from` and
`model_policy_from` in this order: what is cheap to check comes first.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from bugsieve.base.errors import UsageError
from bugsieve.commands.shared.options import Options
from bugsieve.commands.shared.status_line import StatusLine
from bugsieve.commands.shared.task_arguments import add_policy_arguments, worker_limits
from bugsieve.rooms.jani.dangers import DANGERS, Danger, danger_from

if TYPE_CHECKING:
    from bugsieve.rooms.jani.model.model import JaniModel
    from bugsieve.rooms.jani.model.types import Value
    from bugsieve.rooms.jani.policies.policy import ModelPolicy


def add_model_arguments(
    parser: argparse.ArgumentParser, *, required: bool = True, dangers: bool = False
) -> None:
    """The files of the model and its property, and the values of its constants.

    With `dangers`, there are options for what else may say what is unsafe.
    """
    parser.add_argument(
        "model",
        nargs=None if required else "?",
        type=Path,
        metavar="MODEL",
        help="a model in JANI, a folder that holds it as model.jani, or a domain in PDDL with "
        "oneof",
    )
    parser.add_argument(
        "property",
        nargs="?",
        type=Path,
        metavar="PROPERTY",
        help="a file with its start, goal and unsafety condition, if they are not in the model; "
        "for PDDL, the problem",
    )
    group = add_property_arguments(parser)
    for source in DANGERS.values() if dangers else ():
        source.add_option(group)


def add_property_arguments(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """What a model leaves open; returns the group of these options."""
    group = parser.add_argument_group("model")
    add = group.add_argument
    add(
        "--constant",
        action="append",
        type=_constant,
        metavar="NAME=VALUE",
        help="the value of a constant that the model leaves open; may be repeated",
    )
    add("--property-name", metavar="NAME", help="which property, where a file has several")
    add("--start", type=Path, metavar="FILE", help="the start condition in a file of its own")
    add("--goal", type=Path, metavar="FILE", help="the goal in a file of its own")
    add(
        "--unsafe",
        metavar="FILE",
        help="the unsafety condition in a file of its own; without --start, runs begin in the "
        "model's initial states. For PDDL, a file or the condition itself, as in '(and (flat) "
        "(not (spare)))'",
    )
    return group


def add_model_policy_arguments(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    """The policy and its limits."""
    add_policy_arguments(parser, required=required, example="mlp:net.safetensors", remarks={})
    Options(parser, "policies that others have made").trust()


def model_from(args: argparse.Namespace) -> JaniModel:
    """The model with its property; on a terminal, a line tells that it is being read."""
    danger = danger_from(args)
    load = _pddl_model if args.model.suffix.lower() == ".pddl" else _jani_model
    with StatusLine(f"reading {args.model}"):
        return load(args, danger)


def _pddl_model(args: argparse.Namespace, danger: Danger | None) -> JaniModel:
    from bugsieve.rooms.jani.fond.loading import condition_text, load_fond
    from bugsieve.tasks.pddl.reader import MAX_BYTES
    from bugsieve.tasks.sources import half_of_a_task, read_input

    if args.property is None:
        text = read_input(args.model, kind="PDDL", max_bytes=MAX_BYTES)
        raise UsageError(half_of_a_task(str(args.model), text))
    for name in ("constant", "property_name", "start", "goal"):
        if getattr(args, name):
            raise UsageError(f"--{name.replace('_', '-')} is for JANI models, not for PDDL")
    if danger is not None:
        return danger.load_fond(args.model, args.property)
    if args.unsafe is None:
        ways = ("--unsafe '(CONDITION)'", *(source.usage for source in DANGERS.values()))
        raise UsageError(f"{args.model}: say what is unsafe with {' or '.join(ways)}")
    condition = condition_text(args.unsafe, name="--unsafe")
    return load_fond(args.model, args.property, condition)


def _jani_model(args: argparse.Namespace, danger: Danger | None) -> JaniModel:
    from bugsieve.rooms.jani.model.loading import load_model
    from bugsieve.rooms.jani.model.properties import PropertyFiles

    source: Path | PropertyFiles | None = args.property
    files = {name: getattr(args, name) for name in ("start", "goal", "unsafe")}
    given = [f"--{name}" for name, path in files.items() if path is not None]
    if given and args.property is not None:
        raise UsageError(f"{given[0]} and a property file are two properties; give one")
    if given and args.unsafe is None and danger is None:
        raise UsageError(f"{given[0]} needs --unsafe beside it")
    if given:
        source = PropertyFiles(**files)
    load = load_model if danger is None else danger.load_jani
    constants = constants_from(args)
    return load(args.model, source, constants=constants, property_name=args.property_name)


def constants_from(args: argparse.Namespace) -> dict[str, Value]:
    """The values of constants by name."""
    constants: dict[str, Value] = {}
    for name, value in args.constant or ():
        if name in constants:
            raise UsageError(f"the constant {name!r} is given two values")
        constants[name] = value
    return constants


def _constant(text: str) -> tuple[str, Value]:
    name, sign, value = (part.strip() for part in text.partition("="))
    if not sign or not name:
        raise argparse.ArgumentTypeError(f"must be NAME=VALUE, got {text[:40]!r}")
    if value in ("true", "false"):
        return name, value == "true"
    for read in (int, float):
        try:
            return name, _finite(read(value))
        except ValueError:
            continue
    raise argparse.ArgumentTypeError(
        f"must give {name[:40]!r} a number, true or false, got {value[:40]!r}"
    )


def _finite(value: Value) -> Value:
    if value != value or value in (float("inf"), float("-inf")):
        raise ValueError("no finite number")
    return value


def check_model_policy(args: argparse.Namespace) -> None:
    """Raise the error of a spec that is wrong whatever the model is."""
    from bugsieve.rooms.jani.policies.registry import check_model_spec

    check_model_spec(args.policy)


def model_policy_from(args: argparse.Namespace, model: JaniModel) -> ModelPolicy:
    """The policy, bound to the model; on a terminal, a line tells that it is starting."""
    from bugsieve.rooms.jani.policies.registry import make_model_policy

    limits = worker_limits(args)
    with StatusLine(f"starting {args.policy}"):
        return make_model_policy(args.policy, model, seed=args.seed, limits=limits)
