"""`bugsieve explain`: the policy's run and a better one, the decision to blame marked."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from bugsieve.basis.activity import doing
from bugsieve.basis.wording import printable
from bugsieve.cli.bug_arguments import add_bug_arguments, find_bug, for_kind
from bugsieve.cli.options import Options
from bugsieve.cli.streams import show

if TYPE_CHECKING:
    from bugsieve.benches.bench import Bench
    from bugsieve.cli.parser import Parser
    from bugsieve.faults.blame import Blame
    from bugsieve.judging.findings import CostBugRow
    from bugsieve.tasks.fdr.task import Task


EPILOG = """\
--json prints one object, in which steps count from 0. For cost testing: id, kind, step (of the
decision to blame), sure (exact; bound: searches ran into their limits; or none: zero-cost loop),
sentence, facts (of the state there), action (what the policy did there, null if nothing usable),
better_action, run and better_run (actions), ending and detail (how the run ended, and why or
null), trace (traceback and last words of a crash, or null), cost, possible_cost, and dominance (a
decision that a dominance function proves bad whatever comes after it, in words, or null). Where
no single decision is to blame, step, facts, action and better_action are null. Of a policy that
was tested by its distributions, probability is a bound on that of reaching the goal, and the run
is one of those that fail. Of one that was tested against rules, rules names those it violates.

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
    searches = "states each search may expand, in cost testing; more make the answer surer"
    options.number("--expansions", 1_000, searches)
    options.json()


def run(args: argparse.Namespace) -> int:
    """Find the decision to blame and show it."""
    kinds = {"cost": _explain_cost, "safety": _explain_safety, "rules": _explain_rules}
    return for_kind(args.folder, kinds)(args)


def _explain_rules(args: argparse.Namespace) -> int:
    from bugsieve.cli.rules_explain import test_json, test_text
    from bugsieve.results.rules.records import RulesRecords

    with RulesRecords(args.folder) as records:
        number = find_bug(records, args.bug).case
    show((test_json if args.json else test_text)(args.folder, number))
    return 0


def _explain_safety(args: argparse.Namespace) -> int:
    from bugsieve.cli.safety_explain import explanation_json, explanation_of, explanation_text

    found = explanation_of(args.folder, args.bug)
    show(explanation_json(found) if args.json else explanation_text(found))
    return 0


def _explain_cost(args: argparse.Namespace) -> int:
    import numpy as np

    from bugsieve.campaigns.cost.bench import judged_bench
    from bugsieve.checkers.cost import check
    from bugsieve.faults.bad_decision import bad_by_itself
    from bugsieve.faults.blame import blame
    from bugsieve.results.cost.records import CostRecords
    from bugsieve.results.proofs import proof_of
    from bugsieve.search import Limits

    limits = Limits(args.expansions, None, 1 << 30)
    with CostRecords(args.folder) as records:
        row: Any = find_bug(records, args.bug)
        header, trace = records.header, records.trace(row.case)
    bench = judged_bench(args.folder, header)
    with proof_of(row.id, args.folder):
        check(bench.task.to_sas(), row.bug.certificate)
    with doing(f"looking for the decision to blame for {row.id}"):
        found = blame(bench, row.bug.certificate, limits=limits)
        state = np.array(row.bug.certificate["state"], dtype=np.uint16)
        proven = bad_by_itself(bench, state, found)
    if args.json:
        show(_as_json(bench, row, found, trace, proven))
    else:
        about = f"bug {row.id} ({row.bug.kind}) of {header.policy} on {bench.task.title}"
        show(_as_text(about, bench, row, found, trace, proven))
    return 0


def _as_text(
    about: str, bench: Bench, row: CostBugRow, found: Blame, trace: str, proven: str | None
) -> str:
    certificate, task = row.bug.certificate, bench.task
    run = certificate["run"]
    facts = sorted(task.facts(found.state) - task.static_facts)
    ours = [*_actions(task, found.run), f"[{run['ending']}]"]
    theirs = [*_actions(task, found.better_run), "[goal]"]
    return "\n".join(
        [
            about,
            f"the policy: {run['ending']}, cost {run['cost']}; possible: {found.plan_cost}",
            *([f"it {row.bug.in_words}; one of its runs:"] if "chances" in run else []),
            *bench.objective.explained(certificate),
            *([f"{run['ending']}: {run['detail']}"] if run["detail"] else []),
            "",
            *_side_by_side(ours, theirs, found.index),
            "",
            f"step {found.index + 1} is to blame ({found.sure}): {found.sentence}"
            if found.is_one_decision
            else f"{found.sentence} (from step {found.index + 1} on)",
            *(["more --expansions would make this surer"] if found.sure == "bound" else []),
            *([proven] if proven else []),
            "the state there: " + " ".join(facts),
            *(["", *map(printable, trace.splitlines())] if trace else []),
        ]
    )


def _side_by_side(ours: Sequence[str], theirs: Sequence[str], marked: int) -> list[str]:
    """Two columns of numbered steps; the marked one has an arrow."""
    width = max(len("the policy"), *map(len, ours))
    digits = len(str(max(len(ours), len(theirs))))
    lines = [f"{'':{digits + 5}}{'the policy':{width}}   a better run"]
    for number, (left, right) in enumerate(zip_longest(ours, theirs, fillvalue="")):
        arrow = "->" if number == marked else "  "
        same = "=" if left == right and number < marked else " "
        lines.append(f"{arrow} {number + 1:>{digits}}. {left:{width}} {same} {right}".rstrip())
    return lines


def _actions(task: Task, operators: Sequence[int]) -> list[str]:
    return [task.operator_names[operator] for operator in operators]


def _as_json(bench: Bench, row: CostBugRow, found: Blame, trace: str, proven: str | None) -> str:
    task = bench.task
    is_one = found.is_one_decision
    action = found.action if is_one else None
    report: dict[str, Any] = {
        "id": row.id,
        "kind": row.bug.kind,
        "step": found.index if is_one else None,
        "sure": found.sure,
        "sentence": found.sentence,
        "facts": sorted(task.facts(found.state)) if is_one else None,
        "action": None if action is None else task.operator_names[action],
        "better_action": task.operator_names[found.better] if is_one else None,
        "run": _actions(task, found.run),
        "better_run": _actions(task, found.better_run),
        "ending": row.bug.certificate["run"]["ending"],
        "detail": row.bug.certificate["run"]["detail"] or None,
        "trace": trace or None,
        "cost": row.bug.certificate["run"]["cost"],
        "possible_cost": found.plan_cost,
        "dominance": proven,
    }
    if "chances" in row.bug.certificate["run"]:
        report["probability"] = row.bug.certificate["policy_value"]
    if "rules" in row.bug.certificate["run"]:
        report["rules"] = row.bug.certificate["run"]["rules"]
    return json.dumps(report, indent=2)
