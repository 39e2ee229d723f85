"""The conditions of a rule, as it was written, that cause nothing: sentences, not literals.

A translation may repeat an atom of the sentence: "upon C" asks for C in the first state, where it
may never hold, and again for C after !C. A condition is vacuous if none of the literals that stand
for it matters: each is vacuous, or fell away because some atom never changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from bugsieve.rooms.rules.ltl.causes import Occurrence
from bugsieve.rooms.rules.ltl.constants import with_constants
from bugsieve.rooms.rules.ltl.formula import Formula, atoms_of, subformulas
from bugsieve.rooms.rules.ltl.normal_form import nnf
from bugsieve.rooms.rules.obligations.answers import Verdict
from bugsieve.rooms.rules.obligations.obligation import occurrences

_MOST_GONE = 8
"""Atoms that never change, of which it is tried out what they are."""


@dataclass(frozen=True)
class RuleCondition:
    """An atom where the rule as it was written mentions it."""

    name: str
    literals: tuple[int, ...]
    """The literals that stand for it, by their numbers in what is judged; perhaps none is left."""

    def is_vacuous(self, verdict_of: Callable[[int], Verdict | None]) -> bool:
        """Return true if none of its literals matters; asked for verdicts until one does."""
        found: set[Verdict | None] = set()
        for number in self.literals:
            found.add(verdict_of(number))
            if not found <= {"vacuous", "infeasible"}:
                return False
        return "vacuous" in found or not found


def conditions_of(
    written: Formula, whole: Formula, judged: Formula | None
) -> tuple[RuleCondition, ...]:
    """The conditions of a rule, in the order in which its formula mentions them.

    In `written` one object stands for one mention, however often it occurs; `whole` is the same
    over ground atoms, and `judged` that without the atoms that never change; None if nothing is
    left. Where the three do not fit, each literal is a condition of its own.
    """
    mentions = _mentions(written, whole)
    left = [] if judged is None else _literals_left(whole, judged)
    if mentions is None or left is None:
        found = () if judged is None else occurrences(judged)
        return tuple(RuleCondition(str(one), (number,)) for number, one in enumerate(found))
    numbers: dict[int, list[int]] = {number: [] for number in mentions.values()}
    for place, one in enumerate(left):
        numbers[mentions[id(_atom_of(one))]].append(place)
    names = {
        mentions[id(item)]: item.name for item in subformulas(whole) if item.operator == "atom"
    }
    return tuple(RuleCondition(names[number], tuple(own)) for number, own in numbers.items())


def vacuous_names(conditions: Sequence[RuleCondition], vacuous: Sequence[bool]) -> list[str]:
    """The vacuous conditions in words; of an atom that is mentioned again, also which mention."""
    return list(dict.fromkeys(_names(conditions, vacuous)))


def _names(conditions: Sequence[RuleCondition], vacuous: Sequence[bool]) -> Iterator[str]:
    pairs = list(zip(conditions, vacuous, strict=True))
    total = Counter(one.name for one in conditions)
    lost = Counter(one.name for one, is_lost in pairs if is_lost)
    seen: Counter[str] = Counter()
    for one, is_lost in pairs:
        seen[one.name] += 1
        if is_lost:
            which = f" (mention {seen[one.name]} of {total[one.name]})"
            yield one.name if lost[one.name] == total[one.name] else one.name + which


def _mentions(written: Formula, whole: Formula) -> dict[int, int] | None:
    """The number of the mention that each atom object of the whole rule stands for."""
    found: dict[int, int] = {}
    numbers: dict[int, int] = {}
    for one, other in zip(subformulas(written), subformulas(whole), strict=False):
        if (one.operator, len(one.parts)) != (other.operator, len(other.parts)):
            return None
        if one.operator == "atom":
            found[id(other)] = numbers.setdefault(id(one), len(numbers))
    return found


def _literals_left(whole: Formula, judged: Formula) -> Sequence[Occurrence] | None:
    """The literals of what is judged, made of the objects of the whole rule.

    None where they could be of different mentions: that depends on which atoms are always true.
    """
    gone = sorted({*atoms_of(whole)} - {*atoms_of(judged)})
    if len(gone) > _MOST_GONE:
        return None
    wanted = nnf(judged)
    found: dict[tuple[int, ...], Sequence[Occurrence]] = {}
    for truths in product((False, True), repeat=len(gone)):
        plain = with_constants(whole, dict(zip(gone, truths, strict=True)))
        if nnf(plain) == wanted:
            literals = occurrences(plain)
            found[tuple(id(_atom_of(one)) for one in literals)] = literals
    return next(iter(found.values())) if len(found) == 1 else None


def _atom_of(occurrence: Occurrence) -> Formula:
    literal = occurrence.literal
    return literal.parts[0] if literal.operator == "not" else literal
