"""`bugsieve domain lint`: what is legal PDDL and still most likely a mistake."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bugsieve.base.wording import counted
from bugsieve.commands.shared import task_arguments
from bugsieve.commands.shared.options import Options
from bugsieve.commands.shared.streams import show, show_data

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bugsieve.commands.shared.parser import Parser
    from bugsieve.rooms.domain_testing.lint.findings import LintFinding

SUMMARY = "find mistakes in a domain without running it"

_EPILOG = """\
Each finding has a line and a code that does not change; --codes lists them.
An error hides nothing behind it: the file is mended in memory, and all of it is checked.
Exit codes: 0 nothing but notes, 1 an error or a warning, 4 a file that cannot be read."""


def register(parser: Parser) -> None:
    """Describe the action."""
    parser.runs(run, SUMMARY[0].upper() + SUMMARY[1:] + ".", epilog=_EPILOG)
    parser.add_argument("domain", type=Path, nargs="?", metavar="DOMAIN", help="a PDDL domain")
    parser.add_argument(
        "problems",
        type=Path,
        nargs="*",
        metavar="PROBLEM",
        help="problems of the domain: what can never happen there is told, too",
    )
    parser.add_argument("--codes", action="store_true", help="list all codes and stop")
    Options(parser).json()
    task_arguments.add_translation_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Check, show, and say by the exit code whether all is well."""
    from bugsieve.rooms.domain_testing.lint.findings import CODES

    if args.codes:
        width = max(map(len, CODES))
        show(
            "\n".join(f"{code:{width}}  {kind:7}  {text}" for code, (kind, text) in CODES.items())
        )
        return 0
    if args.domain is None:
        args.parser.error("the following arguments are required: DOMAIN")
    from bugsieve.rooms.domain_testing.commands.files import files_of
    from bugsieve.rooms.domain_testing.lint.run import lint

    findings = lint(args.domain, args.problems, files_of(args))
    if args.json:
        show_data(json.dumps({"findings": [_record(each) for each in findings]}, indent=2))
    else:
        show("\n".join([*(each.text for each in findings), _summary(findings)]))
    return int(any(each.severity != "note" for each in findings))


def _record(found: LintFinding) -> dict[str, Any]:
    return {
        "code": found.code,
        "severity": found.severity,
        "file": found.path,
        "line": found.line,
        "sentence": found.sentence,
    }


def _summary(findings: Sequence[LintFinding]) -> str:
    severities = [each.severity for each in findings]
    kinds = [kind for kind in ("error", "warning", "note") if kind in severities]
    return ", ".join(counted(severities.count(kind), kind) for kind in kinds) or "nothing found"
