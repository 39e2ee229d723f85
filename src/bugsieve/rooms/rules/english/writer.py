"""Writes formulas as sentences: those of the grid in its form, others as nested readings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bugsieve.rooms.rules.english.grid import (
    CONDITIONS,
    MAX_STEPS,
    SCOPE_PARTS,
    SCOPES,
    TIMINGS,
    TIMINGS_WITH_STEPS,
    TIMINGS_WITH_STOP,
    ConditionKind,
    ScopeKind,
    Sentence,
    TimingKind,
    formula_of,
)
from bugsieve.rooms.rules.english.readings import is_condition, write_condition, write_reading
from bugsieve.rooms.rules.ltl.formula import Formula, atom, fold, negation

# These atoms stand for any condition. Files cannot name them.
_RESPONSE, _STOP, _TRIGGER, _FIRST, _SECOND = (atom(f"<{number}>") for number in range(5))
_HOLES = frozenset((_RESPONSE, _STOP, _TRIGGER, _FIRST, _SECOND))


def write_sentence(formula: Formula, *, component: str = "system") -> str:
    """A sentence that `read_sentence` reads back as the same formula, or an equivalent one."""
    sentence = sentence_of(formula)
    if sentence is not None:
        return grid_text(sentence, component=component)
    return nested_text(formula)


def nested_text(formula: Formula) -> str:
    """The nested reading of any formula, as a sentence."""
    return _capital(write_reading(formula)) + "."


def grid_text(sentence: Sentence, *, component: str = "system") -> str:
    """The sentence in the form of the grid."""
    shown = [write_condition(bound) for bound in sentence.bounds]
    parts = [f"{sentence.scope} {' and '.join(shown)}, "] if shown else []
    if sentence.trigger is not None:
        parts.append(f"{sentence.condition} {write_condition(sentence.trigger)}, ")
    response = write_condition(sentence.response)
    parts.append(f"the {component} shall {timing_text(sentence)} satisfy {response}.")
    return _capital("".join(parts))


def timing_text(sentence: Sentence) -> str:
    """The words between "shall" and "satisfy"."""
    if sentence.timing == "next":
        return "at the next step"
    if sentence.stop is not None:
        return f"{sentence.timing} {write_condition(sentence.stop)}"
    if sentence.timing in TIMINGS_WITH_STEPS:
        return f"{sentence.timing} {sentence.steps} step{'s' * (sentence.steps > 1)}"
    return sentence.timing


def _capital(text: str) -> str:
    """With a capital letter, if it begins with a word of ours: names stay as they are."""
    first = text.split(" ", 1)[0]
    ours = {"before", "after", "between", "while", "whenever", "upon", "the", "it", "at", "if"}
    return text[0].upper() + text[1:] if first in ours else text


def sentence_of(formula: Formula) -> Sentence | None:
    """The sentence of the grid whose formula this is; of several the plainest."""
    found = [s for s in _candidates(formula) if formula_of(s) == formula]
    return min(found, key=_signs, default=None)


def _signs(sentence: Sentence) -> int:
    """The number of its signs that words could have said."""
    text = grid_text(sentence)
    return text.count("!") + text.count("->")


def _candidates(formula: Formula) -> Iterator[Sentence]:
    """Sentences of all cells in their order, as far as their parts can be read off."""
    # A cell has as many nested next operators as steps, and "upon" has one more.
    nested = fold(formula, _nested_steps)
    counts = [steps for steps in (nested - 1, nested) if 1 <= steps <= MAX_STEPS]
    for scope in SCOPES:
        for condition in CONDITIONS:
            for timing in TIMINGS:
                counted = timing in TIMINGS_WITH_STEPS
                for steps in counts if counted else [0]:
                    sentence = _open_cell(scope, condition, timing, steps)
                    bound = _bind(formula_of(sentence), formula)
                    if bound is not None:
                        yield _filled(sentence, bound)


def _nested_steps(formula: Formula, parts: Sequence[int]) -> int:
    """The number of next operators that stand inside each other."""
    return (formula.operator in ("next", "weak-next")) + max(parts, default=0)


def _open_cell(
    scope: ScopeKind, condition: ConditionKind, timing: TimingKind, steps: int
) -> Sentence:
    return Sentence(
        _RESPONSE,
        timing,
        stop=_STOP if timing in TIMINGS_WITH_STOP else None,
        steps=steps,
        condition=condition,
        trigger=None if condition == "none" else _TRIGGER,
        scope=scope,
        bounds=(_FIRST, _SECOND)[: SCOPE_PARTS[scope]],
    )


def _filled(sentence: Sentence, bound: dict[Formula, Formula]) -> Sentence:
    return Sentence(
        bound[_RESPONSE],
        sentence.timing,
        stop=bound[_STOP] if sentence.stop else None,
        steps=sentence.steps,
        condition=sentence.condition,
        trigger=bound[_TRIGGER] if sentence.trigger else None,
        scope=sentence.scope,
        bounds=tuple(bound[hole] for hole in sentence.bounds),
    )


def _bind(pattern: Formula, formula: Formula) -> dict[Formula, Formula] | None:
    """The formulas for the holes of the pattern; None if the shapes differ."""
    bound: dict[Formula, Formula] = {}
    pending = [(pattern, formula)]
    while pending:
        shape, item = pending.pop()
        if shape.operator == "not" and shape.parts[0] in _HOLES:
            shape, item = shape.parts[0], negation(item)
        if shape in _HOLES:
            if not is_condition(item) or bound.setdefault(shape, item) != item:
                return None
        elif (shape.operator, len(shape.parts)) != (item.operator, len(item.parts)):
            return None
        else:
            pending += zip(shape.parts, item.parts, strict=True)
    return bound
