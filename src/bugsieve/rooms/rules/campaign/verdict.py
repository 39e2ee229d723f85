"""The verdict over all rules, for the first line and the exit code.

It follows from the verdict of each rule on the scale (`rules.scale`) and from what was required.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from bugsieve.base.wording import counted
from bugsieve.campaigns.verdict import CampaignResult, CampaignVerdict, rejected_claims
from bugsieve.rooms.rules.scale import BOUNDED, SAFETY, VIOLATED

if TYPE_CHECKING:
    from bugsieve.rooms.rules.campaign.summary import RuleResult, RulesSummary

_MOST_NAMED = 5


def rules_verdict(found: RulesSummary) -> CampaignVerdict:
    """The first row that applies, the worst first."""
    return next(_rows(found))


def _rows(found: RulesSummary) -> Iterator[CampaignVerdict]:
    rules, verb = all_rules(found.rules)
    if found.rejected:
        yield CampaignVerdict(CampaignResult.FAULT, rejected_claims(found))
    if found.failures:
        yield CampaignVerdict(CampaignResult.BUGS, _failures(found))
    if found.lacks_plans:
        why = "" if found.is_timelines else "with --with-goal only plans count, so "
        yield CampaignVerdict(
            CampaignResult.NOTHING, f"no task has a plan: {why}nothing was tested"
        )
    if not found.judged:
        yield CampaignVerdict(
            CampaignResult.NOTHING, "no obligation was judged: nothing was tested"
        )
    if found.conflicts:
        yield CampaignVerdict(
            CampaignResult.BUGS, f"no trace satisfies {found.conflicts[0].split('; ')[0]}"
        )
    if found.is_vacuous:
        yield CampaignVerdict(CampaignResult.BUGS, f"some conditions are vacuous{_so_far(found)}")
    if any(rule.is_open for rule in found.rules):
        yield CampaignVerdict(CampaignResult.UNDECIDED, _open(found.rules))
    if found.open_obligations:
        left = f"{found.open_obligations} of {counted(found.obligations, 'obligation')}"
        yield CampaignVerdict(CampaignResult.UNDECIDED, f"undecided: {left}; {rules} {verb}")
    if found.lacks_coverage:
        low = f"the coverage is below {found.min_coverage:g} %"
        yield CampaignVerdict(CampaignResult.BUGS, f"{low}, though {rules} {verb}")
    yield _held(found.rules)


def _held(found: Sequence[RuleResult]) -> CampaignVerdict:
    """The verdict where all rules are as required."""
    rules, verb = all_rules(found)
    grades = {rule.grade for rule in found}
    if VIOLATED in grades:
        some = "as expected, some of them violated" if len(found) > 1 else ""
        words = f"{rules} {some or 'is violated, as expected'}"
    elif SAFETY in grades:
        words = f"{rules} as expected, of some the safety part alone"
    elif BOUNDED in grades:
        words = f"{rules} {verb}, for plans of the size below"
    else:
        return CampaignVerdict(CampaignResult.PROVEN, f"{rules} {verb} (proven)")
    return CampaignVerdict(CampaignResult.NONE_FOUND, words)


def _failures(found: RulesSummary) -> str:
    """`1 of 4 rules violated: FR-2`, or `not as required` where something else was expected."""
    names = [rule.rule for rule in found.failures]
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    is_violated = all(rule.grade == VIOLATED for rule in found.failures)
    wrong = "violated" if is_violated else "not as required"
    of_all = f"{len(names)} of {counted(len(found.rules), 'rule')}"
    return f"{of_all} {wrong}: {', '.join(names[:_MOST_NAMED])}{more}"


def _so_far(found: RulesSummary) -> str:
    """The text about the rules beside something else that is wrong."""
    rules, verb = all_rules(found.rules)
    is_open = found.open_obligations or any(rule.is_open for rule in found.rules)
    return "" if is_open else f", though {rules} {verb}"


def _open(rules: Sequence[RuleResult]) -> str:
    """The number of rules not known to hold, and how far each kind of them was judged."""
    kinds = Counter(rule.verdict for rule in rules if rule.is_open)
    told = ", ".join(f"{number} {verdict}" for verdict, number in kinds.items())
    return f"undecided: {kinds.total()} of {counted(len(rules), 'rule')} ({told})"


def all_rules(rules: Sequence[RuleResult]) -> tuple[str, str]:
    """`all 4 rules`, or `all 13 rules with 67 instances` where objects multiply them; `hold`."""
    if len(rules) == 1:
        return "the rule", "holds"
    families = {rule.rule.partition("[")[0] for rule in rules}
    if len(families) == 1:
        return f"all {len(rules)} instances of the rule", "hold"
    more = "" if len(families) == len(rules) else f" with {len(rules)} instances"
    return f"all {len(families)} rules{more}", "hold"
