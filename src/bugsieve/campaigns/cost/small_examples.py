"""The smallest example of each cause, made when a session ends, within a small budget.

Nobody asked for them, so they are few: of the causes that summaries list. Each is stored when it
is found, and what a session leaves out the next one makes.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from math import inf
from pathlib import Path

from bugsieve.base.current_activity import doing
from bugsieve.base.errors import InputError, PolicyError, UsageError
from bugsieve.base.stopping import Stopped, StopToken
from bugsieve.campaigns.causes import MOST_CAUSES, listed_examples
from bugsieve.campaigns.cost.bench import judged_bench
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.cost.smallest import example_folder, remake_of, write_example
from bugsieve.campaigns.cost.summary import summarise
from bugsieve.campaigns.options import CostOptions
from bugsieve.campaigns.several.several import JointSummary, joint_causes, place_of
from bugsieve.campaigns.store.checked_certificates import proof_of
from bugsieve.campaigns.store.progress import CampaignHeader
from bugsieve.checkers.cost import CertificateError
from bugsieve.explanation.examples.shrinking import ShrinkingBudget
from bugsieve.explanation.examples.smallest import SmallestExample, smallest_example
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.bug import Bug
from bugsieve.pipeline.bugs.checking import checker_of
from bugsieve.tasks.search import Limits

_FEW = ShrinkingBudget(calls=2_000, way=Limits(expansions=2_000, bytes=1 << 28))
"""For examples that nobody asked for, beside the number of candidates."""


def small_examples(
    directory: Path,
    header: CampaignHeader,
    bench: Bench,
    bugs: Iterable[Bug],
    *,
    candidates: int,
) -> dict[str, SmallestExample]:
    """The smallest examples of these bugs by their ids, each written when it is found.

    So many problems are tried for each. Bugs whose example is there already are left out.
    """
    made: dict[str, SmallestExample] = {}
    missing = [bug for bug in bugs if not example_folder(directory, bug).exists()]
    if not missing:
        return made
    remake, checker = remake_of(directory, header), checker_of(header.subject.sas)
    budget = replace(_FEW, candidates=candidates)
    for bug in missing:
        with doing(f"making the smallest example of {bug.id}"):
            with proof_of(bug.id, directory, CertificateError):
                checker.check_bug(bug.to_json())
            made[bug.id] = smallest_example(bench, bug, remake, budget=budget)
            write_example(made[bug.id], example_folder(directory, bug))
    return made


def examples_of_causes(records: CostRecords) -> list[Bug]:
    """One bug of each cause that summaries list; none where a mistake outdoes all bugs."""
    if summarise(records).mistake is not None:
        return []
    listed = listed_examples(records.causes(), MOST_CAUSES)
    return [row.bug for row in records.named(listed)]


def examples_made(
    directory: Path, header: CampaignHeader, bench: Bench, bugs: Iterable[Bug], *, candidates: int
) -> tuple[str, ...]:
    """Make what `small_examples` makes; notes for people, where something was in the way."""
    try:
        made = small_examples(directory, header, bench, bugs, candidates=candidates)
    except (InputError, UsageError, PolicyError) as error:
        return (f"the smallest examples: not all were made ({error})",)
    kept = next((one.kept for one in made.values() if one.kept and not one.candidates), None)
    return () if kept is None else (f"the smallest examples: all objects are kept, {kept}",)


def joint_examples(
    directory: Path, options: CostOptions, summary: JointSummary
) -> tuple[str, ...]:
    """The same for campaigns on several problems, of their causes together.

    They get the time that is left of a limit for all.
    """
    most, limit = options.examples, options.stop.max_time
    left = inf if limit is None else limit - summary.seconds
    if not most or left <= 0:
        return ()
    notes: dict[str, None] = {}
    with suppress(Stopped), StopToken(time.monotonic() + left).active():
        for name in listed_examples(joint_causes(directory, summary), MOST_CAUSES):
            folder, bug = place_of(directory, name)
            with CostRecords(folder) as records:
                header, bugs = records.header, [row.bug for row in records.named([bug])]
            bench = judged_bench(folder, header)
            notes |= dict.fromkeys(examples_made(folder, header, bench, bugs, candidates=most))
    return tuple(notes)
