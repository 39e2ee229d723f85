"""`bugsieve domain coverage`: what a set of plans exercises in a domain."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bugsieve.commands.shared import task_arguments
from bugsieve.commands.shared.options import Options
from bugsieve.commands.shared.streams import show, show_data

if TYPE_CHECKING:
    from bugsieve.commands.shared.parser import Parser
    from bugsieve.rooms.domain_testing.coverage_runs import CoverageRun

SUMMARY = "show which actions, preconditions and effects plans exercise"

_EPILOG = """\
A part of a precondition counts where a plan meets a state in which some grounding of the action
lacks that part alone; an effect where it makes true what was false, or false what was true.
Exit codes: 0, 1 coverage below --min, 4 bad input, 5 no plan."""


def register(parser: Parser) -> None:
    """Describe the action."""
    parser.runs(run, SUMMARY[0].upper() + SUMMARY[1:] + ".", epilog=_EPILOG)
    parser.add_argument(
        "files",
        type=Path,
        nargs="+",
        metavar="FILE",
        help="DOMAIN PROBLEM…, a SUITE, whose problems and plans are taken, or the folder of a "
        "campaign of rules, whose traces are",
    )
    options = Options(parser)
    options.add(
        "--plan",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="a plan; may be given several times. Without any, plans are looked for",
    )
    options.number(
        "--min", 0, "percent of all that counts which must be covered", least=0, most=100
    )
    options.json()
    from bugsieve.rooms.domain_testing.commands.files import add_expansions

    add_expansions(options)
    task_arguments.add_translation_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Collect the coverage and show it."""
    from bugsieve.rooms.domain_testing.commands.files import files_of
    from bugsieve.rooms.domain_testing.coverage_runs import cover, cover_tests
    from bugsieve.tasks.search import Limits

    if len(args.files) == 1 and args.files[0].is_dir():
        found = cover_tests(args.files[0])
    else:
        domain, problems, plans = _sources(args)
        limits = Limits(expansions=args.expansions)
        found = cover(domain, problems, [*plans, *args.plan], files_of(args), limits)
    show_data(json.dumps(_record(found), indent=2)) if args.json else show("\n".join(_text(found)))
    if not found.plans:
        return 5
    rows = found.coverage.summary()
    covered, total = sum(row[1] for row in rows), sum(row[2] for row in rows)
    return int(100 * covered < args.min * total)


def _sources(args: argparse.Namespace) -> tuple[Path, list[Path], list[Path]]:
    first, *rest = args.files
    if rest:
        return first, rest, []
    if first.suffix != ".json":
        args.parser.error("give DOMAIN PROBLEM…, or one SUITE")
    from bugsieve.rooms.domain_testing.mutation import cases_of_one_domain
    from bugsieve.rooms.domain_testing.suites import read_suite

    domain, cases = cases_of_one_domain(read_suite(first), None)
    problems = list(dict.fromkeys(case.problem for case in cases))
    valid = [case for case in cases if case.expect != "plan-invalid"]
    return domain, problems, list(dict.fromkeys(plan for case in valid for plan in case.plans))


def _text(found: CoverageRun) -> list[str]:
    from bugsieve.rooms.domain_testing.coverage import percentages

    lines = [*found.plans, *(f"no plan was found for {name}" for name in found.without)]
    lines += ["", *percentages(found.coverage)]
    missing = found.coverage.missing()
    if missing:
        path = found.coverage.domain.document.path
        lines += ["", "not covered:"]
        lines += [f"  {path}:{item.line}: {item.kind} {item.title}" for item in missing]
    return lines


def _record(found: CoverageRun) -> dict[str, Any]:
    coverage = found.coverage
    return {
        "plans": list(found.plans),
        "without_plan": list(found.without),
        "summary": [
            {"of": title, "covered": covered, "total": total}
            for title, covered, total in coverage.summary()
        ],
        "items": [
            {**vars(item), "covered_by": coverage.covered.get(key)}
            for key, item in coverage.items.items()
        ],
    }
