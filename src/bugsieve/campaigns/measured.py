"""When measurements end, and how people are told of their figures."""

from __future__ import annotations

import math
from collections.abc import Callable

from bugsieve.base.wording import counted
from bugsieve.campaigns.stop_rules import StopRules
from bugsieve.campaigns.summary import Summary
from bugsieve.pipeline.measuring.figures import Figures, Risk, Share
from bugsieve.pipeline.measuring.looks import ERROR, FIRST_LOOK, is_look

LOW_RISK = "the risk is low enough"
UNIMPROVED = "costly runs that no oracle could improve are not in the share"
"""What the share of cost testing leaves out."""


def low_risk(stop: StopRules, tests: int, figures: Callable[[], Figures]) -> str | None:
    """A reason if a measurement ends at this look, since the limit on its risk is low enough."""
    if stop.until_risk is None or not is_look(tests):
        return None
    risk = figures().risk
    return LOW_RISK if risk is not None and risk.limit <= stop.until_risk else None


def measured_lines(summary: Summary, figures: Figures) -> list[str]:
    """The two figures, for the first lines; nothing of a policy that gave no answer."""
    if summary.unanswered is not None:
        return []
    if figures.share is None or figures.risk is None:
        made = counted(figures.tests, "test")
        return [f"no figures yet: {made} made, and the first are computed after {FIRST_LOOK}"]
    return [_share_line(figures.share), _risk_line(figures.risk, figures.share.undecided)]


def figure_lines(summary: Summary, figures: Figures, not_counted: str) -> list[str]:
    """What the figures are about, and how far they can be trusted."""
    if summary.unanswered is not None:
        return []
    lines = [figures.distribution, not_counted]
    if figures.last is None or figures.risk is None:
        return lines
    later = f"; of {figures.tests} made, the later ones do not count yet"
    lines.append(
        f"limits are those after {counted(figures.last.tests, 'test')}"
        f"{later if figures.tests > figures.last.tests else ''}: each of share and risk holds "
        f"with a probability of {100 * (1 - ERROR):.0f} %, however often one looks and whenever "
        "one stops"
    )
    more = figures.risk.halved_at - figures.last.tests
    lines.append(
        f"{more} more tests ({figures.risk.halved_at} in all) would halve the limit on the risk, "
        "if nothing new turns up"
    )
    return lines


def percent(value: float, rounded: Callable[[float], int] = round) -> str:
    """A probability in percent, with two digits that say something; limits round away from it."""
    digits = next((count for count in (1, 2, 3) if value >= 0.1 ** (count + 1)), 4)
    return f"{rounded(value * 10 ** (digits + 2)) / 10**digits:.{digits}f} %" if value else "0 %"


def _share_line(share: Share) -> str:
    limits = f"{percent(share.low, math.floor)} to {percent(share.high, math.ceil)}"
    proven = f"proven in {share.bugs} of {counted(share.tests, 'test')}"
    left = f", {share.undecided} undecided" if share.undecided else ""
    return f"share of tests with a bug: {limits} ({proven}{left})"


def _risk_line(risk: Risk, undecided: int) -> str:
    left = "; undecided tests count as new" if undecided else ""
    return (
        "risk that one more test shows a cause not seen before: at most "
        f"{percent(risk.limit, math.ceil)} (estimate {percent(risk.estimate)}{left})"
    )
