"""Greens of safety testing: no danger is among all that the policy can come to, with its proof.

It is tried when all walks are made and none has met danger. What the exploration finds otherwise
counts as well: a way into danger that no walk took, or that there was nothing to test.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bugsieve.base.current_activity import doing
from bugsieve.base.errors import BugsieveError, UsageError
from bugsieve.base.stopping import Stopped, StopToken, check_stop
from bugsieve.base.wording import counted
from bugsieve.campaigns.greens import green_of, keep_green, proven_green
from bugsieve.campaigns.options import NO, YES
from bugsieve.campaigns.store.progress import CampaignHeader
from bugsieve.policies.asking import is_ours
from bugsieve.rooms.jani.model.model import JaniModel, Valuations
from bugsieve.rooms.jani.policies.policy import ModelPolicy
from bugsieve.rooms.jani.policies.reach import MOST_STATES, Reach, explore
from bugsieve.rooms.jani.policies.runs import UnsafeRun
from bugsieve.rooms.jani.starts.every import all_starts
from bugsieve.rooms.safety.bugs.green import safe_green
from bugsieve.rooms.safety.campaign.options import SafetyOptions
from bugsieve.rooms.safety.checker.safety_claims import CertificateError
from bugsieve.rooms.safety.checker.safety_green import check_safe_green
from bugsieve.rooms.safety.store.records import SafetyRecords
from bugsieve.rooms.safety.store.store import SafetyStore

NO_DANGER = "the unsafety condition never holds"
ONLY_GOALS = "all start states are goals"
ONLY_ENDS = "every run ends where it starts"
OUT_OF_REACH = "no danger can be reached from any start state, whatever a policy does"
UNTESTED = (NO_DANGER, ONLY_GOALS, ONLY_ENDS, OUT_OF_REACH)
"""Reasons for the end of a campaign that say that nothing was tested."""

_USUAL_SECONDS = 60.0
"""The seconds of an exploration where no time is set."""


@dataclass(frozen=True)
class Explored:
    """The result of an exploration; at most one of its parts says something."""

    why: str = ""
    """The reason why it came to no end, or why its result is not a proof."""
    way: UnsafeRun | None = None
    """A way of the policy into danger."""
    untested: str = ""
    """A reason why nothing was tested."""
    green: Any = None
    """A certificate that is not checked yet."""
    asked: int = 0
    asked_again: int = 0
    changed: int = 0
    """In how many states the second answer was another one."""


def is_impossible(model: JaniModel) -> bool:
    """Return true if the unsafety condition holds in no state, as its constants alone show."""
    return model.conditions.unsafe == model.graph.false


def explored(policy: ModelPolicy, options: SafetyOptions) -> Explored:
    """Explore what the policy can come to, in the time that there is."""
    seconds = options.stop.max_time or _USUAL_SECONDS
    token = StopToken(time.monotonic() + seconds)
    try:
        with token.active(), doing("exploring all that the policy can come to"):
            return _explored(policy)
    except Stopped:
        check_stop()  # of the campaign, which goes on here another time
        return Explored(f"an exploration took more than {seconds:g} s")
    except BugsieveError as error:
        return Explored(str(error))


def _explored(policy: ModelPolicy) -> Explored:
    model, silent = policy.model, policy.troubles.unanswered
    starts = all_starts(model, MOST_STATES)
    reach = explore(model, starts, policy)
    asked = int(reach.is_asked.sum())
    if policy.troubles.unanswered > silent:
        return Explored("the policy fails to answer", asked=asked)
    if reach.way is not None:
        return Explored(way=reach.way, asked=asked)
    if not reach.is_asked.any():
        return Explored(untested=ONLY_GOALS if reach.is_goal.all() else ONLY_ENDS, asked=asked)
    if _never_meets_danger(model, starts):
        return Explored(untested=OUT_OF_REACH, asked=asked)
    if not reach.acts.any():
        return Explored("the policy gives no applicable action in any state", asked=asked)
    again = 0 if is_ours(policy) else asked
    if again and (changed := changed_answers(policy, reach)):
        states = counted(asked, "state")
        why = f"the policy answers otherwise in {changed} of {states} when it is asked again"
        return Explored(why, asked=asked, asked_again=again, changed=changed)
    green = safe_green(policy, len(starts), reach)
    return Explored(green=green, asked=asked, asked_again=again)


def changed_answers(policy: ModelPolicy, reach: Reach) -> int:
    """In how many states the policy now answers otherwise; they are asked about in reverse."""
    words, actions = reach.words[reach.is_asked][::-1], reach.actions[reach.is_asked][::-1]
    decisions = policy.decide_anew(policy.model.unpack(words))
    return int(np.sum(decisions.actions != actions))


def _never_meets_danger(model: JaniModel, starts: Valuations) -> bool:
    """Return true if no policy could meet danger; false where that would take too long to say."""
    try:
        return explore(model, starts, None).way is None
    except BugsieveError:
        return False


def certify(records: SafetyRecords, green: Any, options: SafetyOptions) -> tuple[str, ...]:
    """Keep the certificate once the checker has accepted it; a note where it does not."""
    try:
        with doing("certifying that the policy is safe"):
            check_of(records.header)(green)
        reason = keep_green(SafetyStore, records.directory, records.header, green)
    except (ValueError, ArithmeticError) as error:
        reason = f"the checker says that {error}"
    return without_green(reason, options) if reason else ()


def without_green(reason: str, options: SafetyOptions) -> tuple[str, ...]:
    """A note that says why there is no certificate; an error where one was asked for."""
    if options.whole == YES:
        raise UsageError(f"--whole yes: {reason}")
    return (f"the certificate: {reason}, so there is none",)


def is_wanted(options: SafetyOptions, records: SafetyRecords) -> bool:
    """Return true if all that the policy can come to should be explored now."""
    is_open = options.whole != NO and not options.measures
    return is_open and not records.case_count() and records.green() is None


def check_of(header: CampaignHeader) -> Callable[[Any], None]:
    """The check of the certificate of this campaign."""
    return partial(_check, header)


def proof_of(records: SafetyRecords) -> Any | None:
    """The certificate of a campaign where a checker has accepted it, or does now."""
    return proven_green(records, check_of(records.header))


def stored_green(directory: Path) -> Any | None:
    """The certificate of a campaign without unsafe runs, checked anew; None if it has none."""
    with SafetyRecords(directory) as records:
        if records.case_count():
            return None
        return green_of(records, check_of(records.header))


def _check(header: CampaignHeader, green: Any) -> None:
    """CertificateError unless the certificate is about this campaign, and proves what it says."""
    proven = check_safe_green(header.subject.json(), green, poll=check_stop)
    if proven.policy != header.policy:
        raise CertificateError("the certificate is about another policy")
    if not proven.acting:
        raise CertificateError("the policy acts in no state")
