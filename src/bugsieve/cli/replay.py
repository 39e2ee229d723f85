"""`bugsieve replay`: ask the policy again whether a bug is still there."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from bugsieve.cli.bug_arguments import add_bug_arguments, for_kind, open_bugs
from bugsieve.cli.options import Options
from bugsieve.cli.streams import show

if TYPE_CHECKING:
    from bugsieve.benches.bench import Bench
    from bugsieve.bugs.cost.replay import ReplayResult, ReplayStatus
    from bugsieve.cli.parser import Parser
    from bugsieve.judging.findings import BugRow
    from bugsieve.policies.models.policy import ModelPolicy

BUG_IS_THERE = 1
NOT_REPLAYABLE = 5


def register(parser: Parser) -> None:
    """Describe the command."""
    parser.runs(
        run,
        "Check a bug's certificate and run the policy from its state anew. The exit "
        "code is 1 if the policy still fails, 0 if it does not any more, 5 if that cannot be "
        "said.",
    )
    add_bug_arguments(parser, many=True)
    parser.add_argument("--policy", metavar="SPEC", help="another policy than the campaign's")
    options = Options(parser)
    options.trust()
    options.json("print one JSON object per line")


def run(args: argparse.Namespace) -> int:
    """Replay the bugs and say how each went."""
    from bugsieve.bugs.cost.replay import ReplayStatus

    results = []
    for row, result in _replayed(args):
        results.append(result.status)
        _print(row, result, as_json=args.json)
    if len(results) > 1 and not args.json:
        show(_counts(results))
    if ReplayStatus.STILL_FAILS in results or ReplayStatus.FLAKY in results:
        return BUG_IS_THERE
    return NOT_REPLAYABLE if ReplayStatus.CANNOT_REPLAY in results else 0


def _replayed(args: argparse.Namespace) -> Iterator[tuple[BugRow[Any], ReplayResult]]:
    replays: dict[str, Any] = {"cost": _replay_states, "safety": _replay_decisions}
    replay = for_kind(args.folder, replays)
    with open_bugs(args) as (tested, rows):
        yield from replay(tested, rows)


def _replay_states(
    bench: Bench, rows: list[BugRow[Any]]
) -> Iterator[tuple[BugRow[Any], ReplayResult]]:
    from bugsieve.bugs.cost.replay import replay

    for row in rows:
        yield row, replay(bench, row.bug.certificate)


def _replay_decisions(
    policy: ModelPolicy, rows: list[BugRow[Any]]
) -> Iterator[tuple[BugRow[Any], ReplayResult]]:
    from bugsieve.bugs.safety.replay import replay_safety
    from bugsieve.checkers.safety import SafetyBugChecker

    checker = SafetyBugChecker(policy.model.document)
    for row in rows:
        yield row, replay_safety(policy, row.bug.certificate, checker=checker)


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
