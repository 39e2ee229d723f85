"""What `bugsieve explain --svg` draws: the policy's run, and below it a better one."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bugsieve.base.errors import UsageError
from bugsieve.base.files_and_processes.files import write_atomically
from bugsieve.commands.shared.options import Options

if TYPE_CHECKING:
    from bugsieve.explanation.blame.explanation import Explanation
    from bugsieve.pictures.strips import Strip
    from bugsieve.rooms.rules.campaign.bound import Bound
    from bugsieve.rooms.safety.campaign.explanation import SafetyExplanation

_MOST_OUTCOMES = 3
"""Outcomes of the safe action that are drawn."""


def add_picture_options(options: Options) -> None:
    """The file to draw to, and how."""
    options.add(
        "--svg",
        type=Path,
        metavar="FILE",
        help="also draw the states around the decision to a file, the policy's run above and a "
        "better one below",
    )
    options.add(
        "--picture",
        metavar="SPEC",
        help="how states are drawn (the first that fits; see 'bugsieve list pictures'); "
        "python:FILE.py:FUNCTION runs that code",
    )


def check_picture_options(args: argparse.Namespace) -> None:
    """UsageError for what could not be drawn, before anything is searched for."""
    if args.picture is not None:
        from bugsieve.pictures.picture import PICTURES

        if args.svg is None:
            raise UsageError("--picture says how to draw: say where, too, with --svg FILE")
        PICTURES.check(args.picture)
    if args.svg is not None:
        if args.svg.suffix.lower() != ".svg":
            raise UsageError(f"--svg {args.svg}: the name of the file must end in .svg")
        if not args.svg.parent.is_dir():
            raise UsageError(f"--svg {args.svg}: there is no folder {args.svg.parent}")


def write_svg(path: Path, text: str, notes: Sequence[str] = ()) -> list[str]:
    """Write the picture; lines that say so, and what is odd about it."""
    from bugsieve.campaigns.store.schema import explained

    with explained(path.parent):
        write_atomically(path, text.encode())
    return [*(f"note: {note}" for note in notes if note), f"wrote {path}"]


def draw_cost(of: Explanation, args: argparse.Namespace) -> list[str]:
    """Draw a cost bug; lines that say so."""
    from bugsieve.explanation.blame.strips import bug_strips

    strips = bug_strips(of.task, of.certificate, of.blame, policy=of.policy, picture=args.picture)
    return _written(args.svg, strips, f"bug {of.bug.id} of {of.policy} on {of.task.title}")


def draw_safety(found: SafetyExplanation, args: argparse.Namespace) -> list[str]:
    """Draw a safety bug; lines that say so."""
    from bugsieve.pictures.strips import run_strip

    model, place = found.model, found.row.position
    outcomes = found.alternatives[:_MOST_OUTCOMES]
    run = [model.state(state) for state in found.states]
    start = model.state(found.row.bug.state)
    safe_runs = [[start, model.state(after)] for after in outcomes]
    ours = run_strip(
        f"the policy {found.policy}",
        model,
        run,
        [*found.choices, "[danger]"],
        focus=place,
        picture=args.picture,
        beside=safe_runs,
    )
    safe = found.actions[found.row.safe_action]
    theirs = [
        run_strip(
            f"what is safe there: {safe}, outcome {number} of {len(found.alternatives)}",
            model,
            states,
            [safe, "[danger can be avoided from here on]"],
            earlier=place,
            picture=args.picture,
            beside=[run, *safe_runs],
        )
        for number, states in enumerate(safe_runs, start=1)
    ]
    title = f"bug {found.row.id} of {found.policy} on {model.name}"
    return _written(args.svg, [ours, *theirs], title)


def draw_trace(
    bound: Bound, trace: Mapping[str, Any], title: str, args: argparse.Namespace
) -> list[str]:
    """Draw the trace of a test of rules; lines that say so."""
    from bugsieve.pictures.strips import run_strip, when
    from bugsieve.pipeline.objectives.objective import path_states
    from bugsieve.rooms.rules.campaign.bound import BoundTask

    if not isinstance(bound, BoundTask):
        return _chart(trace, title, args)
    task, steps = bound.task, trace["trace"]
    ending = "[end]"
    if trace["lasso"]:
        ending = f"[the same as {when(steps['loop_start'])}, and so on for ever]"
    states = path_states(task, task.initial_state, tuple(steps["operators"]))
    doings = [*steps["actions"], ending]
    end = len(states) - 1
    strip = run_strip(
        f"a trace against {trace['rule']}",
        *(task, states, doings),
        focus=end,
        is_marked=False,
        picture=args.picture,
    )
    return _written(args.svg, [strip], title)


def _chart(trace: Mapping[str, Any], title: str, args: argparse.Namespace) -> list[str]:
    """A plan on timelines has a picture of its own."""
    from bugsieve.rooms.timelines.plans.charts import chart_svg
    from bugsieve.rooms.timelines.plans.plan import Plan

    if args.picture is not None:
        raise UsageError("--picture is for states, and a plan on timelines has none")
    return write_svg(args.svg, chart_svg(Plan.from_json(trace["plan"]), title=title))


def _written(path: Path, strips: Sequence[Strip], title: str) -> list[str]:
    from bugsieve.pictures.strips import strips_svg

    notes = dict.fromkeys(strip.note for strip in strips)
    return write_svg(path, strips_svg(strips, title=title), list(notes))
