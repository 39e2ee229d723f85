"""`bugsieve explain`: the policy's run and a better one, the decision to blame marked."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from bugsieve.commands.shared.bug_arguments import add_bug_arguments, find_bug, for_kind
from bugsieve.commands.shared.explain_pictures import (
    add_picture_options,
    check_picture_options,
    draw_cost,
    draw_safety,
    draw_trace,
)
from bugsieve.commands.shared.options import Options
from bugsieve.commands.shared.streams import complain, show
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
    check_picture_options(args)
    kinds = {"cost": _explain_cost, "safety": _explain_safety, "rules": _explain_rules}
    return for_kind(args.folder, kinds)(args)


def _explain_rules(args: argparse.Namespace) -> int:
    from bugsieve.rooms.rules.commands.rules_explain import shown_trace, test_json, test_text
    from bugsieve.rooms.rules.store.records import RulesRecords

    with RulesRecords(args.folder) as records:
        number = find_bug(records, args.bug).case
    show((test_json if args.json else test_text)(args.folder, number))
    if args.svg is not None:
        _tell(draw_trace(*shown_trace(args.folder, number), args))
    return 0


def _explain_safety(args: argparse.Namespace) -> int:
    from bugsieve.rooms.safety.campaign.explanation import (
        explanation_json,
        explanation_text,
        witnesses,
    )
    from bugsieve.rooms.safety.store.records import SafetyRecords

    with SafetyRecords(args.folder) as records:
        row: Any = find_bug(records, args.bug)
        (witness,) = witnesses(records, [row])
    found = witness.explained()
    show(explanation_json(found) if args.json else explanation_text(found))
    if args.svg is not None:
        _tell(draw_safety(found, args))
    return 0


def _explain_cost(args: argparse.Namespace) -> int:
    from bugsieve.commands.shared.cost_explain import explanation_of
    from bugsieve.explanation.blame.explanation import explanation_json, explanation_text

    found = explanation_of(args.folder, args.bug, args.expansions)
    show(explanation_json(found) if args.json else explanation_text(found))
    if args.svg is not None:
        _tell(draw_cost(found, args))
    return 0


def _tell(lines: list[str]) -> None:
    """On standard error: what is printed may be for a program."""
    for line in lines:
        complain(line)
