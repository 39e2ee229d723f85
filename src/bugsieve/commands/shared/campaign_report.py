"""What the commands that run campaigns show: progress while they run, then a summary."""

from __future__ import annotations

import argparse
import contextlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from bugsieve.base.errors import BugsieveError
from bugsieve.base.wording import counted
from bugsieve.commands.shared.build_servers import tell_of
from bugsieve.commands.shared.campaign_arguments import free_folder
from bugsieve.commands.shared.campaign_display import run_displayed
from bugsieve.commands.shared.streams import complain, show

if TYPE_CHECKING:
    from bugsieve.campaigns.campaign import Campaign
    from bugsieve.campaigns.kind import Kind
    from bugsieve.campaigns.options import CampaignOptions
    from bugsieve.campaigns.summary import Summary

_MOST_WARNINGS = 5


def run_new(
    args: argparse.Namespace, options: CampaignOptions, load: Callable[[argparse.Namespace], Any]
) -> int:
    """Load what is to be tested, then make the campaign, run it and print what came out."""
    from bugsieve.campaigns.campaign import Campaign, check_new

    check_new(options, args.output)
    subject = load(args)
    folder = free_folder(args.output, subject.name)
    with Campaign.create(folder, options, subject) as campaign:
        complain_of(campaign.warnings)
        return run_and_report(campaign, args)


def complain_of(warnings: Sequence[str]) -> None:
    """The first few warnings, on standard error, and how many there are more."""
    for warning in warnings[:_MOST_WARNINGS]:
        complain(f"warning: {warning}")
    if len(warnings) > _MOST_WARNINGS:
        complain(f"… and {counted(len(warnings) - _MOST_WARNINGS, 'warning')} more")


def run_and_report(campaign: Campaign, args: argparse.Namespace) -> int:
    """Run the campaign with a progress display, say what came out; the exit code.

    After an interruption, too, it is said what was stored until then.
    """
    from bugsieve.campaigns.campaign import summary_of

    try:
        summary = run_displayed(campaign)
    except KeyboardInterrupt:
        with contextlib.suppress(BugsieveError):
            _show_summary(campaign, summary_of(campaign.directory), as_json=args.json)
            tell_of(args, campaign.directory)
        raise
    _show_summary(campaign, summary, as_json=args.json)
    if summary.unanswered is not None:
        complain(nothing_tested(summary.unanswered))
    tell_of(args, campaign.directory)
    return summary.exit_code


def _show_summary(campaign: Campaign, summary: Summary, *, as_json: bool) -> None:
    kind, folder = campaign.kind, campaign.directory
    with kind.records(folder) as records:
        if as_json:
            show(summary_json(kind, summary, records, folder=str(folder)))
        else:
            show(summary_text(campaign, summary, records))


def nothing_tested(reason: str) -> str:
    """The sentence for a policy that gave no answer in any run."""
    return f"nothing could be tested, for the policy gave no answer: {reason}"


def summary_text(campaign: Campaign, summary: Summary, records: Any) -> str:
    """What was tested and found, for people; the most important fact comes first."""
    from bugsieve.campaigns.several.found_lines import found_lines
    from bugsieve.campaigns.status import first_lines

    kind, folder = campaign.kind, campaign.directory
    lines = [
        *first_lines(kind, summary),
        f"{kind.wording.heading(campaign.header)}{_seed(campaign.options)}",
        f"results in {folder}",
        "",
        *kind.wording.count_lines(summary),
    ]
    if summary.bugs and summary.mistake is None:
        lines += ["", *found_lines(kind, folder, records)]
    lines += kind.wording.hints(records, summary)
    return "\n".join(lines)


def _seed(options: CampaignOptions) -> str:
    """The seed, where chance plays a part."""
    seed = getattr(options.fuzz, "seed", None)
    return "" if seed is None else f", seed {seed}"


def summary_json(kind: Kind[Any], summary: Summary, records: Any, **first: str) -> str:
    """The same for programs."""
    from bugsieve.campaigns.store.causes import cause_rows

    report = {
        **first,
        **kind.about(records.header),
        **jsonable(asdict(summary)),
        **({"verdict": verdict_json(summary)} if kind.is_test else {}),
        "causes": cause_rows(records),
        "found": kind.wording.found(records).json(),
    }
    return json.dumps(report, indent=2, allow_nan=False)


def verdict_json(summary: Summary) -> dict[str, Any]:
    """The verdict for programs."""
    verdict = summary.verdict
    return {
        "outcome": verdict.outcome.word,
        "sentence": verdict.sentence,
        "exit_code": verdict.exit_code,
    }


def jsonable(value: Any) -> Any:
    """The value with infinities and NaN as null."""
    if isinstance(value, Mapping):
        return {key: jsonable(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [jsonable(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
