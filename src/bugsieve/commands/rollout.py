"""`bugsieve rollout`: run a policy on a task and print what it does, step by step."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from bugsieve.base.wording import counted, printable
from bugsieve.commands.shared import task_arguments
from bugsieve.commands.shared.options import Options
from bugsieve.commands.shared.status_line import StatusLine
from bugsieve.commands.shared.streams import complain, show
from bugsieve.tasks.grounded.states_file import FORMAT, read_states_file

if TYPE_CHECKING:
    from bugsieve.commands.shared.parser import Parser
    from bugsieve.policies.policy import BoundPolicy
    from bugsieve.policies.runs import Run
    from bugsieve.tasks.grounded.task import StateArray, Task

DESCRIPTION = "Run a policy from the initial state of a task, or from given states."

EPILOG = f"""\
{task_arguments.POLICIES}
Any ending of a run is a result: the exit code is 0.

--states FILE holds {FORMAT}

--json prints one object: task, policy, seed, step_limit, tie_epsilon, runs and summary. Each of
the runs has state (its number from 0), ending ("solved", "loop", "no action", "illegal action",
"step limit", "policy crash" or "policy hang"), steps, cost, actions, detail (text or null) and
loop_start (the number of steps before the loop, or null). The summary counts runs by ending.
Where the policy gave weights to several actions, likeliest is true: the likeliest one was taken.
"""


def register(parser: Parser) -> None:
    """Describe the command."""
    parser.runs(run, DESCRIPTION, epilog=EPILOG)
    task_arguments.add_task_arguments(parser, required=False)
    task_arguments.add_policy_arguments(parser)
    options = Options(parser)
    options.add("--states", type=Path, metavar="FILE", help="start from these states instead")
    options.number("--step-limit", 10_000, "decisions in a run")
    options.json()


def run(args: argparse.Namespace) -> int:
    """Run the policy and print the runs."""
    task_arguments.require_task(args)
    task_arguments.check_policy(args)
    given = None if args.states is None else read_states_file(args.states)
    task = task_arguments.load(args)
    states = task.initial_state[None] if given is None else given.states(task)
    with task_arguments.make(args, task) as policy, _printed_by(policy):
        runs = _run_with_status(task, policy, states, args.step_limit)
    report = (
        _as_json(task, policy, runs, args) if args.json else _as_text(task, policy, runs, args)
    )
    show(report)
    return 0


@contextmanager
def _printed_by(policy: BoundPolicy) -> Iterator[None]:
    """Show what the policy prints, line by line, on standard error."""
    from bugsieve.policies.foreign.conversation import ForeignMember

    rest = bytearray()

    def echo(data: bytes) -> None:
        nonlocal rest
        *lines, rest = (rest + data).split(b"\n")
        for line in lines:
            complain(f"policy: {printable(line.decode(errors='replace'))}")

    if isinstance(policy, ForeignMember):
        policy.listen(echo)
    yield
    if rest:
        echo(b"\n")


def _run_with_status(
    task: Task, policy: BoundPolicy, states: StateArray, step_limit: int
) -> list[Run]:
    from bugsieve.policies.runs import run_policy

    with StatusLine(f"{policy.spec} from {counted(len(states), 'state')}") as status:
        return run_policy(
            task,
            policy,
            states,
            step_limit=step_limit,
            progress=lambda steps, decisions: status.update(
                f"step {steps}, {counted(decisions, 'decision')}"
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
        **({"costs": "unit"} if task.unit_cost else {}),
        "policy": policy.spec,
        "seed": _seed(policy, args),
        "step_limit": args.step_limit,
        "tie_epsilon": policy.tie_epsilon,
        **({"likeliest": True} if _is_likeliest(policy) else {}),
        "runs": entries,
        "summary": _tally(runs),
    }
    return json.dumps(report, indent=2)


def _as_text(task: Task, policy: BoundPolicy, runs: list[Run], args: argparse.Namespace) -> str:
    parts = [f"task {task.title}, policy {policy.spec}, seed {_seed(policy, args)}"]
    for number, run in enumerate(runs):
        heading = [f"state {number}"] if args.states is not None else []
        trace = [f"  {printable(line)}" for line in run.trace.splitlines()]
        parts.append("\n".join([*heading, *_steps(task, run), _ending(run), *trace]))
    if _is_likeliest(policy):
        parts.append(
            "the policy gives weights, and this is what its likeliest actions do: how likely it "
            "reaches the goal, 'bugsieve judge --objective probability' tells"
        )
    if len(runs) > 1:
        counts = ", ".join(f"{count} {label}" for label, count in _tally(runs).items())
        parts.append(f"{len(runs)} runs: {counts}{_mean_cost(runs)}")
    return "\n\n".join(parts)


def _is_likeliest(policy: BoundPolicy) -> bool:
    """Whether the policy gave weights, of which the greatest decided."""
    return bool(getattr(policy, "gives_weights", False))


def _seed(policy: BoundPolicy, args: argparse.Namespace) -> int:
    """The seed in force: `random:7` brings its own."""
    return int(getattr(policy, "seed", args.seed))


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

    steps = f"{counted(len(run.actions), 'step')}, cost {run.cost}"
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
