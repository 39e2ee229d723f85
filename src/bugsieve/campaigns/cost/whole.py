"""The choice to test a small task whole: every reachable state, judged by exact costs.

It is made once, when a campaign is made, and stored with the campaign, so that resuming repeats it
however slow the machine has become.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from bugsieve.base.current_activity import doing
from bugsieve.base.errors import InputError, UsageError
from bugsieve.base.wording import counted
from bugsieve.campaigns.options import (
    AUTO,
    INTERLEAVED,
    NO,
    YES,
    CostOptions,
    usual_oracles,
    walk_options,
)
from bugsieve.campaigns.store.folder import BUGS_IN_FILES
from bugsieve.campaigns.store.progress import Reachable
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.cause import Cause
from bugsieve.pipeline.judging.determinism import CostDeterminism
from bugsieve.pipeline.judging.findings import Finding
from bugsieve.pipeline.oracles.exact import objection_to_objective
from bugsieve.pipeline.pool.whole import WholePool, whole_pool
from bugsieve.policies.graph import PolicyGraph
from bugsieve.tasks.grounded.conditions import Condition
from bugsieve.tasks.grounded.task import StateArray
from bugsieve.tasks.search import ExactCosts, TooLargeError

EXACT = "exact"
"""The oracle that judges every reachable state."""

NO_PLAN = "no plan exists"

_OF_EACH_CAUSE = 3
_USUAL_SECONDS = 60.0
"""What asking the policy about all states may take where no time is set."""
_BATCHES = (1, 8, 64, 512)
_TELLING_SECONDS = 0.25


def count_reachable(
    options: CostOptions, bench: Bench, condition: Condition | None, *, has_states: bool
) -> tuple[Reachable | None, WholePool | None]:
    """What is known of the reachable states, and the test states where that is all of them.

    UsageError with the reason where all were asked for and cannot be tested.
    """
    why = _objection(options, bench, has_states=has_states)
    if options.whole == YES and why is not None:
        raise UsageError(f"--whole yes: {why}")
    if options.whole == NO or options.measures or has_states or _starts_elsewhere(options):
        return None, None
    try:
        with doing("counting the reachable states"):
            exact = bench.exact_costs()
    except TooLargeError as error:
        if options.whole == YES:
            raise UsageError(f"--whole yes: {error}") from None
        return Reachable(states=error.count, is_counted=False, why=str(error)), None
    known = Reachable(states=len(exact), is_counted=True, with_plan=exact.with_plan)
    if not exact.with_plan:
        return replace(known, why=NO_PLAN), None
    if why is None:
        why = _slowness(options, bench, exact.states) or _drawing(bench)
        if why is not None and options.whole == YES:
            raise UsageError(f"--whole yes: {why}")
    if why is not None:
        return replace(known, why=why), None
    pool = _pool(exact, condition)
    tested = len(pool) - int((exact.costs[exact.rows(pool.states())] < 0).sum())
    return replace(known, is_whole=True, tested_with_plan=tested), pool


def judges_of(options: CostOptions, reachable: Reachable | None) -> tuple[str, ...]:
    """The oracles of a campaign: exact costs decide where all states are tested."""
    if reachable is None or not reachable.is_whole:
        return options.oracles
    named = () if _has_usual_oracles(options) else options.oracles
    return (EXACT, *(spec for spec in named if spec != EXACT))


def whole_note(reachable: Reachable) -> str:
    """What is said of the choice when a campaign begins or goes on."""
    states = f"all {reachable.states} reachable states"
    plans = f"a plan exists from {reachable.with_plan} of them"
    return f"small task: {states} are explored, and tested in place of walks; {plans}"


class Certificates:
    """Which bugs of a task tested whole are kept with their certificates.

    The first ones and some of each cause; of the others the store has the runs, from which the
    certificate is made again. So a policy that fails everywhere does not fill the disk.
    """

    def __init__(self, known: Iterable[Cause]) -> None:
        self._causes = Counter(known)

    def trimmed(self, finding: Finding) -> Finding:
        """The finding, with brief bugs where enough certificates are kept."""
        if self._causes.total() < BUGS_IN_FILES:
            return finding
        rows = (
            replace(row, is_brief=self._causes[row.cause] >= _OF_EACH_CAUSE)
            for row in finding.bugs
        )
        return replace(finding, bugs=tuple(rows))

    def note(self, finding: Finding) -> None:
        """Count the bugs of a finding that was accepted."""
        self._causes.update(row.cause for row in finding.bugs)


def _pool(exact: ExactCosts, condition: Condition | None) -> WholePool:
    pool = whole_pool(exact, condition)
    if len(pool) or condition is None:
        return pool
    raise InputError(
        f"no test states: {condition.text[:100]} holds in none of the {len(exact)} states that "
        "can be reached"
    )


def _objection(options: CostOptions, bench: Bench, *, has_states: bool) -> str | None:
    """None, or why options or objective do not let the task be tested whole."""
    return next(_objections(options, bench, has_states=has_states), None)


def _objections(options: CostOptions, bench: Bench, *, has_states: bool) -> Iterator[str]:
    if options.measures:
        yield "a measurement draws walks"
    if has_states or _starts_elsewhere(options):
        yield "test states begin where they were given, not in the initial state"
    if (reason := objection_to_objective(bench)) is not None:
        yield reason
    if options.mode != INTERLEAVED or options.stop.stale_rounds is not None:
        yield "--separate and --stale-rounds are about walks"
    if options.whole == AUTO:
        changed = walk_options(options.fuzz)
        if changed:
            yield f"options of walks were given ({', '.join(changed)})"
        if not _has_usual_oracles(options):
            yield "oracles were named"


def _has_usual_oracles(options: CostOptions) -> bool:
    return options.oracles == usual_oracles(options.objective)


def _starts_elsewhere(options: CostOptions) -> bool:
    return options.from_states is not None or options.pool_from is not None


def _slowness(options: CostOptions, bench: Bench, states: StateArray) -> str | None:
    """None, or why the policy cannot be asked about all states in the time there is."""
    most = options.stop.max_calls
    # Each state is asked about twice before a green counts, but by members of ours.
    times = 1 if CostDeterminism(bench).is_exempt else 2
    if most is not None and most < times * len(states):
        twice = ", to be asked about twice" if times > 1 else ""
        reason = f"there are {len(states)} reachable states{twice}"
        return f"{reason}: more than {most} calls (--max-calls)"
    limit = _USUAL_SECONDS if options.stop.max_time is None else options.stop.max_time
    with doing("measuring how fast the policy answers"):
        seconds = _seconds_to_ask(bench, states)
    if seconds <= limit:
        return None
    asked = f"asking the policy about {counted(len(states), 'reachable state')}"
    return f"{asked} takes about {seconds:.0f} s, more than {limit:g} (--max-time)"


def _seconds_to_ask(bench: Bench, states: StateArray) -> float:
    """How long it takes to ask the policy about all states, by what the first ones take."""
    source = bench.source
    ask = source.decide if isinstance(source, PolicyGraph) else bench.runs
    ask(states[:1])  # a policy may be slow to begin
    done, each = 1, 0.0
    for size in _BATCHES:
        batch = states[done : done + size]
        if not len(batch):
            break
        start = time.perf_counter()
        ask(batch)
        seconds = time.perf_counter() - start
        done, each = done + len(batch), seconds / len(batch)
        if seconds >= _TELLING_SECONDS:
            break
    return each * (len(states) - done)


def _drawing(bench: Bench) -> str | None:
    """None, or that the policy gives distributions, so that its runs are not what it does."""
    if not getattr(bench.policy, "gives_weights", False):
        return None
    return "the policy draws its actions"
