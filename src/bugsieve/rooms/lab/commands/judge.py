"""`bugsieve judge`: judge given states without fuzzing."""

from __future__ import annotations

import argparse
import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bugsieve.base.wording import counted
from bugsieve.campaigns.options import JUDGING, CostOptions, usual_oracles
from bugsieve.commands.shared import task_arguments
from bugsieve.commands.shared.campaign_report import complain_of, jsonable, nothing_tested
from bugsieve.commands.shared.option_fields import add_options, part_from
from bugsieve.commands.shared.status_line import StatusLine
from bugsieve.commands.shared.streams import complain, show

if TYPE_CHECKING:
    from bugsieve.commands.shared.parser import Parser
    from bugsieve.pipeline.bench import Bench
    from bugsieve.pipeline.bugs.verdict import Verdict
    from bugsieve.pipeline.judging.findings import DeterminismCheck, Finding
    from bugsieve.tasks.grounded.task import Task

_BATCH = 256

EPILOG = """\
The exit code is 1 if a state is or must be a bug, 6 if none is but a run failed and no oracle
decided whether it had to, or the policy gave two answers in one state of it, 5 if no run of the
policy said anything, 0 otherwise. Runs that reach the step limit, hang, run out of memory or
belong to a policy that never starts say nothing.

--json prints one object: task, policy, objective, states, and determinism: what came of asking
the policy again where no state is a bug, or null. Each of the states has its number, the policy's
ending, detail (why it gave no usable action, or null), cost and value (null: infinite or unknown),
the verdict of each oracle, bug: the certificate, or null, and unstable: where the policy gave two
answers, with both of them.
"""


def register(parser: Parser) -> None:
    """Describe the command."""
    from bugsieve.tasks.grounded.states_file import FORMAT

    parser.runs(
        run,
        "Judge given states: is each a bug of the policy?",
        epilog=f"{task_arguments.POLICIES}\n\n--states FILE holds {FORMAT}\n\n{EPILOG}",
    )
    task_arguments.add_task_arguments(parser, required=False)
    parser.add_argument(
        "--states", type=Path, metavar="FILE", help="the states; the initial state if not given"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    task_arguments.add_policy_arguments(parser)
    add_options(parser, CostOptions, JUDGING, without=["escalate-to"])


def run(args: argparse.Namespace) -> int:
    """Judge the states and print the verdicts."""
    from bugsieve.pipeline.oracles.registry import check_oracle_spec
    from bugsieve.tasks.grounded.states_file import read_states_file

    task_arguments.require_task(args)
    task_arguments.check_policy(args)
    specs = args.oracle or list(usual_oracles(args.objective))
    for spec in specs:
        check_oracle_spec(spec)
    given = None if args.states is None else read_states_file(args.states)
    task = task_arguments.load(args)
    states = task.initial_state[None] if given is None else given.states(task)
    judgements, check = _judge(args, task, states, specs)
    if args.json:
        show(_as_json(args, task, judgements, check))
    else:
        show(_as_text(args, judgements, check))
    return _exit_code(judgements, check)


def _exit_code(judgements: list[Finding], check: DeterminismCheck | None) -> int:
    """As for a campaign."""
    from bugsieve.campaigns.policy_failures import silence, troubles_of
    from bugsieve.campaigns.verdict import BUGS_FOUND, LEFT_OPEN, NOTHING_TESTED, OUR_FAULT
    from bugsieve.pipeline.bugs.verdict import Outcome

    if any(judgement.rejected for judgement in judgements):
        complain("the checker rejects some claims: a fault in Bugsieve")
        return OUR_FAULT
    steady = [judgement for judgement in judgements if not judgement.unstable]
    outcomes = [row.verdict.outcome for judgement in steady for row in judgement.verdicts]
    if Outcome.BUG in outcomes or Outcome.IMPLIED in outcomes:
        return BUGS_FOUND
    if len(steady) < len(judgements) or (check is not None and check.differing):
        return LEFT_OPEN
    if any(not math.isnan(judgement.run.value) for judgement in judgements):
        return LEFT_OPEN if _undecided(judgements) else 0
    reason = silence(len(judgements), troubles_of(judgement.run for judgement in judgements))
    if reason is not None:
        complain(nothing_tested(reason))
    return NOTHING_TESTED


def _undecided(judgements: list[Finding]) -> int:
    """How many runs failed, and no oracle knows whether they had to."""
    from bugsieve.pipeline.bugs.verdict import Outcome
    from bugsieve.policies.decisions import Ending

    failed = [judgement for judgement in judgements if judgement.run.ending != Ending.SOLVED]
    return sum(
        all(row.verdict.outcome is Outcome.INCONCLUSIVE for row in judgement.verdicts)
        for judgement in failed
    )


def _judge(
    args: argparse.Namespace, task: Task, states: Any, specs: list[str]
) -> tuple[list[Finding], DeterminismCheck | None]:
    from bugsieve.pipeline.bench import Bench
    from bugsieve.pipeline.judging.cases import Parcel
    from bugsieve.pipeline.judging.examiner import Examiner
    from bugsieve.pipeline.objectives import make_objective
    from bugsieve.pipeline.oracles.registry import make_oracle

    objective = make_objective(args.objective, task)
    complain_of(objective.warnings)
    judgements: list[Finding] = []
    with task_arguments.make(args, task) as policy:
        bench = Bench(task, policy, objective, step_limit=args.step_limit)
        limits = part_from(args, CostOptions, "limits")
        oracles = [make_oracle(spec, bench, limits=limits) for spec in specs]
        with (
            Examiner(bench, oracles) as examiner,
            StatusLine(f"judging {counted(len(states), 'state')}") as status,
        ):
            for start in range(0, len(states), _BATCH):
                judgements += examiner.examine(Parcel.given(states[start : start + _BATCH], start))
                status.update(f"{len(judgements)} done")
        return judgements, _asked_again(bench, states, judgements)


def _asked_again(bench: Bench, states: Any, judgements: list[Finding]) -> DeterminismCheck | None:
    """Ask again where no state is a bug, as at the end of a campaign."""
    from bugsieve.pipeline.judging.determinism import CostDeterminism, JudgedRuns

    again = CostDeterminism(bench)
    if again.is_exempt or any(judgement.bugs for judgement in judgements):
        return None
    runs = [judgement.run for judgement in judgements]
    ends = [(run.ending, run.steps, run.cost) for run in runs]
    judged = JudgedRuns(range(len(runs)), states, ends)
    return again.check(judged, calls=bench.decisions_taken, everywhere=False)


def _as_text(
    args: argparse.Namespace, judgements: list[Finding], check: DeterminismCheck | None
) -> str:
    from bugsieve.campaigns.wording import calls_line, change_line
    from bugsieve.pipeline.objectives import objective_class
    from bugsieve.policies.decisions import Ending

    lines = []
    for judgement in judgements:
        run = judgement.run
        words = objective_class(args.objective).in_words(run.value)
        lines.append(
            f"state {judgement.visit.case}: {Ending(run.ending).label} after "
            f"{counted(run.steps, 'step')}, cost {run.cost}{words and f', {words}'}"
            f"{run.detail and f': {run.detail}'}"
        )
        for row in judgement.verdicts:
            verdict = row.verdict
            gap = f", {_gap(verdict)}" if verdict.is_bug else ""
            lines.append(f"  {row.oracle}: {verdict.outcome.value}{gap} ({verdict.reason})")
        for change in judgement.unstable:
            two = f"{change.first}, then {change.second}, at step {change.position + 1}"
            lines.append(f"  unstable, hence no bug: the policy's answers change ({two})")
    bugs = sum(len(judgement.bugs) for judgement in judgements)
    left = _undecided(judgements)
    open_runs = f", {counted(left, 'failing run')} undecided" if left else ""
    lines.append(f"{counted(len(judgements), 'state')}, {counted(bugs, 'bug')}{open_runs}")
    if check is not None:
        changes = [check.sentence, *map(change_line, check.rows[:1])]
        lines += [*(changes if check.differing else ()), calls_line(check.calls, check)]
    return "\n".join(lines)


def _gap(verdict: Verdict) -> str:
    if math.isinf(verdict.gap):
        return "gap infinite"
    return f"gap {verdict.gap:g}" if verdict.exact else f"gap at least {verdict.gap:g}"


def _as_json(
    args: argparse.Namespace,
    task: Task,
    judgements: list[Finding],
    check: DeterminismCheck | None,
) -> str:
    report = {
        "task": task.name,
        **({"costs": "unit"} if task.unit_cost else {}),
        "policy": args.policy,
        "objective": args.objective,
        "states": [_state_json(task, judgement) for judgement in judgements],
        "determinism": None if check is None else asdict(check),
    }
    return json.dumps(jsonable(report), indent=2, allow_nan=False)


def _state_json(task: Task, judgement: Finding) -> dict[str, Any]:
    from bugsieve.policies.decisions import Ending

    bug = next((row.bug for row in judgement.bugs if row.case == judgement.visit.case), None)
    return {
        "state": judgement.visit.case,
        "ending": Ending(judgement.run.ending).label,
        "detail": judgement.run.detail or None,
        "steps": judgement.run.steps,
        "cost": judgement.run.cost,
        "value": judgement.run.value,
        "verdicts": [
            {
                "oracle": row.oracle,
                "outcome": row.verdict.outcome.value,
                "reason": row.verdict.reason,
                "gap": row.verdict.gap,
                "exact": row.verdict.exact,
                "plan": None
                if row.verdict.plan is None
                else [task.operator_names[operator] for operator in row.verdict.plan],
            }
            for row in judgement.verdicts
        ],
        "bug": None if bug is None else bug.to_json(),
        "unstable": [asdict(row) for row in judgement.unstable],
    }
