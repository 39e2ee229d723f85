"""Tests of a policy over several problems of a domain: a campaign for each, one summary of all."""

from __future__ import annotations

import argparse
import contextlib
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bugsieve.base.commands import quoted_command
from bugsieve.base.errors import BugsieveError, InternalError
from bugsieve.commands.shared import task_arguments
from bugsieve.commands.shared.build_servers import tell_of
from bugsieve.commands.shared.campaign_arguments import free_folder
from bugsieve.commands.shared.campaign_display import run_displayed
from bugsieve.commands.shared.several_report import joint_json
from bugsieve.commands.shared.signals import going_on
from bugsieve.commands.shared.status_line import StatusLine
from bugsieve.commands.shared.streams import complain, show

if TYPE_CHECKING:
    from bugsieve.campaigns.campaign import Campaign
    from bugsieve.campaigns.options import CostOptions
    from bugsieve.campaigns.python_calls.problems import ProblemCampaigns
    from bugsieve.campaigns.several.several import JointSummary
    from bugsieve.campaigns.stop_rules import StopRules
    from bugsieve.tasks.grounded.task import Task
    from bugsieve.tasks.problem_sets import ProblemFiles

_CAUSES_SHOWN = 10


def given_problems(args: argparse.Namespace) -> tuple[ProblemFiles, ...]:
    """The problems that the arguments name; none if the policy brings the task."""
    from bugsieve.tasks.problem_sets import problems_of

    return problems_of(*map(os.fspath, args.task)) if args.task else ()


def test_problems(
    args: argparse.Namespace, options: CostOptions, problems: tuple[ProblemFiles, ...]
) -> int:
    """Make a campaign for each problem and run them; the exit code of all together."""
    from bugsieve.campaigns.python_calls.problems import ProblemCampaigns

    folder = free_folder(args.output, _common_name(problems))
    campaigns = ProblemCampaigns.create(folder, options, problems)

    def load(problem: ProblemFiles) -> Task:
        return task_arguments.load_files(args, [Path(file) for file in problem.files])

    return _run(
        args, campaigns, lambda conduct: campaigns.run(load=load, conduct=conduct, is_typed=True)
    )


def resume_problems(args: argparse.Namespace, stop: StopRules | None) -> int:
    """Go on with all problems of a folder; the exit code of all together."""
    from bugsieve.campaigns.python_calls.problems import ProblemCampaigns

    campaigns = ProblemCampaigns.open(args.folder)
    return _run(
        args,
        campaigns,
        lambda conduct: campaigns.run(conduct=conduct, workers=args.workers, stop=stop),
        stop,
    )


def _run(
    args: argparse.Namespace,
    campaigns: ProblemCampaigns,
    run: Callable[[Callable[[Campaign], object]], JointSummary],
    stop: StopRules | None = None,
) -> int:
    from bugsieve.campaigns.cost.small_examples import joint_examples

    options = campaigns.plan.options
    options = options if stop is None else replace(options, stop=stop)
    total = len(campaigns.plan.problems)
    numbers = {p.name: number for number, p in enumerate(campaigns.plan.problems, 1)}

    def conduct(campaign: Campaign) -> None:
        name = campaign.directory.name
        run_displayed(campaign, about=f"{name}, {numbers[name]} of {total}")

    try:
        summary = run(conduct)
        with StatusLine("making the smallest examples"):
            notes = joint_examples(campaigns.directory, options, summary)
    except KeyboardInterrupt as interruption:
        with contextlib.suppress(BugsieveError):
            _show(args, campaigns, joint := campaigns.summary())
            tell_of(args, campaigns.directory, joint)
        how = f"{quoted_command('resume', campaigns.directory)} goes on"
        first = interruption.__cause__ or interruption
        assert isinstance(first, KeyboardInterrupt)
        raise going_on(first, how) from interruption
    _show(args, campaigns, summary)
    for note in notes:
        complain(f"note on {note}")
    if args.json:
        for name, error in campaigns.broken.items():
            complain(f"{name}: {error}")
    tell_of(args, campaigns.directory, summary)
    if any(e.exit_code == InternalError.exit_code for e in campaigns.broken.values()):
        return InternalError.exit_code
    return summary.exit_code


def _show(args: argparse.Namespace, campaigns: ProblemCampaigns, summary: JointSummary) -> None:
    from bugsieve.campaigns.several.several_wording import (
        joint_figure_lines,
        joint_first_lines,
        joint_rest,
    )

    if args.json:
        show(joint_json(campaigns.directory, summary))
        return
    from bugsieve.campaigns.several.found_lines import joint_found_lines

    options = campaigns.plan.options
    lines = [
        *joint_first_lines(summary),
        f"policy {options.policy}, objective {options.objective}, seed {options.fuzz.seed}",
        f"results in {campaigns.directory}",
        "",
        *joint_rest(summary),
        *joint_figure_lines(summary)[1],
        *joint_found_lines(campaigns.directory, summary, _CAUSES_SHOWN),
    ]
    show("\n".join(lines))


def _common_name(problems: tuple[ProblemFiles, ...]) -> str:
    """What the folder of the results is called if nobody names it."""
    domain = Path(os.path.abspath(problems[0].files[0]))
    return domain.parent.name or "problems"
