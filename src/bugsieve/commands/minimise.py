"""`bugsieve minimise`: the smallest example of a bug, as a folder of its own."""

from __future__ import annotations

import argparse
import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bugsieve.base.wording import counted
from bugsieve.commands.shared.bug_arguments import add_bug_arguments, for_kind
from bugsieve.commands.shared.campaign_arguments import judging_words
from bugsieve.commands.shared.options import Options
from bugsieve.commands.shared.status_line import StatusLine
from bugsieve.commands.shared.streams import show
from bugsieve.pipeline.bugs.checking import checking_module

if TYPE_CHECKING:
    from bugsieve.campaigns.store.progress import CampaignHeader
    from bugsieve.commands.shared.parser import Parser
    from bugsieve.explanation.examples.smallest import SmallestExample
    from bugsieve.pipeline.bugs.bug import Bug

_CANDIDATES = 200

EPILOG = """\
The bug begins where the decision to blame is the first one, and the way there becomes as short as
searches can make it. Then a new problem begins in that state, and objects are left out one after
the other, in the order of their names, with all facts and goals that mention them; never a
constant of the domain, nor the last goal. If of some facts exactly one is always true (a package
is somewhere, a hand is empty or holds something), one must be true still: who would be left
without goes as well. For each such problem the policy is made anew, and must show the same cause.

OUT then holds domain.pddl, problem.pddl, output.sas and bug.json, which
'python -I -m bugsieve.checkers.cost OUT/output.sas OUT/bug.json' accepts; the campaign stays as it
is. Of a task from a SAS file, and of a policy that is bound to its task (a Python object, a policy
server), all objects are kept: OUT has the task as it was, and the bug with its new start.

--json prints one object: id (of the bug), example (id of the new one), folder, steps_later (the
start on the old run), way (actions from the initial state to there, or null), steps_further (of
the policy, made anew), unmoved (why it begins where the bug does, although the decision to blame
is a later one, or null), run and run_before, plan and plan_before (steps), objects and
objects_before, problems (tried), calls (of the policy), new (whether it is a problem of its own)
and kept (why objects were kept, or null if no more can be left out).
"""


def register(parser: Parser) -> None:
    """Describe the command."""
    parser.runs(
        run,
        "Make the smallest example of a bug: the shortest way to it, the culprit as the first "
        "decision, and the fewest objects that still show it.",
        epilog=EPILOG,
    )
    add_bug_arguments(parser, many=False)
    options = Options(parser)
    options.output("OUT", "folder to write to (DIR/smallest/BUG); an earlier example is replaced")
    options.number("--candidates", _CANDIDATES, "problems to try", least=0)
    options.trust()
    options.json()


def run(args: argparse.Namespace) -> int:
    """Minimise the bug, write the example and say how small it is."""
    return for_kind(args.folder, {"cost": _minimise})(args)


def _minimise(args: argparse.Namespace) -> int:
    from bugsieve.campaigns.cost.records import CostRecords
    from bugsieve.campaigns.cost.smallest import (
        check_free,
        example_folder,
        smallest_of,
        write_example,
    )
    from bugsieve.campaigns.named_bugs import find_bug
    from bugsieve.explanation.examples.shrinking import ShrinkingBudget

    with CostRecords(args.folder) as records:
        row: Any = find_bug(records, args.bug)
        header = records.header
    folder = args.output or example_folder(args.folder, row.bug)
    check_free(folder)
    with StatusLine(f"minimising {row.id}"):
        example = smallest_of(
            args.folder, header, row.bug, budget=ShrinkingBudget(args.candidates)
        )
    paths = write_example(example, folder)
    if args.json:
        show(json.dumps(_report(row.bug, example, folder), indent=2))
    else:
        show("\n".join(_lines(row.bug, example, header, folder, paths)))
    return 0


def _lines(
    bug: Bug, example: SmallestExample, header: CampaignHeader, folder: Path, paths: list[Path]
) -> Iterator[str]:
    found = example.bug
    yield f"bug {bug.id} of {header.policy} on {header.subject.title}: {bug.in_words}"
    yield f"smallest example: {found.in_words}"
    yield f"  steps of the policy: {found.steps} of {bug.steps}"
    known = None if bug.found_by is None or bug.found_by.path is None else bug.found_by.path
    if example.way is not None:
        before = "" if known is None else f" of {len(known) + example.steps_later}"
        yield f"  steps to it from the initial state: {len(example.way)}{before}"
        yield from ((f"    {' '.join(example.way)}",) if example.way else ())
    if example.steps_further:
        yield f"  and {counted(example.steps_further, 'step')} of the policy further"
    if example.unmoved is not None:
        yield f"  it begins where the bug does: {example.unmoved}"
    if example.objects_before:
        yield f"  objects: {example.objects} of {example.objects_before}"
    tried, calls = counted(example.candidates, "problem"), counted(example.calls, "question")
    yield f"  {tried} tried, {calls} to the policy"
    if example.kept is not None:
        yield f"  objects are kept that may not be needed: {example.kept}"
    yield ""
    yield from (f"wrote {path}" for path in paths)
    sas, file = (shlex.quote(str(path)) for path in paths[-2:])
    yield f"check it:    python -I -m {checking_module(header.objective)} {sas} {file}"
    if example.is_new_problem and not header.objective.startswith("rules:"):
        judging = judging_words(header.policy, header.objective, unit_cost=example.task.unit_cost)
        yield f"ask again:   {shlex.join(['bugsieve', 'judge', str(folder), *judging])}"


def _report(bug: Bug, example: SmallestExample, folder: Path) -> dict[str, Any]:
    old, new = bug.certificate, example.bug.certificate
    return {
        "id": bug.id,
        "example": example.bug.id,
        "folder": str(folder),
        "steps_later": example.steps_later,
        "way": None if example.way is None else list(example.way),
        "steps_further": example.steps_further,
        "unmoved": example.unmoved,
        "run": example.bug.steps,
        "run_before": bug.steps,
        "plan": len(new["plan"]["operators"]),
        "plan_before": len(old["plan"]["operators"]),
        "objects": example.objects,
        "objects_before": example.objects_before,
        "problems": example.candidates,
        "calls": example.calls,
        "new": example.is_new_problem,
        "kept": example.kept,
    }
