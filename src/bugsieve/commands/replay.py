"""`bugsieve replay`: ask the policy again whether a bug is still there."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bugsieve.base.errors import UsageError
from bugsieve.base.wording import counted
from bugsieve.commands.shared.bug_arguments import add_bug_arguments, find_bug, for_kind, open_bugs
from bugsieve.commands.shared.build_servers import (
    add_build_server_arguments,
    check_build_server_arguments,
    tell,
)
from bugsieve.commands.shared.options import Options
from bugsieve.commands.shared.streams import show

if TYPE_CHECKING:
    from bugsieve.campaigns.checks import Check, CheckOutcome
    from bugsieve.campaigns.greens import GreenReplay
    from bugsieve.commands.shared.parser import Parser
    from bugsieve.pipeline.bench import Bench
    from bugsieve.pipeline.bugs.replay import ReplayResult, ReplayStatus
    from bugsieve.pipeline.judging.findings import BugRow
    from bugsieve.rooms.jani.policies.policy import ModelPolicy

BUG_IS_THERE = 1
NOT_REPLAYABLE = 5


def register(parser: Parser) -> None:
    """Describe the command."""
    parser.runs(
        run,
        "Check a bug's certificate and run the policy from its state anew: STILL FAILS, "
        "IMPROVED (the run failed and reaches the goal now, but there is a better one still), "
        "FIXED, FLAKY (two runs differ) or CANNOT REPLAY. The exit code is 1 if a bug is still "
        "there, improved or not, or the policy is flaky, 0 if all are fixed, 5 if that cannot be "
        "said. Of a campaign that was proven to have no bugs, the proof is checked and the policy "
        "asked again in every state: PROOF HOLDS, or PROOF LOST with exit code 1. Tests of rules "
        "are made again, all or those of the rule of a bug, on another domain if one is named: 1 "
        "if a rule is not as it should be or a trace is lost, 6 if a "
        "proof is, or something is undecided. Nothing that the folder says is believed, so this "
        "is the way to check a stranger's.",
    )
    add_bug_arguments(parser, many=True)
    parser.add_argument("--policy", metavar="SPEC", help="another policy than the campaign's")
    options = Options(parser)
    options.add("--domain", type=Path, metavar="FILE", help="for rules: the domain as it is now")
    options.trust()
    options.json("print one JSON object per line")
    add_build_server_arguments(parser)
    parser.set_defaults(parser=parser)


def run(args: argparse.Namespace) -> int:
    """Replay the bugs and say how each went."""
    check_build_server_arguments(args)
    kinds = {"cost": _run_policy, "safety": _run_policy, "rules": _run_rules}
    return for_kind(args.folder, kinds)(args)


def _run_rules(args: argparse.Namespace) -> int:
    from bugsieve.campaigns.verdict import LEFT_OPEN
    from bugsieve.rooms.rules.campaign.replay import FAILURES, OPEN, replay_rules
    from bugsieve.rooms.rules.store.records import RulesRecords

    if args.policy is not None:
        raise UsageError(f"{args.folder}: tests of rules have no policy; --domain names a domain")
    with RulesRecords(args.folder) as records:
        bugs = [find_bug(records, name).id for name in args.bug]
    found: Counter[Any] = Counter()
    checks = []
    for item in replay_rules(args.folder, args.domain, bugs=bugs):
        found[item.status] += 1
        checks.append(item.check(str(args.folder)))
        about = item.row.obligation
        if args.json:
            report = {"number": item.row.number, "rule": about.rule, "aim": about.aim}
            report |= {"literal": about.literal, "status": item.status.value.lower()}
            show(json.dumps({**report, "sentence": item.sentence}))
        else:
            reason = f": {item.sentence}" if item.sentence else ""
            show(f"{item.row.number:>5}  {item.status.value:14}  {about.name}{reason}")
    if not args.json:
        counts = (f"{count} {status.value.lower()}" for status, count in found.items())
        show(f"{counted(found.total(), 'test')}: {', '.join(counts)}")
    tell(args, f"replay of {args.folder}", checks)
    if any(found[status] for status in FAILURES):
        return BUG_IS_THERE
    return LEFT_OPEN if any(found[status] for status in OPEN) else 0


def _run_policy(args: argparse.Namespace) -> int:
    from bugsieve.pipeline.bugs.replay import ReplayStatus

    if args.domain is not None:
        raise UsageError("--domain is for tests of rules; another policy is named by --policy")

    if not args.bug and (green := _green(args.folder)) is not None:
        return _run_green(args, green)
    results, checks = [], []
    for row, result in _replayed(args):
        results.append(result.status)
        checks.append(_check(row.id, str(args.folder), result))
        _print(row, result, as_json=args.json)
    if len(results) > 1 and not args.json:
        show(_counts(results))
    tell(args, f"replay of {args.folder}", checks)
    if {ReplayStatus.STILL_FAILS, ReplayStatus.IMPROVED, ReplayStatus.FLAKY} & set(results):
        return BUG_IS_THERE
    return NOT_REPLAYABLE if ReplayStatus.CANNOT_REPLAY in results else 0


def _green(folder: Path) -> Any | None:
    """The certificate of a campaign without bugs; None if it has bugs or no certificate."""
    from bugsieve.campaigns.cost.green import stored_green
    from bugsieve.rooms.safety.campaign.green import stored_green as stored_safe_green

    return for_kind(folder, {"cost": stored_green, "safety": stored_safe_green})(folder)


def _green_of_costs(args: argparse.Namespace, green: Any) -> GreenReplay:
    from bugsieve.campaigns.cost.bench import bench_of
    from bugsieve.campaigns.cost.green_replay import replay_green
    from bugsieve.campaigns.cost.records import CostRecords

    with CostRecords(args.folder) as records:
        header = records.header
    with bench_of(args.folder, header, policy=args.policy) as bench:
        return replay_green(bench, green)


def _green_of_safety(args: argparse.Namespace, green: Any) -> GreenReplay:
    from bugsieve.rooms.safety.campaign.green_replay import replay_safe_green
    from bugsieve.rooms.safety.campaign.policy import policy_of
    from bugsieve.rooms.safety.store.records import SafetyRecords

    with SafetyRecords(args.folder) as records:
        header = records.header
    with policy_of(args.folder, header, policy=args.policy) as policy:
        return replay_safe_green(policy, green)


def _run_green(args: argparse.Namespace, green: Any) -> int:
    """Ask about every state of the certificate again."""
    from bugsieve.campaigns.greens import GreenStatus

    kinds = {"cost": _green_of_costs, "safety": _green_of_safety}
    result = for_kind(args.folder, kinds)(args, green)
    if args.json:
        report = {"status": result.status.value.lower(), "sentence": result.sentence}
        show(json.dumps({**report, "asked": result.asked, "changed": result.changed}))
    else:
        show(f"{result.status.value}: {result.sentence}")
    tell(args, f"replay of {args.folder}", [result.check(args.folder)])
    return 0 if result.status is GreenStatus.PROOF_HOLDS else BUG_IS_THERE


def _replayed(args: argparse.Namespace) -> Iterator[tuple[BugRow[Any], ReplayResult]]:
    replays: dict[str, Any] = {"cost": _replay_states, "safety": _replay_decisions}
    replay = for_kind(args.folder, replays)
    with open_bugs(args) as (tested, rows):
        yield from replay(tested, rows)


def _replay_states(
    bench: Bench, rows: list[BugRow[Any]]
) -> Iterator[tuple[BugRow[Any], ReplayResult]]:
    from bugsieve.pipeline.bugs.replay import replay

    for row in rows:
        yield row, replay(bench, row.bug.certificate)


def _replay_decisions(
    policy: ModelPolicy, rows: list[BugRow[Any]]
) -> Iterator[tuple[BugRow[Any], ReplayResult]]:
    from bugsieve.rooms.safety.bugs.replay import replay_safety
    from bugsieve.rooms.safety.checker.safety import SafetyBugChecker

    checker = SafetyBugChecker(policy.model.document)
    for row in rows:
        yield row, replay_safety(policy, row.bug.certificate, checker=checker)


def _check(bug: str, group: str, result: ReplayResult) -> Check:
    """Return what build servers are told: all but FIXED is not a pass."""
    from bugsieve.campaigns.checks import Check
    from bugsieve.pipeline.bugs.replay import ReplayStatus

    outcome: CheckOutcome = "failure"
    if result.status in (ReplayStatus.FIXED, ReplayStatus.CANNOT_REPLAY):
        outcome = "passed" if result.status is ReplayStatus.FIXED else "undecided"
    return Check(bug, group, outcome, f"{result.status.value}: {result.sentence}")


def _print(row: BugRow[Any], result: ReplayResult, *, as_json: bool) -> None:
    if as_json:
        show(json.dumps(_json(row, result)))
    else:
        show(f"{row.id}  {result.status.value}: {result.sentence}")


def _counts(results: list[ReplayStatus]) -> str:
    """How many bugs there were of each status, in the order of their first ones."""
    counts = {status: results.count(status) for status in results}
    parts = (f"{count} {status.value.lower()}" for status, count in counts.items())
    return f"{len(results)} bugs: {', '.join(parts)}"


def _json(row: BugRow[Any], result: ReplayResult) -> dict[str, Any]:
    return {
        "id": row.id,
        "kind": row.bug.kind,
        "status": result.status.value.lower(),
        "sentence": result.sentence,
        "differs_at": result.differs_at,
    }
