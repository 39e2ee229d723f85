"""Views of a formula on a finite trace: what it proves, what holds as it ends, what it leaves.

Strong: the formula holds with every continuation. Neutral: it holds if nothing follows (LTLf).
Weak: something can follow such that it holds. Each view is again a formula of LTLf.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from bugsieve.rooms.rules.ltl.formula import FALSE, TRUE, Formula, Operator, fold, subformulas
from bugsieve.rooms.rules.ltl.normal_form import nnf, simplified

View: TypeAlias = Literal["strong", "neutral", "weak"]
VIEWS: tuple[View, ...] = ("strong", "neutral", "weak")

DUAL_VIEW: dict[View, View] = {"strong": "weak", "neutral": "neutral", "weak": "strong"}
"""A formula does not hold in a view if and only if its negation holds in the dual one."""

_STRONG: dict[Operator, Operator] = {
    "weak-next": "next",
    "weak-until": "until",
    "release": "strong-release",
}
_WEAK: dict[Operator, Operator] = {
    "next": "weak-next",
    "until": "weak-until",
    "strong-release": "release",
}


def in_view(formula: Formula, view: View) -> Formula:
    """The formula of LTLf that says that a finite trace satisfies this one in the view.

    The neutral view is the formula itself, the others are in negation normal form.
    """
    if view == "neutral":
        return formula
    changed = _strengthen if view == "strong" else _weaken
    # Parts of equivalences that are kept as one condition need no view: they are not temporal.
    return simplified(fold(nnf(formula, equivalences="atom"), changed))


_LASTING: frozenset[Operator] = frozenset({"globally", "weak-until", "release"})
_EVENTUAL: frozenset[Operator] = frozenset({"next", "finally", "until", "strong-release"})


def is_proven_by_prefixes(formula: Formula) -> bool:
    """Return true if each infinite word that satisfies the formula has a prefix that proves it.

    Told from the operators: a formula may be so in a roundabout way, and be taken for another.
    """
    return all(item.operator not in _LASTING for item in subformulas(nnf(formula)))


def shows_on_prefixes(formula: Formula) -> bool:
    """Return true if each word that satisfies the formula has a prefix that does so as it ends.

    Not so where something must come to pass again and again, as in G F p. Told as above.
    """
    for item in subformulas(nnf(formula)):
        if item.operator in _LASTING:
            again = item.parts[1 if item.operator == "release" else 0]
            if any(part.operator in _EVENTUAL for part in subformulas(again)):
                return False
    return True


def _strengthen(item: Formula, parts: Sequence[Formula]) -> Formula:
    if item.operator == "globally":
        return FALSE
    return Formula(_STRONG.get(item.operator, item.operator), tuple(parts), item.name)


def _weaken(item: Formula, parts: Sequence[Formula]) -> Formula:
    if item.operator == "finally":
        return TRUE
    return Formula(_WEAK.get(item.operator, item.operator), tuple(parts), item.name)
