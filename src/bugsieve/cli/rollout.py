"""`bugsieve rollout`: run a policy on a task and print what it does, step by step."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bugsieve.basis.errors import InputError, UsageError

if TYPE_CHECKING:
    from bugsieve.policies.policy import BoundPolicy
    from bugsieve.policies.runs import Run
    from bugsieve.tasks.fdr.task import StateArray, Task

DESCRIPTION = "Run a policy from the initial state of a task, or from given states."

EPILOG = """\
policies: random, greedy:hff, hill-climbing:hadd, optimal, lazy, python:MODULE:FUNCTION,
'cmd:PROGRAM ARGUMENT…'. Any ending of a run is a result: the exit code is 0.

--states FILE holds JSON: a list of states, each a list of the facts true in it,
as in [["(on a b)", "(ontable b)", "(clear a)", "(handempty)"]].

--json prints one object: task, policy, seed, step_limit, tie_epsilon, runs and summary. Each of
the runs has state (its number from 0), ending ("solved", "loop", "no action", "illegal action",
"step limit", "policy crash" or "policy hang"), steps, cost, actions, detail (text or null) and
loop_start (the number of steps before the loop, or null). The summary counts runs by ending.
"""


def register(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "rollout",
        help="run a policy on a task and show what it does",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("task", nargs="+", type=Path, metavar="FILE", help="DOMAIN PROBLEM in PDDL, or one .sas")
    add("--policy", required=True, metavar="SPEC", help="the policy, as in greedy:hff")
    add("--states", type=Path, metavar="FILE", help="start from these states instead")
    add("--seed", type=int, default=0, metavar="N", help="seed of the policy (0)")
    add("--step-limit", type=int, default=10_000, metavar="N", help="longest run (10000)")
    add("--deadline", type=float, default=10.0, metavar="S", help="seconds per batch (10)")
    add("--memory", type=int, default=2048, metavar="MB", help="memory of the policy (2048)")
    add("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the policy and print the runs."""
    _check(args)
    from bugsieve.policies.registry import make_policy
    from bugsieve.policies.worker import WorkerLimits
    from bugsieve.tasks.fdr.loading import load_task

    task = load_task(*args.task)
    states = task.initial_state[None] if args.states is None else _read_states(task, args.states)
    limits = WorkerLimits(deadline=args.deadline, memory_mb=args.memory)
    with make_policy(args.policy, task, seed=args.seed, limits=limits) as policy:
        runs = _run_with_status(task, policy, states, args.step_limit)
    report = (
        _as_json(task, policy, runs, args) if args.json else _as_text(task, policy, runs, args)
    )
    print(report)
    return 0


def _check(args: argparse.Namespace) -> None:
    if len(args.task) > 2:
        raise UsageError("give a domain and a problem file, or one .sas file, not more")
    for name in ("step_limit", "deadline", "memory"):
        if not getattr(args, name) > 0:
            raise UsageError(f"--{name.replace('_', '-')} must be greater than 0")


def _read_states(task: Task, path: Path) -> StateArray:
    import numpy as np

    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot read the states file {path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"the states file {path} is no JSON: {error}") from None
    entries = content.get("states") if isinstance(content, dict) else content
    if not isinstance(entries, list) or not entries:
        raise InputError(f"the states file {path} must hold a list of states, at least one")
    return np.stack([_read_state(task, path, i, entry) for i, entry in enumerate(entries)])


def _read_state(task: Task, path: Path, index: int, facts: Any) -> StateArray:
    place = f"{path}, state {index} (counted from 0)"
    if not isinstance(facts, list) or not all(isinstance(fact, str) for fact in facts):
        raise InputError(f"{place}: a state is a list of facts such as '(on a b)'")
    try:
        return task.state(facts)
    except InputError as error:
        raise InputError(f"{place}: {error}") from None


def _run_with_status(
    task: Task, policy: BoundPolicy, states: StateArray, step_limit: int
) -> list[Run]:
    from bugsieve.cli.status import StatusLine
    from bugsieve.policies.runs import run_policy

    with StatusLine(f"{policy.spec} from {_count(len(states), 'state')}") as status:
        return run_policy(
            task,
            policy,
            states,
            step_limit=step_limit,
            progress=lambda steps, decisions: status.update(
                f"step {steps}, {_count(decisions, 'decision')}"
            ),
        )


def _as_json(task: Task, policy: BoundPolicy, runs: list[Run], args: argparse.Namespace) -> str:
    entries = [
        {
            "state": number,
            "ending": run.ending.label,
            "steps": len(run.actions),
            "cost": run.cost,
            "actions": [task.operator_names[action] for action in run.actions],
            "detail": run.detail or None,
            "loop_start": run.loop_start,
        }
        for number, run in enumerate(runs)
    ]
    report = {
        "task": task.name,
        "policy": policy.spec,
        "seed": args.seed,
        "step_limit": args.step_limit,
        "tie_epsilon": policy.tie_epsilon,
        "runs": entries,
        "summary": _tally(runs),
    }
    return json.dumps(report, indent=2)


def _as_text(task: Task, policy: BoundPolicy, runs: list[Run], args: argparse.Namespace) -> str:
    parts = [f"task {task.name}, policy {policy.spec}, seed {args.seed}"]
    for number, run in enumerate(runs):
        heading = [f"state {number}"] if args.states is not None else []
        parts.append("\n".join([*heading, *_steps(task, run), _ending(run)]))
    if len(runs) > 1:
        counts = ", ".join(f"{count} {label}" for label, count in _tally(runs).items())
        parts.append(f"{len(runs)} runs: {counts}{_mean_cost(runs)}")
    return "\n\n".join(parts)


def _steps(task: Task, run: Run) -> list[str]:
    """The numbered actions with their costs, in columns."""
    names = [task.operator_names[action] for action in run.actions]
    costs = task.operator_costs[list(run.actions)].tolist()
    digits = len(str(len(names)))
    width = max(map(len, names), default=0)
    return [
        f"{number:>{digits + 2}}. {name:{width}}  cost {cost}"
        for number, (name, cost) in enumerate(zip(names, costs, strict=True), 1)
    ]


def _ending(run: Run) -> str:
    from bugsieve.policies.decisions import Ending

    steps = f"{_count(len(run.actions), 'step')}, cost {run.cost}"
    if run.ending is Ending.SOLVED:
        return f"solved in {steps}"
    if run.ending is Ending.LOOP and run.loop_start is not None:
        first, last = run.loop_start + 1, len(run.actions)
        repeating = f"step {last} repeats" if first == last else f"steps {first} to {last} repeat"
        return f"loops: {repeating}"
    detail = f": {run.detail}" if run.detail else ""
    return f"{run.ending.label} after {steps}{detail}"


def _tally(runs: list[Run]) -> dict[str, int]:
    """Number of runs by ending, those that occur, in the order of `Ending`."""
    from bugsieve.policies.decisions import Ending

    counts = {end.label: sum(run.ending is end for run in runs) for end in Ending}
    return {label: count for label, count in counts.items() if count}


def _mean_cost(runs: list[Run]) -> str:
    costs = [run.cost for run in runs if run.solved]
    return f"; mean cost of the solved {sum(costs) / len(costs):.2f}" if costs else ""


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
