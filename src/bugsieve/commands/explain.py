"""`bugsieve explain`: the policy's run and a better one, the decision to blame marked."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from bugsieve.commands.shared.bug_arguments import add_bug_arguments, for_kind
from bugsieve.commands.shared.explain_pictures import (
    add_picture_options,
    check_picture_options,
    write_svg,
)
from bugsieve.commands.shared.options import Options
from bugsieve.commands.shared.streams import show
from bugsieve.explanation.blame import EXPANSIONS

if TYPE_CHECKING:
    from bugsieve.commands.shared.parser import Parser


EPILOG = """\
--json prints one object, in which steps count from 0. For cost testing: id, kind, step (of the
decision to blame), sure (exact; bound: searches ran into their limits; or none: zero-cost loop),
sentence, facts (of the state there), action (what the policy did there, null if nothing usable),
better_action, run and better_run (actions), ending and detail (how the run ended, and why or
null), trace (traceback and last words of a crash, or null), cost, possible_cost (of better_run),
known_cost (of the plan that proves the bug), regrets (the two largest, each with its step, and how
much more it costs or null where no way to the goal is known after it), goal and open_goals (those
that do not hold at the end of the run), dominance (a decision that a dominance function proves
bad whatever comes after it, in words, or null), and kept (whether step, sure, regrets and plan are
those that an earlier call of yours with as many --expansions has kept in the folder; what others
have put there is not believed, but searched for again). Where no single
decision is to blame, step, facts, action and better_action are null. Of a policy that was tested
by its distributions, probability is a bound on that of reaching the goal, and the run is one of
those that fail. Of one that was tested against rules, rules names those it violates.

For safety: id, kind, oracle, radius (null: infinite), walk, step and state (where the bug is),
action (what the policy did there), outcome (of a fault: where that may lead; else null),
safe_action and safe_outcomes (what was safe, and where that may lead), safe_rows and unsafe_rows
(states in the proof), faults (steps of all faults of the run), and run, with states, actions and
safety (what the oracle says of each state).

For rules: number, rule, aim, literal and formula of the test, and its verdict, view, reading,
reason and certificates.
"""


def register(parser: Parser) -> None:
    """Describe the command."""
    parser.runs(
        run,
        "Show the policy's run and a better one side by side, mark the decision that "
        "is to blame, and say how sure that is. A safety bug is shown step by step, with what is "
        "safe in place of the fault; a violated rule as a trace, with what is true at each step.",
        epilog=EPILOG,
    )
    add_bug_arguments(parser, many=False)
    options = Options(parser)
    searches = (
        "states that searches may expand together, in cost testing, where those of optimal search "
        "count more on large tasks; more make the answer surer"
    )
    options.number("--expansions", EXPANSIONS, searches)
    add_picture_options(options)
    options.json()


def run(args: argparse.Namespace) -> int:
    """Find the decision to blame and show it."""
    from bugsieve.campaigns.accounts import EXPLAINERS

    check_picture_options(args)
    witness = for_kind(args.folder, EXPLAINERS)(args.folder, args.bug)
    account = witness.account(args.expansions)
    show(account.json() if args.json else account.text())
    if args.svg is not None:
        write_svg(args.svg, account.draw(args.picture))
    return 0
