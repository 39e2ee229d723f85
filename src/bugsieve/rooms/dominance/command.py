"""`bugsieve dominance`: what a dominance function knows about the states of a task."""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bugsieve.base.wording import counted
from bugsieve.commands.shared import task_arguments
from bugsieve.commands.shared.numbers import seed
from bugsieve.commands.shared.option_fields import add_options, options_from
from bugsieve.commands.shared.options import Options
from bugsieve.commands.shared.status_line import StatusLine
from bugsieve.commands.shared.streams import show
from bugsieve.rooms.dominance.options import GROUP, DominanceOptions

if TYPE_CHECKING:
    from bugsieve.commands.shared.parser import Parser
    from bugsieve.rooms.dominance.description import FactorDescription
    from bugsieve.rooms.dominance.function import DominanceFunction
    from bugsieve.rooms.dominance.sampling import ComparedPairs

DESCRIPTION = (
    "Show how much easier some states of a task are than others, proven without search: the "
    "dominance function that the oracles bmo and combined use."
)

EPILOG = """\
"With A it is at least 3 cheaper than with B": if two states differ only in that A holds in one and
B in the other, the first has a plan that costs at least 3 less. The function is the sum over
factors, which are groups of variables. Computed once, it is kept on disk.

The first line tells of how many pairs (s, t) of states something is known: every plan for s makes
one for t that is dearer by a bounded amount. The states are those of random walks.

--json prints one object: task, options, pairs (drawn, comparable, share, seed), variables, unused
(variables that no plan needs), cut (which limits were met, or null), truncated (pairs of factor
states whose value fell below the floor) and factors. Each of these has variables, states, pairs,
comparable, share, and strongest: pairs with source, target, where (the facts they share), value
(by how much the target is cheaper at least; negative: dearer at most) and text.
"""

_SHOWN_FACTORS = 20
_SHOWN_VARIABLES = 6


@dataclass(frozen=True)
class _Report:
    function: DominanceFunction
    sample: ComparedPairs
    factors: tuple[FactorDescription, ...]
    """The largest first."""


def register(parser: Parser) -> None:
    """Describe the command."""
    parser.runs(run, DESCRIPTION, epilog=EPILOG)
    task_arguments.add_task_arguments(parser)
    add_options(parser, DominanceOptions, GROUP)
    output = Options(parser)
    output.add("--seed", type=seed, default=0, metavar="N", help="seed of the random walks (0)")
    output.add(
        "--picture",
        type=Path,
        metavar="FILE",
        help="draw the factors to a file: .svg, .png or .pdf; needs matplotlib",
    )
    output.json()


def run(args: argparse.Namespace) -> int:
    """Compute the function and print what it says."""
    from bugsieve.rooms.dominance.function import DominanceFunction

    if args.picture is not None:
        from bugsieve.reports.plots import check_picture_file

        check_picture_file(args.picture)
    task = task_arguments.load(args)
    with StatusLine(f"computing the dominance function of {task.name}"):
        function = DominanceFunction.of(task, options_from(args, DominanceOptions))
    with StatusLine(f"describing the dominance function of {task.name}"):
        report = _report(function, args.seed)
    show(_as_json(report) if args.json else _as_text(report))
    if args.picture is not None:
        _draw(function, args.picture)
        if not args.json:
            show(f"\nwrote {args.picture}")
    return 0


def _report(function: DominanceFunction, seed: int) -> _Report:
    from bugsieve.rooms.dominance.description import describe_factor
    from bugsieve.rooms.dominance.sampling import compare_random_pairs

    factors = [describe_factor(function, factor) for factor in range(len(function.blocks))]
    factors.sort(key=lambda factor: -factor.states)
    return _Report(function, compare_random_pairs(function, seed=seed), tuple(factors))


def _draw(function: DominanceFunction, path: Path) -> None:
    from bugsieve.reports.plots import picture_style, save_picture
    from bugsieve.rooms.dominance.dominance_maps import draw_dominance

    with picture_style(), StatusLine(f"drawing {path}"):
        save_picture(draw_dominance(function), path)


def _as_text(report: _Report) -> str:
    function = report.function
    heading = [_comparable(report.sample), "", _size(function), *_limits(function)]
    shown = report.factors[:_SHOWN_FACTORS]
    parts = ["\n".join(heading), *(_factor(n, one) for n, one in enumerate(shown, 1))]
    left = len(report.factors) - len(shown)
    if left:
        parts.append(f"and {counted(left, 'smaller factor')}; --json lists all")
    return "\n\n".join(parts)


def _comparable(sample: ComparedPairs) -> str:
    if sample.share is None:
        return "random walks meet one state only: there is nothing to compare"
    return (
        f"{_percent(sample.share)} of pairs of states can be compared: {sample.finite} of "
        f"{sample.pairs} random pairs of different states on random walks (seed {sample.seed})"
    )


def _size(function: DominanceFunction) -> str:
    used = sum(map(len, function.blocks))
    unused = function.task.num_variables - used
    rest = f"; no plan needs the {counted(unused, 'other variable')}" if unused else ""
    return (
        f"task {function.task.title}: {counted(len(function.blocks), 'factor')} of "
        f"{counted(used, 'variable')}{rest}"
    )


def _limits(function: DominanceFunction) -> list[str]:
    lines = [f"limits were met, the function says less than it could: {function.cut}"]
    truncated = function.native.truncated
    sunk = f"{counted(truncated, 'pair')} of factor states fell below the floor of values"
    return (lines if function.cut else []) + ([sunk] if truncated else [])


def _factor(number: int, factor: FactorDescription) -> str:
    shown = list(factor.variables[:_SHOWN_VARIABLES])
    if len(factor.variables) > len(shown):
        shown.append(f"{len(factor.variables) - len(shown)} more")
    share = "" if factor.share is None else f", {_percent(factor.share)} of their pairs comparable"
    lines = [f"factor {number}: {', '.join(shown)}"]
    lines.append(f"  {counted(factor.states, 'state')}{share}")
    return "\n".join(lines + [f"  {pair}" for pair in factor.strongest])


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _as_json(report: _Report) -> str:
    function, sample = report.function, report.sample
    used = sum(map(len, function.blocks))
    content = {
        "task": function.task.name,
        "options": {
            "merging": function.options.merging,
            "max_transitions": function.options.max_transitions,
            "tau": function.options.tau,
        },
        "pairs": {
            "drawn": sample.pairs,
            "comparable": sample.finite,
            "share": sample.share,
            "seed": sample.seed,
        },
        "variables": used,
        "unused": function.task.num_variables - used,
        "cut": function.cut or None,
        "truncated": function.native.truncated,
        "factors": [_factor_json(factor) for factor in report.factors],
    }
    return json.dumps(content, indent=2)


def _factor_json(factor: FactorDescription) -> dict[str, Any]:
    return {
        "variables": factor.variables,
        "states": factor.states,
        "pairs": factor.pairs,
        "comparable": factor.finite,
        "share": factor.share,
        "strongest": [
            {
                "source": pair.source,
                "target": pair.target,
                "where": pair.where,
                "value": pair.value,
                "text": str(pair),
            }
            for pair in factor.strongest
        ],
    }
