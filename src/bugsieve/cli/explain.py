"""`bugsieve explain`: the policy's run and a better one, the decision to blame marked."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import zip_longest
from math import inf
from pathlib import Path
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
    from bugsieve.faults.regret import Suspect
    from bugsieve.judging.findings import CostBugRow
    from bugsieve.results.cost.records import CostRecords
    from bugsieve.tasks.fdr.task import Task


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
those that an earlier call with as many --expansions has kept in the folder). Where no single
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
    options.number("--expansions", 20_000, searches)
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
    from bugsieve.campaigns.cost.bench import judged_bench
    from bugsieve.checkers.cost import check
    from bugsieve.results.cost.records import CostRecords
    from bugsieve.results.proofs import proof_of

    with CostRecords(args.folder) as records:
        row: Any = find_bug(records, args.bug)
        header, trace = records.header, records.trace(row.case)
        note = _note(records, row.id)
    bench = judged_bench(args.folder, header)
    with doing(f"checking the certificate of {row.id}"), proof_of(row.id, args.folder):
        check(bench.task.to_sas(), row.bug.certificate)
    found = _explained(args, bench, row, note)
    if args.json:
        show(_as_json(bench, row, found, trace))
    else:
        about = f"bug {row.id} ({row.bug.kind}) of {header.policy} on {bench.task.title}"
        show(_as_text(about, bench, row, found, trace))
    return 0


@dataclass(frozen=True)
class _Explanation:
    """The blame, whether it was kept with the bug, and a decision that is bad by itself."""

    blame: Blame
    kept: bool
    proven: str | None


def _note(records: CostRecords, bug: str) -> Any:
    """What was kept of the blame, if anything that can be read."""
    from bugsieve.basis.errors import BugsieveError
    from bugsieve.faults.keeping import NAME

    try:
        return records.notes(bug).get(NAME)
    except BugsieveError:
        return None


def _explained(args: argparse.Namespace, bench: Bench, row: CostBugRow, note: Any) -> _Explanation:
    """The blame as it was kept with the bug, or found anew and kept."""
    import numpy as np

    from bugsieve.faults.bad_decision import bad_by_itself
    from bugsieve.faults.blame import blame
    from bugsieve.faults.keeping import blame_of_note, note_of
    from bugsieve.search import Limits

    limits, certificate = Limits(args.expansions, None, 1 << 30), row.bug.certificate
    known = blame_of_note(note, bench, certificate, limits)
    found = known
    if found is None:
        with doing(f"looking for the decision to blame for {row.id}"):
            found = blame(bench, certificate, limits=limits)
        _keep(args.folder, row.id, note_of(found, certificate, limits))
    with doing("looking for a decision that is bad by itself"):
        state = np.array(certificate["state"], dtype=np.uint16)
        proven = bad_by_itself(bench, state, found)
    return _Explanation(found, known is not None, proven)


def _keep(folder: Path, bug: str, note: Any) -> None:
    """Keep a note with the bug, where the folder can be written and nobody is writing to it."""
    from bugsieve.basis.errors import BugsieveError
    from bugsieve.faults.keeping import NAME
    from bugsieve.results.cost.store import CostStore

    with suppress(BugsieveError, OSError), CostStore.open(folder, patience=0.0) as store:
        store.note(bug, NAME, note)


def _as_text(
    about: str, bench: Bench, row: CostBugRow, explained: _Explanation, trace: str
) -> str:
    certificate, task, found = row.bug.certificate, bench.task, explained.blame
    run = certificate["run"]
    facts = sorted(task.facts(found.state) - task.static_facts)
    ours = [*_actions(task, found.run), f"[{run['ending']}]"]
    theirs = [*_actions(task, found.better_run), "[goal]"]
    return "\n".join(
        [
            about,
            f"the policy: {row.bug.in_words}",
            *_other_cost(row, found),
            *(["one of its runs:"] if "chances" in run else []),
            *bench.objective.explained(certificate),
            *([f"{run['ending']}: {run['detail']}"] if run["detail"] else []),
            "",
            *_side_by_side(ours, theirs, found.index),
            "",
            *_verdict(found),
            *(["(kept from an earlier call: other --expansions search anew)"] * explained.kept),
            *([explained.proven] if explained.proven else []),
            "the state there: " + " ".join(facts),
            *_differences(task, found),
            _goal_line(task, row),
            *(["", *map(printable, trace.splitlines())] if trace else []),
        ]
    )


def _other_cost(row: CostBugRow, found: Blame) -> list[str]:
    """Why the better run costs something else than the plan that proves the bug."""
    cost, known = found.plan_cost, row.bug.certificate["plan"]["cost"]
    if cost < known:
        return [f"the better run below costs {cost}: a cheaper plan has been found since"]
    if cost > known:
        way = f"the policy's way up to step {found.index + 1}"
        return [f"the better run below costs {cost}: it goes {way}, and a best way from there"]
    return []


def _verdict(found: Blame) -> list[str]:
    """Who is to blame, how sure that is, and who else may be."""
    if not found.is_one_decision:
        return [f"{found.sentence} (from step {found.index + 1} on)"]
    lines = [f"step {found.index + 1} is to blame ({found.sure}): {found.sentence}"]
    if found.sure == "bound":
        lines.append("more --expansions would make this surer")
    if len(found.named) > 1 or found.sure == "bound":
        lines += ["largest regrets: " + ", ".join(map(_regret, found.suspects))]
    return lines if found.suspects else lines[:2]


def _regret(suspect: Suspect) -> str:
    loss = "no way to the goal known after it" if suspect.regret == inf else suspect.regret
    more = loss if isinstance(loss, str) else f"{loss:g} more"
    return f"step {suspect.index + 1} ({more})"


def _differences(task: Task, found: Blame) -> list[str]:
    """The facts that hold after the policy's action and not after the better one, and so on."""
    ours, theirs = (_facts_after(task, found, action) for action in (found.action, found.better))
    parts = (("the policy's action", ours - theirs), ("the better one", theirs - ours))
    return [f"only after {who}: {' '.join(sorted(facts))}" for who, facts in parts if facts]


def _facts_after(task: Task, found: Blame, action: int | None) -> frozenset[str]:
    state = found.state[None]
    if action is not None and task.is_applicable(state, [action])[0]:
        state = task.successors(state, [action])
    return task.facts(state[0])


def _open_goals(task: Task, row: CostBugRow) -> list[str]:
    """The goals that do not hold at the end of the policy's run."""
    import numpy as np

    from bugsieve.benches.objectives.objective import path_states

    certificate = row.bug.certificate
    start = np.array(certificate["state"], dtype=np.uint16)
    end = path_states(task, start, tuple(certificate["run"]["operators"]))[-1]
    pairs = zip(task.goal, task.goal_facts, strict=True)
    return [fact for (variable, value), fact in pairs if end[variable] != value]


def _goal_line(task: Task, row: CostBugRow) -> str:
    goals, left = task.goal_facts, _open_goals(task, row)
    if not left:
        return f"the goal, reached at the end of the policy's run: {' '.join(goals)}"
    done = [fact for fact in goals if fact not in left]
    line = f"the goal, open at the end of the policy's run: {' '.join(left)}"
    return line + (f"; reached: {' '.join(done)}" if done else "")


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


def _as_json(bench: Bench, row: CostBugRow, explained: _Explanation, trace: str) -> str:
    task, found = bench.task, explained.blame
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
        "known_cost": row.bug.certificate["plan"]["cost"],
        "regrets": [
            {"step": one.index, "regret": None if one.regret == inf else one.regret}
            for one in found.suspects
        ],
        "goal": list(task.goal_facts),
        "open_goals": _open_goals(task, row),
        "dominance": explained.proven,
        "kept": explained.kept,
    }
    if "chances" in row.bug.certificate["run"]:
        report["probability"] = row.bug.certificate["policy_value"]
    if "rules" in row.bug.certificate["run"]:
        report["rules"] = row.bug.certificate["run"]["rules"]
    return json.dumps(report, indent=2)
