"""The grid of sentences: scope, condition and timing, and the formula of each cell.

A scope names segments of the trace. A condition names states of a segment, its triggers: without
one only the first state. From each trigger on, the timing says where in the rest of the segment
the response has to hold. Events that a timing asks for must happen within the segment,
and so within the trace. Conditions that it asks to last need not last beyond it. docs/english.md
lists all formulas.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from bugsieve.rooms.rules.ltl.formula import (
    Formula,
    finally_,
    globally,
    negation,
    next_,
    until,
    weak_next,
    weak_until,
)

ScopeKind: TypeAlias = Literal["global", "before", "after", "between", "while"]
ConditionKind: TypeAlias = Literal["none", "whenever", "upon"]
TimingKind: TypeAlias = Literal[
    "always",
    "never",
    "immediately",
    "next",
    "eventually",
    "until",
    "before",
    "within",
    "for",
]

SCOPES: tuple[ScopeKind, ...] = get_args(ScopeKind)
CONDITIONS: tuple[ConditionKind, ...] = get_args(ConditionKind)
TIMINGS: tuple[TimingKind, ...] = get_args(TimingKind)
TIMINGS_WITH_STOP: tuple[TimingKind, ...] = ("until", "before")
TIMINGS_WITH_STEPS: tuple[TimingKind, ...] = ("within", "for")
SCOPE_PARTS = {"global": 0, "before": 1, "after": 1, "between": 2, "while": 1}

MAX_STEPS = 50
"""Each step nests the formula deeper, and formulas may not be deeper than `MAX_DEPTH`."""


@dataclass(frozen=True)
class Sentence:
    """A sentence of the grid; everything in it is a formula on single states."""

    response: Formula
    timing: TimingKind
    stop: Formula | None = None
    """Of `until` and `before`."""
    steps: int = 0
    """Of `within` and `for`: how many steps after the trigger still count."""
    condition: ConditionKind = "none"
    trigger: Formula | None = None
    scope: ScopeKind = "global"
    bounds: tuple[Formula, ...] = ()
    """The formulas that the scope names, in the order of the sentence."""


@dataclass(frozen=True)
class _Segment:
    """The end of a segment, for formulas that are read in one of its states."""

    end: Formula | None = None
    """Holds in the first state after the segment and in no earlier one; None: the trace's end."""
    may_be_empty: bool = False
    """True if formulas may be read in a state that is the end already."""

    def weakly(self, left: Formula, right: Formula) -> Formula:
        """Left until right, or up to the end of the segment."""
        if self.end is None:
            return weak_until(left, right)
        return weak_until(left, right | self.end)

    def throughout(self, formula: Formula) -> Formula:
        """In each state from here to the end of the segment."""
        return globally(formula) if self.end is None else weak_until(formula, self.end)

    def within(self, formula: Formula) -> Formula:
        """In some state from here to the end of the segment."""
        if self.end is None:
            return finally_(formula)
        return until(negation(self.end), self.still(formula))

    def still(self, formula: Formula) -> Formula:
        """Here, and here is within the segment."""
        return formula if self.end is None else formula & negation(self.end)

    def or_over(self, formula: Formula) -> Formula:
        """Here, or the segment is over."""
        return formula if self.end is None else self.end | formula


def formula_of(sentence: Sentence) -> Formula:
    """The meaning of the sentence, as LTL on finite traces."""
    if sentence.scope == "while":
        return _while(sentence, sentence.bounds[0])
    if sentence.scope == "before":
        (end,) = sentence.bounds
        segment = _Segment(end, may_be_empty=True)
        return implies(finally_(end), _on_segment(sentence, segment))
    if sentence.scope == "after":
        (start,) = sentence.bounds
        return weak_until(negation(start), start & _on_segment(sentence, _Segment()))
    if sentence.scope == "between":
        start, end = sentence.bounds
        opens = Formula("and", (start, negation(end), finally_(end)))
        return globally(implies(opens, _on_segment(sentence, _Segment(end))))
    return _on_segment(sentence, _Segment())


def _while(sentence: Sentence, bound: Formula) -> Formula:
    """The segments are the longest runs of the bound, so entering one is "upon" the bound.

    In a run, a trigger of `whenever` is any state with bound and trigger; one of `upon` is a state
    in which both begin to hold together.
    """
    segment = _Segment(negation(bound))
    if sentence.condition == "none" and sentence.timing == "always":
        return globally(implies(bound, sentence.response))
    if sentence.condition == "none" and sentence.timing == "never":
        return globally(implies(bound, negation(sentence.response)))
    duty = _timed(sentence, segment)
    trigger = bound if sentence.trigger is None else bound & sentence.trigger
    if sentence.condition == "whenever":
        return globally(implies(trigger, duty))
    return _upon(trigger, duty, _Segment())


def _on_segment(sentence: Sentence, segment: _Segment) -> Formula:
    """The condition and what follows, read in the first state of a segment."""
    duty = _timed(sentence, segment)
    if sentence.trigger is None:
        return _unless_empty(duty, sentence.timing, segment) if segment.may_be_empty else duty
    if sentence.condition == "whenever":
        return segment.throughout(implies(sentence.trigger, duty))
    return _upon(sentence.trigger, duty, segment)


def _upon(trigger: Formula, duty: Formula, segment: _Segment) -> Formula:
    """The duty wherever the trigger holds but did not hold in the state before in the segment."""
    later = implies(segment.still(trigger), duty)
    first = later if segment.may_be_empty else implies(trigger, duty)
    return first & segment.throughout(implies(negation(trigger), weak_next(later)))


def _unless_empty(duty: Formula, timing: TimingKind, segment: _Segment) -> Formula:
    """In an empty segment nothing can happen, and everything lasts."""
    assert segment.end is not None
    if timing in ("immediately", "next", "within"):
        return negation(segment.end) & duty
    return segment.end | duty if timing == "for" else duty


def _timed(sentence: Sentence, segment: _Segment) -> Formula:
    """The timing and the response, read in a state within the segment."""
    response = sentence.response
    if sentence.timing == "immediately":
        return response
    if sentence.timing == "next":
        return next_(segment.still(response))
    if sentence.timing == "eventually":
        return segment.within(response)
    if sentence.timing in TIMINGS_WITH_STEPS:
        return _counted(sentence, segment)
    if sentence.timing in TIMINGS_WITH_STOP:
        return _stopped(sentence, segment)
    return segment.throughout(response if sentence.timing == "always" else negation(response))


def _stopped(sentence: Sentence, segment: _Segment) -> Formula:
    assert sentence.stop is not None
    if sentence.timing == "until":
        return segment.weakly(sentence.response, sentence.stop)
    unstopped = negation(sentence.stop)
    return segment.weakly(unstopped, sentence.response & unstopped)


def _counted(sentence: Sentence, segment: _Segment) -> Formula:
    """`within`: now, or in one of the next steps; `for`: now, and in the next steps."""
    response = duty = sentence.response
    for _ in range(sentence.steps):
        if sentence.timing == "within":
            duty = response | next_(segment.still(duty))
        else:
            duty = response & weak_next(segment.or_over(duty))
    return duty


def implies(left: Formula, right: Formula) -> Formula:
    """The implication: if the left side holds, so does the right one."""
    return Formula("implies", (left, right))
