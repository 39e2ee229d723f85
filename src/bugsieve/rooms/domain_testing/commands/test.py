"""`bugsieve domain test`: run a suite of tests of a domain."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from bugsieve.commands.shared import build_servers
from bugsieve.commands.shared.status_line import StatusLine
from bugsieve.commands.shared.streams import show, show_data
from bugsieve.rooms.domain_testing.commands.files import (
    add_suite_arguments,
    files_of,
    run_options,
    suite_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bugsieve.commands.shared.parser import Parser
    from bugsieve.rooms.domain_testing.suite_runs import CaseResult

SUMMARY = "run a suite of tests of a domain"

_EPILOG = """\
Exit codes: 0 every case passes, 1 a case fails, 4 bad input, 5 there is no case to run,
6 no case fails, but one is undecided."""


def register(parser: Parser) -> None:
    """Describe the action."""
    parser.runs(run, SUMMARY[0].upper() + SUMMARY[1:] + ".", epilog=_EPILOG)
    options = add_suite_arguments(parser)
    options.json()
    build_servers.add_build_server_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Run the cases, show what fails and why."""
    from bugsieve.rooms.domain_testing.suite_runs import exit_code, run_suite

    build_servers.check_build_server_arguments(args)
    suite = suite_of(args)
    results = []
    with StatusLine("running cases") as status:
        for result in run_suite(suite, files_of(args), run_options(args)):
            results.append(result)
            status.update(f"{len(results)} of {len(suite.cases)} cases run")
    if args.json:
        show_data(json.dumps(_record(results), indent=2))
    else:
        show("\n".join(_text(results)))
    if build_servers.wants_checks(args):
        build_servers.tell(args, str(suite.path), [r.check(str(suite.path)) for r in results])
    return exit_code(results)


def _text(results: Sequence[CaseResult]) -> list[str]:
    lines = []
    for result in results:
        lines.append(f"{result.outcome.upper():9} {result.case.title}: {result.reason}")
        lines += [f"    {line}" for line in result.details]
    counts = [(name, sum(r.outcome == name for r in results)) for name in _OUTCOMES]
    shown = ", ".join(f"{number} {_OUTCOMES[name]}" for name, number in counts if number)
    return [*lines, shown or "no case to run"]


_OUTCOMES = {"pass": "passed", "fail": "failed", "undecided": "undecided"}


def _record(results: Sequence[CaseResult]) -> dict[str, Any]:
    return {
        "cases": [
            {
                "number": result.case.number,
                "label": result.case.label,
                "tags": list(result.case.tags),
                "expect": result.case.expect,
                "outcome": result.outcome,
                "verdicts": dict(result.verdicts),
                "reason": result.reason,
                "details": list(result.details),
            }
            for result in results
        ]
    }
