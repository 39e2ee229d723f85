"""`bugsieve domain`: test a planning domain itself, by lint, coverage, mutants and suites."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from bugsieve.rooms.domain_testing.commands import coverage, lint, mutate, test

if TYPE_CHECKING:
    from collections.abc import Callable

    from bugsieve.commands.shared.parser import Parser

DESCRIPTION = "Test a planning domain itself; no policy is needed."

EPILOG = """\
A suite is a *.ptest.json file as vscode-pddl has them, whose cases may also say
  expect            holds, never, safety part holds, violated, vacuous, solvable, unsolvable,
                    plan-valid or plan-invalid
  requirement       a rule in LTL or English, or an object with the keys of a rule
  atoms             names to conditions in PDDL, for the requirement
  rules             a rules file, all of whose rules are judged
  criterion, view, goalConstrained              how rules are read
  minCost, maxCost, minLength, maxLength        of a best plan, or of the plans given
  tags              names to choose cases by
Files are named relative to the suite; nothing that a suite names is executed.
"""

_ACTIONS = {"lint": lint, "coverage": coverage, "mutate": mutate, "test": test}


def register(parser: Parser) -> None:
    """Describe the command and those below it."""
    parser.runs(_run_nothing(parser), DESCRIPTION, epilog=EPILOG)
    below: argparse._SubParsersAction[Parser] = parser.add_subparsers(
        title="actions", metavar="ACTION"
    )
    for name, module in _ACTIONS.items():
        own = below.add_parser(name, help=module.SUMMARY)
        own.set_defaults(parser=own)
        module.register(own)


def _run_nothing(parser: Parser) -> Callable[[argparse.Namespace], int]:
    def run(_: argparse.Namespace) -> int:
        parser.error(f"say what to do: {', '.join(_ACTIONS)}")

    return run
