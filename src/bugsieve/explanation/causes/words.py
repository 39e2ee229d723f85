"""Causes in words: "costly by drop: 'drop' with a package that is not at its goal"."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bugsieve.base.wording import printable
from bugsieve.pipeline.bugs.cause import ACHIEVES, DESTROYS, NEITHER, Cause, LiftedStep
from bugsieve.policies.decisions import Ending

_FLAGS = {DESTROYS: " (undoes a goal)", ACHIEVES: " (reaches a goal)", NEITHER: ""}
_MOST_SHOWN = 6
LOOP = Ending.LOOP.label
_LOOP_OF = "loop of "


def in_words(cause: Cause) -> str:
    """The mistake in words, with the most telling of the traits; it may be a stranger's text."""
    traits = [trait for trait in cause.traits if cause.ending != LOOP or not _is_loop(trait)]
    trait = f": {traits[0]}" if traits else ""
    return printable(f"{_WORDS.get(cause.ending, _by_step)(cause)}{trait}")


def loop_trait(schemas: Iterable[str]) -> str:
    """The trait of a run that ends in a cycle of these steps."""
    return f"{_LOOP_OF}{_joined(sorted(set(schemas)))}"


def _is_loop(trait: str) -> bool:
    return trait.startswith(_LOOP_OF)


def _loop(cause: Cause) -> str:
    """A loop and the step to blame for it, where that is known and the loop is more than it."""
    steps = _joined([_step(step) for step in cause.steps])
    whole = next(filter(_is_loop, cause.traits), None)
    if whole is None or whole == f"{_LOOP_OF}{cause.steps[0].schema}":
        return f"{_LOOP_OF}{steps}"
    return f"{whole} by {steps}"


def _by_step(cause: Cause) -> str:
    steps = f" by {_joined([_step(step) for step in cause.steps])}" if cause.steps else ""
    details = f" ({', '.join(cause.details)})" if cause.details else ""
    return f"{cause.ending}{steps}{details}"


def _stops(cause: Cause) -> str:
    goals = _joined([f"'{predicate}'" for predicate in cause.details])
    return f"no action while goals of {goals} are open" if goals else "no action"


def _illegal(cause: Cause) -> str:
    return f"illegal action: {cause.details[0] if cause.details else 'one that does not exist'}"


def _crash(cause: Cause) -> str:
    exception, place = (*cause.details, "", "")[:2]
    return f"policy crash: {exception}" + (f" at {place}" if place else "")


def _rule(cause: Cause) -> str:
    steps = f" by {_joined([_step(step) for step in cause.steps])}" if cause.steps else ""
    return f"violates {', '.join(cause.details)}{steps}"


def _fault(cause: Cause) -> str:
    action, safe, *places = (*cause.details, "", "")[: max(2, len(cause.details))]
    where = f" in {', '.join(places)}" if places else ""
    kind = "" if cause.ending == "fault" else f"{cause.ending}: "
    return f"{kind}does {action} where {safe} is safe{where}"


def _step(step: LiftedStep) -> str:
    return f"{step.schema}{_FLAGS[step.flag]}"


def _joined(parts: Sequence[str]) -> str:
    """`a`, `a and b`, or `a, b and c`; long lists are cut."""
    shown = list(parts)
    if len(shown) > _MOST_SHOWN:
        shown = [*shown[: _MOST_SHOWN - 1], f"{len(shown) - _MOST_SHOWN + 1} more"]
    return " and ".join(filter(None, [", ".join(shown[:-1]), *shown[-1:]]))


_WORDS = {
    "loop": _loop,
    "no action": _stops,
    "illegal action": _illegal,
    "policy crash": _crash,
    "rule violated": _rule,
    "fault": _fault,
    "avoidable": _fault,
}
