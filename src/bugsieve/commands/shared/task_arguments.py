"""The arguments that name a task and a policy, shared by all commands that take them.

A command adds the groups it needs and then calls `check_policy`, `load`, `make` in this order:
what is cheap to check is checked before a large task is grounded.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from bugsieve.base.errors import UsageError
from bugsieve.commands.shared.numbers import seconds, seed
from bugsieve.commands.shared.option_fields import add_to_group, options_from
from bugsieve.commands.shared.options import Options
from bugsieve.commands.shared.status_line import StatusLine
from bugsieve.policies.limits import POLICY, WorkerLimits

if TYPE_CHECKING:
    from bugsieve.policies.policy import BoundPolicy
    from bugsieve.tasks.grounded.task import Task

# Whoever wants "no limit" types large numbers: this is enough, and still fits what the
# operating system takes.
_MOST_TRANSLATION_SECONDS = 1e6

_REMARKS = {
    "seed": "; 'random:7' brings its own",
    "deadline": "; their start may take six times as long. For phrm: servers, seconds per state. "
    "Other policies, also those that search, have no deadline",
    "memory": "; for optimal, lazy and ehc, memory of one search",
}
"""On policies of tasks alone."""

POLICIES = """\
policies: random, greedy:hff, hill-climbing:hadd, optimal, optimal:plans, lazy:hff,
python:MODULE:FUNCTION, python:FILE.py:FUNCTION, 'cmd:PROGRAM ARGUMENT…';
greedy:python:… and greedy:cmd:… for value functions, plans:python:… and plans:cmd:… for
planners; phrm:HOST:PORT, phrm:unix:PATH: servers, which bring the task, so that no FILE is
needed."""


def add_task_arguments(
    parser: argparse.ArgumentParser, *, required: bool = True, several: bool = False
) -> None:
    """The files of the task, or of several, and what grounding them may use."""
    parser.set_defaults(parser=parser)
    parser.add_argument(
        "task",
        nargs="+" if required else "*",
        type=Path,
        metavar="FILE",
        help="DOMAIN and PROBLEM in PDDL, a folder that holds domain.pddl and problem.pddl, "
        "or one .sas file" + ("; or several problems, see below" if several else ""),
    )
    parser.add_argument(
        "--unit-cost",
        action="store_true",
        help="every action costs 1, whatever the files say",
    )
    add_translation_arguments(parser)


def add_translation_arguments(parser: argparse.ArgumentParser) -> None:
    """What grounding PDDL files may use."""
    options = Options(parser, "grounding of PDDL files")
    options.add(
        "--translation-time",
        type=seconds(_MOST_TRANSLATION_SECONDS),
        default=300.0,
        metavar="S",
        help="seconds it may take (300)",
    )
    options.mebibytes("--translation-memory", 4096, "memory it may take")


def add_policy_arguments(
    parser: argparse.ArgumentParser,
    *,
    required: bool = True,
    example: str = "greedy:hff",
    remarks: Mapping[str, str] = _REMARKS,
) -> None:
    """The policy and its limits; remarks are added to the help of an option."""
    options = Options(parser, POLICY)
    options.add("--policy", required=required, metavar="SPEC", help=f"the policy, as in {example}")
    text = f"seed of every random choice (0){remarks.get('seed', '')}"
    options.add("--seed", type=seed, default=0, metavar="N", help=text)
    add_to_group(options, WorkerLimits, POLICY, remarks=remarks)


def worker_limits(args: argparse.Namespace) -> WorkerLimits:
    """What a policy in a process of its own may spend."""
    return options_from(args, WorkerLimits)


def check_policy(args: argparse.Namespace) -> None:
    """Raise the error of a spec that is wrong whatever the task is."""
    from bugsieve.policies.registry import check_spec

    check_spec(args.policy)


def load(args: argparse.Namespace) -> Task:
    """The task; on a terminal, a line tells that it is being grounded.

    Without files, the policy must bring it.
    """
    return load_files(args, files(args.task)) if args.task else _brought(args)


def load_files(args: argparse.Namespace, paths: list[Path]) -> Task:
    """The task of these files."""
    from bugsieve.tasks.grounded.loading import load_task
    from bugsieve.tasks.grounded.translator import TranslationLimits

    limits = TranslationLimits(args.translation_time, args.translation_memory << 20)
    with StatusLine(f"grounding {paths[-1]}"):
        return load_task(
            *paths, limits=limits, unit_cost=args.unit_cost, constraints=_takes_constraints(args)
        )


def _takes_constraints(args: argparse.Namespace) -> bool:
    """Whether the objective, where there is one, holds runs to the `:constraints` of the task."""
    from bugsieve.pipeline.objectives import objective_class

    return hasattr(args, "objective") and objective_class(args.objective).takes_constraints


def require_task(args: argparse.Namespace) -> None:
    """Miss the files of a task, unless the policy brings one."""
    from bugsieve.policies.registry import brings_task

    if not args.task and (args.policy is None or not brings_task(args.policy)):
        args.parser.error("the following arguments are required: FILE")


def _brought(args: argparse.Namespace) -> Task:
    from bugsieve.policies.registry import brought_task
    from bugsieve.tasks.grounded.loading import with_unit_costs

    with StatusLine(f"asking {args.policy} for its task"):
        task = brought_task(args.policy, limits=worker_limits(args))
    return with_unit_costs(task) if args.unit_cost else task


def make(args: argparse.Namespace, task: Task) -> BoundPolicy:
    """The policy, bound to the task; on a terminal, a line tells that it is starting."""
    from bugsieve.policies.registry import make_policy

    limits = worker_limits(args)
    with StatusLine(f"starting {args.policy}"):
        return make_policy(args.policy, task, seed=args.seed, limits=limits)


def files(given: list[Path]) -> list[Path]:
    """A domain and a problem, or one file that stands alone; a folder stands for what it holds."""
    if len(given) > 2:
        raise UsageError("give a domain and a problem file, or one .sas file, not more")
    from bugsieve.tasks.sources import task_files

    return [Path(name) for name in task_files(*map(os.fspath, given))]
